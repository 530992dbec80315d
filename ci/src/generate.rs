//! Generated files that are checked in. The tool itself generates the shell completions and the man
//! pages. The others are the JSON Schemas, the C header, the list of the library's interface, the
//! estimators as WebAssembly, and the list of faults in docs/doctor.md.
//!
//! The library's public interface according to rustdoc: a list that is checked in, and a check that
//! each item has an example.
//!
//! Every breaking change also changes a line of that list in the same commit. Both need unstable
//! options of rustdoc. The list also needs the exact version of rustdoc's output that the pinned
//! `public-api` reads: see `RUST`.

use crate::cross::toolchain;
use crate::{capi, sh, tool};
use anyhow::{Context, Result, ensure};
use chronoscope_report::json;
use chronoscope_report::page::{Input, embed};
use public_api::Builder;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Cmd, Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Write nothing; fail if a file would change
    #[arg(long)]
    check: bool,
}

/// Folders that contain only generated files, relative to the root.
const FOLDERS: [&str; 3] = ["crates/model/schema", "docs/completions", "docs/man"];

/// The page with the list of faults.
const DOCTOR: &str = "docs/doctor.md";

/// Each shell and the file name of its completions.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "chronoscope.bash"),
    ("elvish", "chronoscope.elv"),
    ("fish", "chronoscope.fish"),
    ("powershell", "_chronoscope.ps1"),
    ("zsh", "_chronoscope"),
];

/// The reports of `advise --on`, by the names of their systems, and the page that holds them.
const ELSEWHERE: [(&str, &str); 3] = [
    ("windows", "x86_64-pc-windows-gnu"),
    ("linux", "x86_64-unknown-linux-gnu"),
    ("pi", "aarch64-unknown-linux-gnu"),
];
const PAGE: &str = "crates/cli/src/elsewhere.html";

/// The estimators of the page that measures a browser.
const ESTIMATORS: &str = "crates/report/src/page/browser/estimators.wasm";

/// File contents by path relative to the root.
type Files = BTreeMap<PathBuf, Vec<u8>>;

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if args.check {
        return check(sh);
    }
    let wanted = wanted(sh)?;
    for path in stale(sh::root(), &wanted)? {
        match wanted.get(&path) {
            Some(content) => sh.write_file(&path, content)?,
            None => sh.remove_path(&path)?,
        }
        println!("{}", path.display());
    }
    Ok(())
}

/// Compares the files that are checked in with those that would be generated.
pub fn check(sh: &Shell) -> Result<()> {
    let wanted = wanted(sh)?;
    let stale = stale(sh::root(), &wanted)?;
    let names: Vec<_> = stale.iter().map(|path| path.display().to_string()).collect();
    ensure!(stale.is_empty(), "`cargo xtask generate` would change {}", names.join(", "));
    println!("{} generated files are up to date", wanted.len());
    Ok(())
}

/// The files below `root` that differ, and those that nothing generates.
fn stale(root: &Path, wanted: &Files) -> Result<BTreeSet<PathBuf>> {
    let is_current = |(path, content): &(&PathBuf, &Vec<u8>)| {
        fs::read(root.join(path)).is_ok_and(|found| found == **content)
    };
    let mut stale: BTreeSet<PathBuf> =
        wanted.iter().filter(|file| !is_current(file)).map(|(path, _)| path.clone()).collect();
    for folder in FOLDERS {
        let found = read(&root.join(folder), Path::new(folder))?;
        stale.extend(found.into_keys().filter(|path| !wanted.contains_key(path)));
    }
    Ok(stale)
}

