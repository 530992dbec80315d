//! Maintains the calibration: improves it with every check, and reacts when something happened.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use super::first::{TRIES, bracket, stretch};
use super::{Clock, OS_INSTEAD, State, Ticks};
use crate::calibrate::{Estimator, Rate, SAME_CLOCK_WANDER, Verdict, WANDER};
use crate::choose::Source;
use crate::convert::Scale;
use crate::machine::Machine;

/// Up to this relative difference, two oscillators are taken to drift rather than to jump; it is
/// more than ten times the difference of a quartz between a cold and a warm room.
const DRIFT: f64 = 1e-6;

/// A counter that the kernel does not use itself is given up after this many jumps.
const JUMPS: u64 = 3;

/// The result of a check against the reference.
///
/// ```
/// use chronoscope::{Clock, Synced};
/// match Clock::global().sync() {
///     Synced::Agrees(ppm) => println!("within {ppm} ppm"),
///     Synced::Jumped(ns) => println!("asleep for {ns} ns?"),
///     other => println!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Synced {
    /// The system's clock is read, so there is nothing to calibrate.
    NotNeeded,
    /// Nothing has changed; the bound is now this many parts per million.
    Agrees(f64),
    /// What was observed was impossible but did not persist; nothing was changed.
    Rejected,
    /// The two clocks drift apart by at most a millionth; the bound covers it.
    Drifted(f64),
    /// The counter jumped ahead by this many nanoseconds (a suspend, a pause, a migration).
    Jumped(u64),
    /// The counter runs at another rate than before; this is the change in parts per million.
    RateChanged(f64),
    /// The counter jumped slightly or its rate changed slightly, and the next check will show
    /// which. Until then the bound, this many parts per million, covers both.
    Unsure(f64),
    /// The counter went back or stands still; the system's clock is read from now on.
    GivenUp,
}

/// What a single check cannot decide: whether the counter jumped at the previous rate, or changed
/// its rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    /// The rate known before.
    before: Rate,
    /// The rate, if nothing jumped.
    since: Rate,
    /// The jump, if the rate is unchanged, in nanoseconds; negative if backwards.
    ahead_ns: f64,
    /// Where the counter should have been then; readers may have seen it there.
    due: u64,
}

impl<M: Machine> Clock<M> {
    /// Checks the clock against the reference, in about a microsecond, and improves the
    /// calibration: the longer since the first read, the smaller the bound.
    ///
    /// Whatever it finds, [`Clock::now`] never goes backwards. If the source is the system's clock,
    /// there is nothing to do.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// println!("{:?}", clock.sync());
    /// ```
    pub fn sync(&self) -> Synced {
        self.chosen_mode();
        self.sync_locked(&mut self.locked())
    }

    /// As [`Clock::sync`], if the last check is older than `age` and no other thread is checking.
    pub(crate) fn sync_if_older(&self, age: Duration) {
        let Ok(mut state) = self.state.try_lock() else {
            return;
        };
        let since = self
            .machine
            .reference()
            .saturating_sub(state.estimator.last().high);
        if state.source == Source::Counter && u128::from(since) >= age.as_nanos() {
            self.sync_locked(&mut state);
        }
    }

    /// Returns whether nothing that a rate does not explain has been noticed since then. A
    /// difference across a jump contains the jump.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.now();
    /// clock.sync();
    /// if !clock.undisturbed_since(start) {
    ///     println!("what was timed since then contains a jump");
    /// }
    /// ```
    pub fn undisturbed_since(&self, ticks: Ticks) -> bool {
        self.locked().disturbed.is_none_or(|at| at < ticks)
    }

    fn sync_locked(&self, state: &mut State) -> Synced {
        if state.source != Source::Counter {
            return Synced::NotNeeded;
        }
        let Some(sample) = bracket(&self.machine, TRIES) else {
            return reject(state);
        };
        let verdict = state.estimator.judge(&sample);
        match verdict {
            Verdict::Agrees => {
                state.estimator.accept(sample);
                self.publish(state, [0, 0]);
                if let Some(synced) = self.settle(state) {
                    return synced;
                }
                Synced::Agrees(state.estimator.rate().bound() * 1e6)
            }
            Verdict::ReferenceBack => reject(state),
            // A single impossible sample is a glitch of one read; what persists is a fact.
            _ if !self.lasts(state, verdict) => reject(state),
            Verdict::CounterBack => self.give_up(state, "the counter went backwards"),
            Verdict::CounterStands => self.give_up(state, "the counter stands still"),
            Verdict::Disagrees => self.explain(state),
        }
    }

