//! What changed, next to how much earlier runs of the same machine and configuration differ, and
//! when did each figure change?
//!
//! A prediction interval alone raises false alarms, because few runs understate how much runs
//! differ. So a figure has to lie outside all earlier ones, too, and beyond its own interval.
//!
//! A run begins a new level if it and the next one lie on the same side of those before. A single
//! spike is no change.

use super::rule::{self, ALPHA, COSTS, Ratio, Z, median, spread};
use super::runs::{self, Runs};
use super::{Measured, basis, compared, environment, figures, side};
use chronoscope_model::Report;
use chronoscope_model::compare::{
    Change, Compared, Difference, Figure, History, LeftOut, Method, Row, Side, Trend, Turn, Unit,
    Verdict,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is kept of the runs: their figures, and nothing else of their reports.
pub struct Past<'a> {
    file: &'a str,
    /// The newest report: what others have to be like.
    newest: &'a Report,
    rows: Vec<Measured<'a>>,
    runs: Vec<Kept>,
    seen: BTreeSet<String>,
    /// The runs that take part, as a set.
    like: Runs,
    /// Those that do not, by what differs, with a set of those that may be judged as one.
    left_out: Vec<(LeftOut, Option<Runs>)>,
}

/// The most sets of runs that take no part.
const MOST_SETS: usize = 20;
/// What the ways to deal the runs of sets out are drawn with: a history gives the same answer each
/// time.
const SEED: u64 = 1;

/// A run: its figures in the order of the rows.
struct Kept {
    side: Side,
    figures: Vec<Option<Kind>>,
}

/// A figure in both units; `cycles` is absent if it is not so many cycles however long they take.
#[derive(Clone, Copy)]
struct Kind {
    ns: f64,
    cycles: Option<f64>,
    se: f64,
}

impl<'a> Past<'a> {
    /// The history of what the newest report holds.
    pub fn new(file: &'a str, newest: &'a Report) -> Self {
        let mut rows = figures(newest);
        let mut keys = BTreeSet::new();
        rows.retain(|it| rule::not_judged(it).is_none() && keys.insert(it.key.clone()));
        let like = Runs::of_set("the runs like the newest");
        let (runs, seen, left_out) = (Vec::new(), BTreeSet::new(), Vec::new());
        Self { file, newest, rows, runs, seen, like, left_out }
    }

    /// Adds an earlier run. It is left out if it was added before or is not like the newest.
    pub fn add(&mut self, file: &str, report: &Report) {
        if report.run == self.newest.run {
            return;
        }
        let run = &report.run.id;
        let again = !run.is_empty() && !self.seen.insert(run.clone());
        let kept = kept(&self.rows, file, report);
        let key = |key: &str| Some(Difference { key: key.into(), ..Difference::default() });
        let differs = match again {
            true => key("the same run again"),
            false if kept.figures.iter().all(Option::is_none) => key("no figure in common"),
            false => environment(report, self.newest).into_iter().find(|it| it.matters),
        };
        let Some(difference) = differs else {
            self.like.add_last(report);
            self.runs.push(kept);
            return;
        };
        let known = self.left_out.iter().position(|(known, _)| known.difference == difference);
        let at = known.unwrap_or(self.left_out.len());
        if known.is_none() {
            let judged = difference.matters && at < MOST_SETS;
            let out = LeftOut { difference, runs: 0, judged: None };
            let set = judged.then(|| Runs::of_set(&out.why()));
            self.left_out.push((out, set));
        }
        let (out, set) = &mut self.left_out[at];
        out.runs += 1;
        if let Some(set) = set {
            set.add_last(report);
        }
    }

    /// Judges the runs that take no part as sets, next to those that do.
    fn judge_left_out(&mut self) -> Vec<LeftOut> {
        self.like.add_last(self.newest);
        let judged = |(out, set): (LeftOut, Option<Runs>)| {
            let set = set.filter(|set| set.is_enough() && self.like.is_enough());
            let judged = set.map(|set| runs::change(&set, &self.like, SEED).into());
            LeftOut { judged, ..out }
        };
        std::mem::take(&mut self.left_out).into_iter().map(judged).collect()
    }

