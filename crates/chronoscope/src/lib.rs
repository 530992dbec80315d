//! A clock that costs about a bare read of the counter and bounds its own error, and waits that end
//! on time for little CPU time.
//!
//! | for | use |
//! | --- | --- |
//! | elapsed time within a thread | [`Instant`] |
//! | the same between threads, in place of [`std::time::Instant`] | [`ordered::Instant`] |
//! | a timed region that no instruction enters or leaves | [`Instant::start`], [`Instant::stop`] |
//! | elapsed time with a bound of its error | [`Instant::elapsed_bounded`] |
//! | wall-clock time, as an interval that contains it | [`Wall::now_checked`] |
//! | the same at the cost of the counter, up to 100 ms behind a step | [`Wall::now_bounded`] |
//! | nanoseconds that never go back, as in C++'s `steady_clock` | [`Steady`] |
//! | waits for a duration, until a moment, or on a grid | [`wait`] |
//! | what is read here, why, and how accurate its rate is | [`Clock::describe`] |
//! | a calibration, a source or a machine of your own | [`Clock`], [`machine`] |
//! | a time up to a period old, for one load | [`Instant::recent`], [`Upkeep`] |
//! | wall time for jiff, chrono and `SystemTime` | [`WallTime`] |
//! | whether a measured piece ran undisturbed | [`witness`] |
//! | time that a test advances by hand, also per thread or task | [`mock`] |
//! | the bare counter, and its ticks in nanoseconds, without `std` | [`counter`], [`convert`] |
//!
//! ```
//! use chronoscope::{Clock, Instant};
//! let start = Instant::start();
//! let sum: u64 = std::hint::black_box(0..1000).sum();
//! let stop = Instant::stop();
//! println!("{sum} took {} ns", stop.ns_since(start));
//! println!("{}", Clock::global().describe());
//! ```
//!
//! # How do I time …
//!
//! **… a function?** Two reads in one thread cost about a bare read of the counter each:
//!
//! ```
//! use chronoscope::Instant;
//! # fn work() -> u64 { std::hint::black_box(0..1000).sum() }
//! let start = Instant::now();
//! let result = work();
//! println!("{result} after {:?}", start.elapsed());
//! ```
//!
//! A processor executes several instructions at a time, so part of a function may run before the
//! first read or after the last one. If it takes less than a microsecond, keep it between
//! [`Instant::start`] and [`Instant::stop`], as in the example above. A compiler removes what has
//! no effect, and computes constants by itself; [`std::hint::black_box`] prevents both.
//!
//! **… a loop?** For the mean, read once before it and once after it, and divide. For each round,
//! read once per round, because the end of one is the start of the next:
//!
//! ```
//! use chronoscope::Instant;
//! # let work = || std::hint::black_box(1);
//! let (rounds, mut longest_ns) = (1000, 0);
//! let start = Instant::now();
//! let mut last = start;
//! for _ in 0..rounds {
//!     work();
//!     let now = Instant::now();
//!     longest_ns = longest_ns.max(now.ns_since(last));
//!     last = now;
//! }
//! println!("{} ns on average, {longest_ns} ns at most", last.ns_since(start) / rounds);
//! ```
//!
//! **… a request?** Keep the moment of its arrival in it, and for the log its wall time, which is
//! not for durations because it can be set. If much depends on the result, ask for its bound:
//!
//! ```
//! use chronoscope::{Instant, WallTime};
//! struct Request {
//!     arrived: Instant,
//!     logged: WallTime,
//! }
//! let request = Request { arrived: Instant::now_ordered(), logged: WallTime::now() };
//! // … and when it is answered, in this thread or another:
//! let took = request.arrived.elapsed_bounded();
//! if took.disturbed {
//!     println!("{}: the machine was suspended or moved meanwhile", request.logged);
//! } else {
//!     println!("{}: {} ± {} ns", request.logged, took.ns, took.bound_ns);
//! }
//! ```
//!
//! **… an event between threads?** Read in order on both sides. The moment can be sent, or stored
//! in an atomic as [`Instant::ticks`]:
//!
//! ```
//! use chronoscope::Instant;
//! use std::{sync::mpsc, thread};
//! let (sender, receiver) = mpsc::channel();
//! thread::spawn(move || sender.send(Instant::now_ordered()));
//! let sent = receiver.recv()?;
//! println!("{} ns on its way", Instant::now_ordered().ns_since(sent));
//! # Ok::<(), mpsc::RecvError>(())
//! ```
//!
//! **… a deadline?** A moment plus a duration is one. Compare it, or wait for it; see
//! [`wait::Ticker`] for one after the other. If each of many requests has one that need not be
//! noticed at once, compare it with [`Instant::recent`].
//!
//! ```
//! use chronoscope::{Instant, wait};
//! use std::time::Duration;
//! # let work = || std::hint::black_box(1);
//! let (mut done, deadline) = (0, Instant::now() + Duration::from_millis(1));
//! while Instant::now() < deadline {
//!     done += work();
//! }
//! let waited = wait::sleep_until(deadline + Duration::from_millis(1));
//! println!("{done} in a millisecond, and the next one ended {} ns late", waited.late_ns);
//! ```
//!
//! # One thread or several
//!
//! [`Instant::now`] is the bare instruction, which a processor may execute before earlier
//! instructions have finished. Inside one thread this does not matter: a later read is never
//! earlier. Across threads it does: a read can be earlier than one that another thread has already
//! handed over. In runs of 10^8 hand-overs, between 3 and 1,048,171 went back on AMD EPYCs, by up
//! to 380 ns, and between 0 and 3 on Intel Xeons. [`Instant::now_ordered`] never went back, in
//! 10^9. Use it, or [`Instant::start`] and [`Instant::stop`], for moments that threads compare, and
//! for the beginning of a time whose bound matters. [`ordered::Instant`] replaces
//! [`std::time::Instant`], which promises that order, without further changes. [`Steady`] promises
//! it as well, and reads in order by itself.
//!
//! # Which clock is read
//!
//! The first read decides. The processor's counter (`rdtsc`, `cntvct_el0`,
//! `cntvct` on 32-bit Arm Linux) is read if the process may read it, its rate is constant, the
//! kernel's own clock is derived from it, it advances at a plausible rate, and a read costs no more
//! than one of the system's clock. On Linux, the kernel's clock is derived from the counter if
//! reading it takes no system call. If nothing shows that, the CPUs are compared instead. In all
//! other cases the system's monotonic clock is read. `CHRONOSCOPE_SOURCE=counter` or `os` in the
//! environment overrides the choice, and [`Clock::choose`] overrides both.
//!
//! # What is bounded
//!
//! The rate is determined between reads of the system's clock that enclose a read of the counter.
//! Its error is a bound rather than an estimate: it covers all rates that are consistent with
//! everything observed, even if the counter jumped once without being noticed. So a rate counts
//! only as far as the checks of one part of the observed time confirm those of the other. The bound
//! shrinks as the observed time grows, and with each check ([`Clock::sync`]). Whoever converts a
//! time that is longer than the rate has been observed, or a second, makes a check first if none is
//! recent; [`Clock::keep`] makes them periodically, and [`Clock::calibrate`] asks the kernel for
//! its rate. The bound is relative to the system's own undisciplined clock, which may itself be
//! wrong. A counter can also jump, change its rate or be reset, when a machine is suspended or
//! moved to another host. [`Bounded::disturbed`] reports that a check noticed something of the
//! kind, and the bound includes what no check would have noticed.
//!
//! A check sees an event once it has moved the counter by more than the uncertainty of two checks,
//! some 0.1 us: a jump of that at once, a change of the rate by 100 ppm after 1 ms, by 10 ppm after
//! 10 ms, and by 1 ppm after 0.1 s. Up to the last check, the bound covers one smaller event
//! between every two checks. It covers neither two of which the second undoes the first, nor what
//! happened after the last check or could not be seen in it yet: [`Bounded::unchecked_ns`] states
//! how long ago that was. It is zero after [`Instant::elapsed_bounded`], which makes a check.
//!
//! A hypervisor can tell its guest that it has disrupted the clock (`/dev/vmclock0`, Linux 6.13).
//! The first [`Clock::sync`], [`Clock::calibrate`] or [`Clock::keep`] maps that page if there is
//! one, and every check from then on compares its marker. If it has changed, nothing that was timed
//! across it is vouched for, even if the counter shows nothing ([`Synced::Disrupted`]).
//!
//! If the reference goes back and stays there, as it can for a machine that was restored from a
//! snapshot, three checks over at least two milliseconds make it count again
//! ([`Synced::ReferenceMoved`]).
//!
//! # Signals, forks and sandboxes
//!
//! Reads, conversions and checks take no lock and no memory, and wait for no other thread.
//!
//! - **In a signal handler, between `fork` and `exec`, and in a global allocator**: everything but
//!   [`Clock::describe`], which allocates, and [`Clock::keep`], which starts a thread. A wait that
//!   interrupts a wait of the same thread learns nothing. A handler must not change the slice of a
//!   [`wait::Waiter`].
//! - **In a forked child**: everything. A copy of a [`Keeper`] does nothing when dropped, because
//!   its thread does not exist there; see [`Keeper::is_alone`].
//! - **Before `main`, and in destructors of thread-local variables**: everything but
//!   [`Clock::keep`].
//! - **Between `vfork` and `exec`**: reads and conversions of a clock that has been read before.
//!
//! This holds on Linux, where it is tested, and by the same code on macOS. On other Unix systems
//! the system's clock is [`std::time::Instant`], whose first read takes a lock. On Windows, the
//! first read takes memory for the environment, so a global allocator must not make it.
//!
//! These are the system calls on Linux. A filter that kills for any other is survived.
//!
//! - The first read of each clock: `prctl`; and once per process `mmap`, `madvise`, and `munmap` if
//!   two threads were at it. Before Linux 4.14, also `getpid` for each check.
//! - Any read or check: `clock_gettime`, if the vDSO cannot read the system's clock.
//! - Waits: `clock_nanosleep`, and `prctl` for the timer slack. After a late wait also `prctl`; and
//!   `openat`, `read` and `close` if no filter is active.
//! - [`wait::Waiter::shorten_slice`] and what restores the slice: `prctl`; and `sched_getattr` and
//!   `sched_setattr` if no filter is active.
//! - [`wait::Waiter::wake_cpu_first`] and the waits after it: also `prctl`; and `timerfd_create`
//!   and `timerfd_settime` if no filter is active. Dropping the waiter then takes `close`.
//! - [`Wall::now_bounded`] and [`Wall::now_checked`]: `prctl`; and `adjtimex` if no filter is
//!   active.
//! - [`Clock::sync`], and any check that finds something: `prctl`; and `openat`, `read`, `mmap` and
//!   `close` if no filter is active.
//! - [`Clock::calibrate`]: the same, and `perf_event_open` and `munmap` if no filter is active.
//! - [`Clock::keep`]: what a thread takes.
//!
//! On 32-bit Arm the first read opens the files too, if no filter is active; otherwise it reads the
//! system's clock. `prctl(PR_GET_SECCOMP)` shows whether a filter is active;
//! [`machine::assume_that_nothing_kills`] makes the question unnecessary. A thread that disables
//! the counter for itself (`PR_SET_TSC`) must do so before its process reads a clock; clocks that
//! are read for the first time after that read the system's clock by system call.
//!
//! # Features
//!
//! | feature | default | what it adds | dependency |
//! | --- | --- | --- | --- |
//! | `std` | yes | everything that asks the operating system | bindings to that only |
//! | `serde` | no | storing of what makes sense outside the process, see below | `serde` |
//! | `jiff` | no | [`WallTime`] to and from `jiff::Timestamp` | `jiff` |
//! | `chrono` | no | [`WallTime`] to and from `chrono::DateTime<Utc>` | `chrono` |
//! | `web` | no | the clocks of a browser on `wasm32-unknown-unknown`, see below | `wasm-bindgen` |
//! | `portable-atomic` | no | `std` on processors without 64-bit atomics | `portable-atomic` |
//!
//! Without `std`, [`counter`] and [`convert`] remain on x86-64 and AArch64, and elsewhere
//! [`convert`]. These need no atomics, so they work on any processor without a feature. With
//! `std`, a processor without 64-bit atomics (such as ARMv5 or 32-bit PowerPC) needs
//! `portable-atomic`, whose atomics use locks there; so a read may wait for another thread.
//!
//! On `wasm32-unknown-unknown` the standard library has no clock, and `std::time::Instant::now`
//! panics. With `web`, moments come from `performance.now()` and wall time from `Date.now()`, so
//! the module must be loaded as `wasm-bindgen` does it. Browsers make both coarse, and say nowhere
//! how coarse. So the first read waits for five changes, which takes from 25 us to 5 ms; twice the
//! smallest is the resolution, which every bound contains. The thread of a page must not block, so
//! waits spin. On WASI, the standard library's clock is read, and its steps are found in the same
//! way.
//!
//! With `serde`, [`WallTime`], [`WallInterval`], [`Source`], [`wait::Waited`], [`wait::Tick`],
//! [`wait::Effort`], [`wait::Cause`] and [`wait::Missed`] can be stored and read, and [`Bounded`],
//! [`Description`] and [`Synced`] can be stored. [`Instant`] and [`Ticks`] cannot: they count from
//! the start of this machine, in units whose length only this process knows, so they mean nothing
//! to another process, or to the same program after a restart. Store a [`WallTime`] or a duration.
//!
//! ```compile_fail
//! fn can_be_stored<T: serde::Serialize>() {}
//! can_be_stored::<chronoscope::Instant>();
//! ```
//!
//! Sleeps and intervals for tokio are in the crate `chronoscope-tokio`; clocks and timers for
//! tracing-subscriber, criterion, governor, async-io and embassy are in `chronoscope-adapters`.
//!
//! # Rust version
//!
//! The library and its features compile with Rust 1.85, which edition 2024 needs, and its tests run
//! with that version too. A later version may be required by a new minor version, not by a patch.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// What needs a feature says so itself; `std` need not be named everywhere.
#![cfg_attr(docsrs, doc(auto_cfg = false))]
#![deny(missing_docs)]