    fn lasts(&self, state: &State, verdict: Verdict) -> bool {
        (0..3).all(|_| {
            bracket(&self.machine, TRIES / 4)
                .is_some_and(|sample| state.estimator.judge(&sample) == verdict)
        })
    }

    /// Determines what made a sample impossible: a drift, a jump, or another rate.
    fn explain(&self, state: &mut State) -> Synced {
        let (first, last) = match stretch(&self.machine) {
            Ok(both) => both,
            Err(why) => return self.give_up(state, why),
        };
        let Some(now) = Rate::between(&first, &last) else {
            return self.give_up(state, "the counter stands still");
        };
        if Scale::from_ns_per_tick(now.best).is_none() {
            return self.give_up(state, "the counter no longer has a rate of 1 MHz to 10 GHz");
        }
        let old = state.estimator.rate();
        let wander = if state.kernel_uses_it {
            SAME_CLOCK_WANDER
        } else {
            WANDER
        };
        let Some(since) = Rate::between(&state.estimator.last(), &first) else {
            return self.give_up(state, "the counter went backwards");
        };
        let begin = |rate, wander| {
            let mut estimator = Estimator::new(first, rate, wander);
            estimator.accept(last);
            estimator
        };
        if now.intersect(&old).is_none() {
            state.rate_changes += 1;
            state.doubt = None;
            state.disturbed = Some(Ticks(last.ticks));
            state.estimator = begin(now, wander);
            state.hint = None;
            self.publish(state, [0, 0]);
            return Synced::RateChanged((old.best / now.best - 1.0) * 1e6);
        }
        let drift = (since.best / old.best - 1.0).abs();
        if drift < DRIFT {
            let (low, high) = (old.low.min(since.low), old.high.max(since.high));
            let rate = Rate {
                low,
                best: since.best,
                high,
            };
            state.doubt = None;
            // Two clocks that have drifted apart may continue to do so: from now on no bound is
            // narrower than that.
            state.estimator = begin(rate, wander.max(2.0 * drift));
            self.publish(state, [0, 0]);
            return Synced::Drifted(state.estimator.rate().bound() * 1e6);
        }
        let ticks = first.ticks.saturating_sub(state.estimator.last().ticks) as f64;
        let ahead_ns = ticks * (old.best - since.best);
        state.disturbed = Some(Ticks(last.ticks));
        // From now on, only what the stretch allows is known of the rate, because a machine that
        // was moved to another host jumps and has another rate. The next check narrows it.
        let from_here = |best: f64| {
            let best = best.clamp(now.low, now.high);
            Estimator::new(last, Rate { best, ..now }, wander)
        };
        if now.intersect(&since).is_none() {
            // No rate that the counter can have explains this.
            if ahead_ns < 0.0 {
                return self.fell_behind(state);
            }
            state.doubt = None;
            state.estimator = from_here(old.best);
            return self.jumped(state, ahead_ns);
        }
        if state.doubt.is_some() {
            // It fits neither of the cases that the last check left open.
            state.jumps += 1;
            if state.jumps >= JUMPS && !state.kernel_uses_it {
                return self.give_up(state, "the counter keeps jumping");
            }
        }
        state.doubt = Some(Doubt {
            before: old,
            since,
            ahead_ns,
            due: self.due(state).0,
        });
        state.hint = None;
        state.estimator = from_here(since.best);
        self.publish(state, [0, 0]);
        Synced::Unsure(state.estimator.rate().bound() * 1e6)
    }

    /// What a check that agrees shows about an earlier one that left a doubt, if anything.
    fn settle(&self, state: &mut State) -> Option<Synced> {
        let doubt = state.doubt?;
        let rate = state.estimator.rate();
        let jumped = rate.intersect(&doubt.before).is_some();
        if jumped && rate.intersect(&doubt.since).is_some() {
            return None;
        }
        if jumped && doubt.ahead_ns < 0.0 {
            return Some(self.fell_behind(state));
        }
        state.doubt = None;
        if jumped {
            return Some(self.jumped(state, doubt.ahead_ns));
        }
        state.rate_changes += 1;
        Some(Synced::RateChanged(
            (doubt.before.best / rate.best - 1.0) * 1e6,
        ))
    }

