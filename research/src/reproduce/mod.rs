//! Compares the tool's figures with those of small programs of the kind that the five texts of
//! docs/REPRODUCE.md describe. The two take turns.

mod programs;

use crate::paired::{Tool, alternate, report};
use crate::results::{self, median};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh::Runner;
use chronoscope_ci::{cross, runtimes, sh};
use jiff::Timestamp;
use programs::{ALL, By, Item, Program};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use xshell::{Cmd, Shell};

#[derive(clap::Args)]
pub struct Args {
    /// Programs to compare, by a part of their names in the table, such as Mono; all by default,
    /// and only then is docs/RESULTS.md updated
    programs: Vec<String>,
    /// Number of rounds; each program runs once per round
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// CPU on which all of them run
    #[arg(long, default_value_t = 0)]
    cpu: usize,
    /// Print the result without updating docs/RESULTS.md
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tool: Tool,
}

/// Two figures agree if their ratio differs from 1 by at most this.
const SHARE: f64 = 0.1;

/// Figures by the name that a program prints.
type Figures = BTreeMap<String, f64>;

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    ensure!(args.rounds > 0, "at least one round is needed");
    let tool = args.tool.get(sh)?;
    let folder = sh::target().join("reproduce");
    sh.create_dir(&folder)?;
    let (mut rows, mut left, mut apart) = (String::new(), Vec::new(), Vec::new());
    let mut machine = String::new();
    for program in ALL {
        let named = args.programs.iter().any(|name| program.about.contains(name.as_str()));
        if !named && !args.programs.is_empty() {
            continue;
        }
        println!("{}", program.about);
        match compare(sh, args, &tool, &folder, program) {
            Ok(runs) => {
                if !program.wine {
                    machine = results::machine(&runs[0].0);
                }
                for item in program.items {
                    rows += &row(program, item, &runs, &mut apart)?;
                }
            }
            Err(error) => left.push(format!("{} ({error:#})", program.about)),
        }
    }
    let mut part = format!(
        "## The programs of the five texts, compared with the tool\n\n\
         `cargo research reproduce`, {date}. {machine}.\n\n\
         Each program, of the kind that its text describes (`research/reproduce`), takes turns \
         with the tool on CPU {cpu} for {rounds} rounds. Costs are the least of all rounds; \
         overshoots and shares are medians. The ratio is ours to theirs. *Of the interval*: \
         the difference is within 10 % \
         of the interval that was waited for or measured.\n\n\
         | program | item | theirs | chronoscope | ratio | within 10 % |\n\
         | --- | --- | ---: | ---: | ---: | --- |\n{rows}",
        date = Timestamp::now().strftime("%F %H:%M UTC"),
        cpu = args.cpu,
        rounds = args.rounds,
    );
    for reason in &left {
        writeln!(part, "\nNot compared: {reason}.")?;
    }
    let dry = args.dry_run || !args.programs.is_empty();
    results::publish(sh, "reproduce", &part, dry)?;
    ensure!(apart.is_empty(), "these differ by more than 10 %: {}", apart.join(", "));
    Ok(())
}

/// The tool's report and the program's figures, for each round.
fn compare(
    sh: &Shell,
    args: &Args,
    tool: &Path,
    folder: &Path,
    program: &Program,
) -> Result<Vec<(Value, Figures)>> {
    let source = format!("research/reproduce/{}", program.source);
    let built = folder.join(program.source.replace('.', "-")).display().to_string();
    let words = |line: &str| -> Vec<String> {
        let place = |word: &str| word.replace("{source}", &source).replace("{built}", &built);
        line.split_whitespace().map(place).collect()
    };
    let (wine, tool) = match program.wine {
        true => {
            let (wine, tool) = cross::windows(sh)?;
            (Some(wine), tool)
        }
        false => (None, tool.to_owned()),
    };
    let runner = wine.as_ref().map(|wine| wine.runner()).unwrap_or_default();
    sh::run(sh::words(sh, words(program.build)))?;
    let cpu = args.cpu.to_string();
    let ours = || {
        let words = [tool.display().to_string()].into_iter().chain(words(program.tool));
        report(start(sh, &runner, words)?.args(["--json", "--quiet", "--cpu", &cpu]))
    };
    let theirs = || {
        let pinned = Runner { before: sh::pinned(args.cpu).to_vec(), env: runner.env.clone() };
        let own = runner.before.iter().cloned().chain(words(program.run));
        figures(&sh::read(start(sh, &pinned, own)?)?)
    };
    let runs = alternate(args.rounds, ours, theirs);
    if let Some(wine) = wine {
        wine.end(sh);
    }
    runs
}

/// A command with the installed runtimes in its path.
fn start<'a>(
    sh: &'a Shell,
    runner: &Runner,
    words: impl Iterator<Item = String>,
) -> Result<Cmd<'a>> {
    let words = runner.before.iter().cloned().chain(words);
    let cmd = sh::words(sh, words).envs(runner.env.iter().cloned());
    Ok(cmd.env("PATH", runtimes::path()?).env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"))
}

