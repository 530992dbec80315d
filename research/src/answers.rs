//! `cargo research answers`: runs the main command again and again, with the CPUs idle and with
//! all of them loaded, and checks that it answers soon, on one screen, and always alike. Also how
//! long the other short answers are: `doctor --quick`, and the advice on one wait; and how soon a
//! long one begins.

use crate::aa::{Agreement, Runs};
use crate::loaded::loaded;
use crate::paired::Tool;
use crate::results::{self, median};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh as shell;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Number of runs under each condition
    #[arg(default_value_t = 20)]
    runs: u32,
    #[command(flatten)]
    tool: Tool,
}

const CONDITIONS: [&str; 2] = ["idle", "loaded"];
/// The width of a usual terminal, in columns.
const WIDTH: &str = "80";
/// The ticks of the times in /proc/self/stat, in milliseconds (USER_HZ is 100 on every Linux).
const TICK_MS: f64 = 10.0;
/// Runs of a command that ends at once.
const QUICK_RUNS: u32 = 50;

/// What the runs under one condition took and said.
#[derive(Default)]
struct Answers {
    seconds: Vec<f64>,
    lines: Vec<f64>,
    /// How often each choice was the headline on waiting.
    waits: BTreeMap<String, u32>,
}

impl Answers {
    fn add(&mut self, seconds: f64, screen: &str, report: &Value) {
        self.seconds.push(seconds);
        self.lines.push(screen.lines().count() as f64);
        let chosen = headline(report).unwrap_or("none").to_owned();
        *self.waits.entry(chosen).or_default() += 1;
    }

    fn row(&self, condition: &str) -> Result<String> {
        let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let waits: Vec<String> =
            self.waits.iter().map(|(id, runs)| format!("`{id}` {runs} times")).collect();
        Ok(format!(
            "| {condition} | {} | {:.2} s | {:.2} s | {:.0} | {} |\n",
            self.seconds.len(),
            median(self.seconds.iter().copied())?,
            most(&self.seconds),
            most(&self.lines),
            waits.join(", ")
        ))
    }
}

/// The method that the summary advises for a wait.
fn headline(report: &Value) -> Option<&str> {
    let advice = report["advice"].as_array()?;
    let on_waits = |one: &&Value| one["summary"] == true && !one["wait"].is_null();
    advice.iter().find(on_waits)?["clock"].as_str()
}

/// The CPU time of all children that have ended, in milliseconds: cutime and cstime, proc(5).
fn children_ms() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in brackets, may contain spaces.
    let (_, after) = stat.rsplit_once(')').context("/proc/self/stat has no name")?;
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    let both = ticks(13).zip(ticks(14)).context("/proc/self/stat is too short")?;
    Ok((both.0 + both.1) * TICK_MS)
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let tool = &args.tool.get(sh)?;
    let folder = sh.create_temp_dir()?;
    let _width = sh.push_env("COLUMNS", WIDTH);
    let json = folder.path().join("report.json");
    let answers = |condition: usize, costs: &mut Runs| -> Result<Answers> {
        let mut answers = Answers::default();
        for number in 0..args.runs {
            let export = format!("json={}", json.display());
            let began = Instant::now();
            let main = cmd!(sh, "{tool} --quiet --export {export}");
            let screen = loaded(condition == 1, || shell::read(main))?;
            let seconds = began.elapsed().as_secs_f64();
            let report: Value = serde_json::from_str(&sh.read_file(&json)?)?;
            println!("{} {}: {:?}", CONDITIONS[condition], number + 1, headline(&report));
            answers.add(seconds, &screen, &report);
            costs.add(&report);
        }
        Ok(answers)
    };
    let (mut costs, mut loaded) = (Runs::default(), Runs::default());
    let both = [answers(0, &mut costs)?, answers(1, &mut loaded)?];
    let mut rows = String::new();
    for (condition, answers) in CONDITIONS.into_iter().zip(&both) {
        rows += &answers.row(condition)?;
    }
    let mut agreement = Agreement::default();
    for id in costs.ids() {
        costs.compare(id, &mut agreement)?;
    }
    let part = format!(
        "## The main command, again and again\n\n\
         `cargo research answers {}`, on {}: `chronoscope` at {WIDTH} columns, the CPUs idle, \
         and next to a spinning thread for each CPU.\n\n\
         | CPUs | runs | time, median | longest | lines, most | advised for a wait of 1 ms |\n\
         | --- | ---: | ---: | ---: | ---: | --- |\n{rows}\n{}\n\
         Intervals of neighbouring runs on idle CPUs; 5 % of the pairs may be apart:\n\n{}",
        args.runs,
        costs.machine,
        others(sh, tool)?,
        agreement.table()
    );
    results::publish(sh, "answers", &part, false)?;
    let runs: u32 = both.iter().map(|answers| answers.seconds.len() as u32).sum();
    let mut waits: BTreeMap<&str, u32> = BTreeMap::new();
    for (id, runs) in both.iter().flat_map(|answers| &answers.waits) {
        *waits.entry(id).or_default() += runs;
    }
    let most = waits.values().max().copied().unwrap_or(0);
    // One of forty may differ.
    ensure!(most * 40 >= runs * 39, "the advice on a wait differs: {waits:?}");
    agreement.check()
}

