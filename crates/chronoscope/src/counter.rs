//! The counter of this machine, read in four ways that differ only in what they order.
//!
//! The values are ticks without an epoch: of the time-stamp counter on x86-64, of the generic
//! timer on AArch64 and, where the kernel lets programs read it, on 32-bit Arm Linux, and nanoseconds
//! of the operating system's monotonic clock elsewhere.

use crate::sys::counter as imp;

/// Reads the counter and orders nothing: the processor may read it before earlier instructions
/// have finished, or after later ones have begun. The cheapest read there is.
///
/// ```
/// use chronoscope::counter;
/// let ticks = counter::now();
/// println!("{} ticks", counter::now().wrapping_sub(ticks));
/// ```
#[inline(always)]
pub fn now() -> u64 {
    imp::now()
}

/// Reads the counter after all earlier instructions have completed locally.
///
/// ```
/// use chronoscope::counter;
/// let earlier = counter::now_ordered();
/// assert!(counter::now_ordered() >= earlier);
/// ```
#[inline(always)]
pub fn now_ordered() -> u64 {
    imp::now_ordered()
}

/// Reads the counter at the start of a timed region: earlier instructions have completed, and no
/// later one begins before the read.
///
/// ```
/// use chronoscope::counter;
/// let start = counter::start();
/// let sum: u64 = std::hint::black_box((0..100).sum());
/// println!("{} ticks for {sum}", counter::start() - start);
/// ```
#[inline(always)]
pub fn start() -> u64 {
    imp::start()
}

/// Reads the counter at the end of a timed region: the region has completed, and nothing after
/// the read begins before it.
///
/// On x86-64 this executes `rdtscp`; see [`has_stop`].
///
/// ```
/// use chronoscope::counter;
/// let start = counter::start();
/// let stop = if counter::has_stop() { counter::stop() } else { counter::start() };
/// assert!(stop >= start);
/// ```
#[inline(always)]
pub fn stop() -> u64 {
    imp::stop()
}

/// Whether [`stop`] can be executed here. Where it cannot, [`start`] ends a region as well, at a
/// slightly higher cost.
///
/// ```
/// println!("rdtscp, or what is like it: {}", chronoscope::counter::has_stop());
/// ```
pub fn has_stop() -> bool {
    imp::has_stop()
}

/// The instructions behind the reads, as they are printed in a report, or the name of the system
/// call's clock.
///
/// ```
/// println!("read by {}", chronoscope::counter::name());
/// ```
pub fn name() -> &'static str {
    imp::name()
}

/// Whether the reads are instructions of the processor, and not calls of the operating system.
///
/// ```
/// use chronoscope::counter;
/// if !counter::is_hardware() {
///     println!("no counter for programs here: {} instead", counter::name());
/// }
/// ```
pub fn is_hardware() -> bool {
    imp::is_hardware()
}
