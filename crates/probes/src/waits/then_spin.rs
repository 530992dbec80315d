//! A sleep that ends early, and a spin for the rest, for any way of sleeping.

use super::open::ByDeadline;
use super::spin::spin_until;
use super::{Method, Setting, Unavailable, find, os};

/// A method that sleeps with the method of that id until `margin` nanoseconds before the deadline,
/// and then reads the system's clock until the deadline has passed.
pub(crate) fn then_spin(
    id: &str,
    margin: fn() -> u64,
    setting: &Setting,
) -> Result<impl Method + use<>, Unavailable> {
    let entry = find(id).ok_or_else(|| Unavailable(format!("{id} is not in the catalogue")))?;
    let mut method = entry.open(setting)?;
    Ok(ByDeadline(move |deadline: u64| {
        let left = deadline.saturating_sub(os::monotonic());
        let sleep = left.saturating_sub(margin());
        if sleep > 0 {
            method.wait(sleep)?;
        }
        spin_until(deadline, std::hint::spin_loop)
    }))
}

/// How long before the deadline a sleep ends that no tick of the system's timer delays, in
/// nanoseconds: the default of the crate spin_sleep.
pub(crate) const MARGIN: u64 = if cfg!(windows) { 1_000_000 } else { 125_000 };

/// How long before the deadline a sleep ends that a tick of Windows' timer ends: the period of that
/// tick, and a millisecond for a sleep that takes whole ones.
pub(crate) fn tick_margin() -> u64 {
    os::slack().unwrap_or(TICK).saturating_add(MILLISECOND)
}

/// The margin unless a program has asked for a shorter period, as the code shows it.
pub(crate) const LONGEST_TICK_MARGIN: u64 = TICK + MILLISECOND;

/// The period of Windows' timer unless a program has asked for another (Microsoft Learn, "Timer
/// accuracy").
const TICK: u64 = 15_625_000;
const MILLISECOND: u64 = 1_000_000;
