//! Tests the library with the oldest Rust version that it promises, the `rust-version` of its
//! manifest.
//!
//! rustup provides that version if its server can be reached. If not, a Debian package of it is
//! unpacked next to the build: `rustc-web` of a stable release keeps the version of the release,
//! while the installed one comes from a security update.

use crate::sh;
use crate::tally::{Done, counted};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};
use xshell::{Cmd, Shell, cmd};

/// Time limit for rustup to download a toolchain of about 100 MB.
const PATIENCE: Duration = Duration::from_secs(240);

/// The optional features of the published crates that do not need a newer version.
pub const FEATURES: &str = "chronoscope/chrono,chronoscope/jiff,chronoscope/serde,\
                            chronoscope/portable-atomic,chronoscope-tokio/test-util";

/// The crates that promise this version.
const CRATES: [&str; 2] = ["crates/chronoscope", "crates/tokio"];

/// Where the toolchain comes from.
enum Oldest {
    Rustup,
    /// The folder in which Debian's packages were unpacked.
    Debian(PathBuf),
}

/// Runs all tests but those of the documentation, which use nothing else.
pub fn run(sh: &Shell) -> Result<Done> {
    let version = version()?;
    let oldest = match find(sh, &version) {
        Ok(oldest) => oldest,
        Err(why) => {
            let mut done = Done::default();
            done.skip(format!("no Rust {version}: {why:#}"));
            return Ok(done);
        }
    };
    let what = ["-p", "chronoscope", "-p", "chronoscope-tokio", "--all-targets"];
    let test = ["test", "--no-fail-fast", "--features", FEATURES];
    let cargo = match &oldest {
        Oldest::Rustup => cmd!(sh, "rustup run {version} cargo {test...} {what...}")
            // Set by the toolchain that runs this program.
            .env_remove("RUSTC")
            .env_remove("CARGO"),
        Oldest::Debian(folder) => {
            unpacked(cmd!(sh, "cargo {test...} {what...}"), folder).env("RUSTC", rustc(folder))
        }
    };
    counted(cargo.env("CARGO_TARGET_DIR", sh::target().join("msrv")))
}

/// The version that all of the crates promise.
fn version() -> Result<String> {
    let versions = CRATES.map(|folder| {
        let manifest = fs::read_to_string(sh::root().join(folder).join("Cargo.toml"))?;
        let manifest: toml::Table = manifest.parse()?;
        let version = manifest.get("package").and_then(|it| it.get("rust-version"));
        let version = version.and_then(|it| it.as_str());
        anyhow::Ok(version.context("no rust-version")?.to_owned())
    });
    let [library, tokio] = versions;
    let (library, tokio) = (library?, tokio?);
    if library != tokio {
        bail!("two crates promise different versions: {library} and {tokio}");
    }
    Ok(library)
}

fn find(sh: &Shell, version: &str) -> Result<Oldest> {
    let has = || sh::read(cmd!(sh, "rustup run {version} cargo --version")).is_ok();
    let may_install = env::var_os("CHRONOSCOPE_NO_INSTALL").is_none();
    if sh::has("rustup") {
        if !has() && may_install {
            let limit = sh::within(PATIENCE);
            let add = ["rustup", "toolchain", "install", version, "--profile", "minimal"];
            let words = limit.iter().map(String::as_str).chain(add);
            if let Err(error) = sh::run(sh::words(sh, words)) {
                eprintln!("{error:#}; looking for a Debian package instead");
            }
        }
        if has() {
            return Ok(Oldest::Rustup);
        }
    }
    let folder = sh::target().join("msrv-debian").join(version);
    if !works(sh, &folder) {
        if !may_install || !sh::has("apt-get") {
            bail!("rustup does not have it, and Debian's packages cannot be downloaded");
        }
        unpack(sh, version, &folder)?;
    }
    match works(sh, &folder) {
        true => Ok(Oldest::Debian(folder)),
        false => bail!("Debian's package does not run"),
    }
}

/// Downloads and unpacks Debian's packages, which are not installed: they would replace newer ones.
fn unpack(sh: &Shell, version: &str, folder: &Path) -> Result<()> {
    let list = sh::read(cmd!(sh, "apt-cache madison rustc-web"))?;
    let full = full_version(&list, version).context("Debian has another version of rustc-web")?;
    let library = format!("libstd-rust-web-{version}");
    let depends = sh::read(cmd!(sh, "apt-cache show {library}"))?;
    let llvm = llvm(&depends).context("the package of the library needs no LLVM")?;
    let packages = [
        format!("rustc-web={full}"),
        format!("libstd-rust-web-dev={full}"),
        library,
        llvm.to_owned(),
    ];
    fs::create_dir_all(folder)?;
    let inside = sh.push_dir(folder);
    sh::run(cmd!(sh, "apt-get download {packages...}"))?;
    for package in fs::read_dir(folder)? {
        let path = package?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            sh::run(cmd!(sh, "dpkg -x {path} ."))?;
        }
    }
    drop(inside);
    Ok(())
}

/// The full version of a package that begins with `version`, from the lines of `apt-cache madison`:
/// `rustc-web | 1.85.0+dfsg3-1~deb12u3 | http://… Packages`.
fn full_version<'a>(list: &'a str, version: &str) -> Option<&'a str> {
    let versions = list.lines().filter_map(|line| line.split('|').nth(1));
    versions.map(str::trim).find(|full| full.starts_with(&format!("{version}.")))
}

/// The name of LLVM's package in a line of dependencies.
fn llvm(depends: &str) -> Option<&str> {
    let words = depends.split([' ', ',']);
    words.map(str::trim).find(|word| word.starts_with("libllvm"))
}

fn rustc(folder: &Path) -> PathBuf {
    folder.join("usr/bin/rustc")
}

/// Lets a command find the libraries that were unpacked.
fn unpacked<'a>(cmd: Cmd<'a>, folder: &Path) -> Cmd<'a> {
    let libraries = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
        .map(|triple| folder.join("usr/lib").join(triple).display().to_string());
    cmd.env("LD_LIBRARY_PATH", libraries.join(":"))
}

fn works(sh: &Shell, folder: &Path) -> bool {
    let rustc = rustc(folder);
    rustc.exists() && sh::read(unpacked(cmd!(sh, "{rustc} --version"), folder)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_of_a_version_is_found() {
        let list = "\
 rustc-web | 1.96.0+dfsg1-1~deb12u2 | http://deb.debian.org/debian-security main amd64 Packages
 rustc-web | 1.85.0+dfsg3-1~deb12u3 | http://deb.debian.org/debian bookworm/main amd64 Packages";
        assert_eq!(full_version(list, "1.85"), Some("1.85.0+dfsg3-1~deb12u3"));
        assert_eq!(full_version(list, "1.8"), None);
        assert_eq!(full_version("", "1.85"), None);
    }

    #[test]
    fn llvm_is_found_among_the_dependencies() {
        let depends = "Depends: libc6 (>= 2.34), libgcc-s1 (>= 4.2), libllvm19, libstdc++6 (>= 11)";
        assert_eq!(llvm(depends), Some("libllvm19"));
        assert_eq!(llvm("Depends: libc6"), None);
    }

    #[test]
    fn the_crates_promise_one_version() {
        version().unwrap();
    }
}
