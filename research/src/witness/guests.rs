//! The same in guests of QEMU, with an older and a newer kernel.

use super::rows;
use crate::vm::{self, Architecture, Initramfs, Running, Start};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh as shell;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use xshell::{Shell, cmd};

/// Packages of kernels.
const KERNELS: [&str; 2] = ["linux-image-cloud-amd64", "linux-image-6.12-cloud-amd64"];

/// An emulated processor is slow, and the host may be busy.
const PATIENCE: Duration = Duration::from_secs(300);

const INIT: &str = "#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
exec > /dev/ttyS1 2>&1
# The library does not read an emulated counter by itself, and the gauges need one.
export CHRONOSCOPE_SOURCE=counter
/bin/chronoscope-bench witnessed --pieces 200
/bin/library-tests --test-threads 1 witness::
echo @@ stopping
/bin/chronoscope-bench stopped --seconds 20
echo @@ slowing
/bin/chronoscope-bench slowed
echo @@ end
/bin/busybox poweroff -f
";

/// The name of each kernel, and the rows of its guest.
pub fn run(sh: &Shell, bench: &Path) -> Result<Vec<(String, Vec<Value>)>> {
    let own = vm::folder().join("witness");
    let files = Initramfs::new(sh, &own, Path::new("/bin/busybox"), INIT)?;
    files.program(bench, "chronoscope-bench")?;
    let build = ["-p", "chronoscope", "--test", "all", "--no-run", "--message-format", "json"];
    let built = rows(&shell::read(cmd!(sh, "cargo test --quiet {build...}"))?)?;
    let tests = built.iter().rev().find_map(|row| row["executable"].as_str());
    files.program(Path::new(tests.context("no tests were built")?), "library-tests")?;
    // The first mark is in an area of the C library, so the program has to be linked to it.
    let linked = shell::read(cmd!(sh, "ldd {bench}"))?;
    let libraries = linked.split_whitespace().filter(|word| word.starts_with('/'));
    files.copies(&libraries.map(PathBuf::from).collect::<Vec<_>>())?;
    let initramfs = &files.archive()?;
    let guest = |package: &&str| {
        let kernel = &vm::package_kernel(sh, Architecture::Amd64, package)?;
        let mut running = Start {
            program: "qemu-system-x86_64",
            folder: &own.join(package),
            ports: 2,
            kernel,
            initramfs,
            append: "console=ttyS0 quiet panic=-1 tsc=nowatchdog",
            niceness: 0,
            args: &["-cpu", "max", "-smp", "2", "-m", "512"],
        }
        .boot()?;
        running.wait_for(1, "@@ stopping", PATIENCE)?;
        stop_and_go(sh, &mut running)?;
        slow_down(&mut running)?;
        let name = kernel.file_name().unwrap_or_default().to_string_lossy();
        let name = name.replace("vmlinuz-", "Linux ");
        let written = running.written(1)?;
        let mut rows = rows(&written)?;
        // What the emulator's threads do to each other is no neighbour's doing.
        for row in rows.iter_mut().filter(|row| row["plant"] == "neighbour") {
            row["why"] = "no CPUs share a core".into();
        }
        let tests = written.lines().find_map(|line| line.strip_prefix("test result: "));
        let tests = tests.and_then(|line| line.split(';').next()).unwrap_or("did not end");
        rows.push(json!({"plant": "the library's tests", "level": "all", "why": tests}));
        Ok((name, rows))
    };
    KERNELS.iter().map(guest).collect()
}

/// Stops the emulator again and again while its guest makes pieces.
fn stop_and_go(sh: &Shell, running: &mut Running) -> Result<()> {
    let (pid, began) = (running.pid().to_string(), Instant::now());
    while !running.written(1)?.contains("@@ slowing") {
        ensure!(began.elapsed() < PATIENCE, "the guest does not end");
        sleep(Duration::from_millis(100 + fastrand::u64(..100)));
        for (signal, pause) in [("-STOP", 50), ("-CONT", 0)] {
            shell::silent(cmd!(sh, "kill {signal} {pid}"))?;
            sleep(Duration::from_millis(pause));
        }
    }
    Ok(())
}

/// Makes the emulator translate worse, or as usual again, whenever the guest asks for it: without
/// links from one translated block to the next, all code is slower, and the clocks go on.
fn slow_down(running: &mut Running) -> Result<()> {
    let (mut done, began) = (0, Instant::now());
    loop {
        let written = running.written(1)?;
        if written.contains("@@ end") {
            return Ok(());
        }
        ensure!(began.elapsed() < PATIENCE, "the guest does not end");
        let asked = written.lines().filter_map(|line| match line {
            "@@ slower" => Some("log nochain"),
            "@@ faster" => Some("log none"),
            _ => None,
        });
        for command in asked.skip(done) {
            let answer = running.command(command)?;
            ensure!(answer.trim().is_empty(), "QEMU on `{command}`: {answer}");
            done += 1;
        }
        sleep(Duration::from_millis(20));
    }
}
