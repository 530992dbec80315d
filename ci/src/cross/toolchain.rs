//! The standard library of a target, which rustup provides. And zig, which includes everything
//! needed to link for macOS and musl; it is installed from PyPI into `target/cross/zig`.

use super::target::folder;
use crate::runtimes::from_pypi;
pub use crate::runtimes::provide;
use crate::sh;
use anyhow::Result;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use xshell::Shell;

/// Versions that are known to work, with the hashes of their files for the machines that make
/// releases: x86-64 and AArch64.
const PACKAGES: [&str; 2] = [
    "ziglang==0.17.0 \
     --hash=sha256:97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b \
     --hash=sha256:d2804f94f54f7fcf8169f4b212a619ad688a4e2e6592e976f0cf2e58e2cd8af3",
    "cargo-zigbuild==0.24.0 \
     --hash=sha256:484412e39e4c6039474535ce97ee75a22bab22d58233056f8ec8a8f9034bb957 \
     --hash=sha256:6942e4320f7b05d8fb29e0a8ce5670bcbb3d254275100b85b5b7c86552f9a744",
];

/// The licences of the libraries that zig links programs with, relative to [`library`].
pub const LICENCES: [(&str, &str); 4] = [
    ("musl, in static programs (MIT)", "libc/musl/COPYRIGHT"),
    ("libc++ (Apache-2.0 WITH LLVM-exception)", "libcxx/LICENSE.TXT"),
    ("libc++abi (Apache-2.0 WITH LLVM-exception)", "libcxxabi/LICENSE.TXT"),
    ("libunwind (Apache-2.0 WITH LLVM-exception)", "libunwind/LICENSE.TXT"),
];

/// The sources of those libraries.
pub fn library() -> PathBuf {
    own().join("ziglang/lib")
}

fn own() -> PathBuf {
    folder().join("zig")
}

/// Returns the program that replaces cargo, and installs it if necessary.
pub fn fetch(sh: &Shell) -> Result<PathBuf> {
    let program = "bin/cargo-zigbuild";
    Ok(from_pypi(sh, &own(), &PACKAGES, program)?.join(program))
}

/// The command that runs zig as a compiler (`cc` or `c++`) for a target, given by zig's name for
/// it.
pub fn compiler(language: &str, target: &str) -> Vec<String> {
    let zig = own().join("ziglang/zig").display().to_string();
    [&zig, language, "-target", target].map(str::to_owned).to_vec()
}

/// The environment variables that zig needs.
pub fn env() -> Result<Vec<(&'static str, OsString)>> {
    let path = env::var_os("PATH").unwrap_or_default();
    let bin = own().join("bin");
    let path = env::join_paths([bin].into_iter().chain(env::split_paths(&path)))?;
    Ok(vec![
        ("PATH", path),
        ("PYTHONPATH", own().into()),
        ("ZIG_GLOBAL_CACHE_DIR", own().join("cache").into()),
        ("CARGO_ZIGBUILD_CACHE_DIR", own().join("cargo-zigbuild").into()),
    ])
}

/// Removes the empty `a.o` that zig leaves next to the source when it only preprocesses a file.
pub fn tidy(sh: &Shell) -> Result<()> {
    let litter = sh::root().join("crates/probes/a.o");
    if std::fs::metadata(&litter).is_ok_and(|file| file.len() == 0) {
        sh.remove_path(litter)?;
    }
    Ok(())
}
