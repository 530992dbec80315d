//! What reads cost, apart from the rounds of the engine: in rows, in instructions, over an
//! interval, in bulk, for the counter alone, and at a glance.
//!
//! Ten rows of a hundred reads of the counter, straight after one another, as Agner Fog's tables of
//! instructions are measured: the ticks and the core cycles that a row takes, and what the
//! processor's own counters say, where a program can use them.
//!
//! How many instructions a read executes in user mode, on systems with a counter for them. A count
//! is exact, so a few batches suffice: the difference between a long and a short batch leaves only
//! the loop, and the empty loop is subtracted as it is from a cost.
//!
//! What every clock measures for one interval of 100 ms. The ruler times the interval, so this does
//! not check a counter that is the ruler itself.
//!
//! N real calls, and how long they took.
//!
//! Measures nothing but the counter's own rate and cost.
//!
//! What a read of a few clocks costs, at a glance: a few milliseconds on whichever CPU the thread
//! is on, without a calibration of its own. The ruler's rate is that of these milliseconds.

use crate::engine::machine::{Gauges, Look};
use crate::engine::rounds::{self, Plan};
use crate::engine::ruler::{Bench, Bracket};
use crate::engine::schedule::{self, DIFFERENCE, GLANCE};
use crate::engine::{Batch, Batches, Machine, Mode, Offer, Ruler, RulerKind, Timed, Values};
use crate::run::{Error, Measurement, Setting, session};
use chronoscope_model::clock::{Bulk, Clock, Cost, Difference};
use chronoscope_model::loops::{Throughput, ThroughputRow};
use chronoscope_model::{Environment, Report};
use chronoscope_probes::clocks::{
    self, Count, Entry, Event, Opening, Unit, hundred, micro_operations,
};
use std::time::Duration;

const ROWS: usize = 10;
/// How often a row is tried if the thread is taken off its CPU.
const ROW_TRIES: usize = 8;
/// How often the cost of timing is tried. The lowest counts.
const EMPTY: usize = 64;

/// Measures the rows; `None` if this process cannot execute the instruction.
pub fn measure_throughput(env: &Environment) -> Option<Throughput> {
    let instruction = hundred::INSTRUCTION?;
    clocks::find(hundred::CLOCK)?.open(Opening::Checked).ok()?;
    let mut bench = Bench::new(RulerKind::here());
    let mut gauges = Gauges::here().filter(|_| env.emulated.is_none());
    let mut pace = |bench: &mut Bench, empty: u64| {
        let gauge = |what| gauges.as_mut().map(|gauges| gauges.time(bench, what));
        Look::now(gauge, empty as f64)
    };
    let tries = (0..EMPTY).map(|_| bench.time(hundred::nothing).ticks);
    let empty = tries.min().unwrap_or_default();
    // The first look and the first row warm up their code.
    pace(&mut bench, empty);
    let mut row = || {
        let before = pace(&mut bench, empty);
        let Batch { ticks, disturbed } = bench.time(hundred::reads);
        let pace = before.and(pace(&mut bench, empty)).pace();
        let clock = ticks.saturating_sub(empty);
        let core_cycles = pace.map(|pace| clock as f64 * pace);
        (ThroughputRow { clock, core_cycles, ..ThroughputRow::default() }, disturbed)
    };
    row();
    let rows = (0..ROWS).map(|_| {
        let mut tries = (0..ROW_TRIES).map(|_| row());
        tries.find(|(_, disturbed)| !disturbed).unwrap_or_else(&mut row).0
    });
    let mut found = Throughput {
        instruction: instruction.into(),
        times: hundred::TIMES,
        rows: rows.collect(),
        ..Throughput::default()
    };
    if found.core_cycles().is_some() {
        found.cycles_by = "a chain of dependent additions, before and after each row".into();
    }
    found.lacking = counted(&mut found).err().unwrap_or_default();
    Some(found)
}

/// Adds what the processor's counters say. Each event is counted in rows of its own, so that no two
/// of them share a counter. The error is what is not counted, and why.
fn counted(found: &mut Throughput) -> Result<(), String> {
    let open = |what: &str, event| Count::open(event).map_err(|why| format!("{what}: {why}"));
    let mut count = open("instructions, uops and ports", Event::Instructions)?;
    fill(found, &mut count, |row, count| row.instructions = Some(count));
    let mut count = open("cycles", Event::Cycles)?;
    if fill(found, &mut count, |row, count| row.core_cycles = Some(count as f64)) {
        found.cycles_by = "the processor's counter of cycles".into();
    }
    let all = micro_operations();
    for &(name, event) in &all {
        let mut count = open(name, Event::Raw(event))?;
        if name == "uops" {
            fill(found, &mut count, |row, count| row.uops = Some(count));
        } else if fill(found, &mut count, |row, count| row.by_port.push(count)) {
            found.ports.push(name.into());
        }
    }
    match &all[..] {
        [] => Err("uops and ports: the events of this processor are not known".into()),
        [_] => Err("ports: this processor does not count by port".into()),
        _ => Ok(()),
    }
}

