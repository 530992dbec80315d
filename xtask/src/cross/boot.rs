//! Boots a virtual machine that runs the tool: Debian's kernel, the statically linked tool, and a
//! shell script as init. In the emulated machine the TSC is not invariant, so the kernel accepts
//! the HPET as its clock source, and a read of the clock is a system call.

use super::built::Built;
use super::checks::available;
use super::target::folder;
use crate::tally::Done;
use crate::tool;
use crate::vm::{self, Architecture, Initramfs, Start};
use anyhow::{Context, Result, bail};
use serde_json::{Deserializer, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::Shell;

/// Booting and the runs take seconds each, and twenty times as long if the host is busy.
const LIMIT: Duration = Duration::from_secs(300);

/// Arguments of the tool's runs, in this order.
const RUNS: [&str; 2] = ["--budget 5s", "waits --wait 1ms --count 2"];

/// Boots the machine and checks the reports that the tool prints there.
pub fn check(sh: &Shell, built: &Built) -> Done {
    let mut done = Done::default();
    let kernel = match vm::kernel(sh, Architecture::Amd64) {
        Ok(kernel) => kernel,
        Err(error) => {
            done.skip(format!("no kernel to boot: {error:#}"));
            return done;
        }
    };
    let booted = initramfs(sh, &built.tool())
        .and_then(|initramfs| boot(&kernel, &initramfs))
        .and_then(|reports| judge(built, &reports));
    done.check("a virtual machine", booted);
    done
}

fn own() -> PathBuf {
    folder().join("boot")
}

/// Builds the initramfs archive.
fn initramfs(sh: &Shell, tool: &Path) -> Result<PathBuf> {
    let mut init = String::from(
        "#!/bin/busybox sh\n\
         /bin/busybox mount -t proc proc /proc\n\
         /bin/busybox mount -t sysfs sys /sys\n\
         /bin/busybox mount -t devtmpfs dev /dev\n",
    );
    for run in RUNS {
        init += &format!(
            "chronoscope {run} --json --quiet > /dev/ttyS1 || echo exit $? > /dev/ttyS1\n"
        );
    }
    init += "/bin/busybox poweroff -f\n";
    let made = Initramfs::new(sh, &own(), Path::new("/bin/busybox"), &init)?;
    made.program(tool, "chronoscope")?;
    made.archive()
}

/// Runs the machine until it powers off, and returns what it wrote to its second serial port.
fn boot(kernel: &Path, initramfs: &Path) -> Result<String> {
    let start = Start {
        program: "qemu-system-x86_64",
        folder: &own(),
        ports: 2,
        kernel,
        initramfs,
        append: "console=ttyS0 quiet panic=-1 clocksource=hpet",
        args: &["-cpu", "max", "-smp", "2", "-m", "512"],
    };
    let mut machine = start.boot()?;
    let ended = machine.wait(LIMIT);
    ended.with_context(|| format!("its console is {}/serial0", own().display()))?;
    machine.written(1)
}

/// Checks the tool's reports.
fn judge(built: &Built, reports: &str) -> Result<()> {
    let reports: Vec<Value> = Deserializer::from_str(reports)
        .into_iter()
        .collect::<Result<_, _>>()
        .with_context(|| format!("the tool failed: {reports}"))?;
    let [glance, waits] = &reports[..] else {
        bail!("{} reports instead of {}", reports.len(), RUNS.len());
    };
    for report in &reports {
        tool::follows_schema(report)?;
        if report["run"]["complete"] != true {
            bail!("the report is not complete");
        }
    }
    available(&glance["clocks"], &built.target.clocks.concat())?;
    available(&waits["waits"], &built.target.waits.concat())?;
    let source = &glance["environment"]["clocksource"]["current"];
    if source != "hpet" {
        bail!("the clock source is {source}");
    }
    let findings = glance["findings"].as_array().context("no findings")?;
    for id in ["emulated-cpu", "slow-clocksource-hpet", "tsc-variant"] {
        if !findings.iter().any(|finding| finding["id"] == id) {
            bail!("{id} was not found");
        }
    }
    Ok(())
}
