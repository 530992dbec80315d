//! Whether the reads of a clock stay in their place. One test compares reads after work that they
//! could overtake with reads that a fence separates from it; the other lets two threads hand their
//! values to each other. Both run on this machine, or on a simulated one.

use super::schedule::Time;
use super::{Machine, Spec};
use crate::sorted;
use crate::stats::{middle, quantile};
use chronoscope_model::clock::{BuiltOn, Clock, Counts, Reads};
use chronoscope_model::ordering as model;
use chronoscope_model::ordering::{After, Ordering};
use chronoscope_probes::clocks::{self, Opening};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::memory::Page;
use chronoscope_probes::order::{Handed, Lapse, Line, Turns, Work};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Barrier, OnceLock};
use std::time::Duration;

pub trait Order: Time {
    /// Fills `out` with reads of a subject after some work, fenced from it or not. Returns whether
    /// the host can do that.
    fn after(&mut self, subject: usize, work: Work, fenced: bool, out: &mut [Lapse]) -> bool;

    /// Lets two threads take `turns` turns each at reading a subject: this one and one on the CPU
    /// `other`.
    ///
    /// # Errors
    /// The reason why that is not possible.
    fn hand(&mut self, subject: usize, other: usize, turns: u64) -> Result<[Handed; 2], String>;
}

/// What the tests must know about the run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The CPU of this thread and that of the second thread, or the reason why there is only one.
    pub cpus: Result<[usize; 2], String>,
    /// Nanoseconds per tick of the processor's counter, if known.
    pub counter_ns: Option<f64>,
    /// Nanoseconds per cycle of the core, if known.
    pub cycle_ns: Option<f64>,
    pub budget: Duration,
}

/// The kinds of work, in the words of the report.
const WORKS: [(Work, model::Work); 3] = [
    (Work::Load, model::Work::Load),
    (Work::LoadAndBranch, model::Work::LoadAndBranch),
    (Work::Chain, model::Work::Chain),
];
/// The number of reads in a row, fenced or not. The branches of the test itself are predicted after
/// a few.
const BLOCK: usize = 36;
/// The number of reads at the start of a block that do not count.
const WARM_UP: usize = 4;
/// The number of groups of reads whose results are compared with each other, which shows the
/// scatter.
const GROUPS: usize = 8;
/// The most reads of each kind, in blocks.
const MOST_BLOCKS: usize = 256;
/// The turns of each thread in the first game, and in the longest.
const TURNS: [u64; 2] = [256, 65_536];
/// The test shows nothing about a clock with a longer tick, in nanoseconds.
const COARSE_NS: f64 = 1000.0;

/// Whether the order of a clock's reads can be tested: it is read in user space and counts
/// continuously.
pub fn applies(clock: &Clock) -> bool {
    let Some(facts) = clock.facts.filter(|_| clock.available) else {
        return false;
    };
    let counts =
        matches!(facts.built_on, BuiltOn::Counter | BuiltOn::Cycles | BuiltOn::ClockSource);
    let fine = clock.step_ns().is_none_or(|ns| ns < COARSE_NS);
    counts && fine && matches!(facts.reads, Reads::Counter | Reads::Vdso)
}

/// Tests every clock that can be tested, and stores the results in its row. `clocks` are the rows
/// of the subjects, in the same order.
pub fn measure<H: Order>(
    host: &mut H,
    specs: &[Spec],
    subjects: &[usize],
    clocks: &mut [Clock],
    setting: &Setting,
    ruler_hz: f64,
) {
    let began = host.elapsed();
    let mut left = clocks.iter().filter(|clock| applies(clock)).count() as u32;
    for (clock, &subject) in clocks.iter_mut().zip(subjects) {
        // Each clock takes at least one game, and on a busy machine that can be a second.
        let late = host.elapsed().saturating_sub(began) > 2 * setting.budget;
        if !applies(clock) || late || host.interrupted() {
            continue;
        }
        let rest = setting.budget.saturating_sub(host.elapsed().saturating_sub(began));
        let share = rest / left.max(1);
        left = left.saturating_sub(1);
        let cycles = clock.facts.is_some_and(|facts| facts.counts == Counts::Cycles);
        let unit_ns = if cycles { setting.cycle_ns } else { specs[subject].ns_per_unit(ruler_hz) };
        let Some(unit_ns) = unit_ns.filter(|ns| ns.is_finite() && *ns > 0.0) else {
            continue;
        };
        let Some((tries, after)) = overtaking(host, subject, unit_ns, setting, share / 2) else {
            continue;
        };
        let handed = match (&setting.cpus, cycles) {
            (_, true) => Err("cycles of two cores cannot be compared".into()),
            (Err(why), _) => Err(why.clone()),
            (Ok(cpus), _) => handed(host, subject, unit_ns, *cpus, share / 2),
        };
        clock.ordering = Some(Ordering {
            tries,
            after,
            not_handed: handed.as_ref().err().cloned(),
            handed: handed.ok(),
            ..Ordering::default()
        });
    }
}

