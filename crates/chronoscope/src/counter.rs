//! The counter of this machine, with four reads that differ only in their ordering.
//!
//! The values are ticks without an epoch: of the time-stamp counter on x86-64, and of the generic
//! timer on AArch64 and on 32-bit Arm Linux if the kernel lets programs read it. Elsewhere they are
//! nanoseconds of the operating system's monotonic clock.

use crate::sys::counter as imp;

/// Reads the counter without ordering: the processor may read it before earlier instructions
/// have finished, or after later ones have begun. This is the cheapest read.
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

/// Whether [`stop`] can be executed here. If not, [`start`] can also end a region, at a slightly
/// higher cost.
///
/// ```
/// println!("rdtscp or its equivalent: {}", chronoscope::counter::has_stop());
/// ```
#[must_use]
pub fn has_stop() -> bool {
    imp::has_stop()
}

/// The name of the instruction behind the reads, as reports show it, or of the operating system's
/// clock.
///
/// ```
/// println!("read by {}", chronoscope::counter::name());
/// ```
#[must_use]
pub fn name() -> &'static str {
    imp::name()
}

/// Whether the reads are instructions of the processor rather than calls of the operating system.
///
/// ```
/// use chronoscope::counter;
/// if !counter::is_hardware() {
///     println!("programs cannot read a counter here: {} instead", counter::name());
/// }
/// ```
#[must_use]
pub fn is_hardware() -> bool {
    imp::is_hardware()
}
