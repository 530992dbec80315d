//! `cargo research pauses`: stops an emulated PC again and again, some of the times by saving it
//! and restoring it in another emulator, while `trust --against rtc:/dev/rtc0` runs in it. Each
//! pause must be named within a second of its end, with an interval that contains its length, and
//! nothing else may be.
//!
//! In QEMU the battery-backed clock follows the host (`-rtc clock=host`), and all others stop.

use crate::results;
use crate::sweep_vm::libraries;
use crate::vm::{self, Architecture, Initramfs, Start};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::{cross, tool};
use chronoscope_model::Report;
use chronoscope_model::against::Against;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// A build of the tool
    #[arg(long, value_name = "FILE")]
    tool: Option<PathBuf>,
    /// How many pauses
    #[arg(long, default_value_t = 100)]
    count: u32,
    /// The longest, in seconds; the shortest takes one
    #[arg(long, default_value_t = 60.0)]
    longest: f64,
    /// The machine is saved and restored once in so many pauses
    #[arg(long, default_value_t = 5)]
    saved: u32,
    /// Print the part without writing it
    #[arg(long)]
    dry: bool,
}

/// The time between two pauses, in seconds of the machine.
const BETWEEN: f64 = 4.0;
const LIMIT: Duration = Duration::from_secs(300);

const RUN: &str = r#". /run-tool > /tmp/report 2> /tmp/errors &
tool=$!
while [ ! -s /tmp/seen ] && [ -d /proc/$tool ]; do sleep 1; done
echo "@@ watching" >&3
wait $tool
code=$?"#;

/// A pause as the host saw it: how long at least and at most, and when it ended, in seconds since
/// 1970.
struct Pause {
    seconds: [f64; 2],
    ended: f64,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    packages::require(sh, &[Need::Build, Need::Boot])?;
    let built = match &args.tool {
        Some(tool) => sh.current_dir().join(tool),
        None => cross::tool(sh, "x86_64-unknown-linux-gnu")?,
    };
    let own = vm::folder().join("pauses");
    let init = Initramfs::new(sh, &own, Path::new("/bin/busybox"), &vm::init("", RUN))?;
    init.program(&built, "chronoscope")?;
    let time = BETWEEN * f64::from(args.count + 2) + 5.0;
    let script = format!(
        "chronoscope trust --against rtc:/dev/rtc0 --duration {time}s --checkpoint /tmp/seen \
         --json --quiet\n"
    );
    init.file("run-tool", &script)?;
    init.copies(&libraries(sh, &[built])?)?;
    let start = Start {
        program: "qemu-system-x86_64",
        folder: &own,
        ports: 2,
        kernel: &vm::kernel(sh, Architecture::Amd64)?,
        initramfs: &init.archive()?,
        append: "console=ttyS0 no_timer_check quiet panic=-1 tsc=nowatchdog",
        niceness: 0,
        args: &["-m", "512", "-cpu", "Skylake-Client-v1", "-smp", "2", "-rtc", "clock=host"],
    };
    let mut running = start.boot()?;
    running.wait_for(1, "@@ watching", LIMIT)?;
    let (mut pauses, mut rng) = (Vec::new(), fastrand::Rng::with_seed(1));
    for nth in 1..=args.count {
        std::thread::sleep(Duration::from_secs_f64(BETWEEN - rng.f64()));
        let length = args.longest.powf(rng.f64());
        let before = Instant::now();
        running.pause()?;
        let stopped = Instant::now();
        if nth % args.saved.max(1) == 0 {
            running.save("saved")?;
            running.end();
            let left = Duration::from_secs_f64(length).saturating_sub(stopped.elapsed());
            std::thread::sleep(left);
        } else {
            std::thread::sleep(Duration::from_secs_f64(length));
        }
        let least = stopped.elapsed();
        match nth % args.saved.max(1) {
            0 => running = start.restore("saved")?,
            _ => running.proceed()?,
        }
        let seconds = [least, before.elapsed()].map(|it| it.as_secs_f64());
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
        pauses.push(Pause { seconds, ended: now });
    }
    running.wait_for(1, "@@ exit ", LIMIT)?;
    let written = running.written(1)?;
    drop(running);
    let (_, rest) = written.split_once("@@ report\n").context("the machine wrote no report")?;
    let (report, errors) = rest.split_once("@@ errors\n").context("no errors")?;
    ensure!(!report.trim().is_empty(), "the tool failed: {errors}");
    let report: Report = serde_json::from_value(tool::read_report(report.as_bytes())?)?;
    let (found, wrong) = judge(&pauses, &report.against.context("no `against`")?)?;
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
    let Args { count, longest, saved, .. } = args;
    let part = format!(
        "## Pauses of an emulated PC\n\n{}`cargo research pauses --count {count}`, {now}: \
         `trust --against rtc:/dev/rtc0` in QEMU (TCG, `-rtc clock=host`), stopped for 1 to \
         {longest:.0} s, and saved and restored in another emulator once in {saved} pauses. \
         {found}",
        results::this_machine(sh)
    );
    results::publish(sh, "pauses", &part, args.dry || wrong.is_some())?;
    ensure!(wrong.is_none(), "{}", wrong.unwrap_or_default());
    Ok(())
}