/// The reads after one kind of work, in nanoseconds: how long a read took by the clock itself, and
/// by how much later instructions followed it.
#[derive(Clone, Default)]
struct Series {
    own: Vec<f64>,
    behind: Vec<f64>,
}

/// Returns how a read behaves after each kind of work, and how often each kind was tried; `None` if
/// the host cannot test that.
fn overtaking<H: Order>(
    host: &mut H,
    subject: usize,
    unit_ns: f64,
    setting: &Setting,
    share: Duration,
) -> Option<(u64, Vec<After>)> {
    const KINDS: usize = 2 * (1 + WORKS.len());
    let mut groups = vec![vec![Series::default(); KINDS]; GROUPS];
    let works = [Work::Nothing].into_iter().chain(WORKS.map(|(work, _)| work));
    let works: Vec<Work> = works.collect();
    let mut out = [Lapse::default(); BLOCK];
    let mut sees_later = false;
    let began = host.elapsed();
    let mut blocks = 0;
    while blocks < MOST_BLOCKS && !host.interrupted() {
        // Each group needs a block of each kind, however long that takes.
        if blocks >= GROUPS && host.elapsed().saturating_sub(began) >= share {
            break;
        }
        let group = &mut groups[blocks % GROUPS];
        for (kind, reads) in group.iter_mut().enumerate() {
            if !host.after(subject, works[kind / 2], kind % 2 == 1, &mut out) {
                return None;
            }
            for lapse in &out[WARM_UP..] {
                // Negative if the clock went back.
                let own = lapse.own.cast_signed() as f64 * unit_ns;
                reads.own.push(own);
                if let (Some(ns), true) = (setting.counter_ns, lapse.later > 0) {
                    sees_later = true;
                    reads.behind.push(lapse.later.cast_signed() as f64 * ns - own);
                }
            }
        }
        blocks += 1;
    }
    // The middle of each series, group by group.
    let of = |kind: usize, series: fn(&mut Series) -> &mut Vec<f64>| -> Vec<f64> {
        let groups = groups.iter().map(|group| group[kind].clone());
        groups.filter_map(|mut reads| middle(series(&mut reads))).collect()
    };
    let own: Vec<Vec<f64>> = (0..KINDS).map(|kind| of(kind, |reads| &mut reads.own)).collect();
    let behind = |work: usize| of(2 * work, |reads| &mut reads.behind);
    let after = WORKS.iter().enumerate().map(|(at, (_, work))| {
        let (bare, fenced) = (2 * (at + 1), 2 * (at + 1) + 1);
        // A fence costs something even when there is nothing to wait for.
        let early = each(|n| own[fenced][n] - own[bare][n] - (own[1][n] - own[0][n]), &own);
        let takes = each(|n| own[fenced][n] - own[1][n], &own);
        let (idle, busy) = (behind(0), behind(at + 1));
        let overtaken: Vec<f64> = idle.iter().zip(&busy).map(|(idle, busy)| idle - busy).collect();
        After {
            work: *work,
            takes_ns: center(&takes),
            early_ns: agreed(&early),
            overtaken_ns: sees_later.then(|| agreed(&overtaken)),
            scatter_ns: error(&early).max(error(&takes)).max(error(&overtaken)),
        }
    });
    let tries = blocks * (BLOCK - WARM_UP);
    (blocks > 0).then(|| (tries as u64, after.collect()))
}

/// Returns the result of a formula in each group that has all series.
fn each(formula: impl Fn(usize) -> f64, series: &[Vec<f64>]) -> Vec<f64> {
    let groups = series.iter().map(Vec::len).min().unwrap_or(0);
    (0..groups).map(formula).collect()
}

/// The median of the groups; 0 if there are none.
fn center(groups: &[f64]) -> f64 {
    quantile(&sorted(groups.iter().copied()), 0.5).unwrap_or(0.0)
}

/// What all groups but one exceed, so that noise in a few of them shows nothing; 0 if there are
/// none.
fn agreed(groups: &[f64]) -> f64 {
    let sorted = sorted(groups.iter().copied());
    sorted.get(1).or(sorted.first()).copied().unwrap_or(0.0)
}

