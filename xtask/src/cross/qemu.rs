//! QEMU's emulation of another processor under this kernel.
//!
//! The tool starts itself (for the first read in a new process), and tests start the tool; so the
//! kernel must know whom to call for such a program, by `binfmt_misc`. Since Linux 6.7 each user
//! namespace has its own (Documentation/admin-guide/binfmt-misc.rst), and in one of ours nothing
//! of the machine is changed. On an older kernel what the machine has registered will do.

use crate::sh;
use anyhow::{Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(Clone, Copy)]
pub struct Machine {
    /// As QEMU calls it.
    pub name: &'static str,
    /// Where its C library lies.
    pub library: &'static str,
}

/// How programs for a machine are run here.
pub struct Qemu {
    machine: Machine,
    /// The line by which the machine is registered in a namespace of ours; absent where the
    /// kernel knows it already.
    register: Option<String>,
}

const BINFMT: &str = "/proc/sys/fs/binfmt_misc";

pub fn start(machine: Machine) -> Result<Qemu> {
    let known = Path::new(BINFMT).join(format!("qemu-{}", machine.name));
    if fs::read_to_string(known).is_ok_and(|state| state.starts_with("enabled")) {
        return Ok(Qemu {
            machine,
            register: None,
        });
    }
    let file = format!("/usr/lib/binfmt.d/qemu-{}.conf", machine.name);
    let Ok(line) = fs::read_to_string(&file) else {
        bail!("{file}, which tells the kernel how to run such programs, is not there");
    };
    let qemu = Qemu {
        machine,
        register: Some(line.trim().to_owned()),
    };
    if let Err(error) = sh::capture(&mut qemu.wrap(&sh::program("true"))) {
        bail!(
            "this kernel lets no namespace of ours register qemu-{} ({error:#}): register it for the machine \
             (systemd-binfmt, update-binfmts), or use Linux 6.7 or newer",
            machine.name
        );
    }
    Ok(qemu)
}

impl Qemu {
    /// The same command, where programs for that machine run.
    pub fn wrap(&self, command: &Command) -> Command {
        let mut wrapped = match &self.register {
            None => sh::program(command.get_program()),
            Some(line) => {
                let mut unshare = sh::program("unshare");
                unshare
                    .args(["--user", "--map-root-user", "--mount", "sh", "-ec"])
                    .arg(format!(
                        "mount -t binfmt_misc none {BINFMT}\n\
                         printf %s \"$CHRONOSCOPE_BINFMT\" > {BINFMT}/register\n\
                         exec \"$0\" \"$@\""
                    ))
                    .arg(command.get_program())
                    .env("CHRONOSCOPE_BINFMT", line);
                unshare
            }
        };
        wrapped.args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => wrapped.env(name, value),
                None => wrapped.env_remove(name),
            };
        }
        wrapped.env("QEMU_LD_PREFIX", self.machine.library);
        wrapped
    }
}
