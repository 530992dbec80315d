//! Wine, in a prefix of its own that ends with us.

use super::target::folder;
use crate::runner::Runner;
use crate::sh;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// A Wine that is running.
pub struct Wine {
    prefix: PathBuf,
}

/// Wine 8 has no `bcryptprimitives.dll`, from which Rust's library takes its random numbers. This
/// one calls the function that Windows had for it before (`RtlGenRandom`, documented under that
/// name, exported as `SystemFunction036`).
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

/// Starts Wine, and makes its prefix unless it exists.
pub fn start(sh: &Shell) -> Result<Wine> {
    let wine = Wine {
        prefix: folder().join("wine"),
    };
    let system = wine.prefix.join("drive_c/windows/system32");
    let made = system.join("kernel32.dll").exists();
    sh.create_dir(&wine.prefix)?;
    let runner = wine.programs();
    // Wine's server and services outlive the program that needed them, and keep its output open:
    // a reader would wait for its end, and so for them. So they are started beforehand. A server
    // that an interrupted run has left is as good as a new one.
    let server = runner.start(sh, Path::new("wineserver"));
    sh::silent(server.arg("--persistent")).ok();
    let boot = if made { "--restart" } else { "--init" };
    sh::silent(runner.start(sh, Path::new("wineboot")).arg(boot))
        .context("Wine cannot make its prefix")?;
    let library = system.join("bcryptprimitives.dll");
    if !library.exists() {
        let source = folder().join("bcryptprimitives.c");
        sh.write_file(&source, BCRYPTPRIMITIVES)?;
        sh::run(cmd!(
            sh,
            "x86_64-w64-mingw32-gcc -O2 -shared -o {library} {source} -ladvapi32"
        ))?;
    }
    Ok(wine)
}

impl Wine {
    /// How Windows programs are run.
    pub fn runner(&self) -> Runner {
        Runner {
            before: vec!["wine".into()],
            ..self.programs()
        }
    }

    /// Ends Wine's own processes, which would stay for a while.
    pub fn end(self, sh: &Shell) {
        for end in ["--kill", "--wait"] {
            let server = self.programs().start(sh, Path::new("wineserver"));
            // It may have ended already.
            sh::silent(server.arg(end)).ok();
        }
    }

    /// How programs of Wine itself are run.
    fn programs(&self) -> Runner {
        Runner {
            env: vec![
                ("WINEPREFIX", self.prefix.clone().into()),
                ("WINEDEBUG", "-all".into()),
                // Neither .NET nor a browser is needed, and being asked for them takes a screen.
                ("WINEDLLOVERRIDES", "mscoree=d;mshtml=d".into()),
                ("DISPLAY", "".into()),
            ],
            ..Runner::default()
        }
    }
}
