//! Reads handed from thread to thread, none of which may be earlier than the one handed over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use chronoscope::{Instant, Steady};
use serde::Serialize;

use crate::os;

/// The result.
#[derive(Debug, Serialize)]
pub struct Handover {
    pub promise: &'static str,
    pub read: &'static str,
    pub handovers: u64,
    pub backwards: u64,
    /// The furthest step back, in nanoseconds.
    pub worst_ns: u64,
    /// Whether anything is promised for this read between threads.
    pub promised: bool,
    pub passed: bool,
}

/// A read of a clock, and what it promises.
struct Read<F> {
    name: &'static str,
    now: F,
    /// The time from one value to a later one, in nanoseconds.
    ns: fn(u64, u64) -> u64,
    promised: bool,
}

/// Hands `count` reads of each type that promises order between threads to and fro, plain and under
/// a mutex, and a tenth as many of those for which nothing is promised.
pub fn run(count: u64) -> anyhow::Result<Vec<Handover>> {
    let instant = |from, to| Instant::from_ticks(to).ns_since(Instant::from_ticks(from));
    let ordered = || Instant::now_ordered().ticks();
    let ordered = Read { name: "Instant::now_ordered", now: ordered, ns: instant, promised: true };
    let steady =
        Read { name: "Steady::now", now: Steady::now, ns: |from, to| to - from, promised: true };
    let plain =
        Read { name: "Instant::now", now: || Instant::now().ticks(), ns: instant, promised: false };
    let mut found = both(&ordered, count)?;
    found.extend(both(&steady, count)?);
    found.push(pass(&plain, count / 10)?);
    Ok(found)
}

fn both(read: &Read<impl Fn() -> u64 + Sync>, count: u64) -> anyhow::Result<Vec<Handover>> {
    Ok(vec![pass(read, count)?, locked(read, count)?])
}

/// A slot on its own cache lines.
#[repr(align(128))]
struct Slot(AtomicU64);

fn pass(read: &Read<impl Fn() -> u64 + Sync>, count: u64) -> anyhow::Result<Handover> {
    // Zero means empty: the counter was zero when the machine started.
    let slots = [Slot(AtomicU64::new(0)), Slot(AtomicU64::new(0))];
    slots[0].0.store((read.now)(), Ordering::Release);
    let turns = count / 2;
    let take = |slot: &Slot| loop {
        let value = slot.0.load(Ordering::Acquire);
        if value != 0 {
            return value;
        }
        std::hint::spin_loop();
    };
    // Takes from one slot, checks, and puts into the other.
    let player = |number: usize| {
        let (from, to) = (&slots[number], &slots[1 - number]);
        let (mut backwards, mut worst) = (0u64, 0u64);
        for _ in 0..turns {
            let handed = take(from);
            let mine = (read.now)();
            if mine < handed {
                backwards += 1;
                worst = worst.max((read.ns)(mine, handed));
            }
            from.0.store(0, Ordering::Relaxed);
            to.0.store(mine, Ordering::Release);
        }
        (backwards, worst)
    };
    on_two_cpus(read, "handover", 2 * turns, player)
}

/// Two threads that lock one value in turn, or as it happens.
fn locked(read: &Read<impl Fn() -> u64 + Sync>, count: u64) -> anyhow::Result<Handover> {
    let (latest, turns) = (Mutex::new(0), count / 2);
    let player = |_| {
        let (mut backwards, mut worst) = (0u64, 0u64);
        for _ in 0..turns {
            let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
            let mine = (read.now)();
            if mine < *latest {
                backwards += 1;
                worst = worst.max((read.ns)(mine, *latest));
            }
            *latest = mine;
        }
        (backwards, worst)
    };
    on_two_cpus(read, "mutex", 2 * turns, player)
}

fn on_two_cpus<F>(
    read: &Read<F>,
    promise: &'static str,
    handovers: u64,
    player: impl Fn(usize) -> (u64, u64) + Sync,
) -> anyhow::Result<Handover> {
    let cpus = os::cpus();
    anyhow::ensure!(cpus.len() > 1, "a hand-over needs two CPUs");
    let pinned = |number: usize| {
        os::pin(cpus[number]);
        player(number)
    };
    let (a, b) = std::thread::scope(|scope| {
        let (a, b) = (scope.spawn(|| pinned(0)), scope.spawn(|| pinned(1)));
        (a.join(), b.join())
    });
    let (Ok((a, a_worst)), Ok((b, b_worst))) = (a, b) else {
        anyhow::bail!("a thread ended early");
    };
    Ok(Handover {
        promise,
        read: read.name,
        handovers,
        backwards: a + b,
        worst_ns: a_worst.max(b_worst),
        promised: read.promised,
        passed: a + b == 0 || !read.promised,
    })
}
