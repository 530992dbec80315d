//! What changed, next to how much earlier runs of the same machine and configuration differ?

use super::figures::{Measured, figures};
use super::judged::{self, FEWEST, Judged, Point, median, spread};
use super::rule::{self, COSTS, Ratio};
use super::stats::Z;
use super::turns::{Level, turns};
use super::{basis, environment, shared, side};
use chronoscope_model::Report;
use chronoscope_model::compare::{
    Change, Compared, Difference, Figure, History, LeftOut, Method, Row, SCHEMA, Side, Trend, Turn,
    Unit, Verdict,
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
    left_out: Vec<LeftOut>,
}

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
    pub fn of(file: &'a str, newest: &'a Report) -> Self {
        let mut rows = figures(newest);
        let mut keys = BTreeSet::new();
        rows.retain(|it| rule::not_judged(it).is_none() && keys.insert(it.key.clone()));
        Self { file, newest, rows, runs: Vec::new(), seen: BTreeSet::new(), left_out: Vec::new() }
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
        match differs {
            None => self.runs.push(kept),
            Some(it) => match self.left_out.iter_mut().find(|known| known.difference == it) {
                Some(known) => known.runs += 1,
                None => self.left_out.push(LeftOut { difference: it, runs: 1 }),
            },
        }
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
        if earlier < FEWEST {
            return Err(self.too_few());
        }
        self.runs.push(kept(&self.rows, self.file, self.newest));
        let (unit, unit_why, figures) = self.in_unit();
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
        let (trends, left_out) = (trends.collect(), self.left_out);
        let change = Change {
            a: Side { file: folder.into(), started: sides[0].started.clone(), ..Side::default() },
            b: sides[earlier].clone(),
            unit,
            unit_why,
            environment: environment(self.newest, self.newest),
            shared: shared(&rows, &self.newest.clocks),
            counts: rule::counts(&rows),
            rows,
            ..Change::default()
        };
        Ok(Compared {
            schema: SCHEMA.into(),
            method: Method::History,
            change: Some(change),
            history: Some(History { runs: sides, left_out, trends, unread: Vec::new() }),
            ..Compared::default()
        })
    }

    fn too_few(&self) -> String {
        let words = |it: &LeftOut| {
            let Difference { key, a, b, .. } = &it.difference;
            let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
            match (a, b) {
                (None, None) => format!("{} left out: {key}", it.runs),
                _ => format!("{} left out: {key} {}, not {}", it.runs, value(a), value(b)),
            }
        };
        let out: String =
            self.left_out.iter().take(3).map(|it| format!("; {}", words(it))).collect();
        let earlier = self.runs.len();
        format!("it takes {FEWEST} earlier runs like the newest, and there are {earlier}{out}")
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
        let earlier: Vec<Vec<Point>> = figures.iter().map(|all| before(all)).collect();
        let slices: Vec<&[Point]> = earlier.iter().map(Vec::as_slice).collect();
        let new: Vec<Option<Point>> = figures.iter().map(|all| all.last().copied()?).collect();
        let judged = judged::run(&slices, &new);
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

/// The figures of all runs but the newest.
fn before(all: &[Option<Point>]) -> Vec<Point> {
    all.split_last().map_or(Vec::new(), |(_, earlier)| earlier.iter().flatten().copied().collect())
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
    let row = rule::row(it.key.clone(), [a, it.figure], judged.ratio);
    let why = rule::never_alone(it, "the newest run");
    let verdict = match why {
        Some(_) => Verdict::CannotTell,
        None => rule::verdict(&row, judged.ratio, judged.p, COSTS),
    };
    Row { p: Some(judged.p), verdict, why, ..row }
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
    let judged = rule::row(row.key, [figure(old), figure(new)], ratio);
    let verdict = rule::verdict(&judged, ratio, p.unwrap_or(1.0), COSTS);
    Row { p, verdict, ..judged }
}

fn turn(pair: &[Level], sides: &[Side]) -> Turn {
    let [old, new] = [&pair[0], &pair[1]].map(|it| median(it.points.iter().map(|it| it.ln)));
    Turn {
        run: pair[1].from,
        started: sides[pair[1].from].started.clone(),
        change: rule::share(new - old),
    }
}
