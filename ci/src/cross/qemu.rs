//! QEMU's user-mode emulation of other processors.
//!
//! The tool starts itself (for the first read in a new process), and tests start the tool. The
//! kernel must therefore know, through `binfmt_misc`, how to start programs for that processor.
//! Since Linux 6.7, each user namespace has its own registrations
//! (Documentation/admin-guide/binfmt-misc.rst), so a new namespace leaves the host unchanged. An
//! older kernel needs a registration on the host.

use super::target::Machine;
use crate::runner::Runner;
use crate::sh;
use anyhow::{Result, bail};
use std::fs;
use std::path::Path;
use xshell::Shell;

const BINFMT: &str = "/proc/sys/fs/binfmt_misc";

/// How to run programs for this processor.
pub fn runner(sh: &Shell, machine: Machine) -> Result<Runner> {
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
