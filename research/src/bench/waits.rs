//! The waits of the library and of its peers: tables, the curve of overshoot against CPU time, and
//! whether they reach what they should.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use xshell::{Shell, cmd};

use super::{Args, rows};
use crate::results;
use chronoscope_ci::sh;

/// The loads under which waits are compared.
pub(super) const LOADS: [&str; 5] = ["none", "lower", "equal", "higher", "crowded"];

/// The lengths of wait for which the curve is judged, in microseconds.
const CURVES: [f64; 3] = [200.0, 1000.0, 10_000.0];

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Deserialize)]
struct Estimate {
    value: f64,
    low: f64,
    high: f64,
}

impl Estimate {
    fn cell(self) -> String {
        format!("{} ({}–{})", digits(self.value), digits(self.low), digits(self.high))
    }
}

/// Formats a value with three significant digits.
fn digits(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// One method, length and load, as the bench prints it.
#[derive(Deserialize)]
struct Row {
    method: String,
    load: String,
    wait_us: f64,
    waits: f64,
    runs: f64,
    early: f64,
    p50: Estimate,
    p90: Estimate,
    p95: Estimate,
    p99: Estimate,
    cpu: Estimate,
    compared: Vec<Compared>,
}

/// The figures of a method, divided by those of a peer that it took turns with.
#[derive(Deserialize)]
struct Compared {
    peer: String,
    p90: Estimate,
    p95: Estimate,
    cpu: Estimate,
}

impl Row {
    fn is_curve(&self) -> bool {
        self.method.starts_with("chronoscope") && !self.method.contains("slice")
    }
}

pub(super) fn waits(sh: &Shell, args: &Args) -> Result<String> {
    let (count, runs) = if args.quick { (150, 1) } else { (args.waits, args.runs) };
    let (count, runs) = (count.to_string(), runs.to_string());
    let code = if args.quick { String::new() } else { measured_code(sh)? };
    let mut found = Vec::new();
    for load in LOADS {
        let wanted = args.loads.iter().any(|name| name == load);
        let count = if wanted { &count } else { "0" };
        let mut run = vec!["waits", "--load", load, "--waits", count, "--runs", &runs];
        // Kept until the next `cargo clean`, so that a run can be continued.
        let store = sh::target().join(format!("waits-{load}-{code}.jsonl"));
        // Next to a load that is not wanted, nothing may have been measured yet.
        if !wanted && std::fs::metadata(&store).map_or(true, |file| file.len() < 2) {
            continue;
        }
        let store = store.to_string_lossy();
        if !args.quick {
            run.extend(["--store", &store]);
        }
        for row in rows(sh, &run)? {
            let mut row: Row = serde_json::from_value(row).context("a row of the bench")?;
            row.load = row.load.to_lowercase();
            found.push(row);
        }
    }
    part(&found, &results::this_machine(sh))
}

/// Names the code that is measured, so that only measurements of the same code are continued.
fn measured_code(sh: &Shell) -> Result<String> {
    let changed =
        sh::read(cmd!(sh, "git status --porcelain -- crates/chronoscope research/bench"))?;
    ensure!(
        changed.trim().is_empty(),
        "commit the changes of the library and the bench, so that what is measured has a name"
    );
    let mut names = Vec::new();
    for folder in ["crates/chronoscope", "research/bench"] {
        let tree = format!("HEAD:{folder}");
        let id = sh::read(cmd!(sh, "git rev-parse --short=10 {tree}"))?;
        names.push(id.trim().to_owned());
    }
    Ok(names.join("-"))
}

fn part(rows: &[Row], machine: &str) -> Result<String> {
    let mut part = format!(
        "## The library: waits compared with its peers\n\n\
         `cargo research bench waits`. Overshoot and CPU time per wait, both in microseconds, \
         with 95 % intervals. Each method has a thread of its own, and they take turns in random \
         order, in bursts of some 20 ms. The intervals are those of a bootstrap over runs and \
         bursts. `7 us` to `50 us` are budgets (`set_budget`); that of balanced is 14 us. The \
         first method of each length never sleeps; it reads the clock until the time has passed. \
         With nothing else running, its overshoot is what the machine adds to every method. A \
         curve is below a peer if a point of it is less late than the peer beyond the interval of \
         the ratio, for no more CPU time; that bootstrap draws the same spells of time for both. \
         Waits of 100 ms are a tenth as many.\n\n\
         {machine}"
    );
    goals(&mut part, rows)?;
    for load in LOADS {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.load == load).collect();
        if !rows.is_empty() {
            table(&mut part, load, &rows)?;
        }
    }
    Ok(part)
}

