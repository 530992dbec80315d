//! The system packages that the tests and checks need, and why: all are listed in `packages.txt`.

use crate::sh;
use anyhow::{Result, ensure};
use std::path::Path;
use std::{env, fs};
use xshell::{Cmd, Shell, cmd};

macro_rules! needs {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What a package is needed for.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Need {
            $($(#[$doc])* $name,)*
        }

        impl Need {
            /// Its name in the table.
            const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

needs! {
    /// Every build.
    Build,
    /// The tests of the C library, in addition to a compiler.
    Capi,
    /// The tests of the live view, and of the tool under Valgrind.
    Terminal,
    /// A server of time, which is asked in a network of its own.
    Server,
    /// The Windows target, under Wine.
    Windows,
    /// The aarch64 target, under QEMU.
    Aarch64,
    /// The armv7 target, under QEMU.
    Armv7,
    /// The s390x target, under QEMU.
    S390x,
    /// The riscv64 target, under QEMU.
    Riscv64,
    /// The x86-64 target with musl.
    Musl,
    /// A target that zig links.
    Zig,
    /// QEMU's aarch64 emulation, for programs that bring their own C library.
    QemuAarch64,
    /// A virtual machine booted under QEMU.
    Boot,
    /// The machines of `cargo research lab` with Arm's processors.
    LabArm,
    /// `cargo research crosscheck`.
    Crosscheck,
    /// The browsers that open pages, and what drives them.
    Page,
    /// The other browsers in which a page measures.
    Browsers,
    /// The engines that query a fleet's reports.
    Analysis,
    /// What checks the files of a fleet, and runs them.
    Fleet,
    /// What makes the files of a release.
    Dist,
    /// What checks and installs them.
    Installed,
    /// What checks workflows, the action, and the manifests of package managers.
    Forms,
    /// The language runtimes that the tool measures.
    Runtimes,
    /// `cargo research crosscheck-runtimes`, in addition.
    CrosscheckRuntimes,
    /// `cargo research crosscheck-trust`.
    CrosscheckTrust,
}

struct Package {
    need: &'static str,
    name: &'static str,
    /// A program, or the path of a file.
    evidence: &'static str,
    why: &'static str,
}

/// The rows of the table. A test finds those that are not understood.
fn all() -> impl Iterator<Item = Package> {
    include_str!("packages.txt").lines().filter_map(|line| {
        let (row, why) = line.split_once(": ")?;
        let [need, name, evidence] = row.split(' ').collect::<Vec<_>>()[..] else { return None };
        Some(Package { need, name, evidence, why })
    })
}

impl Package {
    fn is_installed(&self) -> bool {
        match self.evidence.starts_with('/') {
            // Other systems have such files in other places.
            true => cfg!(not(target_os = "linux")) || Path::new(self.evidence).exists(),
            false => sh::has(self.evidence),
        }
    }
}

fn missing_of(needs: &[Need]) -> impl Iterator<Item = Package> {
    let needed = |package: &Package| needs.iter().any(|need| need.name() == package.need);
    all().filter(move |package| needed(package) && !package.is_installed())
}

/// The missing packages for these needs, each with its reason.
pub fn missing(needs: &[Need]) -> Vec<String> {
    missing_of(needs).map(|package| format!("{} ({})", package.name, package.why)).collect()
}

/// Whether this is Debian or a derivative, with its package manager.
fn is_debian() -> bool {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let debian = release.lines().any(|line| {
        line.strip_prefix("ID=")
            .or_else(|| line.strip_prefix("ID_LIKE="))
            .is_some_and(|ids| ids.trim_matches('"').split(' ').any(|id| id == "debian"))
    });
    debian && sh::has("apt-get")
}

/// Installs the missing packages for these needs if possible and allowed: on Debian, as root, and
/// without `CHRONOSCOPE_NO_INSTALL`. A failure is only a warning: each step reports what it still
/// lacks.
pub fn install(sh: &Shell, needs: &[Need]) {
    let mut names: Vec<_> = missing_of(needs).map(|package| package.name).collect();
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

/// Installs what is missing if possible and allowed, and fails if something still is.
pub fn require(sh: &Shell, needs: &[Need]) -> Result<()> {
    install(sh, needs);
    let missing = missing(needs);
    ensure!(missing.is_empty(), "missing: {}", missing.join(", "));
    Ok(())
}

fn apt(sh: &Shell, names: &[&str]) -> Result<()> {
    let quiet = ["-qq", "-o", "DPkg::Lock::Timeout=600"];
    let apt = |cmd: Cmd<'_>| sh::run(cmd.env("DEBIAN_FRONTEND", "noninteractive"));
    apt(cmd!(sh, "apt-get {quiet...} update"))?;
    apt(cmd!(sh, "apt-get {quiet...} install -y --no-install-recommends {names...}"))?;
    for package in all() {
        let there = !names.contains(&package.name) || package.is_installed();
        ensure!(there, "{} is installed, but it does not provide what it should", package.name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_known_need_and_a_reason() {
        let rows = include_str!("packages.txt").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(rows.count(), all().count());
        for package in all() {
            let known = Need::ALL.iter().any(|need| need.name() == package.need);
            assert!(known, "{}", package.need);
            assert!(package.why.len() > 10, "{}", package.name);
            assert!(!package.name.contains(' '), "{}", package.name);
        }
    }
}