/// A table of the other short answers.
fn others(sh: &Shell, tool: &Path) -> Result<String> {
    let mut seconds = Vec::new();
    let before = children_ms()?;
    for _ in 0..QUICK_RUNS {
        let began = Instant::now();
        shell::read(cmd!(sh, "{tool} doctor --quick --quiet"))?;
        seconds.push(began.elapsed().as_secs_f64());
    }
    let cpu_ms = (children_ms()? - before) / f64::from(QUICK_RUNS);
    let wait = shell::read(cmd!(sh, "{tool} advise --for wait --wait 1ms --language c --quiet"))?;
    let doctor = cmd!(sh, "{tool} doctor --json --quiet");
    let doctor: Value = serde_json::from_str(&shell::read(doctor)?)?;
    let checks = doctor["checks"].as_array().into_iter().flatten();
    let unknown = checks.filter(|check| check["outcome"] == "unknown");
    let unknown: Vec<&str> = unknown.filter_map(|check| check["id"].as_str()).collect();
    Ok(format!(
        "| command | |\n| --- | --- |\n\
         | `doctor --quick`, {QUICK_RUNS} runs | {:.3} s in the median, {:.3} s at most, \
         {cpu_ms:.1} ms of CPU time each |\n\
         | `advise --for wait --wait 1ms --language c` | {} lines |\n\
         | `doctor` | {} unknown: {} |\n\
         | `waits --preset windows-waits` | its first table after {:.1} s (goal: 15 s) |\n",
        median(seconds.iter().copied())?,
        seconds.iter().copied().fold(0.0, f64::max),
        wait.lines().count(),
        unknown.len(),
        unknown.join(", "),
        first_table_s(tool)?
    ))
}

/// How soon the longest preset shows a table, in seconds. The rest is not waited for.
fn first_table_s(tool: &Path) -> Result<f64> {
    let mut command = Command::new(tool);
    command.args(["waits", "--preset", "windows-waits"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let began = Instant::now();
    let mut run = command.spawn()?;
    let told = BufReader::new(run.stderr.take().context("stderr is a pipe")?).lines();
    // The last row of the table of what was measured so far.
    let last = told.map_while(Result::ok).find(|line| line.contains("hybrid/timerfd"));
    let seconds = began.elapsed().as_secs_f64();
    run.kill()?;
    run.wait()?;
    last.context("`waits --preset windows-waits` showed no table")?;
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_headline_is_the_advice_on_a_wait_that_the_summary_shows() {
        let advice = |clock: &str, summary: bool, wait: bool| {
            let wait = wait.then(|| json!({ "requested_ns": 1 }));
            json!({ "clock": clock, "summary": summary, "wait": wait })
        };
        let all = [advice("a", true, false), advice("b", false, true), advice("c", true, true)];
        assert_eq!(headline(&json!({ "advice": all })), Some("c"));
        assert_eq!(headline(&json!({ "advice": [] })), None);
    }

    #[test]
    fn the_time_of_children_is_known() {
        assert!(children_ms().expect("a time") >= 0.0);
    }
}
