//! What whole runs of one machine differ by, beyond their own intervals: `between.json` of the
//! model, from the runs in `research/between`.

use crate::results::median;
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh;
use chronoscope_model::between::{self, Between, Does, EARLIER, OfClock, Row, Shares};
use chronoscope_model::{Estimate, Report};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Reports of calm runs of one machine, to keep with those that are kept of it; none: the table
    /// is made from the runs that are kept
    reports: Vec<PathBuf>,
    /// Keep them instead of those that are kept of it
    #[arg(long, requires = "reports")]
    replace: bool,
}

const RUNS: &str = "research/between";
const ROWS: &str = "crates/model/src/between.json";
/// The share of pairs of runs that may be apart.
const APART: f64 = 0.05;
/// The share of the pairs that are kept which may be apart: they are of one day, and further runs
/// of an AMD EPYC needed more for the kernel than the first.
const KEPT_APART: f64 = 0.025;
/// An interval may be so many times as wide as the runs of its clock need.
const WIDE: f64 = 1.5;
/// Or so many times as wide as the runs' own intervals, if these alone are wider than that.
const OWN: f64 = 1.1;
/// What one clock differs by is that of its kind, times a number of such steps.
const STEPS: u32 = 20;
/// It is at most four times that of its kind.
const MOST_STEPS: u32 = 4 * STEPS;
/// How many standard deviations of its frequencies a run without `run.between` was widened by.
const EARLIER_FREQUENCIES: f64 = 3.0;

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

    /// The least share of both with which they are not apart.
    fn needs(&self, other: &Self, deviations: f64) -> f64 {
        let (low, high) = if self.ns < other.ns { (self, other) } else { (other, self) };
        let ([_, above], [below, _]) = (low.ends(0.0, deviations), high.ends(0.0, deviations));
        let far = (high.ns / low.ns).ln().powi(2) - above.powi(2) - below.powi(2);
        (far.max(0.0) / 2.0).sqrt()
    }
}

/// What a read does, the clock, and whether each is ordered after the one before.
type Key = (Does, String, bool);

/// The runs of one machine.
#[derive(Debug, Default, PartialEq)]
struct Runs {
    /// The processor's vendor and family, and the hypervisor.
    machine: [String; 3],
    count: u32,
    of: BTreeMap<Key, Vec<Cost>>,
}

impl Runs {
    fn add(&mut self, report: &Report) -> Result<()> {
        let (vendor, family, hypervisor) = between::kind_of(&report.environment);
        let family = family.context("a processor without a family")?;
        let machine = [vendor.to_owned(), family.to_string(), hypervisor.to_owned()];
        ensure!(self.count == 0 || self.machine == machine, "the runs are of several machines");
        self.machine = machine;
        self.count += 1;
        let earlier = Shares { frequencies: EARLIER_FREQUENCIES, ..EARLIER };
        let between = report.run.between.clone();
        let mut between = between.unwrap_or_else(|| Between::plain(earlier));
        if between.shares.frequencies <= 0.0 {
            between.shares.frequencies = EARLIER.frequencies;
        }
        // Each clock's cost, and how many deviations of the frequency its interval has, if they
        // are so large.
        let costs = |deviation: f64| {
            let mut costs = Vec::new();
            for clock in &report.clocks {
                let cost = &clock.cost;
                for (ordered, cost) in [(false, &cost.throughput), (true, &cost.latency)] {
                    let key = (Does::of(clock.facts, ordered), clock.id.clone(), ordered);
                    let (share, of) = between.parts(&clock.id, clock.facts, ordered, deviation);
                    let cost = cost.as_ref().and_then(|it| Cost::of(it, share));
                    costs.extend(cost.map(|cost| (key, cost, of)));
                }
            }
            costs
        };
        // All intervals of a run have the frequency's part, and the narrowest ones little else.
        let deviation = |costs: &[(Key, Cost, f64)]| {
            let ends = costs.iter().flat_map(|(_, it, of)| [it.below / of, it.above / of]);
            ends.filter(|it| *it > 0.0).fold(f64::INFINITY, f64::min)
        };
        let mut all = costs(0.0);
        if between.spread.is_some_and(|it| deviation(&all) > it) {
            all = costs(f64::INFINITY);
        }
        let frequency = deviation(&all);
        ensure!(frequency.is_finite(), "no cost has an interval");
        for (key, cost, of) in all {
            let own = |end: f64| (end * end - (of * frequency).powi(2)).max(0.0).sqrt();
            let (below, above) = (own(cost.below), own(cost.above));
            self.of.entry(key).or_default().push(Cost { below, above, frequency, ..cost });
        }
        Ok(())
    }

