//! Generated files that are checked in. The tool itself generates the shell completions and the man
//! pages. The others are the JSON Schemas, the C header, the list of the library's interface, the
//! estimators as WebAssembly, and the tables of faults and of the kernel's messages in
//! docs/doctor.md.

use crate::api;
use crate::cross::toolchain;
use crate::{capi, sh, tool};
use anyhow::{Context, Result, ensure};
use chronoscope_model::kernel_log;
use chronoscope_report::json;
use chronoscope_report::page::{Input, embed};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Write nothing; fail if a file would change
    #[arg(long)]
    check: bool,
}

/// Folders that contain only generated files, relative to the root.
const FOLDERS: [&str; 3] = ["crates/model/schema", "docs/completions", "docs/man"];

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
    files.insert(api::PATH.into(), api::list(sh)?.into());
    let faults = sh::read(cmd!(sh, "{tool} list faults --json"))?;
    let page = crate::replaced(&sh.read_file(DOCTOR)?, "faults", &table(&faults)?);
    let page = page.context("no marks of the table of faults")?;
    let page = crate::replaced(&page, "messages", &messages());
    files.insert(DOCTOR.into(), page.context("no marks of the table of messages")?.into());
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

/// The table of the kernel's messages that prove something, by what they prove.
fn messages() -> String {
    let all = kernel_log::messages();
    let proving = || all.iter().filter(|it| !it.faults.is_empty() || !it.open.is_empty());
    let mut table = format!(
        "{} messages are known. These {} prove something; `chronoscope explain` says what each of \
         all means.\n\n| message | Linux | proves |\n| --- | --- | --- |\n",
        all.len(),
        proving().count()
    );
    let names =
        |ids: &[&str]| ids.iter().map(|id| format!("`{id}`")).collect::<Vec<String>>().join(", ");
    for message in proving() {
        let proves = match &message.faults[..] {
            [] => format!("one of {}", names(&message.open)),
            faults => names(faults),
        };
        let guest =
            if message.guest.is_empty() { "" } else { ", and nothing in a virtual machine" };
        let (text, kernels) = (message.text, message.kernels);
        table += &format!("| `{text}` | {kernels} | {proves}{guest} |\n");
    }
    table
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
