//! The files that are made from the source and checked in: the report's JSON Schema, the shells'
//! completions and the man pages, which the tool itself makes, from the definitions it works by; the
//! header for C; and the list of what the library offers.

use crate::suite::Done;
use crate::{api, capi, sh};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Writes nothing, and fails when a file is not as it would be written
    #[arg(long)]
    check: bool,
}

/// The folders that hold nothing but generated files, from the root.
const FOLDERS: [&str; 3] = ["docs/schema", "docs/completions", "docs/man"];

/// Generated files that lie among others.
const SINGLE: [&str; 2] = [capi::HEADER, api::PATH];

/// Each shell, and what its completions are called.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "chronoscope.bash"),
    ("elvish", "chronoscope.elv"),
    ("fish", "chronoscope.fish"),
    ("powershell", "_chronoscope.ps1"),
    ("zsh", "_chronoscope"),
];

/// Paths from the root, and what the files hold.
type Files = BTreeMap<PathBuf, Vec<u8>>;

pub fn run(args: &Args) -> Result<()> {
    if args.check {
        return check().map(drop);
    }
    let wanted = wanted()?;
    for (path, content) in &wanted {
        sh::write(&sh::root().join(path), content)?;
    }
    for path in found()?.keys().filter(|path| !wanted.contains_key(*path)) {
        fs::remove_file(sh::root().join(path))?;
    }
    println!("{} files: {}", wanted.len(), places());
    Ok(())
}

/// Compares what is checked in with what would be written.
pub fn check() -> Result<Done> {
    let stale = differences(&wanted()?, &found()?);
    if !stale.is_empty() {
        bail!("`cargo xtask generate` would change {}", stale.join(", "));
    }
    println!("all generated files are current: {}", places());
    Ok(Done::one())
}

/// Where they lie.
fn places() -> String {
    [&FOLDERS[..], &SINGLE].concat().join(", ")
}

/// What differs, or is in one of the two only.
fn differences(wanted: &Files, found: &Files) -> Vec<String> {
    let paths: std::collections::BTreeSet<_> = wanted.keys().chain(found.keys()).collect();
    paths
        .into_iter()
        .filter(|path| wanted.get(*path) != found.get(*path))
        .map(|path| path.display().to_string())
        .collect()
}

/// What is checked in.
fn found() -> Result<Files> {
    let mut files = Files::new();
    for folder in FOLDERS {
        files.extend(read(&sh::root().join(folder), Path::new(folder))?);
    }
    for path in SINGLE {
        // One that is not there differs from what is wanted, and is named for that.
        if let Ok(content) = fs::read(sh::root().join(path)) {
            files.insert(path.into(), content);
        }
    }
    Ok(files)
}

/// What the source would make.
fn wanted() -> Result<Files> {
    sh::run(sh::cargo().args(["build", "--quiet", "--bin", "chronoscope"]))?;
    let tool = || {
        let mut tool = sh::program(sh::target().join("debug/chronoscope"));
        tool.arg("generate");
        tool
    };
    let made = |tool: &mut Command| sh::capture(tool).map(String::into_bytes);
    let [schema, completions, man] = FOLDERS.map(Path::new);

    let mut files = Files::new();
    files.insert(
        schema.join("chronoscope.report-1.json"),
        made(tool().arg("schema"))?,
    );
    for (shell, file) in SHELLS {
        files.insert(
            completions.join(file),
            made(tool().args(["completions", shell]))?,
        );
    }
    let scratch = sh::target().join("man");
    fs::remove_dir_all(&scratch).ok();
    fs::create_dir_all(&scratch)?;
    made(tool().arg("man").arg(&scratch))?;
    files.extend(read(&scratch, man)?);
    files.insert(capi::HEADER.into(), capi::header()?);
    files.insert(api::PATH.into(), api::list()?.into_bytes());
    Ok(files)
}

/// The files of a folder, which may not be there, under another folder's name.
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
    fn every_difference_is_named() {
        let files = |list: &[(&str, &str)]| -> Files {
            list.iter()
                .map(|(path, text)| (path.into(), text.as_bytes().to_vec()))
                .collect()
        };
        let wanted = files(&[("same", "1"), ("changed", "1"), ("new", "1")]);
        let found = files(&[("same", "1"), ("changed", "2"), ("gone", "1")]);
        assert_eq!(differences(&wanted, &found), ["changed", "gone", "new"]);
        assert!(differences(&wanted, &wanted).is_empty());
    }
}
