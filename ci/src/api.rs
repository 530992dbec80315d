//! The library's public interface according to rustdoc: a list that is checked in, and a check that
//! each item has an example.
//!
//! Every breaking change also changes a line of that list in the same commit. Both need unstable
//! options of rustdoc. The list also needs the exact version of rustdoc's output that the pinned
//! `public-api` reads: see `RUST`.

use crate::sh;
use anyhow::{Context, Result, bail};
use public_api::Builder;
use serde::Deserialize;
use std::collections::BTreeMap;
use xshell::{Cmd, Shell, cmd};

/// The path of the list, relative to the root.
pub const PATH: &str = "crates/chronoscope/api.txt";

/// The Rust version whose rustdoc output the pinned `public-api` reads. Its README lists the pairs.
const RUST: &str = "1.95";

const HEAD: &str = "\
The library's public interface, written by `cargo xtask generate`. A line that changes or disappears
may break users: see CONTRIBUTING. The first part is with all features, the second without any.
";

/// The list as generated from the source.
pub fn list(sh: &Shell) -> Result<String> {
    Ok(format!(
        "{HEAD}\n{}\n{}",
        part(sh, &["--all-features"])?,
        part(sh, &["--no-default-features"])?
    ))
}

/// Compiler-internal traits, which users cannot name.
const INTERNAL: [&str; 3] = ["Freeze", "StructuralPartialEq", "UnsafeUnpin"];

/// The part of the list with these features.
fn part(sh: &Shell, features: &[&str]) -> Result<String> {
    // Without a feature, links to items that need it are broken. The list is not affected.
    let json = ["-Zunstable-options", "--output-format", "json", "--cap-lints", "allow"];
    sh::run(unstable(cmd!(
        sh,
        "cargo rustdoc --quiet -p chronoscope --lib {features...} -- {json...}"
    )))?;
    let interface = Builder::from_rustdoc_json(sh::target().join("doc/chronoscope.json"))
        .omit_blanket_impls(true)
        .build();
    let interface = interface.with_context(|| format!("the rustdoc of Rust {RUST} is required"))?;
    let internal = INTERNAL.map(|name| format!("impl core::marker::{name} for "));
    let lines = interface.items().map(ToString::to_string);
    let lines = lines.filter(|line| !internal.iter().any(|start| line.starts_with(start)));
    Ok(lines.map(|line| line + "\n").collect())
}

/// Lets a stable rustdoc accept unstable options.
fn unstable(cmd: Cmd<'_>) -> Cmd<'_> {
    cmd.env("RUSTC_BOOTSTRAP", "1")
}

/// The counts that rustdoc reports for one file.
#[derive(Deserialize)]
struct Counts {
    total_examples: u64,
    with_examples: u64,
}

/// Checks that every item that should have an example has one. The documentation tests run the
/// examples.
pub fn examples(sh: &Shell) -> Result<()> {
    let coverage = ["-Zunstable-options", "--show-coverage", "--output-format", "json"];
    // As docs.rs does.
    let docs_rs = ["--cfg", "docsrs"];
    let text = sh::read(unstable(cmd!(
        sh,
        "cargo rustdoc --quiet -p chronoscope --all-features --lib -- {docs_rs...} {coverage...}"
    )))?;
    let without = without(&text)?;
    if !without.is_empty() {
        bail!("items without an example: {}", without.join(", "));
    }
    Ok(())
}

/// The files that contain items without an example.
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
    fn files_with_missing_examples_are_reported() {
        let text = r#"{
            "src/a.rs": {"total": 3, "with_docs": 3, "total_examples": 2, "with_examples": 2},
            "src/b.rs": {"total": 3, "with_docs": 3, "total_examples": 3, "with_examples": 1}
        }"#;
        assert_eq!(without(text).unwrap(), ["2 in src/b.rs"]);
        without("").unwrap_err();
    }
}
