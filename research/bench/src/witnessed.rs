//! Disturbances that are planted in pieces with a witness, and how many of them it marks.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use chronoscope::Instant;
use chronoscope::witness::{Disturbance, Level, Verdict, Witness};
use serde::Serialize;

use crate::os;

/// Pieces with one disturbance.
#[derive(Serialize)]
pub struct Row {
    plant: &'static str,
    level: &'static str,
    planted: usize,
    /// Those of which the verdict is that they were disturbed.
    marked: usize,
    /// Those of which the verdict names what was planted.
    named: usize,
    /// Those of which something could not be seen.
    unknown: usize,
    /// Those made besides, without the disturbance; of nothing, with another one.
    left_out: usize,
    /// Why it cannot be planted here.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

impl Row {
    const fn unavailable(plant: &'static str, why: &'static str) -> Self {
        let (planted, marked, named, unknown, left_out) = (0, 0, 0, 0, 0);
        Self { plant, level: "gauges", planted, marked, named, unknown, left_out, why: Some(why) }
    }

    fn add(&mut self, verdict: Verdict) {
        let kinds: &[_] = match self.plant {
            "fault" | "interrupt" => &[Disturbance::Interrupted],
            // The tick that was due comes before the piece ends, or just after.
            "stopped guest" => &[Disturbance::Interrupted, Disturbance::GapBelowKernel],
            "move" => &[Disturbance::Moved],
            "neighbour" => &[Disturbance::CoreShared],
            "frequency" => &[Disturbance::FrequencyChanged],
            _ => &[Disturbance::Preempted],
        };
        self.planted += 1;
        self.named += usize::from(kinds.iter().any(|kind| verdict.saw(*kind) == Some(true)));
        self.marked += usize::from(verdict.is_clean() == Some(false));
        self.unknown += usize::from(verdict.is_clean().is_none());
    }
}

const LEVELS: [(Level, &str); 3] =
    [(Level::Marks, "marks"), (Level::Entries, "entries"), (Level::Gauges, "gauges")];

/// Makes pieces until so many had the disturbance; those that return `None` had not.
fn row(
    plant: &'static str,
    of: (Level, &'static str),
    pieces: usize,
    mut piece: impl FnMut(&mut Witness) -> Option<Verdict>,
) -> Row {
    let (level, level_name) = of;
    let mut witness = Witness::new(level);
    let mut row = Row { level: level_name, why: None, ..Row::unavailable(plant, "") };
    for _ in 0..20 * pieces {
        match piece(&mut witness) {
            Some(verdict) => row.add(verdict),
            None => row.left_out += 1,
        }
        if row.planted == pieces {
            break;
        }
    }
    row
}

fn watched(witness: &mut Witness, piece: impl FnOnce()) -> Verdict {
    witness.begin();
    piece();
    witness.end()
}

/// By the counter: interrupts that come within a system call, as other clocks may be, do not show.
fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        spin_loop();
    }
}

/// A piece, if the kernel counts a switch of the thread meanwhile or, as is wanted, none.
fn switched(wanted: bool, witness: &mut Witness, time: Duration) -> Option<Verdict> {
    let before = os::switches();
    let verdict = watched(witness, || spin(time));
    ((os::switches() > before) == wanted).then_some(verdict)
}

/// Independent additions, which keep all units of a core busy, and how long they took.
fn additions(rounds: u32) -> Duration {
    let (start, mut sums) = (Instant::now(), [1_u64; 8]);
    for _ in 0..rounds {
        sums.iter_mut().for_each(|sum| *sum = black_box(*sum).wrapping_add(*sum));
    }
    start.elapsed()
}

/// What 1,000 rounds take. One copy of the code: an emulator does not link blocks across the border
/// of a page, so a copy that lies across one is as slow as if it linked none.
#[inline(never)]
fn fastest() -> Duration {
    (0..50).map(|_| additions(1000)).min().unwrap_or_default()
}

/// Makes additions that take as long as given on a core of their own, and returns the verdict if
/// they did within 5 %, and the kernel counts no interrupt and no switch: this machine did not
/// disturb the piece.
fn calm(cpu: usize, (rounds, alone): (u32, Duration), witness: &mut Witness) -> Option<Verdict> {
    let counts = || (os::interrupts(cpu, |_| true), os::switches());
    let (before, mut took) = (counts(), Duration::ZERO);
    let verdict = watched(witness, || took = additions(rounds));
    let apart = took.as_secs_f64() / alone.as_secs_f64() - 1.0;
    (counts() == before && apart.abs() < 0.05).then_some(verdict)
}

/// As many additions as take that long on this CPU, and what they take in the fastest tenth of
/// tries: most of the others may share the core.
fn lasting(time: Duration) -> (u32, Duration) {
    let rounds = (1000.0 * time.as_secs_f64() / fastest().as_secs_f64()) as u32;
    let mut took: Vec<Duration> = (0..101).map(|_| additions(rounds)).collect();
    took.sort_unstable();
    (rounds, took[took.len() / 10])
}

