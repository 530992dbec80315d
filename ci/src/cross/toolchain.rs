//! The standard library of a target, which rustup provides.

use crate::sh;
use anyhow::{Result, ensure};
use std::path::Path;
use std::time::Duration;
use xshell::{Shell, cmd};

/// Time limit for rustup to download a library of about 30 MB.
const PATIENCE: Duration = Duration::from_secs(120);

/// Lets rustup add the library to the toolchain that runs this program, if it is missing.
pub fn provide(sh: &Shell, triple: &str) -> Result<()> {
    let has = || {
        sh::read(cmd!(sh, "rustc --print target-libdir --target {triple}"))
            .is_ok_and(|folder| Path::new(folder.trim()).exists())
    };
    if !has() {
        let limit = sh::within(PATIENCE);
        let add = ["rustup", "target", "add", triple];
        sh::run(sh::words(sh, limit.iter().map(String::as_str).chain(add)))?;
        ensure!(has(), "rustup added {triple} to a different toolchain than this one");
    }
    Ok(())
}