fn table(part: &mut String, load: &str, rows: &[&Row]) -> Result<()> {
    let load = match load {
        "none" => "no load".to_owned(),
        "crowded" => "three busy processes for every CPU at equal priority".to_owned(),
        priority => format!("a busy process for every CPU at {priority} priority"),
    };
    writeln!(
        part,
        "Waits with {load}:\n\n\
         | wait | method | waits | p50 | p90 | p95 | p99 | early | CPU |\n\
         | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    )?;
    for row in rows {
        writeln!(
            part,
            "| {} ms | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.wait_us / 1e3,
            row.method,
            row.waits,
            digits(row.p50.value),
            row.p90.cell(),
            row.p95.cell(),
            row.p99.cell(),
            row.early,
            row.cpu.cell(),
        )?;
    }
    part.push('\n');
    Ok(())
}

/// What the waits should reach, and whether they do in these runs.
fn goals(part: &mut String, rows: &[Row]) -> Result<()> {
    for load in LOADS {
        let of_load = || rows.iter().filter(|row| row.load == load);
        let least = |part: fn(&Row) -> f64| of_load().map(part).fold(f64::INFINITY, f64::min);
        if of_load().next().is_some() {
            let (waits, runs) = (least(|row| row.waits), least(|row| row.runs));
            writeln!(part, "- load {load}: at least {waits} waits in each row, in {runs} runs")?;
        }
    }
    writeln!(part, "\n| goal | wait | found | reached |\n| --- | ---: | --- | --- |")?;
    let mut line = |goal: &str, wait_us: f64, found: &str, reached: bool| {
        let reached = if reached { "yes" } else { "**no**" };
        let wait = wait_us / 1e3;
        writeln!(part, "| {goal} | {wait} ms | {found} | {reached} |")
    };
    let find = |load: &str, wait_us: f64, method: &str| {
        rows.iter()
            .find(|row| (row.load.as_str(), row.wait_us) == (load, wait_us) && row.method == method)
    };
    for (load, wait_us) in
        [("equal", 1000.0), ("equal", 10_000.0), ("crowded", 1000.0), ("crowded", 10_000.0)]
    {
        let Some(short) = find(load, wait_us, "chronoscope balanced, short slice") else {
            continue;
        };
        let p99 = short.p99.value;
        let goal = format!("short slice, {load} load: p99 at most 150 us");
        line(&goal, wait_us, &format!("{} us", digits(p99)), p99 <= 150.0)?;
        for peer in ["std sleep", "spin_sleep yield", "spin_sleep hint"] {
            let Some(theirs) = find(load, wait_us, peer).map(|row| row.p99.value) else {
                continue;
            };
            line(
                &format!("and a tenth of that of {peer}"),
                wait_us,
                &format!("{} and {} us", digits(p99), digits(theirs)),
                p99 * 10.0 <= theirs,
            )?;
        }
    }
    for wait_us in CURVES {
        let curve: Vec<&Row> = rows
            .iter()
            .filter(|row| row.is_curve() && (row.load.as_str(), row.wait_us) == ("none", wait_us))
            .collect();
        for method in ["spin_sleep yield", "spin_sleep hint"] {
            let Some(peer) = find("none", wait_us, method) else {
                continue;
            };
            let p90: Percentile = ("p90", |row| row.p90, |ratios| ratios.p90);
            let p95: Percentile = ("p95", |row| row.p95, |ratios| ratios.p95);
            for percentile in [p90, p95] {
                let (found, reached) = below(&curve, peer, percentile);
                let name = percentile.0;
                let goal = format!("no load: curve of {name} below {method}");
                line(&goal, wait_us, &found, reached)?;
            }
        }
    }
    for row in rows.iter().filter(|row| row.method == "chronoscope balanced") {
        let better = |ratios: &&Compared| ratios.p90.value > 1.0 && ratios.cpu.value > 1.0;
        let name = |ratios: &Compared| {
            let (p90, cpu) = (ratios.p90.cell(), ratios.cpu.cell());
            format!("p90 {p90} and CPU {cpu} of those of {}", ratios.peer)
        };
        let better: Vec<String> = row.compared.iter().filter(better).map(name).collect();
        let load = if row.load == "none" { "no" } else { row.load.as_str() };
        let goal = format!("{load} load: no peer has a lower p90 than balanced for less CPU time");
        let found = if better.is_empty() { "none has".to_owned() } else { better.join("; ") };
        line(&goal, row.wait_us, &found, better.is_empty())?;
    }
    let (ours, peer) =
        (find("none", 100.0, "chronoscope balanced"), find("none", 100.0, "spin_sleep hint"));
    if let (Some(ours), Some(peer)) = (ours, peer) {
        let found = format!("{} and {} us", digits(ours.cpu.value), digits(peer.cpu.value));
        let half = ours.cpu.value * 2.0 <= peer.cpu.value;
        line("no load: CPU time of balanced at most half of spin_sleep's", 100.0, &found, half)?;
    }
    part.push('\n');
    Ok(())
}

/// The name of a percentile, the percentile of a method, and its ratio to that of a peer.
type Percentile = (&'static str, fn(&Row) -> Estimate, fn(&Compared) -> Estimate);

/// Whether the curve passes below a peer: whether one of its points is less late in ratio, beyond
/// the interval, and takes no more CPU time.
fn below(curve: &[&Row], peer: &Row, (name, late, ratio): Percentile) -> (String, bool) {
    let affordable = curve.iter().filter_map(|row| {
        let ratios = row.compared.iter().find(|compared| compared.peer == peer.method)?;
        (ratios.cpu.value <= 1.0).then(|| (*row, ratio(ratios)))
    });
    let best = affordable.min_by(|a, b| a.1.high.total_cmp(&b.1.high));
    let Some((best, ratio)) = best else {
        return ("each point takes more CPU time".to_owned(), false);
    };
    let found = format!(
        "{}: {name} {} of the peer's; {} and {} us at {} and {} us of CPU",
        best.method.trim_start_matches("chronoscope "),
        ratio.cell(),
        digits(late(best).value),
        digits(late(peer).value),
        digits(best.cpu.value),
        digits(peer.cpu.value)
    );
    (found, ratio.high < 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(value: f64) -> Estimate {
        Estimate { value, low: value * 0.9, high: value * 1.1 }
    }

    fn row(method: &str, p90: f64, cpu: f64) -> Row {
        Row {
            method: method.to_owned(),
            load: "none".to_owned(),
            wait_us: 1000.0,
            waits: 100.0,
            runs: 1.0,
            early: 0.0,
            p50: exact(0.1),
            p90: exact(p90),
            p95: exact(p90 * 2.0),
            p99: exact(p90 * 3.0),
            cpu: exact(cpu),
            compared: vec![],
        }
    }

    #[test]
    fn a_curve_is_below_a_peer_only_for_no_more_cpu_time_and_beyond_the_interval() {
        let below = |p90: f64, cpu: f64| {
            let of = |ours: Row| Row {
                compared: vec![Compared {
                    peer: "peer".to_owned(),
                    p90: exact(ours.p90.value / p90),
                    p95: exact(ours.p95.value / (p90 * 2.0)),
                    cpu: exact(ours.cpu.value / cpu),
                }],
                ..ours
            };
            let (cheap, costly) = (of(row("a", 5.0, 40.0)), of(row("b", 0.5, 70.0)));
            let percentile: Percentile = ("p90", |row| row.p90, |ratios| ratios.p90);
            below(&[&cheap, &costly], &row("peer", p90, cpu), percentile).1
        };
        assert!(below(10.0, 50.0) && below(1.0, 80.0));
        assert!(!below(1.0, 60.0) && !below(5.2, 50.0) && !below(100.0, 30.0));
    }

    #[test]
    fn figures_have_three_digits() {
        assert_eq!(digits(3992.4), "3992");
        assert_eq!(digits(56.04), "56.0");
        assert_eq!(digits(0.123), "0.12");
    }

    #[test]
    fn every_load_that_was_measured_has_its_table() {
        let none = row("chronoscope balanced", 1.0, 50.0);
        let equal = Row { load: "equal".to_owned(), ..row("std sleep", 60.0, 20.0) };
        let text = part(&[none, equal], "").unwrap();
        assert_eq!(text.matches("| wait | method |").count(), 2);
        assert!(text.contains("| 1 ms | chronoscope balanced | 100 | 0.10 | 1.00 (0.90–1.10) |"));
    }
}
