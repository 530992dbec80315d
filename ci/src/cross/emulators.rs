//! QEMU's user-mode emulation of other processors.
//!
//! The tool starts itself (for the first read in a new process), and tests start the tool. The
//! kernel must therefore know, through `binfmt_misc`, how to start programs for that processor.
//! Since Linux 6.7, each user namespace has its own registrations
//! (Documentation/admin-guide/binfmt-misc.rst), so a new namespace leaves the host unchanged. An
//! older kernel needs a registration on the host.
//!
//! Wine has its own prefix, and a server that is stopped at the end.

use super::target::{Machine, folder};
use crate::sh::{self, Runner};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

const BINFMT: &str = "/proc/sys/fs/binfmt_misc";

/// How to run programs for this processor.
pub fn qemu(sh: &Shell, machine: Machine) -> Result<Runner> {
    let library = ("QEMU_LD_PREFIX", machine.library.into());
    let known = Path::new(BINFMT).join(format!("qemu-{}", machine.name));
    if fs::read_to_string(known).is_ok_and(|state| state.starts_with("enabled")) {
        return Ok(Runner { env: vec![library], ..Runner::default() });
    }
    let file = format!("/usr/lib/binfmt.d/qemu-{}.conf", machine.name);
    let Ok(line) = fs::read_to_string(&file) else {
        bail!("{file}, by which the kernel knows how to run such programs, is missing");
    };
    let script = format!(
        "mount -t binfmt_misc none {BINFMT}\n\
         printf %s \"$CHRONOSCOPE_BINFMT\" > {BINFMT}/register\n\
         exec \"$0\" \"$@\""
    );
    let unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", &script];
    let runner = Runner {
        before: unshare.map(str::to_owned).to_vec(),
        env: vec![library, ("CHRONOSCOPE_BINFMT", line.trim().into())],
    };
    if let Err(error) = sh::read(runner.start(sh, Path::new("true"))) {
        bail!(
            "this kernel does not let a new namespace register qemu-{} ({error:#}): register it on \
             the host (systemd-binfmt, update-binfmts), or use Linux 6.7 or newer",
            machine.name
        );
    }
    Ok(runner)
}

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
pub fn wine(sh: &Shell) -> Result<Wine> {
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