/// Finds each pause in the report, by what the source showed soon after. Returns what was found,
/// and what is wrong with it.
fn judge(pauses: &[Pause], against: &Against) -> Result<(String, Option<String>)> {
    let started: jiff::Timestamp = against.started.parse()?;
    let started = started.as_nanosecond() as f64 / 1e9;
    let source = against.sources.iter().find(|it| !it.series.is_empty()).context("no series")?;
    let mut found = source.contradictions.iter().peekable();
    let (mut right, mut delays, mut missed) = (0, Vec::new(), Vec::new());
    for (nth, pause) in pauses.iter().enumerate() {
        let Some(one) = found.peek() else {
            missed.push(nth);
            continue;
        };
        // By how much the wall clock is ahead of the host's from then on, at the narrowest.
        let next = source.contradictions.iter().map(|it| it.at_s).find(|at| *at > one.at_s + 0.1);
        let after = source
            .series
            .iter()
            .filter(|it| it.at_s >= one.at_s - 0.1 && next.is_none_or(|next| it.at_s < next - 0.1));
        let ahead = after.min_by(|a, b| (a.high_ns - a.low_ns).total_cmp(&(b.high_ns - b.low_ns)));
        let ahead = ahead.map_or(0.0, |it| f64::midpoint(it.low_ns, it.high_ns)) / 1e9;
        let delay = started + one.at_s - ahead - pause.ended;
        if delay > BETWEEN {
            missed.push(nth);
            continue;
        }
        let [low, high] = [one.low_ns, one.high_ns].map(|ns| ns / 1e9);
        let holds = low <= pause.seconds[1] && pause.seconds[0] <= high;
        right += u32::from(holds);
        println!(
            "pause {nth}: {:.3} to {:.3} s; found {low:.3} to {high:.3} s after {delay:.2} s{}",
            pause.seconds[0],
            pause.seconds[1],
            if holds { "" } else { ", which is wrong" }
        );
        delays.push(delay);
        found.next();
    }
    let more = found.count();
    delays.sort_by(f64::total_cmp);
    // The seconds of QEMU's clock begin when the machine did (hw/rtc/mc146818rtc.c, `last_update`),
    // so the delays are known but for one constant: the shortest counts as 0.
    let least = delays.first().copied().unwrap_or_default();
    delays.iter_mut().for_each(|delay| *delay -= least);
    let soon = delays.iter().filter(|delay| **delay <= 1.0).count();
    let text = format!(
        "Of {} pauses, {} were named, {soon} within 1 s of their end and the slowest after \
         {:.2} s; {right} of the intervals contain the length, and {more} were named that were \
         none.",
        pauses.len(),
        delays.len(),
        delays.last().copied().unwrap_or_default()
    );
    let all = soon == pauses.len() && right as usize == pauses.len() && more == 0;
    Ok((text, (!all).then(|| format!("not all are named in time and right; missed: {missed:?}"))))
}