/// Counts an event in ten rows without what counting adds, and puts it into the rows. Does nothing
/// and returns `false` if it was not counted in all of them.
fn fill(found: &mut Throughput, count: &mut Count, put: impl Fn(&mut ThroughputRow, u64)) -> bool {
    let mut around = |work: fn()| {
        let before = count.count()?;
        work();
        count.count()?.checked_sub(before)
    };
    let empty = (0..EMPTY).filter_map(|_| around(hundred::nothing)).min();
    let rows: Option<Vec<u64>> = found.rows.iter().map(|_| around(hundred::reads)).collect();
    let (Some(empty), Some(rows)) = (empty, rows) else {
        return false;
    };
    let all = found.rows.iter_mut().zip(rows);
    all.for_each(|(row, all)| put(row, all.saturating_sub(empty)));
    true
}

/// Reads in the short batch, and in the long one. Even a batch of expensive reads takes less than
/// 10 ms.
const READS: [u64; 2] = [64, 1088];
/// How often each batch is tried. An interrupt may add the instructions of a signal handler, so the
/// lowest count is taken.
const INSTRUCTION_TRIES: usize = 3;

/// The instructions of one read of a subject whose empty loop is `empty`; `None` if nothing counts
/// them.
pub fn instructions_per_read<H: Batches + Values>(
    host: &mut H,
    subject: usize,
    empty: usize,
) -> Option<f64> {
    let read = per_iteration(host, subject)?;
    Some(read - per_iteration(host, empty)?)
}

fn per_iteration<H: Batches + Values>(host: &mut H, subject: usize) -> Option<f64> {
    let [short, long] = READS;
    let mut least = |reads: u64| {
        let mut counted = || {
            let before = host.instructions()?;
            host.batch(subject, Mode::Throughput, reads);
            host.instructions()?.checked_sub(before)
        };
        (0..INSTRUCTION_TRIES).filter_map(|_| counted()).min()
    };
    let executed = [least(short)?, least(long)?];
    Some((executed[1] as f64 - executed[0] as f64) / (long - short) as f64)
}

/// Reads all subjects, sleeps once, and reads them again. All subjects share the interval, and the
/// ruler measures it for each of them directly around the reads of that subject.
pub fn measure_difference<H: Values>(
    host: &mut H,
    subjects: &[usize],
    tick_ns: &[Option<f64>],
    hz: f64,
) -> Vec<Option<Difference>> {
    let first: Vec<Bracket> = subjects.iter().map(|subject| mark(host, *subject)).collect();
    host.sleep(DIFFERENCE.limits[0]);
    let second: Vec<Bracket> = subjects.iter().map(|subject| mark(host, *subject)).collect();
    let ms = 1e3 / hz;
    subjects
        .iter()
        .zip(tick_ns)
        .zip(first.iter().zip(&second))
        .map(|((subject, tick_ns), (a, b))| {
            let ns_per_unit = host.specs()[*subject].ns_per_unit(hz)?;
            let shortest = b.before.wrapping_sub(a.after) as f64 * ms;
            let longest = b.after.wrapping_sub(a.before) as f64 * ms;
            let reference_ms = (shortest + longest) / 2.0;
            let clock_ms = (b.value.wrapping_sub(a.value) as i64) as f64 * ns_per_unit / 1e6;
            // Two ticks, the duration of the reads, and 500 ppm for a clock that NTP slews (the
            // kernel's fastest slew: MAXFREQ in include/linux/timex.h).
            let tick_ms = tick_ns.unwrap_or(0.0) / 1e6;
            let tolerance_ms = 2.0 * tick_ms + (longest - shortest) / 2.0 + reference_ms * 500e-6;
            Some(Difference {
                reference_ms,
                clock_ms,
                tolerance_ms,
                agrees: (clock_ms - reference_ms).abs() <= tolerance_ms,
                // The clock's ticks are those of the ruler, or else it would have a rate of its
                // own.
                of_ruler: host.specs()[*subject].unit == Unit::Counter,
            })
        })
        .collect()
}

fn mark<H: Values>(host: &mut H, subject: usize) -> Bracket {
    let before = host.ticks();
    Bracket { before, value: host.value(subject), after: host.ticks() }
}

/// Makes `calls` calls of a subject in one loop and returns how long they took, including whatever
/// interrupted them. `None` if the user asked to stop before the end.
///
/// The loop runs in pieces so that it can be interrupted; the time between two pieces is not
/// counted.
pub fn measure_bulk<H: Batches>(host: &mut H, subject: usize, calls: u64, hz: f64) -> Option<Bulk> {
    const PIECE: u64 = 1_000_000;
    let mut left = calls;
    let mut ticks = 0u64;
    while left > 0 {
        if host.interrupted() {
            return None;
        }
        let piece = left.min(PIECE);
        ticks += host.batch(subject, Mode::Throughput, piece).ticks;
        left -= piece;
    }
    Some(Bulk { calls, ms: ticks as f64 / hz * 1e3, speed: None })
}