/// The files as generated from the source.
fn wanted(sh: &Shell) -> Result<Files> {
    let tool = tool::release(sh)?.tool;
    let [schema, completions, man] = FOLDERS.map(Path::new);

    let mut files = Files::new();
    for (document, computed) in chronoscope_model::schema::computed() {
        let text = serde_json::to_string_pretty(&computed)? + "\n";
        files.insert(schema.join(format!("chronoscope.{document}-1.json")), text.into());
    }
    for (shell, file) in SHELLS {
        let text = sh::read(cmd!(sh, "{tool} generate completions {shell}"))?;
        files.insert(completions.join(file), text.into());
    }
    let scratch = sh::target().join("man");
    sh.remove_path(&scratch)?;
    sh.create_dir(&scratch)?;
    sh::read(cmd!(sh, "{tool} generate man {scratch}"))?;
    files.extend(read(&scratch, man)?);
    files.insert(capi::HEADER.into(), capi::header()?);
    files.insert(PATH.into(), list(sh)?.into());
    let list = sh::read(cmd!(sh, "{tool} list faults --json"))?;
    let page = crate::replaced(&sh.read_file(DOCTOR)?, "faults", &faults(&list)?);
    files.insert(DOCTOR.into(), page.context("no marks of the list of faults")?.into());
    files.insert(PAGE.into(), elsewhere(sh)?.into());
    files.insert(ESTIMATORS.into(), estimators(sh)?);
    Ok(files)
}

/// The page of the reports of other systems; the tool reads it as it reads its own pages.
fn elsewhere(sh: &Shell) -> Result<String> {
    let mut page = String::from("<!DOCTYPE html><html>");
    for (name, target) in ELSEWHERE {
        let text = sh.read_file(format!("docs/reports/{target}.json"))?;
        let report = json::read(text.as_bytes())?;
        page += &embed::element(&[Input { name, report: &report }]).into_string();
    }
    Ok(page + "</html>\n")
}

/// The estimators that the page of `chronoscope browser` contains. No path of this machine is in
/// them.
fn estimators(sh: &Shell) -> Result<Vec<u8>> {
    const TARGET: &str = "wasm32-unknown-unknown";
    toolchain::provide(sh, TARGET)?;
    let own = |name: &str| std::env::var(name).unwrap_or_default();
    let home = match own("CARGO_HOME") {
        home if home.is_empty() => own("HOME") + "/.cargo",
        home => home,
    };
    let root = sh::root().display();
    let flags = format!(
        "target.{TARGET}.rustflags=[\"--remap-path-prefix={home}=\",\
         \"--remap-path-prefix={root}=\"]"
    );
    let build = ["--package", "chronoscope-web", "--profile", "wasm", "--target", TARGET];
    sh::run(cmd!(sh, "cargo build --quiet {build...} --config {flags}"))?;
    Ok(fs::read(sh::target().join(TARGET).join("wasm/chronoscope_web.wasm"))?)
}

/// The faults of doctor's page, from the tool's list of them.
fn faults(list: &str) -> Result<String> {
    let list: Value = serde_json::from_str(list)?;
    let faults = list["entries"].as_array().context("the list has no entries")?;
    let ids: Vec<String> = faults
        .iter()
        .map(|fault| format!("`{}`", fault["id"].as_str().unwrap_or_default()))
        .collect();
    Ok(format!("{} faults: {}.\n", ids.len(), ids.join(", ")))
}

/// The files of `folder`, with their paths below `name` instead. Empty if the folder does not
/// exist.
fn read(folder: &Path, name: &Path) -> Result<Files> {
    if !folder.exists() {
        return Ok(Files::new());
    }
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    entries
        .map(|entry| {
            let entry = entry?;
            Ok((name.join(entry.file_name()), fs::read(entry.path())?))
        })
        .collect()
}

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
    ensure!(without.is_empty(), "items without an example: {}", without.join(", "));
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
    fn every_difference_is_reported() -> Result<()> {
        let root = Shell::new()?.create_temp_dir()?;
        let man = root.path().join("docs/man");
        fs::create_dir_all(&man)?;
        for (name, content) in [("same", "1"), ("changed", "2"), ("gone", "1")] {
            fs::write(man.join(name), content)?;
        }
        let wanted =
            ["same", "changed", "new"].map(|name| (Path::new("docs/man").join(name), vec![b'1']));
        let wanted = Files::from(wanted);
        let stale: Vec<_> = stale(root.path(), &wanted)?.into_iter().collect();
        let names = ["docs/man/changed", "docs/man/gone", "docs/man/new"];
        assert_eq!(stale, names.map(PathBuf::from));
        Ok(())
    }
}

#[cfg(test)]
mod api_tests {
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
