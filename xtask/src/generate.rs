//! Generated files that are checked in. The tool itself generates the report's JSON Schema, the
//! shell completions and the man pages. The others are the C header, the list of the library's
//! interface, and the table of faults in docs/doctor.md.

use crate::api;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};
use xtask::{block, capi, sh, tool};

#[derive(clap::Args)]
pub struct Args {
    /// Write nothing; fail if a file would change
    #[arg(long)]
    check: bool,
}

/// Folders that contain only generated files, relative to the root.
const FOLDERS: [&str; 3] = ["docs/schema", "docs/completions", "docs/man"];

/// Generated files in other folders.
const SINGLE: [&str; 3] = [capi::HEADER, api::PATH, DOCTOR];

/// The page with the table of faults.
const DOCTOR: &str = "docs/doctor.md";

/// Each shell and the file name of its completions.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "chronoscope.bash"),
    ("elvish", "chronoscope.elv"),
    ("fish", "chronoscope.fish"),
    ("powershell", "_chronoscope.ps1"),
    ("zsh", "_chronoscope"),
];

/// File contents by path relative to the root.
type Files = BTreeMap<PathBuf, Vec<u8>>;

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if args.check {
        return check(sh);
    }
    let wanted = wanted(sh)?;
    for (path, content) in &wanted {
        sh.write_file(path, content)?;
    }
    for path in found()?.keys().filter(|path| !wanted.contains_key(*path)) {
        sh.remove_path(path)?;
    }
    println!("{} files written: {}", wanted.len(), places());
    Ok(())
}

/// Compares the files that are checked in with those that would be generated.
pub fn check(sh: &Shell) -> Result<()> {
    let stale = differences(&wanted(sh)?, &found()?);
    if !stale.is_empty() {
        bail!("`cargo xtask generate` would change {}", stale.join(", "));
    }
    println!("all generated files are up to date: {}", places());
    Ok(())
}

/// All paths, for messages.
fn places() -> String {
    [&FOLDERS[..], &SINGLE].concat().join(", ")
}

/// The files that differ or exist on one side only.
fn differences(wanted: &Files, found: &Files) -> Vec<String> {
    let paths: BTreeSet<_> = wanted.keys().chain(found.keys()).collect();
    paths
        .into_iter()
        .filter(|path| wanted.get(*path) != found.get(*path))
        .map(|path| path.display().to_string())
        .collect()
}

/// The files that are checked in.
fn found() -> Result<Files> {
    let mut files = Files::new();
    for folder in FOLDERS {
        files.extend(read(&sh::root().join(folder), Path::new(folder))?);
    }
    for path in SINGLE {
        // A missing file counts as a difference, so it is reported there.
        if let Ok(content) = fs::read(sh::root().join(path)) {
            files.insert(path.into(), content);
        }
    }
    Ok(files)
}

/// The files as generated from the source.
fn wanted(sh: &Shell) -> Result<Files> {
    let tool = tool::release(sh)?.tool;
    let [schema, completions, man] = FOLDERS.map(Path::new);

    let mut files = Files::new();
    let text = sh::read(cmd!(sh, "{tool} generate schema"))?;
    files.insert(schema.join("chronoscope.report-1.json"), text.into());
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
    files.insert(api::PATH.into(), api::list(sh)?.into());
    let faults = sh::read(cmd!(sh, "{tool} list faults --json"))?;
    let page = block::replaced(&sh.read_file(DOCTOR)?, "faults", &table(&faults)?);
    files.insert(DOCTOR.into(), page.context("no marks of the table of faults")?.into());
    Ok(files)
}

/// The table of faults, from the tool's list of them.
fn table(list: &str) -> Result<String> {
    let list: Value = serde_json::from_str(list)?;
    let faults = list["entries"].as_array().context("the list has no entries")?;
    let mut table = format!(
        "{} faults:\n\n| fault | what it is | certainty | looks at |\n| --- | --- | --- | --- |\n",
        faults.len()
    );
    for fault in faults {
        let [id, about, kind, looks_at] =
            ["id", "about", "kind", "looks_at"].map(|key| fault[key].as_str().unwrap_or_default());
        table += &format!("| `{id}` | {about} | {kind} | {looks_at} |\n");
    }
    Ok(table)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_reported() {
        let files = |list: &[(&str, &str)]| -> Files {
            list.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec())).collect()
        };
        let wanted = files(&[("same", "1"), ("changed", "1"), ("new", "1")]);
        let found = files(&[("same", "1"), ("changed", "2"), ("gone", "1")]);
        assert_eq!(differences(&wanted, &found), ["changed", "gone", "new"]);
        assert!(differences(&wanted, &wanted).is_empty());
    }
}