    /// Judges the newest report by the earlier ones, which a folder holds; or finds out when each
    /// figure changed, up to the newest report.
    ///
    /// # Errors
    /// There are not enough runs: how many there are, and why others were left out.
    pub fn compared(mut self, folder: &str, when: bool) -> Result<Compared, String> {
        self.runs
            .sort_by(|a, b| (&a.side.started, &a.side.file).cmp(&(&b.side.started, &b.side.file)));
        let earlier = self.runs.len();
        let left_out = self.judge_left_out();
        if earlier < FEWEST && left_out.iter().all(|it| it.judged.is_none()) {
            return Err(too_few(earlier, &left_out));
        }
        self.runs.push(kept(&self.rows, self.file, self.newest));
        let (unit, unit_why, figures) = self.in_unit();
        // Thousands of runs take less memory if their figures are there once.
        self.runs.iter_mut().for_each(|run| run.figures = Vec::new());
        let (levels, rows) = match when {
            true => self.changed(&figures),
            false => (vec![Vec::new(); figures.len()], self.judged(&figures)),
        };
        let sides: Vec<Side> = self.runs.into_iter().map(|run| run.side).collect();
        let trends = rows.iter().zip(figures).zip(levels).map(|((row, points), levels)| Trend {
            key: row.key.clone(),
            values: points.iter().map(|it| it.map(|it| it.ln.exp())).collect(),
            turns: levels.windows(2).map(|pair| turn(pair, &sides)).collect(),
        });
        let trends = trends.collect();
        let a = Side { file: folder.into(), started: sides[0].started.clone(), ..Side::default() };
        let b = (sides[earlier].clone(), self.newest);
        let change = Change { unit, unit_why, ..super::change((a, self.newest), b, rows) };
        Ok(Compared {
            history: Some(History { runs: sides, left_out, trends, unread: Vec::new() }),
            ..compared(Method::History, [change])
        })
    }

    /// The figures of each row in every run, in the unit in which runs repeat better. A core may
    /// run at another frequency each time, and the gauge of its frequency may be coarse.
    fn in_unit(&self) -> (Unit, String, Vec<Vec<Option<Point>>>) {
        let column = |at: usize| self.runs.iter().map(move |run| run.figures[at]);
        let follows = |at: &usize| column(*at).flatten().all(|it| it.cycles.is_some());
        let spreads = |of: fn(Kind) -> f64| {
            let each = (0..self.rows.len()).filter(follows);
            let mut all: Vec<f64> =
                each.map(|at| spread(column(at).flatten().map(move |it| of(it).ln()))).collect();
            all.sort_by(f64::total_cmp);
            // Those that repeat best show it: system calls differ more than frequencies do.
            all.get(all.len() / 4).copied().unwrap_or_default()
        };
        let ns = spreads(|it| it.ns);
        let cycles = spreads(|it| it.cycles.unwrap_or(it.ns));
        let percent = |spread: f64| format!("{:.2} %", spread * 100.0);
        let (unit, other) = match cycles < ns {
            true => (Unit::CoreCycles, "nanoseconds"),
            false => (Unit::Ns, "cycles"),
        };
        let why = match ns > 0.0 {
            true => format!(
                "the steadiest quarter of figures repeats within {} in them, and {} in {other}",
                percent(cycles.min(ns)),
                percent(cycles.max(ns))
            ),
            false => "the core's frequency is not known in all runs".into(),
        };
        let points = (0..self.rows.len()).map(|at| {
            let cycles = unit == Unit::CoreCycles && follows(&at);
            let value = |it: Kind| if cycles { it.cycles.unwrap_or(it.ns) } else { it.ns };
            let point = |it: Kind| Point { ln: value(it).ln(), se: it.se, ns: it.ns };
            column(at).map(|it| it.map(point)).collect()
        });
        (unit, why, points.collect())
    }

    /// The rows of a report that was made after all others.
    fn judged(&self, figures: &[Vec<Option<Point>>]) -> Vec<Row> {
        let split = figures.iter().filter_map(|all| all.split_last());
        let known = split.map(|(new, all)| (*new, all.iter().flatten().copied().collect()));
        let (new, earlier): (Vec<Option<Point>>, Vec<Vec<Point>>) = known.unzip();
        let slices: Vec<&[Point]> = earlier.iter().map(Vec::as_slice).collect();
        let judged = judge_run(&slices, &new);
        let rows = self.rows.iter().zip(earlier).zip(judged);
        rows.map(|((it, earlier), judged)| row(it, &earlier, judged)).collect()
    }

    /// When each figure changed, and the rows: the level of the newest runs next to the one before
    /// or, if there is one only, the newest run next to the others.
    fn changed(&self, figures: &[Vec<Option<Point>>]) -> (Vec<Vec<Level>>, Vec<Row>) {
        let newest = self.judged(figures);
        let levels = turns(figures);
        let rows =
            newest.into_iter().zip(&levels).map(|(newest, (levels, alone))| match levels[..] {
                [.., ref old, ref new] => between(newest, old, new),
                _ if *alone => Row {
                    verdict: Verdict::CannotTell,
                    why: Some("so far only the newest run is off: make another".into()),
                    ..newest
                },
                // One run proves no change.
                _ if newest.verdict.changed() => Row { verdict: Verdict::CannotTell, ..newest },
                _ => newest,
            });
        let rows = rows.collect();
        (levels.into_iter().map(|(levels, _)| levels).collect(), rows)
    }
}

