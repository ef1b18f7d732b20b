//! Files that are no good are told by name.

use std::path::Path;

use ostracon::ErrorKind;

use crate::session::{run, session};

#[tokio::test]
async fn files_that_are_no_parquet() {
    let session = session();
    let folder = tempfile::tempdir().unwrap();
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/parquet/e02_s_v1.parquet");
    let bytes = std::fs::read(whole).unwrap();
    for (name, cut) in [
        ("short", bytes[..3].to_vec()),
        ("cut", bytes[..bytes.len() - 20].to_vec()),
        ("encrypted", {
            let mut other = bytes.clone();
            let end = other.len();
            other[end - 4..].copy_from_slice(b"PARE");
            other
        }),
    ] {
        let path = folder.path().join(format!("{name}.parquet"));
        std::fs::write(&path, cut).unwrap();
        for columns in ["", "(id BIGINT)"] {
            let sql = format!(
                "CREATE OR REPLACE EXTERNAL TABLE b {columns} STORED AS PARQUET LOCATION '{}'",
                path.display()
            );
            let error = match run(&session, &sql).await {
                Ok(_) => run(&session, "SELECT * FROM b").await.unwrap_err(),
                Err(error) => error,
            };
            assert!(error.message.contains(&format!("{name}.parquet")), "{name}: {error}");
            assert_eq!(error.kind, ErrorKind::Corrupt, "{name}: {error}");
        }
    }
}

/// Every byte of a footer, changed: what comes out is rows or an error of the file, and the session lives on.
#[tokio::test]
async fn damaged_footers() {
    let session = session();
    let folder = tempfile::tempdir().unwrap();
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/parquet/e08_ids_v1.parquet");
    let whole = std::fs::read(whole).unwrap();
    let footer =
        whole.len() - 8 - usize::from(u16::from_le_bytes([whole[whole.len() - 8], whole[whole.len() - 7]]));
    for (at, change) in (footer..whole.len()).flat_map(|at| [(at, 0x01), (at, 0x80), (at, 0xff)]) {
        let mut bytes = whole.clone();
        bytes[at] ^= change;
        let path = folder.path().join(format!("f{at}_{change}.parquet"));
        std::fs::write(&path, bytes).unwrap();
        let sql =
            format!("CREATE OR REPLACE EXTERNAL TABLE b STORED AS PARQUET LOCATION '{}'", path.display());
        let found = match run(&session, &sql).await {
            Ok(_) => run(&session, "SELECT * FROM b").await,
            Err(error) => Err(error),
        };
        if let Err(error) = found {
            let kinds = [ErrorKind::Corrupt, ErrorKind::Invalid, ErrorKind::Unsupported];
            assert!(kinds.contains(&error.kind), "byte {at}: {error}");
            assert!(error.message.contains(&format!("f{at}_{change}.parquet")), "byte {at}: {error}");
        }
    }
}
