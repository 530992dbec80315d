//! Plants causes of late wake-ups and checks that `chronoscope waits --why` names them.

mod cost;
mod plants;

use crate::paired::{Tool, last_cpu};
use crate::results::{self, median};
use anyhow::{Context, Result, bail, ensure};
use plants::{Makes, PLANTS, Plant};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Causes to plant; all of them by default
    what: Vec<String>,
    /// How often each one is planted
    #[arg(long, default_value_t = 100)]
    times: usize,
    #[command(flatten)]
    tool: Tool,
    /// Only print the results instead of updating docs/RESULTS.md
    #[arg(long)]
    dry: bool,
}

/// The least share of runs in which a cause must be named.
const WANTED: f64 = 0.95;
/// The least part of the overshoot that names a cause next to a larger one that others made: what
/// else runs on the machine has the CPU too.
const BESIDE: f64 = 0.2;
/// The causes that what else runs makes.
const OTHERS: [&str; 2] = ["run-queue", "preempted"];
/// The least share of late wake-ups whose parts must add up to their overshoot within 5 us.
const EXPLAINED: f64 = 0.99;

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let known = |name: &String| PLANTS.iter().any(|plant| plant.name == name);
    if let Some(unknown) = args.what.iter().find(|name| !known(name)) {
        let names: Vec<&str> = PLANTS.iter().map(|plant| plant.name).collect();
        bail!("there is no plant '{unknown}': use {}", names.join(", "));
    }
    let tool = args.tool.get(sh)?;
    // What a run of all has found stays when only some are planted.
    let all = args.what.is_empty();
    let (name, causes) = if all { ("blame", "causes") } else { ("blame-some", "some causes") };
    let mut part = format!(
        "## Waits: {causes} of late wake-ups, planted and named\n\n\
         `cargo research blame`. Each cause was planted {} times next to a run of `chronoscope \
         waits --why` of its own ({}). It counts as named if it is the largest part of the \
         overshoot of the wake-ups that it makes late: of all for slack, of the stopped one for \
         SIGSTOP, otherwise of the latest (one in a hundred, at least five). A fifth is enough if \
         the largest part is the time that other programs had the CPU, which is then among the \
         others named. The share is its part \
         of their overshoot, the median of all runs. The last column is about all wake-ups that \
         were at least 10 us late.\n\n{}\
         | planted | run | expected | named | share | others named | parts within 5 us | who ran | \
         named first |\n\
         | --- | --- | --- | ---: | ---: | --- | ---: | --- | ---: |\n",
        args.times,
        args.tool.words(),
        results::this_machine(sh)
    );
    let (mut missed, mut examined, mut apart) = (Vec::new(), 0, 0);
    let rate = cost::Rate::start()?;
    for plant in PLANTS {
        if !all && !args.what.iter().any(|name| name == plant.name) {
            continue;
        }
        let found = match planted(sh, &tool, plant, args.times) {
            Ok(found) => found,
            Err(error) => {
                let why = format!("{error:#}").replace('\n', " ");
                writeln!(part, "| {} | | | not planted: {why} | | | | | |", plant.about)?;
                continue;
            }
        };
        let enough = |n: usize| n as f64 >= args.times as f64 * WANTED;
        if !enough(found.named) || (!plant.culprits.is_empty() && !enough(found.first)) {
            missed.push(plant.name);
        }
        examined += found.examined;
        apart += found.apart;
        println!("{}: {} of {}, who ran: {}", plant.name, found.named, args.times, found.first);
        part += &found.row(plant, args.times);
    }
    let explained = 1.0 - apart as f64 / examined.max(1) as f64;
    writeln!(
        part,
        "\nOf all {examined} late wake-ups, {:.2} % have parts that add up to their overshoot \
         within 5 us.",
        explained * 100.0
    )?;
    let dear = cost::run(&mut part, &rate)?;
    results::publish(sh, name, &part, args.dry)?;
    ensure!(missed.is_empty(), "named too rarely: {}", missed.join(", "));
    ensure!(explained >= EXPLAINED, "too many wake-ups whose parts do not add up");
    ensure!(dear.is_none(), "{}", dear.unwrap_or_default());
    Ok(())
}

/// What the runs with one plant found.
#[derive(Default)]
struct Found {
    named: usize,
    /// In how many runs those that were planted were the first that ran instead.
    first: usize,
    shares: Vec<f64>,
    others: BTreeMap<String, usize>,
    examined: u64,
    apart: u64,
}

fn planted(sh: &Shell, tool: &Path, plant: &Plant, times: usize) -> Result<Found> {
    let cpu = last_cpu()?;
    let mut found = Found::default();
    for _ in 0..times {
        let report = plants::run(sh, tool, plant, cpu)?;
        found.add(plant, &report)?;
    }
    Ok(found)
}

