//! Reads of few rows in the calling thread: no plan, no task, no channel.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use ostracon_data::{Authorizations, RowBuffer, RowRanges};
use ostracon_iterators::RowFilterSpec;
use ostracon_tablets::{
    Clock, Error as StoreError, Piece, ScanSpec, Scanner, SystemClock, TabletStore, Version,
};
use parking_lot::Mutex;

use super::idle::{IdleScans, OpenScan};
use super::reader::{read_pieces, versions_seen};
use crate::definition::TableDefinition;
use crate::error::{HandlerError, Result};
use crate::rows::{Appended, RowDecoder};

/// Decoders that wait at most, for as many threads that read at once.
const KEPT_DECODERS: usize = 4;

/// What is to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'w> {
    pub(crate) ranges: &'w RowRanges,
    pub(crate) filter: Option<&'w RowFilterSpec>,
    pub(crate) reverse: bool,
    /// As many rows at most.
    pub(crate) limit: usize,
    /// If more bytes than that have to be read, it is not done here.
    pub(crate) byte_limit: Option<u64>,
}

/// Reads some columns of a table as one session sees it, over and over.
#[derive(Debug)]
pub(crate) struct DirectScan {
    definition: Arc<TableDefinition>,
    authorizations: Authorizations,
    /// Positions in the table.
    columns: Vec<usize>,
    schema: SchemaRef,
    decoders: Mutex<Vec<RowDecoder>>,
    idle: IdleScans,
    owner: u64,
}

impl DirectScan {
    /// Reads the columns at the given positions, in that order, with these labels. The batches have the schema, if one is
    /// given: the same types, maybe under other names.
    pub(crate) fn new(
        definition: Arc<TableDefinition>,
        authorizations: Authorizations,
        columns: Vec<usize>,
        schema: Option<SchemaRef>,
        idle: IdleScans,
    ) -> Result<Self> {
        let mut decoder = RowDecoder::new(&definition, Some(&columns))?;
        if let Some(schema) = schema {
            decoder.set_schema(schema);
        }
        let schema = decoder.schema();
        let owner = idle.owner();
        let decoders = Mutex::new(vec![decoder]);
        Ok(Self { definition, authorizations, columns, schema, decoders, idle, owner })
    }

    /// The schema of what is read.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows that are wanted, of the table as it is now; `None` if there was more to read than is allowed.
    pub(crate) fn read(&self, store: &TabletStore, wanted: Wanted<'_>) -> Result<Option<RecordBatch>> {
        let (mut decoder, mut scan) = self.start(store, &wanted)?;
        match read_pieces(&mut scan.scanner, &mut decoder, &mut scan.row, wanted.limit, |_| Ok(())) {
            Ok(_) => {}
            Err(error) if is_read_limit(&error) => return Ok(None),
            Err(error) => return Err(error),
        }
        let batch = decoder.finish()?;
        self.close(scan, decoder, &wanted);
        Ok(Some(batch))
    }

    /// The rows of single-row ranges, as far as they exist, in the order of the ids; `found` is told the id of each.
    pub(crate) fn read_rows(
        &self,
        store: &TabletStore,
        rows: &RowRanges,
        mut found: impl FnMut(&[u8]),
    ) -> Result<RecordBatch> {
        let wanted =
            Wanted { ranges: rows, filter: None, reverse: false, limit: usize::MAX, byte_limit: None };
        let (mut decoder, mut scan) = self.start(store, &wanted)?;
        let mut id = Vec::new();
        loop {
            // Of rows that are read by column it is not known which the decoder leaves out.
            let piece = if decoder.leaves_rows_out() {
                if scan.scanner.next_row(&mut scan.row)? { Piece::Row } else { Piece::End }
            } else {
                scan.scanner.next_piece(usize::MAX, &mut scan.row)?
            };
            match piece {
                Piece::End => break,
                Piece::Row => {
                    if decoder.append(&scan.row)? == Appended::Row {
                        found(scan.row.row());
                    }
                }
                Piece::Hits(hits) => {
                    decoder.append_hits(&hits)?;
                    for hit in hits.rows() {
                        hits.id_into(*hit, &mut id)?;
                        found(&id);
                    }
                }
            }
        }
        let batch = decoder.finish()?;
        self.close(scan, decoder, &wanted);
        Ok(batch)
    }

    fn start(&self, store: &TabletStore, wanted: &Wanted<'_>) -> Result<(RowDecoder, OpenScan)> {
        let version = store.table(&self.definition.store_table)?.version()?;
        let decoder = self.decoder()?;
        let mut scan = self.open(version, &decoder, wanted)?;
        scan.scanner.set_byte_limit(wanted.byte_limit);
        Ok((decoder, scan))
    }

    fn decoder(&self) -> Result<RowDecoder> {
        if let Some(idle) = self.decoders.lock().pop() {
            return Ok(idle);
        }
        let mut decoder = RowDecoder::new(&self.definition, Some(&self.columns))?;
        decoder.set_schema(Arc::clone(&self.schema));
        Ok(decoder)
    }

    /// A scan that has been sent to what is wanted.
    fn open(&self, version: Arc<Version>, decoder: &RowDecoder, wanted: &Wanted<'_>) -> Result<OpenScan> {
        let may_wait = self.may_wait(&version, wanted);
        let idle = if may_wait { self.idle.take(self.owner, &version, wanted.reverse) } else { None };
        let mut scan = match idle {
            Some(scan) => scan,
            None => {
                let spec = self.spec(&version, decoder, wanted);
                let scanner = if may_wait {
                    Scanner::seekable(&version, &spec)?
                } else {
                    Scanner::new(&version, &ScanSpec { ranges: wanted.ranges.clone(), ..spec })?
                };
                OpenScan { version, reverse: wanted.reverse, scanner, row: RowBuffer::new() }
            }
        };
        if may_wait {
            scan.scanner.seek(wanted.ranges)?;
        }
        Ok(scan)
    }

    /// Keeps what may be used again. What met an error never comes here.
    fn close(&self, scan: OpenScan, decoder: RowDecoder, wanted: &Wanted<'_>) {
        if self.may_wait(&scan.version, wanted) {
            self.idle.put(self.owner, scan);
        }
        let mut decoders = self.decoders.lock();
        if decoders.len() < KEPT_DECODERS {
            decoders.push(decoder);
        }
    }

    /// Whether a scan is good for another one of the same version: filters differ, and cells expire as time goes by.
    fn may_wait(&self, version: &Version, wanted: &Wanted<'_>) -> bool {
        wanted.filter.is_none() && self.ttl_ms(version).is_none()
    }

    fn ttl_ms(&self, version: &Version) -> Option<u64> {
        self.definition.properties.ttl_ms.or(version.settings().ttl_ms)
    }

    fn spec(&self, version: &Version, decoder: &RowDecoder, wanted: &Wanted<'_>) -> ScanSpec {
        ScanSpec {
            ranges: RowRanges::none(),
            columns: self.definition.mapped_columns(),
            projection: decoder.cells_needed().clone(),
            authorizations: self.authorizations.clone(),
            filter: wanted.filter.cloned(),
            max_versions: versions_seen(version),
            ttl_ms: self.ttl_ms(version),
            now_ms: SystemClock.now_ms(),
            reverse: wanted.reverse,
            ..ScanSpec::default()
        }
    }
}

/// Whether a scan ended because it read more than it was allowed.
fn is_read_limit(error: &HandlerError) -> bool {
    let source = error.source.as_ref().and_then(|source| source.downcast_ref::<StoreError>());
    matches!(source, Some(StoreError::ReadLimit { .. }))
}
