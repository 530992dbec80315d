//! The path of a batch from its loop to the screen, as DESIGN lists it, matches the source, and has
//! at most seven hops to a cell and twelve to the screen.

use std::fs;
use std::path::Path;

/// The cells of each row of the list: the number, the file, the function.
fn hops(design: &str) -> Vec<[&str; 3]> {
    let (_, section) = design.split_once("## From a batch to the screen\n").expect("the list");
    let section = section.split("\n## ").next().expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    rows.map(|row| {
        let mut cells = row.split('|').map(|cell| cell.trim().trim_matches('`')).skip(1);
        [(); 3].map(|()| cells.next().expect("a number, a file, and a function"))
    })
    .collect()
}

/// The hops whose function is not in its file.
fn lost<'a>(hops: &[[&'a str; 3]]) -> Vec<&'a str> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_lost = |[_, file, function]: &&[&str; 3]| {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        let name = function.rsplit("::").next().expect("a name");
        let starts = [format!("fn {name}("), format!("fn {name}<"), format!("define {name}(")];
        !starts.iter().any(|start| text.contains(start))
    };
    hops.iter().filter(is_lost).map(|[_, _, function]| *function).collect()
}

#[test]
fn every_hop_from_a_batch_to_the_screen_is_in_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let design = fs::read_to_string(root.join("docs/DESIGN.md")).expect("DESIGN");
    let hops = hops(&design);
    let numbers: Vec<String> = (0..hops.len()).map(|number| number.to_string()).collect();
    assert!(hops.iter().map(|hop| hop[0]).eq(numbers.iter().map(String::as_str)), "{hops:?}");
    // The loop itself is not a hop.
    let cell = hops.iter().position(|hop| hop[2].starts_with("Cell::")).expect("a cell");
    assert!((6..=7).contains(&cell), "{cell} hops to a cell");
    assert!(hops.len() - 1 <= 12, "{} hops", hops.len() - 1);
    assert!(hops.last().is_some_and(|hop| hop[2] == "print"), "it ends on the screen");
    assert_eq!(lost(&hops), [""; 0]);
}

#[test]
fn a_hop_that_has_moved_is_found() {
    let file = "crates/measure/src/engine/rounds.rs";
    assert_eq!(lost(&[["1", file, "difference"], ["2", file, "Figure::gone"]]), ["Figure::gone"]);
    assert_eq!(lost(&[["1", "crates/measure/src/gone.rs", "difference"]]), ["difference"]);
}