/// Runs `what` next to a thread on this CPU that is always busy.
fn next_to<T>(cpu: usize, what: impl FnOnce() -> T) -> T {
    let end = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            os::pin(cpu);
            while !end.load(Ordering::Relaxed) {
                additions(1000);
            }
        });
        let done = what();
        end.store(true, Ordering::Relaxed);
        done
    })
}

const SHORT: Duration = Duration::from_micros(20);

/// Plants each kind so many times.
pub fn run(pieces: usize) -> Result<Vec<Row>> {
    let [marks, entries, gauges] = LEVELS;
    let cpus = os::cpus();
    let cpu = *cpus.first().context("no CPU may be used")?;
    os::pin(cpu);
    let mut rows = Vec::new();
    for level in LEVELS {
        let alone = lasting(SHORT);
        rows.push(row("nothing", level, pieces, |witness| calm(cpu, alone, witness)));
    }
    // Smaller than a huge page, so that each page has a fault of its own. The allocator writes to
    // the first.
    let mut memory: Vec<Vec<u8>> = (0..pieces.div_ceil(120)).map(|_| vec![0; 1 << 20]).collect();
    let pages = memory.iter_mut().flat_map(|part| part[4096..].chunks_mut(8192));
    let mut pages = pages.map(|page| &mut page[0]);
    rows.push(row("fault", entries, pieces, |witness| {
        let first = pages.next()?;
        Some(watched(witness, || *black_box(first) = 1))
    }));
    // The tick of the slowest kernel interrupts a busy CPU each 10 ms. An emulator whose host is
    // busy may deliver none meanwhile, and one may come between the counts and the piece.
    let ticks = Duration::from_millis(22);
    rows.push(row("interrupt", entries, pieces, |witness| {
        let before = os::ticks(cpu);
        let verdict = watched(witness, || spin(ticks));
        (os::ticks(cpu) >= before + 2).then_some(verdict)
    }));
    rows.push(row("signal", marks, pieces, |witness| Some(watched(witness, os::signal_self))));
    rows.push(next_to(cpu, || {
        row("hog", marks, pieces, |witness| switched(true, witness, Duration::from_millis(1)))
    }));
    rows.push(match cpus[..] {
        [first, second, ..] => row("move", marks, pieces, |witness| {
            os::pin(first);
            Some(watched(witness, || os::pin(second)))
        }),
        _ => Row::unavailable("move", "there is one CPU"),
    });
    os::pin(cpu);
    rows.push(match cpus.get(1).filter(|other| slows(**other)) {
        Some(other) => next_to(*other, || {
            row("neighbour", gauges, pieces, |witness| switched(false, witness, SHORT))
        }),
        None => Row::unavailable("neighbour", "no CPUs share a core"),
    });
    Ok(rows)
}

/// Whether a thread on the other CPU makes independent additions on this one slower: they share a
/// core.
fn slows(other: usize) -> bool {
    let fastest = || (0..20).map(|_| additions(1_000_000)).min().unwrap_or_default();
    let (alone, shared) = (fastest(), next_to(other, fastest));
    shared > alone * 6 / 5
}

/// Pieces shorter than most of the time between two ticks. Those that took 20 ms longer were
/// stopped from outside.
pub fn stopped(seconds: u64) -> Row {
    const PIECE: Duration = Duration::from_micros(200);
    let mut witness = Witness::new(LEVELS[2].0);
    let mut row = Row { why: None, ..Row::unavailable("stopped guest", "") };
    let began = Instant::now();
    while began.elapsed().as_secs() < seconds {
        let start = Instant::now();
        let verdict = watched(&mut witness, || spin(PIECE));
        if start.elapsed() > PIECE + Duration::from_millis(20) {
            row.add(verdict);
        }
    }
    row
}

/// Pieces on a processor that something outside makes slower and faster again, whenever this asks
/// for it. It has done so when additions take a fifth longer, or no longer than at first, in nearly
/// all of 40 ms: emulated, they sometimes take a quarter longer for half a millisecond.
pub fn slowed(pieces: usize) -> Row {
    const TURNS: usize = 10;
    let mut witness = Witness::new(LEVELS[2].0);
    let mut row = Row { why: None, ..Row::unavailable("frequency", "") };
    let usual = fastest();
    for turn in 0..2 * TURNS {
        let slow = turn % 2 == 0;
        println!("@@ {}", if slow { "slower" } else { "faster" });
        let asked = Instant::now();
        let differ = || (0..100).filter(|_| (fastest() > usual * 6 / 5) != slow).count();
        while differ() > 10 {
            if asked.elapsed() > Duration::from_secs(20) {
                return Row::unavailable("frequency", "nothing outside changes it");
            }
        }
        let until = row.planted + pieces.div_ceil(TURNS);
        while slow && row.planted < until {
            if let Some(verdict) = switched(false, &mut witness, SHORT) {
                row.add(verdict);
            }
        }
    }
    row
}
