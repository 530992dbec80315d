//! `cargo research watch`: what the live view takes, how soon there is a picture, and whether
//! the waits that it shows are those of `waits` without a view.

use crate::paired::Tool;
use crate::{process, results};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// How long a view of four methods is watched, in seconds
    #[arg(long, default_value_t = 3600)]
    seconds: u64,
    /// How many pairs of runs are compared
    #[arg(long, default_value_t = 20)]
    pairs: usize,
    /// How long each of these runs takes, in seconds
    #[arg(long, default_value_t = 60)]
    each: u64,
    #[command(flatten)]
    tool: Tool,
    /// Print the part without writing it
    #[arg(long)]
    dry: bool,
}

/// Two that sleep, and two that spin at the end.
const FOUR: [&str; 4] = [
    "linux/clock_nanosleep-abs",
    "rust/thread-sleep",
    "chronoscope/wait",
    "chronoscope/wait-precise",
];
/// Those that are compared.
const TWO: [&str; 2] = ["rust/thread-sleep", "chronoscope/wait"];
/// Starts of which the longest time to the first picture is shown.
const STARTS: usize = 20;
/// What only a whole picture contains.
const DRAWN: &str = "quit";
/// The largest change of p50 and p90 that a comparison may leave possible.
const BOUND: f64 = 0.1;

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let tool = args.tool.get(sh)?;
    let mut firsts = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        firsts.push(View::start(&tool, &TWO)?.first_s);
    }
    firsts.sort_by(f64::total_cmp);
    // First, because it needs a quiet machine: the hour that follows may have company.
    let compared = compared(sh, &tool, args)?;

    println!("watching a view of four methods for {} s", args.seconds);
    let view = View::start(&tool, &FOUR)?;
    std::thread::sleep(Duration::from_secs(5));
    let before =
        (Instant::now(), process::first_thread_s(view.pid)?, process::resident_kib(view.pid)?);
    std::thread::sleep(Duration::from_secs(args.seconds));
    let watched_s = before.0.elapsed().as_secs_f64();
    let drawing = 100.0 * (process::first_thread_s(view.pid)? - before.1) / watched_s;
    let resident = process::resident_kib(view.pid)?;
    drop(view);

    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
    let (pairs, each) = (args.pairs, args.each);
    let [median, longest] = [firsts[STARTS / 2], firsts[STARTS - 1]].map(|s| s * 1e3);
    let [mib, grown] = [resident, resident.saturating_sub(before.2)].map(|kib| kib as f64 / 1024.0);
    let part = format!(
        "## What the live view takes\n\n{}`cargo research watch`, {now}, with {}, on a \
         terminal of 120 columns and 40 lines, a period of 1 ms. Four methods were watched for \
         {watched_s:.0} s; drawing is the CPU time of the thread that draws. {pairs} pairs of \
         runs of {each} s took turns, `waits --why` and `watch` that records, judged by `compare \
         --run`: the verdict, the change, and its 95 % interval.\n\n\
         | | goal | measured |\n| --- | --- | ---: |\n\
         | first picture, median of {STARTS} | | {median:.0} ms |\n\
         | first picture, longest | 300 ms | {longest:.0} ms |\n\
         | drawing, share of a CPU | 1 % | {drawing:.2} % |\n\
         | resident memory at the end | 16 MiB | {mib:.1} MiB |\n\
         | its growth since the first seconds | | {grown:.1} MiB |\n\
         {compared}",
        results::this_machine(sh),
        args.tool.words(),
    );
    results::publish(sh, "watch", &part, args.dry)
}

/// Rows of what a comparison finds of each method, at the percentiles for which there is a goal and
/// at the next one.
fn compared(sh: &Shell, tool: &Path, args: &Args) -> Result<String> {
    let folder = sh.create_temp_dir()?;
    let [script, recording] = ["watch.sh", "recording"].map(|name| folder.path().join(name));
    let (methods, each) = (TWO.join(" "), args.each);
    let (tool_text, to) = (tool.display(), recording.display());
    std::fs::write(
        &script,
        format!(
            "rm -f '{to}'\nscript -qefc \"stty cols 120 rows 40; timeout --foreground {each} \
             '{tool_text}' watch {methods} --record '{to}'\" /dev/null >/dev/null 2>&1\n\
             exec '{tool_text}' report '{to}' --json\n"
        ),
    )?;
    let waits = format!("waits {methods} --period 1ms --slack default --why --duration {each}s");
    let watch = format!("sh {}", script.display());
    let pairs = args.pairs.to_string();
    let time = format!("{}s", 2 * each + 60);
    let run = ["compare", "--run", &waits, "--run", &watch, "--pairs", &pairs, "--timeout", &time];
    let found = sh::read(cmd!(sh, "{tool} {run...} --json"))?;
    let found: serde_json::Value = serde_json::from_str(&found)?;
    let rows = found["rows"].as_array().context("a comparison has rows")?;
    let mut text = String::new();
    for (key, goal) in [("p50", true), ("p90", true), ("p99", false)] {
        for row in rows.iter().filter(|row| row["percentile"].as_str() == Some(key)) {
            let word = |key: &str| row[key].as_str().unwrap_or("unknown");
            let share = |key: &str| row[key].as_f64().unwrap_or(f64::NAN) * 100.0;
            let goal =
                if goal { format!("not worse by {:.0} %", BOUND * 100.0) } else { "".into() };
            text += &format!(
                "| {key} of {} | {goal} | {}: {:+.1} % ({:+.1} to {:+.1} %) |\n",
                word("id"),
                word("verdict"),
                share("change"),
                share("change_low"),
                share("change_high")
            );
        }
    }
    ensure!(!text.is_empty(), "no percentiles were compared");
    Ok(text)
}

/// A view on a terminal of its own, which ends with this.
struct View {
    terminal: Child,
    /// The process of the view.
    pid: u32,
    first_s: f64,
}

impl View {
    /// Starts one, and waits for its first picture.
    fn start(tool: &Path, methods: &[&str]) -> Result<Self> {
        let line = format!(
            "stty cols 120 rows 40; exec '{}' watch {} --clock posix/monotonic",
            tool.display(),
            methods.join(" ")
        );
        let began = Instant::now();
        let mut terminal = Command::new("script")
            .args(["-qefc", &line, "/dev/null"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("script, of util-linux")?;
        let mut out = terminal.stdout.take().context("stdout is a pipe")?;
        let pid = terminal.id();
        let mut view = Self { terminal, pid, first_s: 0.0 };
        let (mut seen, mut chunk) = (Vec::new(), [0; 1 << 14]);
        while !String::from_utf8_lossy(&seen).contains(DRAWN) {
            let n = out.read(&mut chunk)?;
            ensure!(n > 0, "the view ended: {}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&chunk[..n]);
        }
        view.first_s = began.elapsed().as_secs_f64();
        // What is drawn later is read, or the view would wait for that.
        std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
        view.pid = children.trim().parse().context("the view is the only child")?;
        Ok(view)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let pid = self.pid.to_string();
        // It may have ended by itself.
        let _ = Command::new("kill").args(["-s", "TERM", &pid]).status();
        let _ = self.terminal.wait();
    }
}
