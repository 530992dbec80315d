//! What whole runs of one machine differ by, beyond their own intervals: `between_rows.rs` of the
//! model, from the runs in `research/between`.

use crate::results::median;
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh;
use chronoscope_model::between::{self, Does, EARLIER};
use chronoscope_model::{Estimate, Report};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Reports of calm runs of one machine, to keep instead of those that are kept of it; none: the
    /// table is made from the runs that are kept
    reports: Vec<PathBuf>,
}

const RUNS: &str = "research/between";
const ROWS: &str = "crates/model/src/between_rows.rs";
/// The share of pairs of runs that may be apart.
const APART: f64 = 0.05;
/// The share of the pairs that are kept which may be apart: they are of one day, and further runs
/// of an AMD EPYC needed 4 % for the kernel where the first had needed 3 %.
const KEPT_APART: f64 = 0.025;
/// An interval may be so many times as wide as the runs of its clock need.
const WIDE: f64 = 1.5;
/// How many standard deviations of its frequencies a run without `run.between` was widened by.
const EARLIER_FREQUENCIES: f64 = 3.0;
const ALL: [(Does, &str); 7] = [
    (Does::BackToBack, "back_to_back"),
    (Does::Ordered, "ordered"),
    (Does::Loads, "loads"),
    (Does::AfterStores, "after_stores"),
    (Does::Kernel, "kernel"),
    (Does::CpuTime, "cpu_time"),
    (Does::LeavesGuest, "leaves_guest"),
];

/// The cost that one run found, with the halves of its own interval as shares of it, and the
/// standard deviation of the frequencies of the run's processes, which is in those halves if it is
/// zero here.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    ns: f64,
    below: f64,
    above: f64,
    frequency: f64,
}

impl Cost {
    /// Without the part of the interval for what runs differ by.
    fn of(estimate: &Estimate, share: f64) -> Option<Self> {
        let ns = estimate.value_ns;
        let own = |end: f64| (((end - ns) / ns).powi(2) - share * share).max(0.0).sqrt();
        let known = ns > 0.0 && !estimate.only_shared && !estimate.below_resolution;
        let (below, above) = (own(estimate.low_ns), own(estimate.high_ns));
        known.then_some(Self { ns, below, above, frequency: 0.0 })
    }

    /// The ends of the interval with this share, and so many deviations of the frequency.
    fn ends(&self, share: f64, deviations: f64) -> [f64; 2] {
        let added = share.hypot(deviations * self.frequency);
        [self.below.hypot(added), self.above.hypot(added)]
    }

    /// Whether two costs are further apart than the distances to the facing ends of their intervals
    /// in quadrature (Goldstein and Healy 1995), each with this share and so many deviations.
    fn is_apart(&self, other: &Self, share: f64, deviations: f64) -> bool {
        let (low, high) = if self.ns < other.ns { (self, other) } else { (other, self) };
        let ([_, above], [below, _]) = (low.ends(share, deviations), high.ends(share, deviations));
        (high.ns / low.ns).ln() > above.hypot(below)
    }
}

/// The runs of one machine: by what a read does and the clock, ordered reads apart.
#[derive(Debug, Default, PartialEq)]
struct Runs {
    /// The processor's vendor and family, and the hypervisor.
    machine: [String; 3],
    count: u32,
    of: BTreeMap<(Does, String, bool), Vec<Cost>>,
}

