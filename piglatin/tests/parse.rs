//! Every `tests/parse/*.pig` and what it means, in the `.expected` file beside it: a line a statement, then a line a
//! diagnostic. `OSTRACON_REWRITE=1` writes the expected files anew; review the difference.

mod support;

use std::fs;
use std::path::Path;

use ostracon_piglatin::parse_script;

#[test]
fn every_script_of_the_corpus_means_what_is_written_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parse");
    let mut scripts: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "pig"));
    scripts.sort();
    assert!(scripts.len() >= 10, "{} scripts in {}", scripts.len(), folder.display());
    for path in scripts {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = support::show(&parse_script(&name, &fs::read_to_string(&path).unwrap()));
        let beside = path.with_extension("expected");
        if std::env::var_os("OSTRACON_REWRITE").is_some() {
            fs::write(&beside, &found).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        assert_eq!(found, expected, "{name}");
    }
}

/// What a script prints as is a script that means the same.
#[test]
fn a_script_without_errors_means_the_same_after_dryrun() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parse");
    let mut checked = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pig") {
            continue;
        }
        let parsed = parse_script("a.pig", &fs::read_to_string(&path).unwrap());
        if parsed.diagnostics.is_empty() {
            let again = parse_script("b.pig", &parsed.dryrun());
            assert_eq!(support::show(&again), support::show(&parsed), "{}", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 6, "only {checked} scripts without errors");
}