/// The lines of a program: a name and a number.
fn figures(text: &str) -> Result<Figures> {
    let figure = |line: &str| {
        let (name, number) = line.trim().split_once(' ')?;
        Some((name.to_owned(), number.parse().ok()?))
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| figure(line).with_context(|| format!("the program printed `{line}`")))
        .collect()
}

/// A figure of the report: keys, with the id of an element after the key of a list.
fn find(value: &Value, path: &str) -> Option<f64> {
    let (key, rest) = match path.find(['.', '[']) {
        Some(at) => path.split_at(at),
        None => (path, ""),
    };
    let value = if key.is_empty() { value } else { &value[key] };
    if let Some(rest) = rest.strip_prefix('[') {
        let (id, rest) = rest.split_once(']')?;
        let element = value.as_array()?.iter().find(|element| element["id"] == *id)?;
        return find(element, rest.trim_start_matches('.'));
    }
    let rest = rest.trim_start_matches('.');
    match (value, rest) {
        (Value::Array(all), _) => all.iter().filter_map(|one| find(one, rest)).reduce(f64::min),
        (_, "") => value.as_f64(),
        _ => find(value, rest),
    }
}

/// The figure of all rounds.
fn over(by: By, values: impl Iterator<Item = f64>) -> Result<f64> {
    match by {
        By::Median => median(values),
        By::Least => values.reduce(f64::min).context("nothing was measured"),
    }
}

/// The row of an item; those that should agree and do not are added to `apart`.
fn row(
    program: &Program,
    item: &Item,
    runs: &[(Value, Figures)],
    apart: &mut Vec<String>,
) -> Result<String> {
    let (about, what) = (program.about, item.about);
    let theirs = runs.iter().filter_map(|(_, theirs)| theirs.get(item.theirs).copied());
    let ours = runs.iter().filter_map(|(ours, _)| Some(find(ours, item.ours)? * item.scale));
    let theirs = over(item.by, theirs).with_context(|| format!("no {}", item.theirs))?;
    let Ok(ours) = over(item.by, ours) else {
        apart.push(format!("{what} (the report has no {})", item.ours));
        return Ok(format!("| {about} | {what} | {theirs:.2} | not in the report | | **no** |\n"));
    };
    let ratio = if theirs == 0.0 { 1.0 } else { ours / theirs };
    let agrees = (ours - theirs).abs() <= SHARE * theirs.abs().max(item.of);
    let alone = (ours - theirs).abs() <= SHARE * theirs.abs();
    let verdict = match (agrees, item.why) {
        (true, _) if alone => "yes",
        (true, _) => "of the interval",
        (false, "") => {
            apart.push(format!("{what} ({ratio:.3})"));
            "**no**"
        }
        (false, why) => why,
    };
    Ok(format!("| {about} | {what} | {theirs:.2} | {ours:.2} | {ratio:.3} | {verdict} |\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_found_by_keys_and_ids() {
        let report = json!({"a": [{"id": "x/y", "b": {"c": 2}}], "p": [{"d": 5}, {"d": 3}]});
        assert_eq!(find(&report, "a[x/y].b.c"), Some(2.0));
        assert_eq!(find(&report, "p.d"), Some(3.0));
        assert_eq!(find(&report, "a[z].b.c"), None);
        assert_eq!(find(&report, "nothing"), None);
    }

    #[test]
    fn lines_are_a_name_and_a_number() {
        assert_eq!(figures("a.b 2.5\r\n\nc 1e3\n").unwrap()["a.b"], 2.5);
        assert!(figures("a").is_err() && figures("a b").is_err());
    }

    #[test]
    fn what_differs_is_named_unless_there_is_a_reason() {
        let item = &ALL[1].items[3];
        let runs = |ns: f64| {
            let report =
                json!({"calls": [{"id": "posix/monotonic", "passes": [{"delta3_ns": ns}]}]});
            [(report, Figures::from([(item.theirs.to_owned(), 20.0)]))]
        };
        let mut apart = Vec::new();
        let close = row(&ALL[1], item, &runs(21.0), &mut apart).unwrap();
        assert!(close.ends_with("| 1.050 | yes |\n") && apart.is_empty(), "{close}");
        row(&ALL[1], item, &runs(30.0), &mut apart).unwrap();
        assert_eq!(apart.len(), 1);
        let with_reason = Item { why: "because", ..*item };
        let text = row(&ALL[1], &with_reason, &runs(30.0), &mut apart).unwrap();
        assert!(text.ends_with("| because |\n") && apart.len() == 1, "{text}");
    }

    #[test]
    fn each_source_exists_and_prints_what_is_compared() {
        for program in ALL {
            let path = sh::root().join("research/reproduce").join(program.source);
            let text = std::fs::read_to_string(path).expect("a source");
            for item in program.items {
                let name = item.theirs.split('.').next().unwrap_or_default();
                let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
                assert!(text.contains(name), "{}: {}", program.source, item.theirs);
            }
        }
    }
}