impl Runs {
    fn add(&mut self, report: &Report) -> Result<()> {
        let (vendor, family, hypervisor) = between::kind_of(&report.environment);
        let family = family.context("a processor without a family")?;
        let machine = [vendor.to_owned(), family.to_string(), hypervisor.to_owned()];
        ensure!(self.count == 0 || self.machine == machine, "the runs are of several machines");
        self.machine = machine;
        self.count += 1;
        let widened = report.run.between.as_ref().map_or(EARLIER, |it| it.shares);
        let deviations = report.run.between.as_ref().map_or(EARLIER_FREQUENCIES, |it| {
            if it.shares.frequencies > 0.0 { it.shares.frequencies } else { EARLIER.frequencies }
        });
        let mut costs = Vec::new();
        for clock in &report.clocks {
            for (ordered, cost) in [(false, &clock.cost.throughput), (true, &clock.cost.latency)] {
                let does = Does::of(clock.facts, ordered);
                let cost = cost.as_ref().and_then(|it| Cost::of(it, widened.by(does)));
                costs.extend(cost.map(|cost| ((does, clock.id.clone(), ordered), cost)));
            }
        }
        // All intervals of a run have the frequency's part, and the narrowest ones little else.
        let ends = costs.iter().flat_map(|(_, it)| [it.below, it.above]);
        let common = ends.filter(|it| *it > 0.0).fold(f64::INFINITY, f64::min);
        for (key, cost) in costs {
            let own = |end: f64| (end * end - common * common).max(0.0).sqrt();
            let (below, above) = (own(cost.below), own(cost.above));
            let cost = Cost { below, above, frequency: common / deviations, ..cost };
            self.of.entry(key).or_default().push(cost);
        }
        Ok(())
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n{} runs\n", self.machine.join(","), self.count);
        for ((does, id, ordered), costs) in self.of.iter().filter(|(_, it)| it.len() > 3) {
            let _ = write!(text, "{does:?},{id},{}", if *ordered { "ordered" } else { "read" });
            for Cost { ns, below, above, frequency } in costs {
                let _ = write!(text, ",{ns:.5} {below:.5} {above:.5} {frequency:.5}");
            }
            text.push('\n');
        }
        text
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut machine = lines.next()?.splitn(3, ',').map(str::to_owned);
        let machine = [machine.next()?, machine.next()?, machine.next()?];
        let count = lines.next()?.strip_suffix(" runs")?.parse().ok()?;
        let cost = |text: &str| {
            let numbers: Option<Vec<f64>> = text.split(' ').map(|it| it.parse().ok()).collect();
            let (ns, below, above, frequency) = match numbers?[..] {
                [ns, below, above] => (ns, below, above, 0.0),
                [ns, below, above, frequency] => (ns, below, above, frequency),
                _ => return None,
            };
            Some(Cost { ns, below, above, frequency })
        };
        let row = |line: &str| {
            let mut parts = line.split(',');
            let name = parts.next()?;
            let (does, _) = *ALL.iter().find(|(does, _)| format!("{does:?}") == name)?;
            let key = (does, parts.next()?.to_owned(), parts.next()? == "ordered");
            Some((key, parts.map(cost).collect::<Option<_>>()?))
        };
        Some(Self { machine, count, of: lines.map(row).collect::<Option<_>>()? })
    }

    /// The costs of each clock whose reads do this.
    fn that(&self, does: Does) -> Vec<&Vec<Cost>> {
        self.of.iter().filter(|((it, ..), _)| *it == does).map(|(_, costs)| costs).collect()
    }
}

/// All pairs of runs of each clock.
fn pairs<'a>(rows: &'a [&Vec<Cost>]) -> impl Iterator<Item = (&'a Cost, &'a Cost)> {
    let of = |costs: &'a [Cost]| {
        (1..costs.len()).flat_map(move |at| costs[..at].iter().map(move |it| (it, &costs[at])))
    };
    rows.iter().flat_map(move |costs| of(costs))
}

/// The pairs that are apart with this share and so many deviations, and all pairs.
fn apart(rows: &[&Vec<Cost>], share: f64, deviations: f64) -> (usize, usize) {
    let count = |(apart, all), (a, b): (&Cost, &Cost)| {
        (apart + usize::from(a.is_apart(b, share, deviations)), all + 1)
    };
    pairs(rows).fold((0, 0), count)
}

/// The least number of deviations, in steps of a half, with which few enough pairs of reads in user
/// space are apart and nothing more need be added to them; `None` if more is needed than is usual,
/// or if the runs do not tell.
fn deviations(runs: &Runs) -> Option<f64> {
    let of = [Does::BackToBack, Does::Ordered].map(|does| runs.that(does));
    let tell = runs.of.values().flatten().all(|it| it.frequency > 0.0);
    let enough = |deviations: f64| {
        of.iter().all(|rows| {
            let (apart, all) = apart(rows, 0.0, deviations);
            all > 0 && apart as f64 <= APART * all as f64
        })
    };
    let mut steps = (0..=5).map(|it| f64::from(it) / 2.0);
    steps.find(|it| tell && enough(*it))
}

/// The least share, in steps of a thousandth below 2 % and of a hundredth above, with which few
/// enough pairs are apart; `None` without pairs.
fn needed(rows: &[&Vec<Cost>], deviations: f64) -> Option<f64> {
    pairs(rows).next()?;
    let steps = (0..20).map(|it| f64::from(it) / 1000.0);
    let mut steps = steps.chain((2..100).map(|it| f64::from(it) / 100.0));
    steps.find(|share| {
        let (apart, all) = apart(rows, *share, deviations);
        apart as f64 <= KEPT_APART * all as f64
    })
}

