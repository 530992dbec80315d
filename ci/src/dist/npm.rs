//! The packages of npm: one with the tool for each target, and one that starts the tool of the
//! package that npm chose.

use super::{TARGETS, Target, VERSION};
use crate::sh;
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::path::Path;
use xshell::{Shell, cmd};

/// Packs the tool of a target. `stage` has what is in its archive.
pub fn make(sh: &Shell, target: &Target, stage: &Path, folder: &Path) -> Result<()> {
    let (system, processor) = target.node.split_once('-').unwrap_or((target.node, ""));
    let (processor, libc) = processor.split_once('-').unwrap_or((processor, "glibc"));
    let mut manifest = manifest(sh)?;
    for key in ["bin", "engines", "optionalDependencies"] {
        manifest.remove(key);
    }
    manifest.extend([
        ("name".to_owned(), name(target).into()),
        ("os".to_owned(), json!([system])),
        ("cpu".to_owned(), json!([processor])),
        ("files".to_owned(), json!([target.program(), "LICENSE*"])),
        // Yarn would keep the program in an archive, from which it cannot be started.
        ("preferUnplugged".to_owned(), true.into()),
    ]);
    if target.is_linux() {
        manifest.insert("libc".into(), json!([libc]));
    }
    let files = [target.program(), "LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-DEPENDENCIES.txt"];
    pack(sh, &manifest, &files.map(|file| stage.join(file)), folder)
}

/// Packs the script, which needs one of the packages of all targets.
pub fn shim(sh: &Shell, folder: &Path) -> Result<()> {
    let mut manifest = manifest(sh)?;
    let all: Map<_, _> = TARGETS.iter().map(|target| (name(target), VERSION.into())).collect();
    manifest.insert("optionalDependencies".into(), all.into());
    let files = ["packaging/npm/chronoscope.js", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];
    pack(sh, &manifest, &files.map(|file| sh.current_dir().join(file)), folder)
}

fn name(target: &Target) -> String {
    format!("chronoscope-{}", target.node)
}

fn manifest(sh: &Shell) -> Result<Map<String, Value>> {
    let mut manifest: Map<_, _> =
        serde_json::from_str(&sh.read_file("packaging/npm/package.json")?)?;
    manifest.insert("version".into(), VERSION.into());
    Ok(manifest)
}

fn pack(
    sh: &Shell,
    manifest: &Map<String, Value>,
    files: &[impl AsRef<Path>],
    folder: &Path,
) -> Result<()> {
    let work = sh.create_temp_dir()?;
    for file in files {
        sh.copy_file(file, work.path())?;
    }
    sh.write_file(work.path().join("package.json"), serde_json::to_string_pretty(manifest)?)?;
    let _there = sh.push_dir(work.path());
    sh::read(cmd!(sh, "npm pack --silent --pack-destination {folder}")).map(drop)
}