fn too_few(earlier: usize, left_out: &[LeftOut]) -> String {
    let words = |it: &LeftOut| format!("; {} left out: {}", it.runs, it.why());
    let out: String = left_out.iter().take(3).map(words).collect();
    format!("it takes {FEWEST} earlier runs like the newest, and there are {earlier}{out}")
}

fn kept(rows: &[Measured], file: &str, report: &Report) -> Kept {
    let off = basis::off(report);
    let all = figures(report);
    let halves: Vec<f64> = basis::within(&all, report).collect();
    let mut found = BTreeMap::new();
    for (it, half) in all.into_iter().zip(halves) {
        let cycles = it.core_cycles.filter(|_| basis::follows(&it));
        let kind = Kind { ns: it.figure.value_ns, cycles, se: half.hypot(off) / Z };
        found.entry(it.key).or_insert(kind);
    }
    let figures = rows.iter().map(|row| found.remove(&row.key)).collect();
    Kept { side: side(file, report), figures }
}

fn row(it: &Measured, earlier: &[Point], judged: Option<Judged>) -> Row {
    let Some(judged) = judged else {
        let runs = earlier.len();
        return Row {
            why: Some(format!("{runs} of the earlier runs have it; it takes {FEWEST}")),
            ..rule::row(it.key.clone(), [it.figure; 2], Ratio::default())
        };
    };
    let of_ns = |log: f64| judged.ns * log.exp();
    let a = Figure {
        value_ns: judged.ns,
        low_ns: of_ns(-judged.expected),
        high_ns: of_ns(judged.expected),
    };
    let row = rule::judged(it.key.clone(), [a, it.figure], judged.ratio, judged.p, COSTS);
    match rule::never_alone(it, "the newest run") {
        None => row,
        why => Row { verdict: Verdict::CannotTell, why, ..row },
    }
}

/// The newest level next to the one before. The interval is that of the difference of two means.
fn between(row: Row, old: &Level, new: &Level) -> Row {
    let of = |level: &Level, of: fn(&Point) -> f64| median(level.points.iter().map(of));
    let error = |level: &Level| {
        let sd = spread(level.points.iter().map(|it| it.ln));
        sd.hypot(of(level, |it| it.se)) / (level.points.len().max(1) as f64).sqrt()
    };
    let log = of(new, |it| it.ln) - of(old, |it| it.ln);
    let half = Z * error(old).hypot(error(new));
    let figure = |level: &Level| {
        let (ns, half) = (of(level, |it| it.ns), Z * error(level));
        Figure { value_ns: ns, low_ns: ns * (-half).exp(), high_ns: ns * half.exp() }
    };
    let p = new.turn.map(|it| it.p);
    let ratio = Ratio { log, low: log - half, high: log + half };
    Row { p, ..rule::judged(row.key, [figure(old), figure(new)], ratio, p.unwrap_or(1.0), COSTS) }
}

fn turn(pair: &[Level], sides: &[Side]) -> Turn {
    let [old, new] = [&pair[0], &pair[1]].map(|it| median(it.points.iter().map(|it| it.ln)));
    Turn {
        run: pair[1].from,
        started: sides[pair[1].from].started.clone(),
        change: rule::share(new - old),
    }
}

/// The fewest runs whose spread says something.
pub const FEWEST: usize = 5;

/// The standard deviation between runs is at least this, as a share: the next one is not as equal
/// as a few may be by chance.
const LEAST_SD: f64 = 0.0005;

/// A figure of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Its logarithm, in the unit that it is judged in.
    pub ln: f64,
    /// The standard error of that within its run.
    pub se: f64,
    /// The figure in nanoseconds.
    pub ns: f64,
}

/// What a figure is next to the same one of earlier runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judged {
    /// The figure divided by the median of the earlier ones, in logarithms, with the 95 % interval
    /// for the spread between runs and that within them.
    pub ratio: Ratio,
    /// The median of the earlier ones, in nanoseconds.
    pub ns: f64,
    /// Half the 95 % interval that the next run is expected in, in logarithms.
    pub expected: f64,
    /// The probability of such a figure if nothing changed: 1 unless it lies outside all earlier
    /// ones.
    pub p: f64,
}

impl Judged {
    /// Whether the figure is off: 1 if it is higher, -1 if it is lower, otherwise 0.
    pub fn side(&self) -> i8 {
        let size = rule::share(self.ratio.log.abs());
        let large = size >= COSTS.small && size * self.ns >= COSTS.small_ns;
        match self.p < ALPHA && large {
            true => self.ratio.log.signum() as i8,
            false => 0,
        }
    }
}