impl Found {
    fn add(&mut self, plant: &Plant, report: &Value) -> Result<()> {
        let why = report.pointer("/waits/0/why").context("no causes in the report")?;
        let count = |key: &str| why[key].as_u64().unwrap_or(0);
        self.examined += count("examined");
        self.apart += count("apart");
        let parts = match plant.makes {
            Makes::Gap => gap(why),
            Makes::All => why["later"].get(0).map(parts),
            Makes::Tail => tail(why),
        };
        let parts = parts.context("no wake-up was late")?;
        let all: f64 = parts.iter().map(|(_, ns)| ns).sum();
        let largest = parts.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let largest = largest.map_or("none", |(cause, _)| cause.as_str());
        let expected = |cause: &str| plant.expected.contains(&cause);
        let ours = parts.iter().filter(|(cause, _)| expected(cause));
        let share = ours.map(|(_, ns)| ns).sum::<f64>() / all.max(1.0);
        let beside = share >= BESIDE && OTHERS.contains(&largest);
        self.named += usize::from(expected(largest) || beside);
        if !expected(largest) {
            *self.others.entry(largest.to_owned()).or_default() += 1;
        }
        self.first += usize::from(first(why, plant.culprits));
        self.shares.push(share);
        Ok(())
    }

    fn row(&self, plant: &Plant, times: usize) -> String {
        let others = self.others.iter().map(|(cause, n)| format!("{cause} {n}"));
        let others: Vec<String> = others.collect();
        let share = median(self.shares.iter().copied()).unwrap_or(0.0);
        format!(
            "| {} | `{}` | {} | {} of {times} | {:.0} % | {} | {:.2} % of {} | {} | {} |\n",
            plant.about,
            plant.args,
            plant.expected.join(" or "),
            self.named,
            share * 100.0,
            others.join(", "),
            (1.0 - self.apart as f64 / self.examined.max(1) as f64) * 100.0,
            self.examined,
            plant.culprits.join(", "),
            match plant.culprits {
                [] => String::new(),
                _ => format!("{} of {times}", self.first),
            }
        )
    }
}

type Parts = Vec<(String, f64)>;

fn parts(of: &Value) -> Parts {
    let part = |part: &Value| Some((part["cause"].as_str()?.to_owned(), part["ns"].as_f64()?));
    of["parts"].as_array().into_iter().flatten().filter_map(part).collect()
}

/// The parts of the latest wake-ups: one in a hundred, at least five.
fn tail(why: &Value) -> Option<Parts> {
    let later = why["later"].as_array()?;
    let waits = |one: &Value| one["waits"].as_u64().unwrap_or(0);
    let all = waits(later.first()?);
    let wanted = (all / 100).max(5).min(all);
    later.iter().rfind(|one| waits(one) >= wanted).map(parts)
}

/// Whether the first of those that ran instead have just these names, however many tasks have each.
fn first(why: &Value, names: &[&str]) -> bool {
    let mut times: BTreeMap<&str, f64> = BTreeMap::new();
    for one in why["culprits"].as_array().into_iter().flatten() {
        let name = one["name"].as_str().unwrap_or_default();
        *times.entry(name).or_default() += one["ns"].as_f64().unwrap_or(0.0);
    }
    let mut all: Vec<(&str, f64)> = times.into_iter().collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let found = all.iter().take(names.len()).filter(|(name, _)| names.contains(name));
    !names.is_empty() && found.count() == names.len()
}

/// The parts of the latest wake-up, which is a gap and not a sample.
fn gap(why: &Value) -> Option<Parts> {
    why["worst"].as_array()?.first().map(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_largest_part_of_the_latest_wake_ups_is_what_was_named() {
        let part = |cause, ns| json!({"cause": cause, "ns": ns});
        let why = json!({
            "examined": 10,
            "apart": 1,
            "later": [
                {"waits": 900, "parts": [part("idle-exit", 9_000)]},
                {"waits": 9, "parts": [part("run-queue", 70), part("idle-exit", 30)]},
                {"waits": 2, "parts": [part("idle-exit", 30)]},
            ],
            "worst": [{"parts": [part("stopped", 5)]}],
            "culprits": [
                {"name": "sh", "ns": 5},
                {"name": "planted-hog", "ns": 4},
                {"name": "planted-hog", "ns": 3},
            ],
        });
        let mut found = Found::default();
        let hog = PLANTS.iter().find(|plant| plant.name == "hog").unwrap();
        found.add(hog, &json!({"waits": [{"why": why}]})).unwrap();
        assert_eq!((found.named, found.examined, found.apart), (1, 10, 1));
        assert_eq!((&found.shares[..], found.first), (&[0.7][..], 1));
        assert!(first(&why, &["sh", "planted-hog"]) && !first(&why, &["sh"]));
        assert!(!first(&why, &[]) && !first(&json!({}), &["sh"]));
        assert_eq!(gap(&why).unwrap(), [("stopped".to_owned(), 5.0)]);
        found.add(hog, &json!({"waits": [{}]})).unwrap_err();
        // Next to what other programs made late, a fifth names what was planted.
        let quota = PLANTS.iter().find(|plant| plant.name == "quota").unwrap();
        for (ns, named) in [(30, 1), (10, 0)] {
            let parts = [part("throttled", ns), part("run-queue", 70)];
            let why = json!({"later": [{"waits": 9, "parts": parts}]});
            let mut found = Found::default();
            found.add(quota, &json!({"waits": [{"why": why}]})).unwrap();
            assert_eq!((found.named, found.others.len()), (named, 1));
        }
    }
}
