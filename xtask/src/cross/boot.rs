//! Boots a virtual machine that runs the tool: Debian's kernel, the statically linked tool, and a
//! shell script as init.
//!
//! QEMU emulates the processor (`-accel tcg`), because only that is the same on every host. There
//! the TSC is not invariant, so the kernel accepts the HPET as its clock source, and a read of the
//! clock is a system call.

use super::built::Built;
use super::checks::available;
use super::target::folder;
use crate::tally::Done;
use crate::{sh, tool};
use anyhow::{Context, Result, bail};
use serde_json::{Deserializer, Value};
use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Shell, cmd};

/// Booting and the runs take seconds each, and twenty times as long if the host is busy.
const LIMIT: Duration = Duration::from_secs(300);

/// Arguments of the tool's runs, in this order.
const RUNS: [&str; 2] = ["--budget 5s", "waits --wait 1ms --count 2"];

/// Boots the machine and checks the reports that the tool prints there.
pub fn check(sh: &Shell, built: &Built) -> Done {
    let mut done = Done::default();
    let kernel = match kernel(sh) {
        Ok(kernel) => kernel,
        Err(error) => {
            done.skip(format!(
                "{}: no kernel to boot: {error:#}",
                built.target.triple
            ));
            return done;
        }
    };
    let booted = initramfs(sh, &built.tool())
        .and_then(|initramfs| boot(sh, &kernel, &initramfs))
        .and_then(|reports| judge(built, &reports));
    done.check("a virtual machine", booted);
    done
}

fn own() -> PathBuf {
    folder().join("boot")
}

/// Debian's kernel for virtual machines, downloaded if necessary. It is unpacked but not installed,
/// so the host keeps its own kernel.
fn kernel(sh: &Shell) -> Result<PathBuf> {
    let unpacked = own().join("kernel");
    let find = || {
        let files = sh.read_dir(unpacked.join("boot")).unwrap_or_default();
        let name = |path: &PathBuf| {
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let mut files = files.into_iter();
        files.find(|path| name(path).is_some_and(|name| name.starts_with("vmlinuz-")))
    };
    if let Some(kernel) = find() {
        return Ok(kernel);
    }
    let depends = sh::read(cmd!(sh, "apt-cache depends linux-image-cloud-amd64"))?;
    let package = depends
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: "))
        .context("linux-image-cloud-amd64 does not depend on a kernel package")?;
    let downloads = own().join("downloads");
    sh.remove_path(&downloads)?;
    sh.create_dir(&downloads)?;
    let _there = sh.push_dir(&downloads);
    sh::run(cmd!(
        sh,
        "apt-get -qq -o APT::Sandbox::User=root download {package}"
    ))?;
    for file in sh.read_dir(&downloads)? {
        sh::run(cmd!(sh, "dpkg -x {file} {unpacked}"))?;
    }
    find().context("the kernel package contains no kernel")
}

/// Builds the initramfs archive.
fn initramfs(sh: &Shell, tool: &Path) -> Result<PathBuf> {
    let root = own().join("root");
    sh.remove_path(&root)?;
    for folder in ["bin", "dev", "proc", "sys", "tmp"] {
        sh.create_dir(root.join(folder))?;
    }
    sh.copy_file("/bin/busybox", root.join("bin"))?;
    sh.copy_file(tool, root.join("bin"))?;
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
    sh.write_file(root.join("init"), init)?;
    executable(&root.join("init"))?;
    let _there = sh.push_dir(&root);
    let files = sh::read(cmd!(sh, "find ."))?;
    let archive = cmd!(sh, "/bin/busybox cpio -o -H newc")
        .quiet()
        .stdin(files)
        .output()?;
    let file = own().join("initramfs");
    sh.write_file(&file, archive.stdout)?;
    Ok(file)
}

#[cfg(unix)]
fn executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, Permissions::from_mode(0o755))?)
}

/// Systems without this permission boot no virtual machine.
#[cfg(not(unix))]
fn executable(file: &Path) -> Result<()> {
    bail!("{} cannot be made executable here", file.display())
}

/// Runs the machine until it powers off, and returns what it wrote to its second serial port.
fn boot(sh: &Shell, kernel: &Path, initramfs: &Path) -> Result<String> {
    let console = own().join("console");
    let reports = own().join("reports");
    let words = sh::within(LIMIT)
        .into_iter()
        .chain(["qemu-system-x86_64".to_owned()]);
    let lines = [&console, &reports].map(|file| format!("file:{}", file.display()));
    let ended = sh::run(
        sh::words(sh, words)
            .args(["-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", "512"])
            .args(["-nic", "none", "-display", "none", "-no-reboot"])
            .args(lines.iter().flat_map(|line| ["-serial", line]))
            .arg("-kernel")
            .arg(kernel)
            .arg("-initrd")
            .arg(initramfs)
            .args(["-append", "console=ttyS0 quiet panic=-1 clocksource=hpet"]),
    );
    ended.with_context(|| format!("the machine's console is in {}", console.display()))?;
    Ok(fs::read_to_string(reports)?)
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
