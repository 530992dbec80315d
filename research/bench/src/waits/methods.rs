//! The methods, each in a thread of its own.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use chronoscope::wait::{Effort, Waiter};
use spin_sleep::{SpinSleeper, SpinStrategy};

use crate::os::{monotonic_ns, thread_cpu_ns};

pub struct Method {
    pub name: &'static str,
    make: fn() -> Box<dyn FnMut(Duration)>,
}

/// A waiter of this library, after it was asked for more than its effort.
fn ours(effort: Effort, ask: impl FnOnce(&mut Waiter) -> Result<()>) -> Box<dyn FnMut(Duration)> {
    let mut waiter = Waiter::new(effort);
    if let Err(reason) = ask(&mut waiter) {
        eprintln!("{reason}");
    }
    Box::new(move |time| _ = waiter.sleep(time))
}

/// Asks for so much spinning in place of what the effort allows.
fn spin(us: u64) -> impl FnOnce(&mut Waiter) -> Result<()> {
    move |waiter| {
        waiter.set_budget(Duration::from_micros(us));
        Ok(())
    }
}

fn short_slice(waiter: &mut Waiter) -> Result<()> {
    Ok(waiter.shorten_slice()?)
}

fn theirs(strategy: SpinStrategy) -> Box<dyn FnMut(Duration)> {
    let sleeper = SpinSleeper::default().with_spin_strategy(strategy);
    Box::new(move |time| sleeper.sleep(time))
}

macro_rules! methods {
    ($($name:literal => $make:expr,)*) => {
        pub const METHODS: &[Method] = &[$(Method { name: $name, make: || $make }),*];
    };
}

methods! {
    // The best that the machine allows any method if nothing else runs.
    "loop, no sleep" => Box::new(|time| {
        let deadline = monotonic_ns() + time.as_nanos() as u64;
        while monotonic_ns() < deadline {}
    }),
    "std sleep" => Box::new(std::thread::sleep),
    "spin_sleep yield" => theirs(SpinStrategy::YieldThread),
    "spin_sleep hint" => theirs(SpinStrategy::SpinLoopHint),
    "chronoscope economy" => ours(Effort::Economy, |_| Ok(())),
    "chronoscope 7 us" => ours(Effort::Balanced, spin(7)),
    "chronoscope balanced" => ours(Effort::Balanced, |_| Ok(())),
    "chronoscope 20 us" => ours(Effort::Balanced, spin(20)),
    "chronoscope 25 us" => ours(Effort::Balanced, spin(25)),
    "chronoscope 50 us" => ours(Effort::Balanced, spin(50)),
    "chronoscope precise" => ours(Effort::Precise, |_| Ok(())),
    "chronoscope balanced, CPU first" => {
        ours(Effort::Balanced, |waiter| Ok(waiter.wake_cpu_first()?))
    },
    "chronoscope economy, short slice" => ours(Effort::Economy, short_slice),
    "chronoscope balanced, short slice" => ours(Effort::Balanced, short_slice),
    "chronoscope precise, short slice" => ours(Effort::Precise, short_slice),
}

/// What a burst of waits showed.
pub struct Found {
    pub late_ns: Vec<u64>,
    /// Waits that ended before their time, by the system's monotonic clock; late by nothing above.
    pub early: u64,
    /// CPU time of all of them.
    pub cpu_ns: u64,
}

/// A thread that waits on request.
pub struct Worker {
    ask: Sender<(u64, usize)>,
    answer: Receiver<Found>,
}

impl Worker {
    /// Starts it; it ends when this is dropped.
    pub fn start(method: &'static Method) -> Result<Self> {
        let (ask, asked) = channel();
        let (answer, answered) = channel();
        std::thread::Builder::new().name(method.name.replace("chronoscope ", "")).spawn(
            move || {
                // Made here, because a slice belongs to the thread that asks for it.
                let mut wait = (method.make)();
                for (length_us, count) in asked {
                    if answer.send(burst(&mut *wait, length_us, count)).is_err() {
                        break;
                    }
                }
            },
        )?;
        Ok(Self { ask, answer: answered })
    }

    pub fn burst(&self, length_us: u64, count: usize) -> Result<Found> {
        self.ask.send((length_us, count)).context("a thread ended")?;
        self.answer.recv().context("a thread ended")
    }
}

fn burst(wait: &mut dyn FnMut(Duration), length_us: u64, count: usize) -> Found {
    let time = Duration::from_micros(length_us);
    let mut late_ns = Vec::with_capacity(count);
    let mut early = 0;
    wait(time);
    let cpu = thread_cpu_ns();
    for _ in 0..count {
        let start = monotonic_ns();
        wait(time);
        // The system's clock, because all methods wait by it.
        let passed = monotonic_ns() - start;
        early += u64::from(passed < length_us * 1000);
        late_ns.push(passed.saturating_sub(length_us * 1000));
    }
    Found { late_ns, early, cpu_ns: thread_cpu_ns() - cpu }
}
