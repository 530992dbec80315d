//! What rustdoc knows of the library's interface: the list of it that is checked in, and whether
//! each item has an example.
//!
//! A change that breaks users cannot be made without a line of that list changing in the same
//! commit. Both need options of rustdoc that are unstable, and the list needs the one version of
//! rustdoc's output that the pinned `public-api` reads: see [`RUST`].

use crate::sh;
use anyhow::{Context, Result, bail};
use public_api::Builder;
use serde::Deserialize;
use std::collections::BTreeMap;
use xshell::{Cmd, Shell, cmd};

/// Where the list is, from the root.
pub const PATH: &str = "crates/chronoscope/api.txt";

/// The Rust whose rustdoc writes what the pinned `public-api` reads: its README lists the pairs.
const RUST: &str = "1.95";

const HEAD: &str = "\
The interface of the library, by `cargo xtask generate`. A line that changes or disappears is a
change that may break users: see CONTRIBUTING. First with the default features, then without.
";

/// The list as the source would make it.
pub fn list(sh: &Shell) -> Result<String> {
    Ok(format!(
        "{HEAD}\n{}\n{}",
        part(sh, &[])?,
        part(sh, &["--no-default-features"])?
    ))
}

/// Traits of the compiler's own, which no user can name.
const INTERNAL: [&str; 3] = ["Freeze", "StructuralPartialEq", "UnsafeUnpin"];

/// The list with these features.
fn part(sh: &Shell, features: &[&str]) -> Result<String> {
    // Without a feature, links to what needs it are broken, which does not matter to the list.
    let json = [
        "-Zunstable-options",
        "--output-format",
        "json",
        "--cap-lints",
        "allow",
    ];
    sh::run(unstable(cmd!(
        sh,
        "cargo rustdoc --quiet -p chronoscope --lib {features...} -- {json...}"
    )))?;
    let interface = Builder::from_rustdoc_json(sh::target().join("doc/chronoscope.json"))
        .omit_blanket_impls(true)
        .build();
    let interface = interface.with_context(|| format!("this needs the rustdoc of Rust {RUST}"))?;
    let internal = INTERNAL.map(|name| format!("impl core::marker::{name} for "));
    let lines = interface.items().map(ToString::to_string);
    let lines = lines.filter(|line| !internal.iter().any(|start| line.starts_with(start)));
    Ok(lines.map(|line| line + "\n").collect())
}

/// Lets a released rustdoc take unstable options.
fn unstable(cmd: Cmd<'_>) -> Cmd<'_> {
    cmd.env("RUSTC_BOOTSTRAP", "1")
}

/// What rustdoc counts in one file.
#[derive(Deserialize)]
struct Counts {
    total_examples: u64,
    with_examples: u64,
}

/// Checks that every item that should have an example has one; the tests of the documentation run
/// them.
pub fn examples(sh: &Shell) -> Result<()> {
    let coverage = [
        "-Zunstable-options",
        "--show-coverage",
        "--output-format",
        "json",
    ];
    let text = sh::read(unstable(cmd!(
        sh,
        "cargo rustdoc --quiet -p chronoscope --lib -- {coverage...}"
    )))?;
    let without = without(&text)?;
    if !without.is_empty() {
        bail!("items without an example: {}", without.join(", "));
    }
    Ok(())
}

/// The files with items that have no example.
fn without(coverage: &str) -> Result<Vec<String>> {
    let files: BTreeMap<String, Counts> =
        serde_json::from_str(coverage).context("cannot read rustdoc's coverage")?;
    Ok(files
        .into_iter()
        .filter(|(_, counts)| counts.with_examples < counts.total_examples)
        .map(|(file, counts)| {
            let missing = counts.total_examples - counts.with_examples;
            format!("{missing} in {file}")
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_examples_are_named() {
        let text = r#"{
            "src/a.rs": {"total": 3, "with_docs": 3, "total_examples": 2, "with_examples": 2},
            "src/b.rs": {"total": 3, "with_docs": 3, "total_examples": 3, "with_examples": 1}
        }"#;
        assert_eq!(without(text).unwrap(), ["2 in src/b.rs"]);
        without("").unwrap_err();
    }
}