/// The rounds that are always made, so that there is a figure.
const COUNTER_ROUNDS: u32 = 100;

pub struct CounterRequest;

impl Measurement for CounterRequest {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let Some(entry) = counter() else {
            return Ok(());
        };
        let mut session = setting.session(&report.environment, &[entry])?;
        let time = setting.left().unwrap_or(schedule::HARDWARE.time);
        let plan = Plan { min_rounds: COUNTER_ROUNDS, processes: 1, ..Plan::within(time) };
        let found = rounds::run(
            &mut session.machine,
            &[0],
            &[Mode::Throughput],
            plan,
            setting.seed,
            |_| (),
        );
        let rate = session.machine.rate();
        if let (Some(tsc), Some(cost)) =
            (&mut report.environment.tsc, found.estimate(0, Mode::Throughput, rate))
        {
            tsc.rdtsc_ns = Some(cost.value_ns);
            tsc.rdtsc_cycles = cost.cycles;
            tsc.rdtsc_core_cycles = cost.core_cycles;
        }
        report.environment.throughput = measure_throughput(&report.environment);
        session.conclude(report, found.ruler_ticks / rate.hz * 1e9, found.noise(rate));
        Ok(())
    }
}

/// Returns the clock that reads the counter itself, whichever clock the library would choose.
/// Without a counter, it returns the library's clock, so that the ruler is measured.
fn counter() -> Option<&'static Entry> {
    let bare = clocks::find("x86/rdtsc-intrinsic").filter(|_| cfg!(target_arch = "x86_64"));
    bare.or_else(|| clocks::find("chronoscope/instant"))
}

pub struct QuickRequest {
    pub entries: Vec<&'static Entry>,
}

impl Measurement for QuickRequest {
    /// A clock that cannot be read is left out.
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        report.run.quick = true;
        let offers: Vec<Offer> =
            self.entries.iter().filter_map(|entry| Offer::clock(entry).ok()).collect();
        let subjects: Vec<usize> = (0..offers.len()).collect();
        let mut ruler = Ruler::new(session::distrust(&report.environment), Duration::ZERO);
        report.notes.append(&mut ruler.notes);
        let mut machine = Machine::new(ruler, offers, setting.interrupt.clone());
        // The time is for rounds; there is none for more of them, however precise they are.
        let plan = Plan { min_rounds: u32::MAX, ..Plan::within(GLANCE.time) };
        let modes = [Mode::Throughput];
        let seed = setting.seed;
        let outcome = rounds::run(&mut machine, &subjects, &modes, plan, seed, |_| ());
        let rate = machine.rate();
        report.clocks.extend(subjects.iter().map(|&subject| {
            let throughput = outcome.estimate(subject, Mode::Throughput, rate);
            Clock {
                cost: Cost { throughput, ..Cost::default() },
                ..machine.specs()[subject].row.clone()
            }
        }));
        let cost_ns = outcome.ruler_ticks * 1e9 / rate.hz;
        report.ruler = Some(machine.ruler().report(cost_ns, None, outcome.noise(rate)));
        Ok(())
    }
}

#[cfg(test)]
mod throughput_tests {
    use super::*;

    #[test]
    fn ten_rows_of_a_hundred_or_none() {
        let Some(found) = measure_throughput(&Environment::default()) else {
            return;
        };
        assert_eq!((found.rows.len(), found.times), (ROWS, 100));
        assert!(found.rows.iter().all(|row| row.clock > 0), "{found:?}");
        let counted = found.rows.iter().all(|row| row.instructions.is_some());
        assert!(counted || !found.lacking.is_empty(), "{found:?}");
        // An interrupt may add a signal handler's instructions to a row, but not to most of them.
        let hundred = found.rows.iter().filter(|row| row.instructions == Some(100)).count();
        assert!(!counted || hundred > ROWS / 2, "{found:?}");
        assert!(found.rows.iter().all(|row| row.by_port.len() == found.ports.len()));
    }

    #[test]
    fn an_emulated_core_is_not_gauged() {
        let emulated = Some("an emulator".to_owned());
        let found = measure_throughput(&Environment { emulated, ..Environment::default() });
        let gauged = found.is_some_and(|found| found.cycles_by.contains("additions"));
        assert!(!gauged);
    }
}

#[cfg(test)]
mod instructions_tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock, READ_INSTRUCTIONS};

    #[test]
    fn the_instructions_of_the_loop_and_of_counting_do_not_count() {
        let mut host = Fake::new(vec![FakeClock::default()], Disturbance::default(), 1);
        host.counts = true;
        assert_eq!(instructions_per_read(&mut host, 0, 1), Some(READ_INSTRUCTIONS as f64));
    }

    #[test]
    fn without_a_counter_there_is_no_count() {
        let mut host = Fake::new(vec![FakeClock::default()], Disturbance::default(), 1);
        assert_eq!(instructions_per_read(&mut host, 0, 1), None);
    }
}
