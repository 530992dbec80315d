//! `cargo research sweep-vm`: runs `chronoscope sweep --runtimes` in an emulated PC, which has a
//! HPET and an ACPI PM timer, and stores the report in `docs/reports`. The machine gets the
//! programs of this one, and probes that were compiled here.

use crate::vm::{self, Architecture, Initramfs, Start};
use anyhow::{Context, Result, bail, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::{cross, runtimes, sh, tool};
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// A build of the tool
    #[arg(long, value_name = "FILE")]
    tool: Option<PathBuf>,
}

const REPORT: &str = "docs/reports/sweep-runtimes-vm.json";
const RUNTIMES: [&str; 3] = ["c:gcc-O2", "dotnet-mono", "dotnet-coreclr"];
/// What Mono loads.
const OF_MONO: [&str; 5] = [
    "/etc/mono",
    "/usr/lib/mono/4.5/mscorlib.dll",
    "/usr/lib/mono/gac",
    "/usr/lib/libmono-native.so",
    "/usr/lib/libMonoPosixHelper.so",
];
/// For all clock sources together. Emulated, a .NET takes seconds to start.
const BUDGET: &str = "90s";
/// The machine takes some minutes, and several times as long if the host is busy.
const LIMIT: Duration = Duration::from_secs(2400);

const RUN: &str = "# Until the kernel has calibrated the TSC.
tries=0
source=/sys/devices/system/clocksource/clocksource0/current_clocksource
while grep -q tsc-early $source && [ $tries -lt 60 ]
do
	sleep 1
	tries=$((tries + 1))
done
. /run-tool > /tmp/report 2> /tmp/errors
code=$?";

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    packages::require(sh, &[Need::Build, Need::Boot, Need::Runtimes])?;
    let built = match &args.tool {
        Some(tool) => sh.current_dir().join(tool),
        None => cross::tool(sh, "x86_64-unknown-linux-gnu")?,
    };
    let own = vm::folder().join("sweep");
    let dotnet = runtimes::coreclr(sh)?;
    let cache = own.join("cache");
    sh.remove_path(&cache)?;
    let path = env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(dotnet.clone()).chain(env::split_paths(&path));
    // Compiles the probes, which the machine finds in its cache: it has no compiler but its name.
    let path = env::join_paths(all)?;
    let here = ["--json", "--quiet", "--budget", "1s"];
    let here = cmd!(sh, "{built} runtimes {RUNTIMES...} {here...}").env("PATH", &path);
    sh::read(here.env("XDG_CACHE_HOME", &cache))?;

    let init = vm::init("XDG_CACHE_HOME=/cache", RUN);
    let init = Initramfs::new(sh, &own, Path::new("/bin/busybox"), &init)?;
    init.program(&built, "chronoscope")?;
    let swept = format!("--runtimes={}", RUNTIMES.join(","));
    let words = format!("sweep posix/monotonic {swept} --json --quiet --budget {BUDGET}");
    let script = format!("PATH=$PATH:{} chronoscope {words}\n", dotnet.display());
    init.file("run-tool", &script)?;
    let mut files = vec![dotnet.clone()];
    for program in ["mono", "mcs", "gcc", "cc"] {
        files.push(found(&path, program)?);
    }
    files.extend(OF_MONO.map(PathBuf::from));
    init.copies(&files)?;
    files.push(built);
    init.copies(&libraries(sh, &files)?)?;
    init.folder(&cache.join("chronoscope"), Path::new("cache"))?;
    let initramfs = init.archive()?;

    let start = Start {
        program: "qemu-system-x86_64",
        folder: &own,
        ports: 2,
        kernel: &vm::kernel(sh, Architecture::Amd64)?,
        initramfs: &initramfs,
        append: "console=ttyS0 no_timer_check quiet panic=-1 tsc=nowatchdog",
        niceness: 0,
        args: &["-m", "1536", "-cpu", "Skylake-Client-v1", "-smp", "2"],
    };
    let mut running = start.boot()?;
    running.wait_for(1, "@@ exit ", LIMIT)?;
    let written = running.written(1)?;
    drop(running);
    let parts =
        written.split_once("@@ report\n").and_then(|(_, rest)| rest.split_once("@@ errors\n"));
    let (report, rest) = parts.context("the machine wrote no report")?;
    ensure!(rest.contains("@@ exit 0"), "the tool failed: {rest}");
    // The place of CoreCLR does not matter to others.
    let report = report.replace(&format!("{}/", dotnet.display()), "");
    let report = tool::read_report(report.as_bytes())?;
    let rows = report["runtimes"].as_array().context("no `runtimes`")?;
    if let Some(row) = rows.iter().find(|row| !row["reason"].is_null()) {
        bail!("{}: {}; run it again when the host is less busy", row["id"], row["reason"]);
    }
    Ok(sh.write_file(REPORT, format!("{report}\n"))?)
}

fn found(path: &std::ffi::OsStr, name: &str) -> Result<PathBuf> {
    let mut all = env::split_paths(path).map(|folder| folder.join(name));
    all.find(|file| file.is_file()).with_context(|| format!("{name} is not installed"))
}

/// The shared libraries that these programs and libraries, or those in these folders, load.
pub fn libraries(sh: &Shell, files: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = Vec::new();
    for file in files {
        let found = cmd!(sh, "find -L {file} -type f ( -perm /111 -o -name *.so )").quiet();
        for program in found.read()?.lines() {
            let text = cmd!(sh, "ldd {program}").quiet().ignore_status().ignore_stderr().read()?;
            let words = text.split_whitespace().filter(|word| word.starts_with('/'));
            all.extend(words.map(PathBuf::from).filter(|path| path.is_file()));
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