/// Half of the narrowest interval with which few enough pairs of one clock are apart, as a share.
fn least(costs: &Vec<Cost>) -> f64 {
    let mut far: Vec<f64> = pairs(&[costs]).map(|(a, b)| (a.ns / b.ns).ln().abs()).collect();
    far.sort_by(f64::total_cmp);
    let at = (far.len() as f64 * (1.0 - APART)).ceil() as usize;
    far.get(at.saturating_sub(1)).copied().unwrap_or_default() / std::f64::consts::SQRT_2
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let folder = sh::root().join(RUNS);
    if !args.reports.is_empty() {
        let mut runs = Runs::default();
        for path in &args.reports {
            let report: Report = serde_json::from_str(&sh.read_file(path)?)?;
            if report.run.disturbed.is_empty() {
                runs.add(&report)?;
            } else {
                println!("{}: left out, the run was disturbed", path.display());
            }
        }
        let name = runs.machine.join("-").to_lowercase();
        let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
        let name: String = name.chars().map(plain).collect();
        sh.write_file(folder.join(format!("{}.csv", name.trim_matches('-'))), runs.text())?;
    }
    let mut rows = String::new();
    println!(
        "| machine | reads | clocks | share | half an interval | as narrow as the runs allow | \
         ratio, median | at most {WIDE} | pairs apart |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    for path in sh.read_dir(&folder)? {
        let runs = Runs::read(&sh.read_file(&path)?);
        let runs = runs.with_context(|| format!("{}: not runs", path.display()))?;
        let [vendor, family, hypervisor] = &runs.machine;
        let mut shares = String::new();
        let found = deviations(&runs);
        let deviations = found.unwrap_or(EARLIER.frequencies);
        for (does, key) in ALL {
            let of = runs.that(does);
            let alone = found.is_some() && matches!(does, Does::BackToBack | Does::Ordered);
            let share = if alone { Some(0.0) } else { needed(&of, deviations) };
            let _ = writeln!(shares, "        {key}: {:?},", share.unwrap_or(-1.0));
            let Some(share) = share else { continue };
            let half = |it: &Cost| it.ends(share, deviations).iter().sum::<f64>() / 2.0;
            let halves = of.iter().map(|costs| median(costs.iter().map(half)));
            let halves: Vec<f64> = halves.collect::<Result<_>>()?;
            let least: Vec<f64> = of.iter().map(|costs| least(costs)).collect();
            let ratios = halves.iter().zip(&least).map(|(half, least)| half / least);
            let (apart, all) = apart(&of, share, deviations);
            println!(
                "| {vendor} family {family}, {hypervisor} | {key} | {} | {:.1} % | {:.2} % | \
                 {:.2} % | {:.2} | {} | {apart} of {all} |",
                of.len(),
                share * 100.0,
                median(halves.iter().copied())? * 100.0,
                median(least.iter().copied())? * 100.0,
                median(ratios.clone())?,
                ratios.filter(|it| *it <= WIDE).count(),
            );
        }
        let _ = writeln!(shares, "        frequencies: {:?},", found.unwrap_or(-1.0));
        let _ = write!(
            rows,
            "    Row {{\n        vendor: {vendor:?},\n        family: {family},\n        \
             hypervisor: {hypervisor:?},\n        runs: {},\n        shares: Shares {{\n{}        \
             }},\n    }},\n",
            runs.count,
            shares.replace("        ", "            "),
        );
    }
    let text = format!(
        "// Generated by `cargo research between` from the runs in {RUNS}.\n\nconst ROWS: &[Row] = \
         &[\n{rows}];\n"
    );
    sh.write_file(sh::root().join(ROWS), text)?;
    println!("{ROWS}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs that find these costs, each sure to 0.1 %.
    fn runs(ns: &[f64]) -> Vec<Cost> {
        ns.iter().map(|ns| Cost { ns: *ns, below: 0.001, above: 0.001, frequency: 0.001 }).collect()
    }

    #[test]
    fn a_share_is_as_large_as_the_runs_need() {
        assert_eq!(needed(&[&runs(&[20.0, 20.01, 19.99])], 0.0), Some(0.0));
        let two_states: Vec<f64> =
            (0..20).map(|at| if at % 2 == 0 { 20.0 } else { 25.0 }).collect();
        let share = needed(&[&runs(&two_states)], 0.0).expect("pairs");
        assert!((0.15..0.17).contains(&share), "{share}");
        assert!((least(&runs(&two_states)) / share - 1.0).abs() < 0.05);
        assert_eq!(needed(&[&runs(&[20.0])], 0.0), None);
    }

    #[test]
    fn kept_runs_are_read_as_they_were_written() {
        let of = BTreeMap::from([((Does::CpuTime, "c/clock".to_owned(), true), runs(&[5.0; 4]))]);
        let machine = ["A", "25", "B (C)"].map(str::to_owned);
        let kept = Runs { machine, count: 4, of };
        assert_eq!(Runs::read(&kept.text()), Some(kept));
        assert_eq!(Runs::read("nonsense"), None);
    }

    #[test]
    fn frequencies_are_widened_by_as_much_as_the_runs_need() {
        let with = |ns: &[f64]| {
            let reads = [(Does::BackToBack, false), (Does::Ordered, true)];
            let of = reads.map(|(does, ordered)| ((does, "a".to_owned(), ordered), runs(ns)));
            deviations(&Runs { of: BTreeMap::from(of), ..Runs::default() })
        };
        assert_eq!(with(&[20.0, 20.01, 19.99]), Some(0.0));
        let far: Vec<f64> = (0..20).map(|at| 20.0 + f64::from(at % 2) * 0.05).collect();
        assert_eq!(with(&far), Some(1.5));
        assert_eq!(with(&[20.0, 25.0]), None);
    }
}
