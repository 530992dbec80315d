//! The system packages that the tests and checks need, and why. This is the one place for them.

use crate::sh;
use anyhow::{Result, bail};
use std::path::Path;
use std::{env, fs};
use xshell::{Cmd, Shell, cmd};

/// What needs a package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// To build at all.
    Build,
    /// The tests of the library for C, in addition to a compiler.
    Capi,
    /// The Windows target and Wine.
    Windows,
    /// The aarch64 target and QEMU.
    Aarch64,
    /// The armv7 target and QEMU.
    Armv7,
    /// The x86-64 target with musl.
    Musl,
    /// A target that is linked by zig.
    Zig,
    /// QEMU's emulation of an aarch64 processor, for programs that bring their C library.
    QemuAarch64,
    /// A whole machine under QEMU.
    Boot,
    /// A target whose library rustup cannot fetch here.
    BuildStd,
    /// `cargo xtask crosscheck`
    Crosscheck,
}

/// What shows that a package is installed, whichever way that happened.
enum Evidence {
    Program(&'static str),
    File(&'static str),
}

struct Package {
    need: Need,
    /// Debian's name.
    name: &'static str,
    evidence: Evidence,
    why: &'static str,
}

use Evidence::{File, Program};

/// A table: what needs the package, its name, what shows that it is installed, and why.
macro_rules! packages {
    ($($need:ident $name:literal $evidence:ident($what:literal): $why:literal;)*) => {
        const ALL: &[Package] = &[$(Package {
            need: Need::$need,
            name: $name,
            evidence: $evidence($what),
            why: $why,
        }),*];
    };
}

packages! {
    Build "gcc" Program("gcc"): "compiles the readers of the C clocks";
    Build "g++" Program("g++"): "compiles the readers of the C++ clocks";
    Build "libc6-dev" File("/usr/include/time.h"): "the headers of the C clocks";
    Capi "pkg-config" Program("pkg-config"): "says how C programs link with the library";
    Capi "python3" Program("python3"): "calls the library by ctypes";
    Windows "g++-mingw-w64-x86-64" Program("x86_64-w64-mingw32-g++"):
        "compiles and links for Windows";
    Windows "wine" Program("wine"): "runs the Windows build";
    Windows "wine64" File("/usr/lib/wine/wine64"): "the 64-bit part of wine";
    Aarch64 "g++-aarch64-linux-gnu" Program("aarch64-linux-gnu-g++"):
        "compiles and links for aarch64 Linux";
    Aarch64 "gcc-aarch64-linux-gnu" Program("aarch64-linux-gnu-gcc"):
        "compiles and links for aarch64 Linux";
    Aarch64 "libc6-dev-arm64-cross" File("/usr/aarch64-linux-gnu/lib/libc.so.6"):
        "aarch64's C library, to link with and to run on";
    Aarch64 "qemu-user-static" Program("qemu-aarch64-static"): "runs the aarch64 build";
    Armv7 "g++-arm-linux-gnueabihf" Program("arm-linux-gnueabihf-g++"):
        "compiles and links for armv7 Linux";
    Armv7 "gcc-arm-linux-gnueabihf" Program("arm-linux-gnueabihf-gcc"):
        "compiles and links for armv7 Linux";
    Armv7 "libc6-dev-armhf-cross" File("/usr/arm-linux-gnueabihf/lib/libc.so.6"):
        "armv7's C library, to link with and to run on";
    Armv7 "qemu-user-static" Program("qemu-arm-static"): "runs the armv7 build";
    Zig "python3-pip" Program("pip3"):
        "fetches zig, which compiles and links for macOS and musl, from PyPI";
    QemuAarch64 "qemu-user-static" Program("qemu-aarch64-static"): "runs the aarch64 build";
    Musl "musl-tools" Program("musl-gcc"): "compiles for musl";
    Boot "qemu-system-x86" Program("qemu-system-x86_64"): "runs a whole machine";
    Boot "busybox-static" File("/bin/busybox"): "the programs of the machine that is booted";
    BuildStd "rustc-web" File("/usr/bin/rustc"):
        "a compiler that can build its own standard library";
    BuildStd "cargo-web" File("/usr/bin/cargo"): "the cargo of rustc-web";
    BuildStd "rust-web-src" File("/usr/lib/rustlib/src/rust/library/std/Cargo.toml"):
        "the standard library's source, for a target that rustup cannot fetch";
    Crosscheck "libbenchmark-dev" File("/usr/include/benchmark/benchmark.h"):
        "Google Benchmark, for the comparison";
}

impl Package {
    fn is_there(&self) -> bool {
        match self.evidence {
            Program(name) => sh::has(name),
            File(path) => Path::new(path).exists(),
        }
    }
}

/// What is missing for these needs, each package with its reason.
pub fn missing(needs: &[Need]) -> Vec<String> {
    ALL.iter()
        .filter(|package| needs.contains(&package.need) && !package.is_there())
        .map(|package| format!("{} ({})", package.name, package.why))
        .collect()
}

/// Whether this is Debian, or made from it, with its package manager.
fn is_debian() -> bool {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let debian = release.lines().any(|line| {
        line.strip_prefix("ID=")
            .or_else(|| line.strip_prefix("ID_LIKE="))
            .is_some_and(|ids| ids.trim_matches('"').split(' ').any(|id| id == "debian"))
    });
    debian && sh::has("apt-get")
}

/// Installs what is missing for these needs, if that is possible and allowed: on Debian, as root,
/// and without `CHRONOSCOPE_NO_INSTALL`. A failure is a warning only: what is still missing then,
/// its step reports.
pub fn install(sh: &Shell, needs: &[Need]) {
    let mut names: Vec<_> = ALL
        .iter()
        .filter(|package| needs.contains(&package.need) && !package.is_there())
        .map(|package| package.name)
        .collect();
    names.sort_unstable();
    names.dedup();
    let wanted = env::var_os("CHRONOSCOPE_NO_INSTALL").is_none();
    if names.is_empty() || !wanted || !is_debian() || !sh::is_root(sh) {
        return;
    }
    if let Err(error) = apt(sh, &names) {
        eprintln!("warning: cannot install packages: {error:#}");
    }
}

fn apt(sh: &Shell, names: &[&str]) -> Result<()> {
    let quiet = ["-qq", "-o", "DPkg::Lock::Timeout=600"];
    let apt = |cmd: Cmd<'_>| sh::run(cmd.env("DEBIAN_FRONTEND", "noninteractive"));
    apt(cmd!(sh, "apt-get {quiet...} update"))?;
    apt(cmd!(
        sh,
        "apt-get {quiet...} install -y --no-install-recommends {names...}"
    ))?;
    for package in ALL {
        if names.contains(&package.name) && !package.is_there() {
            bail!(
                "{} is installed, but does not contain what it is needed for",
                package.name
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_a_reason() {
        for package in ALL {
            assert!(package.why.len() > 10, "{}", package.name);
            assert!(!package.name.contains(' '), "{}", package.name);
        }
    }
}
