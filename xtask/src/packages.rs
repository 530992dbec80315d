//! The system packages that the tests and checks need, and why. This is the one place for them.

use crate::sh;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::{env, fs};

/// What needs a package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// To build at all.
    Build,
    /// The tests of the library for C, beside a compiler.
    Capi,
    /// `cargo xtask disasm`
    Disasm,
    /// The Windows target and Wine.
    Windows,
    /// The aarch64 target and QEMU.
    Aarch64,
    /// The armv7 target and QEMU.
    Armv7,
    /// The macOS targets.
    MacOs,
    /// A target whose library rustup cannot fetch here.
    BuildStd,
    /// `cargo xtask crosscheck`
    Crosscheck,
}

/// What shows that a package is there, whichever way it came.
enum Evidence {
    Program(&'static str),
    File(&'static str),
}

struct Package {
    /// Debian's name.
    name: &'static str,
    why: &'static str,
    need: Need,
    evidence: Evidence,
}

const fn package(need: Need, name: &'static str, why: &'static str, evidence: Evidence) -> Package {
    Package {
        name,
        why,
        need,
        evidence,
    }
}

use Evidence::{File, Program};

const ALL: &[Package] = &[
    package(
        Need::Build,
        "gcc",
        "compiles the readers of the C clocks",
        Program("gcc"),
    ),
    package(
        Need::Build,
        "g++",
        "compiles the readers of the C++ clocks",
        Program("g++"),
    ),
    package(
        Need::Build,
        "libc6-dev",
        "the headers of the C clocks",
        File("/usr/include/time.h"),
    ),
    package(
        Need::Capi,
        "pkg-config",
        "tells C programs how to link with the library",
        Program("pkg-config"),
    ),
    package(
        Need::Capi,
        "python3",
        "calls the library by ctypes",
        Program("python3"),
    ),
    package(
        Need::Disasm,
        "binutils",
        "objdump shows the timed loops",
        Program("objdump"),
    ),
    package(
        Need::Windows,
        "g++-mingw-w64-x86-64",
        "compiles and links for Windows",
        Program("x86_64-w64-mingw32-g++"),
    ),
    package(
        Need::Windows,
        "wine",
        "runs the Windows build",
        Program("wine"),
    ),
    package(
        Need::Windows,
        "wine64",
        "the 64-bit half of wine",
        File("/usr/lib/wine/wine64"),
    ),
    package(
        Need::Aarch64,
        "g++-aarch64-linux-gnu",
        "compiles and links for aarch64 Linux",
        Program("aarch64-linux-gnu-g++"),
    ),
    package(
        Need::Aarch64,
        "gcc-aarch64-linux-gnu",
        "compiles and links for aarch64 Linux",
        Program("aarch64-linux-gnu-gcc"),
    ),
    package(
        Need::Aarch64,
        "libc6-dev-arm64-cross",
        "aarch64's C library, to link with and to run on",
        File("/usr/aarch64-linux-gnu/lib/libc.so.6"),
    ),
    package(
        Need::Aarch64,
        "qemu-user-static",
        "runs the aarch64 build",
        Program("qemu-aarch64-static"),
    ),
    package(
        Need::Armv7,
        "g++-arm-linux-gnueabihf",
        "compiles and links for armv7 Linux",
        Program("arm-linux-gnueabihf-g++"),
    ),
    package(
        Need::Armv7,
        "gcc-arm-linux-gnueabihf",
        "compiles and links for armv7 Linux",
        Program("arm-linux-gnueabihf-gcc"),
    ),
    package(
        Need::Armv7,
        "libc6-dev-armhf-cross",
        "armv7's C library, to link with and to run on",
        File("/usr/arm-linux-gnueabihf/lib/libc.so.6"),
    ),
    package(
        Need::Armv7,
        "qemu-user-static",
        "runs the armv7 build",
        Program("qemu-arm-static"),
    ),
    package(
        Need::MacOs,
        "python3-pip",
        "fetches zig, which links for macOS, from PyPI",
        Program("pip3"),
    ),
    package(
        Need::BuildStd,
        "rustc-web",
        "a compiler that has its own library's source",
        File("/usr/bin/rustc"),
    ),
    package(
        Need::BuildStd,
        "cargo-web",
        "the cargo of rustc-web",
        File("/usr/bin/cargo"),
    ),
    package(
        Need::BuildStd,
        "rust-web-src",
        "the library's source, to be built for a target that rustup cannot fetch",
        File("/usr/lib/rustlib/src/rust/library/std/Cargo.toml"),
    ),
    package(
        Need::Crosscheck,
        "libbenchmark-dev",
        "Google Benchmark, to compare with",
        File("/usr/include/benchmark/benchmark.h"),
    ),
];

impl Package {
    fn is_there(&self) -> bool {
        match self.evidence {
            Program(name) => sh::find(name).is_some(),
            File(path) => Path::new(path).exists(),
        }
    }
}

/// What is missing for one need, in words, each with its reason; empty when all is there.
pub fn missing(need: Need) -> Vec<String> {
    ALL.iter()
        .filter(|package| package.need == need && !package.is_there())
        .map(|package| format!("{} ({})", package.name, package.why))
        .collect()
}

/// Whether this is a Debian, by its own word, with its package manager.
fn is_debian() -> bool {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let says = release.lines().any(|line| {
        line.strip_prefix("ID=")
            .or_else(|| line.strip_prefix("ID_LIKE="))
            .is_some_and(|ids| ids.trim_matches('"').split(' ').any(|id| id == "debian"))
    });
    says && sh::find("apt-get").is_some()
}

/// Whether missing packages can be installed here.
pub fn can_install() -> bool {
    is_debian() && sh::is_root()
}

/// Installs what is missing for these needs, where that is possible and allowed: on Debian, as
/// root, and not switched off by `CHRONOSCOPE_NO_INSTALL`.
pub fn install(needs: &[Need]) -> Result<()> {
    let mut names: Vec<_> = ALL
        .iter()
        .filter(|package| needs.contains(&package.need) && !package.is_there())
        .map(|package| package.name)
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() || !can_install() || env::var_os("CHRONOSCOPE_NO_INSTALL").is_some() {
        return Ok(());
    }
    let apt = || {
        let mut apt = sh::program("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive")
            .args(["-qq", "-o", "DPkg::Lock::Timeout=600"]);
        apt
    };
    sh::run(apt().arg("update")).context("the package lists cannot be had")?;
    sh::run(
        apt()
            .args(["install", "-y", "--no-install-recommends"])
            .args(&names),
    )?;
    for package in ALL {
        if names.contains(&package.name) && !package.is_there() {
            bail!(
                "{} was installed, but brought nothing of what it is needed for",
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
    fn every_package_says_why() {
        for package in ALL {
            assert!(package.why.len() > 10, "{}", package.name);
            assert!(!package.name.contains(' '), "{}", package.name);
        }
    }
}
