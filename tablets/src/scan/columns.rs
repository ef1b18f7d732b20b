//! Which roles a column plays in a scan, decided quickly.
//!
//! [`ColumnRoles`] combines the selections of a scan into one sorted list, so that each cell is looked up once. Cells
//! come sorted too, so the next match is usually where the last one was, or one further.

use ostracon_data::{ROW_MARKER_FAMILY, compare_columns, same_bytes, same_columns};
use ostracon_segment::{ColumnSummary, SegmentSummary};

use super::spec::{ColumnFilter, ColumnSelection, ScanSpec};

/// The column counts for the existence of its row.
pub(crate) const MAPPED: u8 = 1;
/// The column is handed out.
pub(crate) const PROJECTED: u8 = 1 << 1;
/// The row filter looks at the column.
pub(crate) const FILTERED: u8 = 1 << 2;

/// The roles of every column in a scan; none means that its cells are not needed.
#[derive(Debug, Clone)]
pub(crate) struct ColumnRoles {
    /// Roles of every column, whatever its name.
    of_all: u8,
    /// Single columns with further roles, sorted.
    exact: Vec<NamedRoles>,
    /// Qualifier prefixes with further roles.
    prefixes: Vec<NamedRoles>,
}

/// Roles of a column or of the columns with a qualifier prefix.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NamedRoles {
    family: Vec<u8>,
    qualifier: Vec<u8>,
    roles: u8,
}

impl NamedRoles {
    fn new(family: &[u8], qualifier: &[u8], roles: u8) -> Self {
        Self { family: family.to_vec(), qualifier: qualifier.to_vec(), roles }
    }

    fn column(&self) -> (&[u8], &[u8]) {
        (&self.family, &self.qualifier)
    }
}

impl ColumnRoles {
    /// Every column is mapped and handed out.
    pub(crate) fn everything() -> Self {
        Self { of_all: MAPPED | PROJECTED, exact: Vec::new(), prefixes: Vec::new() }
    }

    /// No column has a role.
    pub(crate) fn none() -> Self {
        Self { of_all: 0, exact: Vec::new(), prefixes: Vec::new() }
    }

    /// The roles for a stack with iterators of users: these judge and change values, so they see those of every mapped
    /// column, whichever are handed out in the end.
    pub(crate) fn of_iterators(spec: &ScanSpec) -> Self {
        let mut roles = Self::of_scan(spec);
        let named = roles.exact.iter_mut().chain(&mut roles.prefixes).map(|named| &mut named.roles);
        for role in named.chain(std::iter::once(&mut roles.of_all)) {
            if *role & MAPPED != 0 {
                *role |= PROJECTED;
            }
        }
        roles
    }

    pub(crate) fn of_scan(spec: &ScanSpec) -> Self {
        let mut of_all = 0;
        let (mut exact, mut prefixes) = (Vec::new(), Vec::new());
        for (selection, role) in [(&spec.columns, MAPPED), (&spec.projection, PROJECTED)] {
            match selection {
                ColumnSelection::All => of_all |= role,
                ColumnSelection::Columns(filters) => {
                    for filter in filters {
                        match filter {
                            ColumnFilter::Exact { family, qualifier } => {
                                exact.push((family.as_slice(), qualifier.as_slice(), role));
                            }
                            ColumnFilter::Prefix { family, qualifier_prefix } => {
                                prefixes.push(NamedRoles::new(family, qualifier_prefix, role));
                            }
                        }
                    }
                }
            }
        }
        exact.push((ROW_MARKER_FAMILY, b"", MAPPED));
        if let Some(filter) = &spec.filter {
            exact.extend(filter.columns().map(|(family, qualifier)| (family, qualifier, FILTERED)));
        }
        // Borrowed until each column is there once: a scan of few rows has no time to lose.
        exact.sort_unstable();
        let exact = exact.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter_map(|same| {
            let (family, qualifier, _) = same.first()?;
            Some(NamedRoles::new(family, qualifier, same.iter().fold(0, |roles, (.., role)| roles | role)))
        });
        Self { of_all, exact: exact.collect(), prefixes }
    }

    /// Whether every column counts for the existence of its row.
    pub(crate) fn maps_everything(&self) -> bool {
        self.of_all & MAPPED != 0
    }

