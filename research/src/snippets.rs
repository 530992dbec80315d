//! Whether the code of waits that `advise` prints keeps the figures above it, and whether waits of
//! runtimes are as late in programs that know nothing of the tool.

use crate::results;
use anyhow::{Context, Result, ensure};
use chronoscope_ci::{cross, sh, tool};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Write;
use xshell::{Cmd, Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Durations, and rates of loops that work for 0.5 ms
    #[arg(default_values = ["1ms", "16.7ms", "6.944ms", "144Hz"])]
    durations: Vec<String>,
    /// Take the code for Windows, in C and C++, which MinGW compiles and Wine runs
    #[arg(long)]
    windows: bool,
    /// Print the part without writing it
    #[arg(long)]
    dry: bool,
}

/// A snippet, and what it did if its language has a wait here: each pair is what the screen says,
/// and what the program did.
#[derive(Deserialize)]
struct Snippet {
    language: String,
    asked: String,
    found: Option<Ran>,
}

#[derive(Deserialize)]
struct Ran {
    id: String,
    late_ns: [f64; 2],
    /// Percent of a CPU.
    cpu: [f64; 2],
    frames: Option<[f64; 2]>,
    agrees: bool,
}

impl Snippet {
    /// What it did, in words; none if it was not measured.
    fn words(&self) -> Option<String> {
        let Self { language, asked, found } = self;
        let Ran { id, late_ns: [said, did], cpu, frames, .. } = found.as_ref()?;
        let frames = frames
            .map_or(String::new(), |[said, did]| format!(", {said:.1} and {did:.1} frames/s"));
        Some(format!(
            "`{id}` in {language}, {asked}: {:.1} and {:.1} us late, {:.1} and {:.1} % of a \
             CPU{frames}",
            said / 1e3,
            did / 1e3,
            cpu[0],
            cpu[1]
        ))
    }
}

/// Compiles and runs each snippet, and compares it with the advice: within 1.5 points of a CPU, and
/// 25 % or 5 us.
pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let script = |tool| {
        let durations = &args.durations;
        cmd!(sh, "python3 -B research/python/snippets.py {tool} {durations...}")
    };
    let all: Vec<Snippet> = if args.windows {
        let (wine, tool) = cross::windows(sh)?;
        let found = found(script(tool).envs(wine.runner().env));
        wine.end(sh);
        found?
    } else {
        found(script(tool::release(sh)?.tool))?
    };
    let ran = || all.iter().filter(|it| it.found.is_some());
    let agrees = |it: &&Snippet| it.found.as_ref().is_some_and(|ran| ran.agrees);
    let (kept, wrong) = (ran().filter(agrees).count(), ran().filter(|it| !agrees(it)));
    // Python's shortest stands for all that agree: what it takes of a CPU has a goal of its own.
    let python = ran().filter(agrees).find(|it| it.language == "python");
    let mut listed: Vec<String> =
        python.into_iter().chain(wrong).filter_map(Snippet::words).collect();
    let missing = all.iter().filter(|it| it.found.is_none());
    listed.extend(missing.map(|it| format!("{}, {}: not measured", it.language, it.asked)));
    let (name, option, on) = match args.windows {
        true => ("snippets-windows", " --windows", ", for Windows, by MinGW under Wine"),
        false => ("snippets", "", ""),
    };
    let part = format!(
        "## Code of waits that `advise` prints, run{on}\n\n{}`cargo research snippets{option}`, \
         {}: {}, in each language. {kept} of {} do what the screen says. What it says, and what \
         the program did, of one that does and of all that do not:\n\n- {}.\n",
        results::this_machine(sh),
        now(),
        args.durations.join(", "),
        ran().count(),
        listed.join(".\n- ")
    );
    results::publish(sh, name, &part, args.dry)?;
    ensure!(kept == ran().count(), "{} do not", ran().count() - kept);
    Ok(())
}

#[derive(clap::Args)]
pub struct Rounds {
    /// How often the tool and each program take turns
    #[arg(default_value_t = 15)]
    rounds: u32,
    /// Print the part without writing it
    #[arg(long)]
    dry: bool,
}

/// A wait and its program: medians of overshoot in nanoseconds, and that of their differences.
#[derive(Deserialize)]
struct Compared {
    id: String,
    loaded: bool,
    ours: f64,
    theirs: f64,
    apart: f64,
    good: bool,
}

/// Compares the medians of six languages, idle and next to busy processes: within 10 % or 3 us.
pub fn independent(sh: &Shell, args: &Rounds) -> Result<()> {
    let tool = tool::release(sh)?.tool;
    let rounds = args.rounds.to_string();
    let script = cmd!(sh, "python3 -B research/python/independent.py {tool} {rounds}");
    let all: Vec<Compared> = found(script)?;
    let mut rows: BTreeMap<&str, [String; 2]> = BTreeMap::new();
    for it in &all {
        let [ours, theirs, apart] = [it.ours, it.theirs, it.apart].map(|ns| ns / 1e3);
        rows.entry(&it.id).or_default()[usize::from(it.loaded)] =
            format!("{ours:.1}, {theirs:.1}, {apart:+.1}");
    }
    let good = all.iter().filter(|it| it.good).count();
    let mut part = format!(
        "## Waits in six languages, compared with programs of these languages\n\n\
         {}`cargo research crosscheck-languages {rounds}`, {}. How late a wait of 1 ms ends by the \
         tool, and by a program that knows nothing of it, in turns on one CPU: medians in us, and \
         the median difference of a round. {good} of {} agree within 10 % or 3 us.\n\n\
         | wait | nothing else started | next to busy processes |\n| --- | --- | --- |\n",
        results::this_machine(sh),
        now(),
        all.len()
    );
    for (id, [idle, loaded]) in rows {
        writeln!(part, "| `{id}` | {idle} | {loaded} |")?;
    }
    results::publish(sh, "languages", &part, args.dry)?;
    ensure!(good == all.len(), "{} differ", all.len() - good);
    Ok(())
}

/// What a script found, a line of JSON each.
fn found<T: DeserializeOwned>(script: Cmd<'_>) -> Result<Vec<T>> {
    let mut lines = Vec::new();
    sh::lines(script, |line| lines.push(line.to_owned()))?;
    let lines = lines.iter().filter(|line| !line.is_empty());
    let read =
        |line: &String| serde_json::from_str(line).with_context(|| format!("not JSON: {line}"));
    lines.map(read).collect()
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_says_what_the_screen_said_and_what_it_did() {
        let line = r#"{"language":"python","asked":"144Hz","found":{"id":"python/sleep",
            "late_ns":[85000.0,84100.0],"cpu":[7.61,7.5],"frames":[144.0,143.9],"agrees":true}}"#;
        let snippet: Snippet = serde_json::from_str(line).expect("what the script writes");
        assert_eq!(
            snippet.words().as_deref(),
            Some(
                "`python/sleep` in python, 144Hz: 85.0 and 84.1 us late, 7.6 and 7.5 % of a CPU, \
                 144.0 and 143.9 frames/s"
            )
        );
        let absent = r#"{"language":"go","asked":"1ms"}"#;
        let absent: Snippet = serde_json::from_str(absent).expect("what the script writes");
        assert_eq!(absent.words(), None);
    }
}
