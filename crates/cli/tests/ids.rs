//! Only the lists of candidates for advice name clocks and waits. Everything else is concluded and
//! shown from the facts that each entry states, so a new entry needs no change there.

use chronoscope_probes::{clocks, waits};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of this repository");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

#[test]
fn no_id_is_named_outside_the_lists_of_candidates() {
    let ids = clocks::every().map(|entry| entry.id);
    let ids = ids.chain(waits::ALL.iter().map(|entry| entry.id));
    let families: BTreeSet<&str> = ids.filter_map(|id| Some(id.split_once('/')?.0)).collect();
    assert!(families.len() > 8, "{families:?}");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in ["diagnose/src", "report/src"] {
        let folder = crates.join(folder);
        for path in files(&folder) {
            if path.starts_with(folder.join("advise")) {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a text");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let named = families.iter().filter(|family| {
                let literal = format!("\"{family}/");
                code.contains(&literal)
            });
            found.extend(named.map(|family| format!("{}: {family}/", path.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