    /// Whether every row of a segment exists, as far as the session sees all of its cells: some mapped column is never absent.
    pub(crate) fn all_exist(&self, summary: &SegmentSummary) -> bool {
        let mut hint = 0;
        let is_mapped = |column: &ColumnSummary| {
            self.of(&column.family, &column.qualifier, &mut hint) & MAPPED != 0 && column.absent == 0
        };
        self.maps_everything() || summary.columns.iter().any(is_mapped)
    }

    /// Whether every cell the filter looks at is handed out anyway, and every cell that is looked at is.
    pub(crate) fn projects_what_it_reads(&self) -> bool {
        let fine = |roles: u8| (roles | self.of_all) & (FILTERED | PROJECTED) != FILTERED;
        fine(0) && self.exact.iter().chain(&self.prefixes).all(|named| fine(named.roles))
    }

    /// The roles of a column. `hint` carries the place of the last match from one cell of a row to the next; start a
    /// row with 0.
    #[inline]
    pub(crate) fn of(&self, family: &[u8], qualifier: &[u8], hint: &mut usize) -> u8 {
        let mut roles = self.of_all;
        if !self.exact.is_empty() {
            roles |= self.exact_roles((family, qualifier), hint);
        }
        for prefix in &self.prefixes {
            if same_bytes(&prefix.family, family) && qualifier.starts_with(&prefix.qualifier) {
                roles |= prefix.roles;
            }
        }
        roles
    }

    #[inline]
    fn exact_roles(&self, column: (&[u8], &[u8]), hint: &mut usize) -> u8 {
        let is_it = |named: &NamedRoles| same_columns(named.column(), column);
        if let Some(next) = self.exact.get(*hint)
            && is_it(next)
        {
            *hint += 1;
            return next.roles;
        }
        *hint = self.exact.partition_point(|named| compare_columns(named.column(), column).is_lt());
        match self.exact.get(*hint) {
            Some(found) if is_it(found) => {
                *hint += 1;
                found.roles
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(spec: &ScanSpec, family: &[u8], qualifier: &[u8]) -> u8 {
        ColumnRoles::of_scan(spec).of(family, qualifier, &mut 0)
    }

    #[test]
    fn roles_add_up() {
        let spec = ScanSpec {
            columns: ColumnSelection::Columns(vec![
                ColumnFilter::exact("f", "a"),
                ColumnFilter::exact("f", "b"),
                ColumnFilter::prefix("m", "x"),
            ]),
            projection: ColumnSelection::Columns(vec![
                ColumnFilter::exact("f", "b"),
                ColumnFilter::exact("m", "xy"),
            ]),
            ..ScanSpec::default()
        };
        assert_eq!(roles(&spec, b"f", b"a"), MAPPED);
        assert_eq!(roles(&spec, b"f", b"b"), MAPPED | PROJECTED);
        assert_eq!(roles(&spec, b"f", b"c"), 0);
        assert_eq!(roles(&spec, b"m", b"x"), MAPPED);
        assert_eq!(roles(&spec, b"m", b"xy"), MAPPED | PROJECTED);
        assert_eq!(roles(&spec, b"mx", b""), 0);
        assert_eq!(roles(&spec, ROW_MARKER_FAMILY, b""), MAPPED);
        assert!(ColumnRoles::of_scan(&spec).projects_what_it_reads());
    }

    #[test]
    fn the_hint_changes_nothing() {
        let columns = ["a", "b", "d"].map(|qualifier| ColumnFilter::exact("f", qualifier));
        let spec = ScanSpec {
            columns: ColumnSelection::none(),
            projection: ColumnSelection::Columns(columns.into()),
            ..ScanSpec::default()
        };
        let roles = ColumnRoles::of_scan(&spec);
        for hint in 0..6 {
            for (qualifier, wanted) in
                [("a", PROJECTED), ("b", PROJECTED), ("c", 0), ("d", PROJECTED), ("e", 0)]
            {
                assert_eq!(
                    roles.of(b"f", qualifier.as_bytes(), &mut hint.clone()),
                    wanted,
                    "{qualifier} at {hint}"
                );
            }
        }
    }
}
