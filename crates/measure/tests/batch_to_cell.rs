//! The path of a batch from its loop to a cell, as DESIGN lists it, matches the source and has at
//! most twelve hops.

use std::fs;
use std::path::Path;

/// The cells of each row of the list: the number, the file, the function.
fn hops(design: &str) -> Vec<[&str; 3]> {
    let (_, section) = design.split_once("## From a batch to a cell\n").expect("the list");
    let section = section.split("\n## ").next().expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    rows.map(|row| {
        let mut cells = row.split('|').map(|cell| cell.trim().trim_matches('`')).skip(1);
        [(); 3].map(|()| cells.next().expect("a number, a file, and a function"))
    })
    .collect()
}

#[test]
fn every_hop_from_a_batch_to_a_cell_is_in_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let design = fs::read_to_string(root.join("docs/DESIGN.md")).expect("DESIGN");
    let hops = hops(&design);
    let numbers: Vec<String> = (0..hops.len()).map(|number| number.to_string()).collect();
    assert!(hops.iter().map(|hop| hop[0]).eq(numbers.iter().map(String::as_str)), "{hops:?}");
    // The loop itself is not a hop.
    assert!((9..=13).contains(&hops.len()), "{} hops", hops.len() - 1);
    for [_, file, function] in hops {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        let name = function.rsplit("::").next().expect("a name");
        let starts = [format!("fn {name}("), format!("fn {name}<"), format!("define {name}(")];
        assert!(starts.iter().any(|start| text.contains(start)), "{function} in {file}");
    }
}
