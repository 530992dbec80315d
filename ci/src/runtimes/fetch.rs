//! The language runtimes that no package of the system provides: CoreCLR and Deno from PyPI, Bun
//! from npm. They are installed into `target/runtimes`.

use crate::sh;
use anyhow::Result;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// Versions that are known to work.
const FROM_PYPI: [&str; 2] = ["dotnetcore2==3.1.23", "deno==2.9.8"];
const FROM_NPM: [&str; 1] = ["bun@1.4.5"];

/// The folder for runtimes, and for what is built to compare with them.
pub fn folder() -> PathBuf {
    sh::target().join("runtimes")
}

/// Installs packages of PyPI into a folder of their own, unless the file `proof` is there. If one
/// has hashes (`--hash=sha256:…`), all must have one, and nothing else is installed.
pub fn from_pypi(sh: &Shell, to: &Path, packages: &[&str], proof: &str) -> Result<PathBuf> {
    if !to.join(proof).exists() {
        let options = ["--quiet", "--no-deps", "--root-user-action=ignore", "--upgrade"];
        let pip = cmd!(sh, "python3 -m pip install {options...} --target {to}");
        if packages.iter().any(|package| package.contains("--hash")) {
            let folder = sh.create_temp_dir()?;
            let list = folder.path().join("requirements.txt");
            sh.write_file(&list, packages.join("\n"))?;
            sh::run(pip.arg("--require-hashes").arg("--requirement").arg(list))?;
        } else {
            sh::run(pip.args(packages))?;
        }
    }
    Ok(to.to_owned())
}

/// Installs packages of npm into a folder of their own, unless the file `proof` is there.
pub fn from_npm(sh: &Shell, to: &Path, packages: &[&str], proof: &str) -> Result<PathBuf> {
    if !to.join(proof).exists() {
        sh.create_dir(to)?;
        let options = ["--silent", "--no-audit", "--no-fund", "--no-save"];
        sh::run(cmd!(sh, "npm install {options...} --prefix {to} {packages...}"))?;
    }
    Ok(to.to_owned())
}

/// The folder with the program of CoreCLR, installed if it is missing.
pub fn coreclr(sh: &Shell) -> Result<PathBuf> {
    let proof = "dotnetcore2/bin/dotnet";
    let to = from_pypi(sh, &folder().join("coreclr"), &FROM_PYPI[..1], proof)?;
    Ok(to.join("dotnetcore2/bin"))
}

/// Installs what is missing. Each failure is a warning: the runtime's row shows that it is missing.
pub fn fetch(sh: &Shell) {
    let all = [
        from_pypi(sh, &folder().join("pypi"), &FROM_PYPI, "bin/deno"),
        from_npm(sh, &folder().join("npm"), &FROM_NPM, "node_modules/.bin/bun"),
    ];
    for error in all.into_iter().filter_map(Result::err) {
        eprintln!("warning: cannot install a runtime: {error:#}");
    }
}

/// `PATH` with the installed runtimes in front.
pub fn path() -> Result<OsString> {
    let own = ["pypi/bin", "pypi/dotnetcore2/bin", "npm/node_modules/.bin"];
    let own = own.map(|place| folder().join(place));
    let path = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths(own.into_iter().chain(env::split_paths(&path)))?)
}
