//! Reads handed from thread to thread, none of which may be earlier than the one handed over.

use std::sync::atomic::{AtomicU64, Ordering};

use chronoscope::Instant;
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

/// Hands `count` ordered reads to and fro, and a tenth as many unordered ones, for which nothing is
/// promised between threads.
pub fn run(count: u64) -> anyhow::Result<Vec<Handover>> {
    Ok(vec![
        pass("Instant::now_ordered", count, Instant::now_ordered, true)?,
        pass("Instant::now", count / 10, Instant::now, false)?,
    ])
}

/// A slot on its own cache lines.
#[repr(align(128))]
struct Slot(AtomicU64);

fn pass(
    read: &'static str,
    count: u64,
    now: impl Fn() -> Instant + Sync,
    promised: bool,
) -> anyhow::Result<Handover> {
    let cpus = os::cpus();
    anyhow::ensure!(cpus.len() > 1, "a hand-over needs two CPUs");
    // Zero means empty: the counter was zero when the machine started.
    let slots = [Slot(AtomicU64::new(0)), Slot(AtomicU64::new(0))];
    let turns = count / 2;
    let take = |slot: &Slot| loop {
        let ticks = slot.0.load(Ordering::Acquire);
        if ticks != 0 {
            return Instant::from_ticks(ticks);
        }
        std::hint::spin_loop();
    };
    // Takes from one slot, checks, and puts into the other.
    let player = |from: &Slot, to: &Slot| {
        let (mut backwards, mut worst) = (0u64, 0u64);
        for _ in 0..turns {
            let handed = take(from);
            let mine = now();
            if mine < handed {
                backwards += 1;
                worst = worst.max(handed.ns_since(mine));
            }
            from.0.store(0, Ordering::Relaxed);
            to.0.store(mine.ticks(), Ordering::Release);
        }
        (backwards, worst)
    };
    let (a, b) = std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            os::pin(cpus[1]);
            player(&slots[1], &slots[0])
        });
        let first = scope.spawn(|| {
            os::pin(cpus[0]);
            slots[1].0.store(now().ticks(), Ordering::Release);
            player(&slots[0], &slots[1])
        });
        (first.join(), second.join())
    });
    let (Ok((a, a_worst)), Ok((b, b_worst))) = (a, b) else {
        anyhow::bail!("a thread ended early");
    };
    let backwards = a + b;
    Ok(Handover {
        promise: "handover",
        read,
        handovers: 2 * turns,
        backwards,
        worst_ns: a_worst.max(b_worst),
        promised,
        passed: backwards == 0 || !promised,
    })
}