    /// The place of the costs of one run in these of a clock: a clock that fewer runs have is in
    /// the last ones.
    fn place(&self, costs: &[Cost], run: usize) -> Option<usize> {
        (run + costs.len()).checked_sub(self.count as usize)
    }

    /// These, and then further ones of the same machine.
    fn with(mut self, further: Self) -> Self {
        self.count += further.count;
        for (key, costs) in further.of {
            self.of.entry(key).or_default().extend(costs);
        }
        self
    }

    /// Without one of the runs.
    fn without(&self, run: usize) -> Self {
        let others = |(key, costs): (&Key, &Vec<Cost>)| {
            let mut others = costs.clone();
            if let Some(at) = self.place(costs, run) {
                others.remove(at);
            }
            (key.clone(), others)
        };
        let of = self.of.iter().map(others).collect();
        Self { machine: self.machine.clone(), count: self.count - 1, of }
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
            let does = Does::ALL.into_iter().find(|does| format!("{does:?}") == name)?;
            let key = (does, parts.next()?.to_owned(), parts.next()? == "ordered");
            Some((key, parts.map(cost).collect::<Option<_>>()?))
        };
        Some(Self { machine, count, of: lines.map(row).collect::<Option<_>>()? })
    }

    /// The costs of each clock whose reads do this.
    fn that(&self, does: Does) -> Vec<&Vec<Cost>> {
        self.of.iter().filter(|((it, ..), _)| *it == does).map(|(_, costs)| costs).collect()
    }

    /// The same by the clock: plain and ordered reads of it may be of one kind.
    fn clocks(&self, does: Does) -> BTreeMap<&str, Vec<&Vec<Cost>>> {
        let mut clocks: BTreeMap<&str, Vec<&Vec<Cost>>> = BTreeMap::new();
        for ((_, id, _), costs) in self.of.iter().filter(|((it, ..), _)| *it == does) {
            clocks.entry(id).or_default().push(costs);
        }
        clocks
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

/// The least number of deviations, in steps of a half, with which few enough pairs of reads back to
/// back are apart and nothing more need be added to them; `None` if more is needed than is usual,
/// or if the runs do not tell.
fn deviations(runs: &Runs) -> Option<f64> {
    let rows = runs.that(Does::BackToBack);
    let tell = runs.of.values().flatten().all(|it| it.frequency > 0.0);
    let enough = |deviations: f64| {
        let (apart, all) = apart(&rows, 0.0, deviations);
        all > 0 && apart as f64 <= APART * all as f64
    };
    let mut steps = (0..=5).map(|it| f64::from(it) / 2.0);
    steps.find(|it| tell && enough(*it))
}

/// The least share, in thousandths, with which few enough pairs are apart; `None` without pairs.
fn needed(rows: &[&Vec<Cost>], deviations: f64) -> Option<f64> {
    let mut shares: Vec<f64> = pairs(rows).map(|(a, b)| a.needs(b, deviations)).collect();
    shares.sort_by(f64::total_cmp);
    let may = (shares.len() as f64 * KEPT_APART) as usize;
    let share = shares.get(shares.len().checked_sub(may + 1)?)?;
    Some((share * 1000.0).ceil() / 1000.0)
}

/// Half of the narrowest interval with which few enough pairs of one clock are apart, as a share.
fn least(costs: &Vec<Cost>) -> f64 {
    let mut far: Vec<f64> = pairs(&[costs]).map(|(a, b)| (a.ns / b.ns).ln().abs()).collect();
    far.sort_by(f64::total_cmp);
    let at = (far.len() as f64 * (1.0 - APART)).ceil() as usize;
    far.get(at.saturating_sub(1)).copied().unwrap_or_default() / std::f64::consts::SQRT_2
}

/// The median of half an interval of one clock, as a share.
fn half(costs: &[Cost], share: f64, deviations: f64) -> f64 {
    let half = |it: &Cost| it.ends(share, deviations).iter().sum::<f64>() / 2.0;
    median(costs.iter().map(half)).unwrap_or_default()
}

/// How many times as wide as they need the intervals of these runs are, of the clock of which they
/// are widest.
fn width(rows: &[&Vec<Cost>], share: f64, deviations: f64) -> f64 {
    rows.iter().map(|it| half(it, share, deviations) / least(it)).fold(0.0, f64::max)
}

/// What one clock differs by, times that of its kind: 1, unless its intervals would be too wide or
/// too many of its pairs apart. It is as wide as it may be, because few runs show little.
fn times(rows: &[&Vec<Cost>], share: f64, deviations: f64) -> f64 {
    let times = |steps: u32| f64::from(steps) / f64::from(STEPS);
    let width = |steps| width(rows, share * times(steps), deviations * times(steps));
    let few = |steps| {
        let (apart, all) = apart(rows, share * times(steps), deviations * times(steps));
        apart as f64 <= APART * all as f64
    };
    let may = WIDE.max(OWN * width(0));
    let mut steps = STEPS;
    if width(steps) > may {
        while steps > 0 && width(steps) > may {
            steps -= 1;
        }
    } else {
        while !few(steps) && steps < MOST_STEPS && width(steps + 1) <= may {
            steps += 1;
        }
    }
    times(steps)
}

/// What runs of one machine differ by.
struct Found {
    /// The deviations of the frequency; `None` if the runs do not tell.
    frequencies: Option<f64>,
    shares: BTreeMap<Does, f64>,
    /// The share and the deviations of each clock that differs from its kind, or is all of it.
    clocks: BTreeMap<(Does, String), (f64, f64)>,
}

impl Found {
    fn by(runs: &Runs) -> Self {
        let frequencies = deviations(runs);
        let usual = frequencies.unwrap_or(EARLIER.frequencies);
        let (mut shares, mut own) = (BTreeMap::new(), BTreeMap::new());
        for does in Does::ALL {
            let alone = frequencies.is_some() && does == Does::BackToBack;
            let share = if alone { Some(0.0) } else { needed(&runs.that(does), usual) };
            let Some(share) = share else { continue };
            shares.insert(does, share);
            let clocks = runs.clocks(does);
            for (id, rows) in &clocks {
                let times = times(rows, share, usual);
                if (times - 1.0).abs() > 1e-9 || clocks.len() == 1 {
                    let rounded = |it: f64, to: f64| (it * to).round() / to;
                    let known = frequencies.map(|it| rounded(it * times, 1000.0));
                    let parts = (rounded(share * times, 10_000.0), known.unwrap_or(usual));
                    own.insert((does, (*id).to_owned()), parts);
                }
            }
        }
        Self { frequencies, shares, clocks: own }
    }

    /// The share and the deviations that count for a clock.
    fn parts(&self, does: Does, id: &str) -> (f64, f64) {
        let kind = || {
            let share = self.shares.get(&does).copied().unwrap_or_default();
            (share, self.frequencies.unwrap_or(EARLIER.frequencies))
        };
        self.clocks.get(&(does, id.to_owned())).copied().unwrap_or_else(kind)
    }

    /// Whether the kind is known from one clock only, which says nothing of others.
    fn one(&self, runs: &Runs, does: Does) -> bool {
        self.shares.contains_key(&does) && runs.clocks(does).len() == 1
    }
}

/// The share of the pairs of each run and the others that are apart by what is found without that
/// run: how well the table foresees a run that it does not know.
fn foreseen(runs: &Runs) -> BTreeMap<Does, f64> {
    let mut counts: BTreeMap<Does, (usize, usize)> = BTreeMap::new();
    for run in 0..runs.count as usize {
        let found = Found::by(&runs.without(run));
        for ((does, id, _), costs) in &runs.of {
            let Some(at) = runs.place(costs, run) else { continue };
            let (share, deviations) = found.parts(*does, id);
            let others = costs.iter().enumerate().filter(|(it, _)| *it != at);
            let (apart, all) = counts.entry(*does).or_default();
            *all += costs.len() - 1;
            *apart += others.filter(|(_, it)| it.is_apart(&costs[at], share, deviations)).count();
        }
    }
    counts.into_iter().map(|(does, (apart, all))| (does, apart as f64 / all as f64)).collect()
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
        let path = folder.join(format!("{}.csv", name.trim_matches('-')));
        if path.exists() && !args.replace {
            runs = Runs::read(&sh.read_file(&path)?).context("not runs")?.with(runs);
        }
        sh.write_file(path, runs.text())?;
    }
    println!(
        "| machine | reads | clocks | of their own | share | half an interval | as narrow as the \
         runs allow | ratio, median | at most {WIDE} | pairs apart | apart, of runs left out |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    let mut all = Vec::new();
    for path in sh.read_dir(&folder)? {
        let runs = Runs::read(&sh.read_file(&path)?);
        let runs = runs.with_context(|| format!("{}: not runs", path.display()))?;
        let found = Found::by(&runs);
        print(&runs, &found)?;
        all.push((runs, found));
    }
    // What one clock shows of its kind is no more known of others than what no run shows.
    let widest = |does: Does| {
        let shares = all.iter().filter_map(|(_, found)| found.shares.get(&does));
        shares.copied().fold(EARLIER.by(does), f64::max)
    };
    let rows = all.iter().map(|(runs, found)| row(runs, found, &widest));
    let rows: Vec<Row> = rows.collect::<Result<_>>()?;
    sh.write_file(sh::root().join(ROWS), serde_json::to_string_pretty(&rows)? + "\n")?;
    println!("{ROWS}");
    Ok(())
}

/// Prints what is found of each kind, and how well it fits the runs.
fn print(runs: &Runs, found: &Found) -> Result<()> {
    let [vendor, family, hypervisor] = &runs.machine;
    let foreseen = foreseen(runs);
    for (does, share) in &found.shares {
        let (mut halves, mut narrow, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut count = (0, 0);
        for ((_, id, _), costs) in runs.of.iter().filter(|((it, ..), _)| it == does) {
            let (share, deviations) = found.parts(*does, id);
            halves.push(half(costs, share, deviations));
            narrow.push(least(costs));
            ratios.push(width(&[costs], share, deviations));
            let (apart, all) = apart(&[costs], share, deviations);
            count = (count.0 + apart, count.1 + all);
        }
        println!(
            "| {vendor} family {family}, {hypervisor} | {} | {} | {} | {:.1} % | {:.2} % | {:.2} % \
             | {:.2} | {} | {} of {} | {:.1} % |",
            does.name(),
            halves.len(),
            found.clocks.keys().filter(|(it, _)| it == does).count(),
            share * 100.0,
            median(halves.iter().copied())? * 100.0,
            median(narrow.iter().copied())? * 100.0,
            median(ratios.iter().copied())?,
            ratios.iter().filter(|it| **it <= WIDE).count(),
            count.0,
            count.1,
            foreseen.get(does).copied().unwrap_or_default() * 100.0,
        );
    }
    Ok(())
}

/// The row of the table for one machine. Where its runs do not tell, numbers are negative.
fn row(runs: &Runs, found: &Found, widest: &dyn Fn(Does) -> f64) -> Result<Row> {
    let [vendor, family, hypervisor] = &runs.machine;
    let share = |does: Does| {
        let own = found.shares.get(&does).copied();
        own.map_or(-1.0, |it| if found.one(runs, does) { widest(does) } else { it })
    };
    let tell = found.frequencies.map(|_| runs.of.values().flatten().map(|it| it.frequency));
    let clocks = found.clocks.iter().map(|((does, id), (share, deviations))| OfClock {
        id: id.clone(),
        does: *does,
        share: *share,
        frequencies: found.frequencies.map_or(-1.0, |_| *deviations),
    });
    Ok(Row {
        vendor: vendor.clone(),
        family: family.parse()?,
        hypervisor: hypervisor.clone(),
        runs: runs.count,
        shares: Shares {
            back_to_back: share(Does::BackToBack),
            ordered: share(Does::Ordered),
            loads: share(Does::Loads),
            after_stores: share(Does::AfterStores),
            kernel: share(Does::Kernel),
            cpu_time: share(Does::CpuTime),
            leaves_guest: share(Does::LeavesGuest),
            frequencies: found.frequencies.unwrap_or(-1.0),
        },
        spread: tell.map_or(-1.0, |it| it.fold(0.0, f64::max)),
        clocks: clocks.collect(),
    })
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
    fn a_clock_is_listed_if_its_kind_is_too_wide_for_it_or_too_narrow() {
        let frequency = 0.0;
        let of = |far: f64| -> Vec<Cost> {
            let ns = |at: i32| 20.0 * (1.0 + far * f64::from(at % 5));
            (0..20).map(|at| Cost { frequency, ..runs(&[ns(at)])[0] }).collect()
        };
        let kernel = |id: &str, far| ((Does::Kernel, id.to_owned(), false), of(far));
        let machine = ["A", "25", "B"].map(str::to_owned);
        let kept = |clocks: Vec<(Key, Vec<Cost>)>| Runs {
            machine: machine.clone(),
            count: 20,
            of: BTreeMap::from_iter(clocks),
        };
        let mut clocks: Vec<_> = (0..9).map(|at| kernel(&at.to_string(), 0.01)).collect();
        assert!(Found::by(&kept(clocks.clone())).clocks.is_empty());
        clocks.extend([kernel("steady", 0.001), kernel("unsteady", 0.02)]);
        let mixed = kept(clocks);
        let found = Found::by(&mixed);
        let ids: Vec<&str> = found.clocks.keys().map(|(_, id)| id.as_str()).collect();
        assert_eq!(ids, ["steady", "unsteady"]);
        for ((does, id, _), costs) in &mixed.of {
            let (share, deviations) = found.parts(*does, id);
            let (far, pairs) = apart(&[costs], share, deviations);
            let width = width(&[costs], share, deviations);
            assert!(far as f64 <= APART * pairs as f64, "{id}: {far} of {pairs}");
            assert!(width <= WIDE, "{id}: {width}");
        }
        // The only clock of its kind is listed, because it says nothing of others.
        let one = kept(vec![kernel("one", 0.01)]);
        let found = Found::by(&one);
        assert!(found.one(&one, Does::Kernel) && found.clocks.len() == 1);
        let row = row(&one, &found, &|_| 0.5).expect("a row");
        let [of_one] = &row.clocks[..] else { panic!("{row:?}") };
        assert_eq!(row.shares.kernel, 0.5);
        assert_eq!((&*of_one.id, of_one.does), ("one", Does::Kernel));
    }

    #[test]
    fn a_run_that_is_left_out_is_judged_by_the_others() {
        let with = |ns: Vec<f64>| {
            let of = BTreeMap::from([((Does::Kernel, "a".to_owned(), false), runs(&ns))]);
            Runs { count: ns.len() as u32, of, ..Runs::default() }
        };
        let apart = |ns| foreseen(&with(ns))[&Does::Kernel];
        assert_eq!(apart(vec![20.0; 10]), 0.0);
        // One run of ten is far from all others: of the pairs with it, which nothing foresees, and
        // from the other side of each, which is fitted to it.
        let one = (0..10).map(|at| if at == 9 { 30.0 } else { 20.0 }).collect();
        assert_eq!(apart(one), 0.1);
    }

    #[test]
    fn kept_runs_are_read_as_they_were_written() {
        let of = BTreeMap::from([((Does::CpuTime, "c/clock".to_owned(), true), runs(&[5.0; 4]))]);
        let machine = ["A", "25", "B (C)"].map(str::to_owned);
        let kept = Runs { machine, count: 4, of };
        assert_eq!(Runs::read(&kept.text()).as_ref(), Some(&kept));
        let twice = Runs::read(&kept.text()).map(|it| it.with(kept)).expect("runs");
        assert_eq!((twice.count, twice.of.values().next().map(Vec::len)), (8, Some(8)));
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
