//! Demonstrations of what goes wrong when time is measured carelessly. Each runs for a moment on
//! this machine and tells what happened. Their texts are in the reports' pages of the same names.

use crate::engine::ordering::{add_seen, order_between};
use crate::trust::handover::measure_across;
use chronoscope::counter;
use chronoscope_model::ordering::Handed;
use chronoscope_model::units::{count, short_ns};
use chronoscope_probes::clocks::{self, Opening, Unit};
use chronoscope_probes::machine::affinity::{self, PinGuard};
use chronoscope_probes::order::Turns;
use chronoscope_probes::time::{self, Instant as Own};
use std::hint::black_box;
use std::time::{Duration, Instant, SystemTime};

/// Reads between two looks at the tool's own time, which a clock that is shown must not keep from
/// ending a demonstration.
const LOOKS: u64 = 64;

pub struct Demo {
    pub name: &'static str,
    /// Shows it within about this time.
    ///
    /// # Errors
    /// The reason why it cannot be shown on this machine.
    pub run: fn(Duration) -> Result<Shown, String>,
}

/// What happened.
pub struct Shown {
    /// Whether the pitfall showed itself.
    pub happened: bool,
    /// What was seen, in a sentence or two; if it did not happen, why.
    pub what: String,
    /// What was counted or measured. The ending of a name is its unit.
    pub figures: Vec<(&'static str, f64)>,
}

pub const DEMOS: &[Demo] = &[
    Demo { name: "two-reads", run: two_reads },
    Demo { name: "clock-back", run: clock_back },
    Demo { name: "coarse-clock", run: coarse_clock },
    Demo { name: "unordered-read", run: unordered_read },
    Demo { name: "other-cpu", run: other_cpu },
    Demo { name: "empty-interval", run: empty_interval },
];

/// The time of a demonstration if no other is asked for.
pub const TIME: Duration = Duration::from_secs(1);

const TIMEOUT_MS: i64 = 1;

fn two_reads(longest: Duration) -> Result<Shown, String> {
    let began = Own::now();
    let elapsed_ms = |start: Instant| start.elapsed().as_millis() as i64;
    let (mut tries, mut rest) = (0u64, 0);
    let mut start = Instant::now();
    while rest >= 0 && (tries % LOOKS > 0 || began.elapsed() < longest) {
        tries += 1;
        rest = if elapsed_ms(start) > TIMEOUT_MS { 0 } else { TIMEOUT_MS - elapsed_ms(start) };
        if elapsed_ms(start) > TIMEOUT_MS {
            start = Instant::now();
        }
    }
    let took = began.elapsed();
    let mut negative = 0u64;
    start = Instant::now();
    for _ in 0..tries {
        let elapsed = elapsed_ms(start);
        let rest = if elapsed > TIMEOUT_MS { 0 } else { TIMEOUT_MS - elapsed };
        negative += u64::from(black_box(rest) < 0);
        if elapsed > TIMEOUT_MS {
            start = Instant::now();
        }
    }
    let happened = rest < 0;
    let what = if happened {
        let second = TIMEOUT_MS - rest;
        format!(
            "Evaluation {} returned {rest} ms: its first read was not above the timeout of \
             {TIMEOUT_MS} ms, its second was {second} ms. As many evaluations with one read \
             returned {} negative values.",
            count(tries),
            count(negative)
        )
    } else {
        format!(
            "It was never negative in {} evaluations: no pair of reads fell on the limit.",
            count(tries)
        )
    };
    let figures = vec![
        ("tries", tries as f64),
        ("value_ms", rest as f64),
        ("took_ns", took.as_nanos() as f64),
        ("negative_with_one_read", negative as f64),
    ];
    Ok(Shown { happened, what, figures })
}

/// By how much the simulated administrator sets the clock back.
const SET_BACK: Duration = Duration::from_secs(1);

fn clock_back(longest: Duration) -> Result<Shown, String> {
    let (monotonic, wall) = (Instant::now(), SystemTime::now());
    time::sleep(longest.min(Duration::from_millis(100)));
    let (true_time, wall_end) = (monotonic.elapsed(), SystemTime::now());
    let ns = |from: SystemTime| match wall_end.duration_since(from) {
        Ok(later) => later.as_nanos() as f64,
        Err(earlier) => -(earlier.duration().as_nanos() as f64),
    };
    // What the clock would have shown at first, had it been set back meanwhile.
    let (untouched, set_back) = (ns(wall), ns(wall + SET_BACK));
    let real = true_time.as_nanos() as f64;
    let moved = untouched - real;
    let what = format!(
        "A sleep of {:.1} ms by the monotonic clock took {:.1} ms by a wall clock that a simulated \
         administrator set back by 1 s. The real wall clock differed from the monotonic one by \
         {:.0} us meanwhile; nobody touched it.",
        real / 1e6,
        set_back / 1e6,
        moved.abs() / 1e3
    );
    let figures =
        vec![("monotonic_ns", real), ("set_back_ns", set_back), ("wall_clock_ns", untouched)];
    Ok(Shown { happened: set_back < 0.0, what, figures })
}

/// The coarsest clock of each system that is finer than a second.
const COARSE: [&str; 4] =
    ["linux/monotonic-coarse", "windows/gettickcount64", "mach/approximate_time", "c/gettimeofday"];
/// Operations of a few nanoseconds that are timed together.
const TOGETHER: u32 = 100_000;
/// Changes of the coarse clock that are enough.
const TICKS: u64 = 20;

/// A few additions, each of which needs the one before.
fn operation() {
    let mut sum = 1u64;
    for n in 0..8 {
        sum = black_box(sum + n);
    }
}

fn coarse_clock(longest: Duration) -> Result<Shown, String> {
    let open = |id: &&str| clocks::find(id)?.open(Opening::Checked).ok();
    let found = COARSE.iter().find_map(|id| Some((id, open(id)?)));
    let (id, mut clock) = found.ok_or("this system has no coarse clock")?;
    let ns_per_unit = match clock.unit {
        Unit::Hz(hz) => 1e9 / hz,
        Unit::Counter | Unit::Variable => return Err(format!("the unit of {id} is not known")),
    };
    let (began, mut tries, mut other, mut largest) = (Own::now(), 0u64, 0u64, 0u64);
    while other < TICKS && (tries % LOOKS > 0 || began.elapsed() < longest) {
        let before = clock.value();
        operation();
        let took = clock.value().wrapping_sub(before);
        tries += 1;
        other += u64::from(took != 0);
        largest = largest.max(took);
    }
    let start = Instant::now();
    (0..TOGETHER).for_each(|_| operation());
    let real = start.elapsed().as_nanos() as f64 / f64::from(TOGETHER);
    let zeros = tries - other;
    let tick = largest as f64 * ns_per_unit;
    let what = format!(
        "{id} said that an operation of {real:.1} ns took 0 in {} of {} tries, and up to {} in the \
         other {other}.",
        count(zeros),
        count(tries),
        short_ns(tick)
    );
    let figures = vec![
        ("tries", tries as f64),
        ("zeros", zeros as f64),
        ("largest_ns", tick),
        ("operation_ns", real),
    ];
    Ok(Shown { happened: zeros > 0 && tick > 10.0 * real, what, figures })
}

/// This thread bound to a CPU, another CPU, and the nanoseconds per tick of the processor's
/// counter.
fn two_cpus() -> Result<(PinGuard, usize, f64), String> {
    let counters = ["x86/rdtsc-asm", "arm/cntvct"].iter().filter_map(|id| clocks::find(id));
    let mut here = counters.filter(|entry| !entry.is_on_other_system());
    let entry = here.next().ok_or("this processor has no counter that programs may read")?;
    entry.open(Opening::Checked).map_err(|why| why.to_string())?;
    let [first, .., last] = affinity::allowed()[..] else {
        return Err("this process may run on one CPU only".into());
    };
    let pinned = affinity::pin(first).map_err(|error| error.to_string())?;
    let (start, ticks) = (Own::now(), counter::start());
    while start.elapsed() < CALIBRATION {}
    let ticks = counter::start().wrapping_sub(ticks).max(1);
    Ok((pinned, last, start.elapsed().as_nanos() as f64 / ticks as f64))
}

/// Long enough to know the counter's rate to a part in a thousand.
const CALIBRATION: Duration = Duration::from_millis(10);
/// The turns of each thread in the first game, and in the longest: on a busy machine each can take
/// as long as a time slice.
const TURNS: [u64; 2] = [100, 10_000];

/// What two threads see that hand values of this clock to each other.
fn play<R: Fn() -> u64 + Copy + Send>(
    other: usize,
    longest: Duration,
    tick_ns: f64,
    read: R,
) -> Result<Handed, String> {
    let (began, mut game, mut turns) = (Own::now(), Handed::default(), TURNS[0]);
    while began.elapsed() < longest {
        let player = |me| move |table: &Turns| table.play(me, turns, read);
        for seen in order_between(other, 0, player(0), player(1))? {
            add_seen(&mut game, seen, tick_ns);
        }
        turns = (turns * 4).min(TURNS[1]);
    }
    if game.turns > 0 { Ok(game) } else { Err("the other CPU was busy".into()) }
}

fn unordered_read(longest: Duration) -> Result<Shown, String> {
    let (pinned, other, tick) = two_cpus()?;
    let plain = play(other, longest / 2, tick, counter::now)?;
    let fenced = play(other, longest / 2, tick, counter::start)?;
    let cpus = format!("Between CPUs {} and {other}", pinned.cpu());
    let (worst, plain_of, fenced_of) = (plain.worst_ns, plain.turns, fenced.turns);
    let what = if plain.backwards > 0 {
        format!(
            "{cpus}, {} of {} plain reads returned less than the value that was handed over \
             before, by up to {worst:.1} ns; of {} fenced reads, {} did.",
            count(plain.backwards),
            count(plain_of),
            count(fenced_of),
            count(fenced.backwards)
        )
    } else {
        format!(
            "{cpus}, none of {} plain reads returned less than the value that was handed over \
             before. That does not show that they are ordered: the way between these CPUs may \
             take longer than a read is early.",
            count(plain_of)
        )
    };
    let figures = vec![
        ("plain_reads", plain_of as f64),
        ("plain_backwards", plain.backwards as f64),
        ("plain_worst_ns", worst),
        ("fenced_reads", fenced_of as f64),
        ("fenced_backwards", fenced.backwards as f64),
    ];
    Ok(Shown { happened: plain.backwards > 0, what, figures })
}

fn other_cpu(longest: Duration) -> Result<Shown, String> {
    let (pinned, other, tick_ns) = two_cpus()?;
    let found = measure_across(pinned.cpu(), &[other], longest, 1e9 / tick_ns);
    let why = || found.left_out.clone().unwrap_or_else(|| "the other CPU was busy".into());
    let pair = found.pairs.first().ok_or_else(why)?;
    let happened = pair.low_ns > 0.0 || pair.high_ns < 0.0 || pair.handed.backwards > 0;
    let verdict = if happened { "They differ" } else { "They agree as closely as this can tell" };
    let what = format!(
        "The counter of CPU {other} is {} that of CPU {}, by {} exchanges; {} of {} values that \
         were handed over went back. {verdict}.",
        apart(pair.low_ns, pair.high_ns),
        pinned.cpu(),
        count(pair.exchanges),
        count(pair.handed.backwards),
        count(pair.handed.turns)
    );
    let figures = vec![
        ("ahead_at_least_ns", pair.low_ns),
        ("ahead_at_most_ns", pair.high_ns),
        ("turns", pair.handed.turns as f64),
        ("backwards", pair.handed.backwards as f64),
    ];
    Ok(Shown { happened, what, figures })
}

/// By how much a counter is ahead of another, at least and at most, before `that of`.
fn apart(low_ns: f64, high_ns: f64) -> String {
    match (low_ns > 0.0, high_ns < 0.0) {
        (true, _) => format!("{low_ns:.0} to {high_ns:.0} ns ahead of"),
        (_, true) => format!("{:.0} to {:.0} ns behind", -high_ns, -low_ns),
        _ => format!("between {:.0} ns behind and {high_ns:.0} ns ahead of", low_ns.abs()),
    }
}

/// Empty intervals whose median is taken.
const KEPT: usize = 100_000;

fn empty_interval(longest: Duration) -> Result<Shown, String> {
    let began = Own::now();
    let (mut tries, mut largest, mut kept) = (0u64, 0u128, Vec::with_capacity(KEPT));
    loop {
        let start = Instant::now();
        let end = Instant::now();
        let took = (end - start).as_nanos();
        tries += 1;
        largest = largest.max(took);
        if kept.len() < KEPT {
            kept.push(took);
        }
        if tries % LOOKS == 0 && began.elapsed() >= longest {
            break;
        }
    }
    kept.sort_unstable();
    let (median, largest) = (kept[kept.len() / 2] as f64, largest as f64);
    let what = format!(
        "Of {} intervals with nothing in them, the longest took {}; half took {median} ns or less.",
        count(tries),
        short_ns(largest)
    );
    let figures = vec![("intervals", tries as f64), ("median_ns", median), ("largest_ns", largest)];
    Ok(Shown { happened: largest > 10.0 * median.max(1.0), what, figures })
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn a_counter_is_ahead_or_behind_by_no_negative_figure() {
        assert_eq!(apart(-95.4, 86.0), "between 95 ns behind and 86 ns ahead of");
        assert_eq!(apart(12.0, 30.0), "12 to 30 ns ahead of");
        assert_eq!(apart(-30.0, -12.0), "12 to 30 ns behind");
    }
}