/// Modules of all that asks the operating system.
macro_rules! with_std {
    ($($module:item)*) => { $(#[cfg(feature = "std")] $module)* };
}

with_std! {
    mod calibrate;
    mod choose;
    mod clock;
    mod instant;
    pub mod machine;
    pub mod mock;
    mod name;
    pub mod ordered;
    mod publish;
    mod recent;
    mod stated;
    pub mod steady;
    pub mod wait;
    pub mod wall;
    mod wall_interval;
    mod wall_time;
    pub mod witness;
}

pub mod convert;
#[cfg(any(feature = "std", target_arch = "x86_64", target_arch = "aarch64"))]
pub mod counter;
#[cfg(any(feature = "std", target_arch = "x86_64", target_arch = "aarch64"))]
mod sys;

/// The atomics of [`publish`], named here so that its test can replace them with loom's, and so
/// that processors without 64-bit atomics can use those of `portable-atomic`.
#[cfg(feature = "std")]
mod sync {
    #[cfg(target_has_atomic = "64")]
    pub use core::sync::atomic::AtomicU64;
    #[cfg(all(not(target_has_atomic = "64"), feature = "portable-atomic"))]
    pub use portable_atomic::AtomicU64;

    pub use core::sync::atomic::{AtomicU8, Ordering, fence};

    #[cfg(not(any(target_has_atomic = "64", feature = "portable-atomic")))]
    compile_error!(
        "this processor has no 64-bit atomics: enable chronoscope's feature `portable-atomic`, or \
         disable its default features"
    );
}

#[cfg(feature = "std")]
pub use {
    choose::Source,
    clock::{AlreadyChosen, Bounded, Clock, Description, Keeper, Synced, Ticks},
    instant::Instant,
    recent::{Upkeep, UpkeepError},
    wall_time::{OutOfRange, WallTime},
};
#[cfg(feature = "std")]
#[doc(inline)]
pub use {
    machine::Wanted,
    steady::Steady,
    wall::{Wall, WallInterval, WallState},
};

/// The samples on the front page are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A guard that is not bound ends at once, which the compiler must say. The same code compiles with
/// the guards bound.
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// fn run() -> Result<(), chronoscope::UpkeepError> {
///     chronoscope::Upkeep::start(std::time::Duration::from_secs(1))?;
///     Ok(())
/// }
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// fn run() -> std::io::Result<()> {
///     chronoscope::Clock::global().keep(std::time::Duration::from_secs(1))?;
///     Ok(())
/// }
/// ```
///
/// ```
/// #![deny(unused_must_use)]
/// fn run() -> Result<(), Box<dyn std::error::Error>> {
///     let _upkeep = chronoscope::Upkeep::start(std::time::Duration::from_secs(1))?;
///     let _keeper = chronoscope::Clock::global().keep(std::time::Duration::from_secs(1))?;
///     Ok(())
/// }
/// ```
#[cfg(all(doctest, feature = "std"))]
struct Guards;
