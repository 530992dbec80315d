//! How reads become estimates: the engine, one file per measurement, and the statistics.
//! `docs/METHOD.md` describes the procedure and names the file of each constant.
//!
//! - [`run`] is what all measurements have in common: the trait, and the run's settings.
//! - [`run::session`] prepares a run: it opens clocks, pins the thread and calibrates the ruler.
//! - [`clocks`] is the main job, in phases that each get a share of the time: the rounds of
//!   [`engine`], then [`engine::resolution`], the difference from the ruler over an interval
//!   ([`clocks::costs`]), [`clocks::single`] (cold and first reads) and instructions, on systems
//!   that can count them.
//! - [`deltas`] and [`loops`] each answer one question about one clock. [`clocks::costs`] has the
//!   cost of many calls, of the counter only, with rows of a hundred reads as instruction tables
//!   are made, and of a few clocks from a glance at them.
//! - `run::Conditions` has clocks, differences and calls measured again under loads.
//! - [`loops::demo`] shows what goes wrong when time is measured carelessly.
//! - [`noise`] times the same piece of work again and again, with a witness.
//! - [`sweep`] repeats measurements under every clock source of the kernel.
//! - [`waits`] measures how late a wait ends.
//! - [`runtimes`] measures the clocks of other languages, in processes of their own.
//! - [`trust`] watches clocks for a while: whether they go back, agree, and keep their rate.
//! - [`against`] asks clocks outside of the machine, and computes what their answers prove.
//! - [`stats`] works on samples, whatever they are samples of.
//! - [`engine::schedule`] gives every measurement and each of its phases their time.
//! - [`engine::notes`] lists what a run may leave out or do differently than asked.
//!
//! All of them measure a host: either this machine ([`engine::Machine`]) or, with the feature
//! `simulation`, a simulated one, whose costs and overshoots are all known.

#![forbid(unsafe_code)]

pub mod against;
pub mod clocks;
pub mod deltas;
pub mod engine;
pub mod loops;
pub mod noise;
pub mod run;
pub mod runtimes;
pub mod stats;
pub mod sweep;
pub mod taken;
pub mod trust;
pub mod waits;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks plain values. A thread that panicked while it held the lock has left complete values, so a
/// poisoned lock is still usable.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds what is not there yet.
pub(crate) fn add_new<T: PartialEq>(all: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

/// Adds an entry, unless there are so many. Returns whether it was added.
pub(crate) fn add_up_to<T>(all: &mut Vec<T>, most: usize, one: T) -> bool {
    let fits = all.len() < most;
    all.extend(fits.then_some(one));
    fits
}

/// Keeps every other entry of a list that has become too long, from the first or the second on.
pub(crate) fn every_other<T>(all: &mut Vec<T>, first: usize) {
    let mut at = first;
    all.retain(|_| {
        at += 1;
        at % 2 == 1
    });
}

/// Combines two figures, or returns the only one that is known.
pub(crate) fn either<T>(a: Option<T>, b: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (a, b) => a.or(b),
    }
}

/// By how much a count grew, if both values are known.
pub(crate) fn grown(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.saturating_sub(before?))
}

/// Values in ascending order.
pub(crate) fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values = Vec::from_iter(values);
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The samples on the front page and in the description of the method are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/METHOD.md")]
struct Pages;

/// The sample in this crate's own README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
