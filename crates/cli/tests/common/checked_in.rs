//! The reports that the repository holds, of every command and of several systems.

use std::fs;
use std::path::Path;

/// Each with the name of its file, in the order of the names.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut reports = Vec::new();
    for folder in ["../../docs/reports", "tests/data/reports"] {
        for file in fs::read_dir(crate_folder.join(folder)).expect(folder) {
            let path = file.expect("a file").path();
            if path.extension().is_some_and(|it| it == "json") {
                let bytes = fs::read(&path).expect("its text");
                reports.push((path.display().to_string(), bytes));
            }
        }
    }
    reports.sort();
    reports
}