/// The standard error of the median of the groups, from their median distance from it; 0 if there
/// are none. (1.4826 makes the distance a standard deviation, and 1.2533 is the factor from the
/// error of a mean to that of a median, both for Gaussian noise.)
fn error(groups: &[f64]) -> f64 {
    let middle = center(groups);
    let distances: Vec<f64> = groups.iter().map(|value| (value - middle).abs()).collect();
    1.4826 * 1.2533 * center(&distances) / (groups.len().max(1) as f64).sqrt()
}

/// Plays games until the share of the time is over, each as long as the time left allows. A game
/// ends early if a player cannot get its CPU.
fn handed<H: Order>(
    host: &mut H,
    subject: usize,
    unit_ns: f64,
    cpus: [usize; 2],
    share: Duration,
) -> Result<model::Handed, String> {
    let mut all = model::Handed { cpus, ..model::Handed::default() };
    let began = host.elapsed();
    let mut turns = TURNS[0];
    loop {
        for seen in host.hand(subject, cpus[1], turns)? {
            add_seen(&mut all, seen, unit_ns);
        }
        let elapsed = host.elapsed().saturating_sub(began);
        let left = share.saturating_sub(elapsed);
        if left.is_zero() || host.interrupted() {
            break;
        }
        // By the pace of all turns so far.
        let fit = all.turns as f64 / 2.0 * left.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
        turns = (fit as u64).clamp(TURNS[0] / 4, (turns * 4).min(TURNS[1]));
    }
    match all.turns {
        0 => Err("the other CPU was busy".into()),
        _ => Ok(all),
    }
}

impl Order for Machine {
    fn after(&mut self, subject: usize, work: Work, fenced: bool, out: &mut [Lapse]) -> bool {
        let line = Line::default();
        let reader = self.reader(subject);
        reader.map(|reader| reader.after(work, fenced, &line, out)).is_some()
    }

    fn hand(&mut self, subject: usize, other: usize, turns: u64) -> Result<[Handed; 2], String> {
        let id = self.id(subject).to_owned();
        let entry = clocks::find(&id).ok_or("it is not in the catalogue")?;
        let second = entry.open(Opening::Checked).map_err(|why| why.0)?;
        let reader = self.reader(subject).ok_or("another process reads it")?;
        order_between(
            other,
            0,
            |table: &Turns| reader.hand(table, 0, turns),
            move |table: &Turns| {
                let mut second = second;
                second.hand(table, 1, turns)
            },
        )
    }
}

/// Adds what a player saw, by a clock with units of this length.
pub(crate) fn add_seen(all: &mut model::Handed, seen: Handed, unit_ns: f64) {
    all.turns += seen.turns;
    all.backwards += seen.backwards;
    all.worst_ns = all.worst_ns.max(seen.worst as f64 * unit_ns);
}

/// Runs both players at the same time, the second one on the CPU `other`, with a table on a page of
/// its own at the home of the first player (0) or of the second (1). The measurement includes the
/// effects of a shared cache line or page, and of memory that is far from both players
/// (nviennot/core-to-core-latency, issues 97 and 156).
///
/// # Errors
/// The reason why there is no second thread.
pub(crate) fn order_between<T: Default + Send + Sync, R: Send>(
    other: usize,
    home: usize,
    first: impl FnOnce(&T) -> R,
    second: impl FnOnce(&T) -> R + Send,
) -> Result<[R; 2], String> {
    let (table, ready) = (OnceLock::<Page<T>>::new(), Barrier::new(2));
    let there = AtomicBool::new(false);
    let place = || {
        let page = Page::new(T::default()).map_err(|error| format!("no memory: {error}"))?;
        let _ = table.set(page);
        Ok::<(), String>(())
    };
    if home == 0 {
        place()?;
    }
    std::thread::scope(|scope| {
        let player = std::thread::Builder::new().name("hand-over".into());
        let player = player.spawn_scoped(scope, || {
            let pinned = affinity::pin(other).map_err(|error| error.to_string());
            let placed = if home == 1 && pinned.is_ok() { place() } else { Ok(()) };
            // Without a second player, the first one must not wait for it.
            there.store(pinned.is_ok() && placed.is_ok(), Relaxed);
            ready.wait();
            let _guard = pinned?;
            placed?;
            table.get().map(|table| second(table)).ok_or_else(|| "no memory".to_owned())
        });
        let player = player.map_err(|error| format!("cannot start a second thread: {error}"))?;
        ready.wait();
        let table = table.get().filter(|_| there.load(Relaxed));
        let first = table.map(|table| first(table));
        let second = player.join().map_err(|_| "the second thread failed")??;
        Ok([first.ok_or("there is no second thread")?, second])
    })
}
