//! The wheels of Python, with the module and the tool, by maturin, which is installed from PyPI.

use super::{Target, committed, contents, shared, with_settings};
use crate::runtimes::from_pypi;
use crate::sh;
use anyhow::Result;
use std::path::Path;
use xshell::{Cmd, Shell, cmd};

/// A version that is known to work.
const PACKAGE: [&str; 1] = ["maturin==1.16.0 \
     --hash=sha256:837db2f4d93d4899c3ac393fb3cc9eebf35b6002336e5d574f4a4fb6c49fe283 \
     --hash=sha256:e285ec9eb10243d45d10417178cb2eb76e0cbb184d0aa4378b503489fa12ee78"];
const CRATE: &str = "crates/python";

/// Packs the module for a target with its tool. `stage` has what is in the target's archive.
pub fn make(sh: &Shell, root: &Path, target: &Target, stage: &Path, folder: &Path) -> Result<()> {
    let work = sh.create_temp_dir()?;
    for part in ["pyproject.toml", "README.md", "python"] {
        let (from, to) = (root.join(CRATE).join(part), work.path());
        sh::read(cmd!(sh, "cp -r {from} {to}"))?;
    }
    let scripts = work.path().join("data/scripts");
    sh.create_dir(&scripts)?;
    sh.copy_file(stage.join("chronoscope"), scripts)?;
    let documents = work.path().join("data/data/share/doc/chronoscope-clock");
    sh.create_dir(&documents)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        sh.copy_file(licence, &documents)?;
    }
    contents::list(sh, target, &documents, &["-p", "chronoscope-python"])?;
    let project = work.path().join("pyproject.toml");
    let manifest = root.join(CRATE).join("Cargo.toml");
    let more = format!("data = \"data\"\nmanifest-path = {manifest:?}\n");
    sh.write_file(&project, sh.read_file(&project)? + &more)?;

    let oldest = if target.oldest.is_empty() { "musllinux_1_2" } else { "manylinux_2_17" };
    let how =
        ["--quiet", "--locked", "--profile", "dist", "--strip", "--zig", "--compatibility", oldest];
    let _there = sh.push_dir(work.path());
    let build = maturin(sh, "build")?.args(how).args(["--target", target.triple, "--out"]);
    sh::run(with_settings(sh, root, target, shared(target), build.arg(folder))?)
}

/// Packs the sources of the module, without the tool.
pub fn sources(sh: &Shell, root: &Path, folder: &Path) -> Result<()> {
    let _there = sh.push_dir(root.join(CRATE));
    sh::run(maturin(sh, "sdist")?.arg("--out").arg(folder))
}

fn maturin<'a>(sh: &'a Shell, what: &str) -> Result<Cmd<'a>> {
    let program = "bin/maturin";
    let maturin = from_pypi(sh, &sh::target().join("maturin"), &PACKAGE, program)?.join(program);
    let maturin = cmd!(sh, "{maturin} {what}");
    Ok(maturin.env("SOURCE_DATE_EPOCH", committed(sh, "%ct")?))
}
