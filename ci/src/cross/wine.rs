//! Wine, with its own prefix and a server that is stopped at the end.

use super::target::folder;
use crate::runner::Runner;
use crate::sh;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// A running Wine.
pub struct Wine {
    prefix: PathBuf,
}

/// Wine 8 lacks `bcryptprimitives.dll`, from which Rust's standard library gets its random numbers.
/// This replacement calls the older function of Windows for the same purpose (documented as
/// `RtlGenRandom`, exported as `SystemFunction036`).
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

/// Starts Wine, and creates its prefix if it does not exist.
pub fn start(sh: &Shell) -> Result<Wine> {
    let wine = Wine { prefix: folder().join("wine") };
    let system = wine.prefix.join("drive_c/windows/system32");
    let made = system.join("kernel32.dll").exists();
    sh.create_dir(&wine.prefix)?;
    let runner = wine.programs();
    // Wine's server and services outlive the program that started them and keep its output open, so
    // whoever reads that output would wait for them too. They are therefore started beforehand. A
    // server left by an interrupted run works as well as a new one.
    let server = runner.start(sh, Path::new("wineserver"));
    sh::silent(server.arg("--persistent")).ok();
    let boot = if made { "--restart" } else { "--init" };
    sh::silent(runner.start(sh, Path::new("wineboot")).arg(boot))
        .context("Wine cannot create its prefix")?;
    let library = system.join("bcryptprimitives.dll");
    if !library.exists() {
        let source = folder().join("bcryptprimitives.c");
        sh.write_file(&source, BCRYPTPRIMITIVES)?;
        sh::run(cmd!(sh, "x86_64-w64-mingw32-gcc -O2 -shared -o {library} {source} -ladvapi32"))?;
    }
    Ok(wine)
}

impl Wine {
    /// How to run Windows programs.
    pub fn runner(&self) -> Runner {
        Runner { before: vec!["wine".into()], ..self.programs() }
    }

    /// Ends Wine's own processes, which would otherwise run on for a while.
    pub fn end(self, sh: &Shell) {
        for end in ["--kill", "--wait"] {
            let server = self.programs().start(sh, Path::new("wineserver"));
            // The server may have ended already.
            sh::silent(server.arg(end)).ok();
        }
    }

    /// How to run Wine's own programs.
    fn programs(&self) -> Runner {
        Runner {
            env: vec![
                ("WINEPREFIX", self.prefix.clone().into()),
                ("WINEDEBUG", "-all".into()),
                // Disables .NET and the browser, which are not needed: Wine would open a window to
                // offer their installation.
                ("WINEDLLOVERRIDES", "mscoree=d;mshtml=d".into()),
                ("DISPLAY", "".into()),
            ],
            ..Runner::default()
        }
    }
}
