//! What tests check of the lists of purposes and of faults.

use std::collections::BTreeSet;
use std::path::Path;

/// Panics with the names of files that a folder's list misses, or whose ids are not their names.
pub(crate) fn check(folder: &str, listed: &[&str], ids: impl Iterator<Item = &'static str>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files: BTreeSet<String> = std::fs::read_dir(path)
        .expect("a folder of this crate")
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "mod")
        .collect();
    let listed: BTreeSet<String> = listed.iter().map(ToString::to_string).collect();
    let missing: Vec<&String> = files.difference(&listed).collect();
    assert!(missing.is_empty(), "{folder}/mod.rs does not list {missing:?}");
    assert!(!listed.is_empty(), "{folder} lists nothing");
    let ids: BTreeSet<String> = ids.map(|id| id.replace('-', "_")).collect();
    let misnamed: Vec<&String> = listed.symmetric_difference(&ids).collect();
    assert!(misnamed.is_empty(), "{folder}: files and ids differ: {misnamed:?}");
}
