//! Wine, in a prefix of its own that is ended with us.

use crate::sh;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Wine that is running.
pub struct Wine {
    prefix: PathBuf,
}

/// Wine 8 has no `bcryptprimitives.dll`, from which Rust's library takes its random numbers. This
/// one hands the wish on to the function that Windows had for it before (`RtlGenRandom`,
/// documented under that name, exported as `SystemFunction036`).
const BCRYPTPRIMITIVES: &str = "\
unsigned char __stdcall SystemFunction036(void *buffer, unsigned long length);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *buffer, unsigned long long length) {
    while (length) {
        unsigned long part = length > 0x10000000 ? 0x10000000 : (unsigned long)length;
        if (!SystemFunction036(buffer, part)) return 0;
        buffer += part;
        length -= part;
    }
    return 1;
}
";

/// Starts Wine; makes its prefix where it is not there yet.
pub fn start() -> Result<Wine> {
    let wine = Wine {
        prefix: super::folder().join("wine"),
    };
    let system = wine.prefix.join("drive_c/windows/system32");
    let made = system.join("kernel32.dll").exists();
    std::fs::create_dir_all(&wine.prefix)?;
    // Wine's server and services go on when the program that needed them has ended, and hold its
    // output open: whoever reads that to its end would wait for them. So they are started before.
    // A server that is left from a run that was ended is as good as a new one.
    sh::silent(&mut wine.with("wineserver", &["--persistent"])).ok();
    let boot = if made { "--restart" } else { "--init" };
    sh::silent(&mut wine.with("wineboot", &[boot])).context("Wine cannot make its prefix")?;
    let library = system.join("bcryptprimitives.dll");
    if !library.exists() {
        let source = super::folder().join("bcryptprimitives.c");
        sh::write(&source, BCRYPTPRIMITIVES)?;
        sh::run(
            sh::program("x86_64-w64-mingw32-gcc")
                .args(["-O2", "-shared", "-o"])
                .arg(&library)
                .arg(&source)
                .arg("-ladvapi32"),
        )?;
    }
    Ok(wine)
}

impl Wine {
    /// A Windows program.
    pub fn command(&self, program: &Path) -> Command {
        self.with("wine", &[program])
    }

    /// Lets cargo run Windows programs by Wine.
    pub fn runner(&self, cargo: &mut Command) {
        cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine");
        self.environment(cargo);
    }

    /// Ends Wine's own processes, which would go on for a while.
    pub fn end(self) {
        // One that has ended already is as good.
        for end in ["--kill", "--wait"] {
            sh::capture(&mut self.with("wineserver", &[end])).ok();
        }
    }

    fn with<A: AsRef<std::ffi::OsStr>>(&self, program: &str, args: &[A]) -> Command {
        let mut command = sh::program(program);
        command.args(args);
        self.environment(&mut command);
        command
    }

    fn environment(&self, command: &mut Command) {
        command
            .env("WINEPREFIX", &self.prefix)
            .env("WINEDEBUG", "-all")
            // Neither .NET nor a browser is wanted, and asking for them takes a screen.
            .env("WINEDLLOVERRIDES", "mscoree=d;mshtml=d")
            .env_remove("DISPLAY");
    }
}
