//! The standard library of a target, which rustup provides. And zig, which includes everything
//! needed to link for macOS and musl; it is installed from PyPI into `target/cross/zig`.

use super::target::folder;
use crate::runtimes::from_list;
pub use crate::runtimes::provide;
use crate::sh;
use anyhow::Result;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use xshell::Shell;

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
    Ok(from_list(sh, &own(), "cross/zig.txt", program)?.join(program))
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
