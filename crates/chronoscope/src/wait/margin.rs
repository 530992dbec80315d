//! The margin of waits whose sleep something else makes.

use std::time::Duration;

use super::Effort;
use super::learn::{Memory, Plan};
use super::until::Manner;
use crate::clock::Clock;
use crate::machine::Machine;

/// A wake of an event loop waits for the turn of the loop as well, so its margin may be so many
/// times that of a thread's own sleep.
const TURN: u64 = 2;

/// Learns how early something else must wake a wait, as a [`Waiter`](super::Waiter) learns it of
/// its own sleeps: an event loop, whose timer is a descriptor, or a thread that notifies others.
///
/// ```
/// use chronoscope::wait::{Effort, Margin};
/// use std::time::{Duration, Instant};
///
/// let mut margin = Margin::new(Effort::Balanced);
/// for _ in 0..3 {
///     let (begin, wait) = (Instant::now(), Duration::from_millis(1));
///     if let Some(sleep) = margin.sleep(wait) {
///         std::thread::sleep(sleep); // or whatever wakes you then
///         margin.woke(wait, begin.elapsed().saturating_sub(sleep));
///     }
///     while begin.elapsed() < wait {
///         std::thread::yield_now();
///     }
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Margin {
    manner: Manner,
    memory: Memory,
}

impl Margin {
    /// Makes one that has learnt nothing yet; 60 us are its first guess.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Margin};
    /// let first = Margin::new(Effort::Balanced).sleep(std::time::Duration::from_millis(1));
    /// assert!(first.is_some_and(|sleep| sleep.as_micros() < 1000));
    /// ```
    pub const fn new(effort: Effort) -> Self {
        Self { manner: Manner::new(effort), memory: Memory::NEW }
    }

    /// Sets how long each wait may spin on average; see
    /// [`Waiter::set_budget`](super::Waiter::set_budget).
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Margin};
    /// let mut margin = Margin::new(Effort::Balanced);
    /// margin.set_budget(std::time::Duration::from_micros(25));
    /// ```
    pub fn set_budget(&mut self, spin: Duration) {
        self.manner.spin = Some(spin.as_nanos() as f32);
    }

    /// For how long to sleep in a wait of `wait` from now; `None` if a sleep does not pay.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Margin};
    /// use std::time::Duration;
    /// let mut margin = Margin::new(Effort::Balanced);
    /// assert_eq!(margin.sleep(Duration::from_micros(20)), None);
    /// assert!(margin.sleep(Duration::from_secs(1)) < Some(Duration::from_secs(1)));
    /// ```
    pub fn sleep(&mut self, wait: Duration) -> Option<Duration> {
        let machine = Clock::global().machine();
        let (cap, now) = (machine.margin_cap(), machine.monotonic());
        let aim = self.manner.aim(cap);
        match self.memory.plan(nanos(wait), true, aim, cap.saturating_mul(TURN), now) {
            Plan::Spin => None,
            Plan::Sleep { margin } => Some(wait.saturating_sub(Duration::from_nanos(margin))),
        }
    }

    /// Learns that a sleep of a wait of `wait` ended `late` after its own end. What is later than
    /// any timer is not learnt, because no margin helps against what else ran.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Margin};
    /// use std::time::Duration;
    /// let (wait, late) = (Duration::from_millis(1), Duration::from_micros(120));
    /// let mut margin = Margin::new(Effort::Balanced);
    /// let first = margin.sleep(wait);
    /// for _ in 0..20 {
    ///     margin.woke(wait, late);
    /// }
    /// assert!(margin.sleep(wait) < first);
    /// ```
    pub fn woke(&mut self, wait: Duration, late: Duration) {
        let machine = Clock::global().machine();
        let cap = machine.margin_cap().saturating_mul(TURN);
        if nanos(late) <= cap {
            self.memory.note(nanos(wait), nanos(late), cap, machine.monotonic());
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
