//! QEMU's emulation of another processor under this kernel.
//!
//! The tool starts itself (for the first read in a new process), and tests start the tool; so the
//! kernel must know by `binfmt_misc` what to start for such a program. Since Linux 6.7 each user
//! namespace has its own (Documentation/admin-guide/binfmt-misc.rst), and in a new one nothing of
//! the machine is changed. An older kernel needs the machine's own registration.

use super::target::Machine;
use crate::runner::Runner;
use crate::sh;
use anyhow::{Result, bail};
use std::fs;
use std::path::Path;
use xshell::Shell;

const BINFMT: &str = "/proc/sys/fs/binfmt_misc";

/// How the programs of a machine are run.
pub fn runner(sh: &Shell, machine: Machine) -> Result<Runner> {
    let library = ("QEMU_LD_PREFIX", machine.library.into());
    let known = Path::new(BINFMT).join(format!("qemu-{}", machine.name));
    if fs::read_to_string(known).is_ok_and(|state| state.starts_with("enabled")) {
        return Ok(Runner {
            env: vec![library],
            ..Runner::default()
        });
    }
    let file = format!("/usr/lib/binfmt.d/qemu-{}.conf", machine.name);
    let Ok(line) = fs::read_to_string(&file) else {
        bail!("{file} is missing, from which the kernel learns how to run such programs");
    };
    let script = format!(
        "mount -t binfmt_misc none {BINFMT}\n\
         printf %s \"$CHRONOSCOPE_BINFMT\" > {BINFMT}/register\n\
         exec \"$0\" \"$@\""
    );
    let unshare = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-ec",
        &script,
    ];
    let runner = Runner {
        before: unshare.map(str::to_owned).to_vec(),
        env: vec![library, ("CHRONOSCOPE_BINFMT", line.trim().into())],
    };
    if let Err(error) = sh::read(runner.start(sh, Path::new("true"))) {
        bail!(
            "this kernel lets no new namespace register qemu-{} ({error:#}): register it for the \
             machine (systemd-binfmt, update-binfmts), or use Linux 6.7 or newer",
            machine.name
        );
    }
    Ok(runner)
}