/// Judges a figure by at least two earlier ones. The prediction interval is that of a further value
/// of a normal distribution: Student's t with n - 1 degrees of freedom times s * sqrt(1 + 1/n)
/// (Hahn and Meeker, "Statistical Intervals", 1991, section 4.8).
fn judge_point(earlier: &[Point], new: Point) -> Judged {
    let n = earlier.len() as f64;
    let sd = spread(earlier.iter().map(|it| it.ln)).max(LEAST_SD) * (1.0 + 1.0 / n).sqrt();
    let own = new.se.hypot(median(earlier.iter().map(|it| it.se)));
    let log = new.ln - median(earlier.iter().map(|it| it.ln));
    let outside =
        earlier.iter().all(|it| it.ln < new.ln) || earlier.iter().all(|it| it.ln > new.ln);
    let p = rule::student_p(log / sd, n - 1.0).max(rule::normal_p(log / own));
    let expected = rule::student_within(0.95, n - 1.0) * sd;
    let half = expected.max(Z * own);
    Judged {
        ratio: Ratio { log, low: log - half, high: log + half },
        ns: median(earlier.iter().map(|it| it.ns)),
        expected,
        p: if outside { p } else { 1.0 },
    }
}

/// Judges each figure of a run by those of earlier runs; `None` for those that this run or enough
/// earlier ones do not have. The probabilities allow for all that are judged.
pub fn judge_run(earlier: &[&[Point]], new: &[Option<Point>]) -> Vec<Option<Judged>> {
    let judged = |(earlier, new): (&&[Point], &Option<Point>)| {
        new.filter(|_| earlier.len() >= FEWEST).map(|it| judge_point(earlier, it))
    };
    let mut all: Vec<Option<Judged>> = earlier.iter().zip(new).map(judged).collect();
    let p: Vec<f64> = all.iter().flatten().map(|it| it.p).collect();
    all.iter_mut().flatten().zip(rule::holm(&p)).for_each(|(it, p)| it.p = p);
    all
}

/// The most runs that the next one is judged by: the latest of its level.
const LATEST: usize = 50;

/// Runs between two changes.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// The place of the first of them.
    pub from: usize,
    /// Their figures.
    pub points: Vec<Point>,
    /// What the second of them was next to the level before; absent for the first level.
    pub turn: Option<Judged>,
}

/// A figure while its runs are gone through.
#[derive(Default)]
struct Walk {
    levels: Vec<Level>,
    /// The figures that the next one is judged by.
    usual: Vec<Point>,
    /// Those that were off by themselves. Two of them are a state of their own, and usual.
    spikes: Vec<Point>,
    /// The place of the run before, its side and its figure, if it was off.
    off: Option<(usize, i8, Point)>,
}

/// The levels of each figure; `figures` has one for each run, in their order. The last element of
/// each result tells whether the newest run is off by itself.
pub fn turns(figures: &[Vec<Option<Point>>]) -> Vec<(Vec<Level>, bool)> {
    let mut walks: Vec<Walk> = figures.iter().map(|_| Walk::default()).collect();
    let runs = figures.first().map_or(0, Vec::len);
    for at in 0..runs {
        let new: Vec<Option<Point>> = figures.iter().map(|figure| figure[at]).collect();
        let earlier: Vec<&[Point]> = walks.iter().map(|walk| walk.usual.as_slice()).collect();
        let judged = judge_run(&earlier, &new);
        for ((walk, point), judged) in walks.iter_mut().zip(new).zip(judged) {
            if let Some(point) = point {
                walk.take(at, point, judged);
            }
        }
    }
    walks.into_iter().map(|walk| (walk.levels, walk.off.is_some())).collect()
}

impl Walk {
    fn take(&mut self, at: usize, point: Point, judged: Option<Judged>) {
        let side = judged.map_or(0, |it| it.side());
        match self.off.take() {
            Some((from, before, first)) if side == before => {
                // The run before belongs to this level, too.
                self.levels.last_mut().map(|level| level.points.pop());
                let points = vec![first, point];
                self.usual.clone_from(&points);
                self.spikes.clear();
                self.levels.push(Level { from, points, turn: judged });
                return;
            }
            Some((.., spike)) => {
                self.spikes.push(spike);
                if self.spikes.len() > 1 {
                    self.usual.append(&mut self.spikes);
                }
            }
            None => {}
        }
        match self.levels.last_mut() {
            Some(level) => level.points.push(point),
            None => self.levels.push(Level { from: at, points: vec![point], turn: None }),
        }
        match side {
            0 => self.usual.push(point),
            side => self.off = Some((at, side, point)),
        }
        let old = self.usual.len().saturating_sub(LATEST);
        self.usual.drain(..old);
    }
}