    /// There are fewer ticks than the time requires: readers have seen the counter go back, or
    /// will.
    fn fell_behind(&self, state: &mut State) -> Synced {
        self.give_up(state, "the counter fell behind the system's clock")
    }

    /// The counter jumped ahead, which a clock may do occasionally.
    fn jumped(&self, state: &mut State, ahead_ns: f64) -> Synced {
        state.jumps += 1;
        if state.jumps >= JUMPS && !state.kernel_uses_it {
            return self.give_up(state, "the counter keeps jumping");
        }
        self.publish(state, [0, 0]);
        Synced::Jumped(ahead_ns as u64)
    }

    /// Puts the system's clock in the counter's place, starting where the counter should be by now.
    /// Values keep their unit, and continue from the highest that can have been read.
    fn give_up(&self, state: &mut State, why: &str) -> Synced {
        let (due, reference) = self.due(state);
        let seen = state.doubt.map_or(0, |doubt| doubt.due);
        let base = due.max(seen).max(self.machine.ticks_start());
        state.source = Source::OsInstead;
        state.reason = format!("{why}, after it had been chosen because {}", state.reason);
        state.disturbed = Some(Ticks(base));
        self.publish(state, [base, reference]);
        self.mode.store(OS_INSTEAD, Ordering::Release);
        Synced::GivenUp
    }

    /// Where the counter should be, and the time of that by the reference.
    fn due(&self, state: &State) -> (u64, u64) {
        let last = state.estimator.last();
        let reference = self.machine.reference();
        let passed = self.rate().ticks(reference.saturating_sub(last.low));
        (last.ticks.saturating_add(passed.unwrap_or(0)), reference)
    }

    /// Publishes the state's rate as the one that converts reads.
    pub(super) fn publish(&self, state: &State, takeover: [u64; 2]) {
        let rate = state.estimator.rate();
        // Every caller has checked the range; if that were ever wrong, the old rate stays.
        let scale = Scale::from_ns_per_tick(rate.best).unwrap_or(self.rate());
        let [ticks, ns] = takeover;
        self.shared
            .0
            .write([scale.multiplier(), rate.bound().to_bits(), ticks, ns]);
        self.multiplier.store(scale.multiplier(), Ordering::Relaxed);
    }
}

fn reject(state: &mut State) -> Synced {
    state.rejected += 1;
    Synced::Rejected
}

/// The shortest period of a keeper. A bound shrinks with the time it spans, not with the number of
/// checks, and a thousand checks per second take a thousandth of a CPU.
const SHORTEST_PERIOD: Duration = Duration::from_millis(1);

impl Clock {
    /// Starts a thread that calls [`Clock::sync`] every `period` until the keeper is dropped.
    ///
    /// A period below a millisecond is raised to one: the bound shrinks with the time observed, not
    /// with the number of checks.
    ///
    /// # Errors
    /// The thread could not be started.
    ///
    /// ```
    /// use std::time::Duration;
    /// let keeper = chronoscope::Clock::global().keep(Duration::from_secs(1))?;
    /// drop(keeper);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn keep(&'static self, period: Duration) -> std::io::Result<Keeper> {
        let period = period.max(SHORTEST_PERIOD);
        let (stop, stopped) = mpsc::sync_channel(0);
        let thread = std::thread::Builder::new()
            .name("chronoscope".into())
            .spawn(move || {
                while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                    self.sync();
                }
            })?;
        Ok(Keeper {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

/// A background calibration, which ends when this is dropped.
///
/// ```
/// use chronoscope::{Clock, Keeper};
/// use std::time::Duration;
/// struct Server {
///     _keeper: Keeper,
/// }
/// let keeper = Clock::global().keep(Duration::from_secs(10))?;
/// let server = Server { _keeper: keeper };
/// // The clock is kept calibrated as long as the server lives.
/// drop(server);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Keeper {
    stop: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Without a sender, the thread's wait ends at once.
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // A panic in that thread does not matter here: the calibration is as it was.
            let _ = thread.join();
        }
    }
}
