//! The waits of the standard libraries of Rust and C++, the latter compiled as C++ in
//! `native/waits.cpp`, and of other libraries for Rust: this project's, and others for comparison.

use super::entry::{
    Code, DEADLINE, DURATION, Entry, Facts, Kind, Language, PLAIN, RUST, Unfailing,
};
use super::{Method, os};
use chronoscope::wait::{Effort, Waiter};
use std::time::Duration;

/// MinGW's sleeps are built on its own nanosleep, which cuts a duration to whole milliseconds.
const EARLY_NS: u64 = if cfg!(windows) { 1_000_000 } else { 0 };

/// MinGW has them with one of its two thread models only.
const NOT_WINDOWS: &str = "builds with a C++ compiler for systems other than Windows";

const CXX: Entry = Entry {
    language: Language::Cxx,
    home: "builds with a C++ compiler",
    references: &["ISO C++ [thread.thread.this]", "libstdc++ bits/this_thread_sleep.h"],
    code: Code::Before(|wait| format!("auto duration = std::chrono::nanoseconds({});", wait.ns)),
    ..PLAIN
};

table! {
    STANDARD: &[Entry];
    like RUST;
    "rust/thread-sleep" => "std::thread::sleep(duration)",
        opener: on!(all(), |_| {
            crate::time::may_sleep()?;
            Unfailing(|ns| std::thread::sleep(Duration::from_nanos(ns)))
        });
    like CXX;
    "cxx/sleep_for" => "std::this_thread::sleep_for(duration)",
        facts: Facts { early_by_design_ns: EARLY_NS, ..DURATION },
        opener: on!(native_cxx or crate::catalogue::left_out::native_cxx, |_| {
            Unfailing(|ns| imp::cs_sleep_for(ns))
        });
    "cxx/sleep_until" =>
        "std::this_thread::sleep_until(std::chrono::steady_clock::now() + duration)",
        facts: Facts { early_by_design_ns: EARLY_NS, ..DEADLINE },
        opener: on!(native_cxx or crate::catalogue::left_out::native_cxx, |_| imp::SleepUntil);
    "cxx/condition_variable-wait_until" =>
        "stopped.wait_until(lock, std::chrono::steady_clock::now() + duration, predicate)",
        facts: Facts { early_by_design_ns: EARLY_NS, ..DEADLINE },
        code: Code::OnPage,
        opener: on!(all(native_cxx, not(windows)), |_| {
            Unfailing(|ns| imp::cs_wait_until_after(ns))
        }),
        home: NOT_WINDOWS;
    "cxx/future-wait_for" => "future.wait_for(duration)",
        facts: Facts { early_by_design_ns: EARLY_NS, ..DURATION },
        code: Code::BeforeCall,
        opener: on!(all(native_cxx, not(windows)), |_| Unfailing(|ns| imp::cs_wait_for(ns))),
        home: NOT_WINDOWS;
    "cxx/timed_mutex-try_lock_for" => "mutex.try_lock_for(duration)",
        facts: Facts { early_by_design_ns: EARLY_NS, ..DURATION },
        code: Code::BeforeCall,
        opener: on!(all(native_cxx, not(windows)), |_| Unfailing(|ns| imp::cs_try_lock_for(ns))),
        home: NOT_WINDOWS;
}

#[cfg(native_cxx)]
mod imp {
    use crate::waits::{Method, os};

    // SAFETY: the functions of native/waits.cpp, which take numbers and throw nothing.
    unsafe extern "C" {
        pub(super) safe fn cs_sleep_for(ns: u64);
        safe fn cs_sleep_until_after(ns: u64);
        safe fn cs_sleep_until(steady_ns: u64);
    }

    // SAFETY: as above.
    #[cfg(not(windows))]
    unsafe extern "C" {
        pub(super) safe fn cs_wait_until_after(ns: u64);
        pub(super) safe fn cs_wait_for(ns: u64);
        pub(super) safe fn cs_try_lock_for(ns: u64);
    }

    pub(super) struct SleepUntil;

    impl Method for SleepUntil {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            cs_sleep_until_after(ns);
            Ok(())
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            // steady_clock is CLOCK_MONOTONIC where that is what `os` reads; on other systems the
            // two start at different times, and only the time left can be asked for.
            if os::CLOCK == "CLOCK_MONOTONIC" {
                cs_sleep_until(deadline);
                return Ok(());
            }
            match deadline.checked_sub(os::monotonic()) {
                Some(left) if left > 0 => self.wait(left),
                _ => Ok(()),
            }
        }
    }
}

const OWN: Entry = Entry {
    kind: Kind::Hybrid,
    slack: false,
    references: &["the chronoscope crate, chronoscope::wait"],
    ..RUST
};

table! {
    OTHERS: &[Entry];
    like OWN;
    "chronoscope/wait" => "chronoscope::wait::sleep(duration)",
        opener: on!(all(), |_| with(Effort::Balanced));
    "chronoscope/wait-economy" => "waiter.sleep(duration)",
        code: Code::BeforeCall,
        opener: on!(all(), |_| with(Effort::Economy));
    "chronoscope/wait-precise" => "waiter.sleep(duration)",
        code: Code::BeforeCall,
        opener: on!(all(), |_| with(Effort::Precise));
    like RUST;
    "spin_sleep" => "spin_sleep::sleep(duration)",
        kind: Kind::Hybrid,
        home: "builds with the feature `peers`",
        opener: on!(feature = "peers" or crate::catalogue::left_out::peers, |_| {
            Unfailing(|ns| spin_sleep::sleep(Duration::from_nanos(ns)))
        });
}

/// A wait with the given effort, which learns on its own.
fn with(effort: Effort) -> impl Method {
    Own { waiter: Waiter::new(effort), has_begun: false }
}

/// The slice that the library asks for, in nanoseconds.
const SHORT_SLICE_NS: u64 = 100_000;

struct Own {
    waiter: Waiter<'static>,
    has_begun: bool,
}

impl Own {
    /// Tells the waiter of a short slice that the row gave its thread: it uses one better than a
    /// method that knows nothing of it.
    #[cold]
    fn begin(&mut self) {
        self.has_begun = true;
        if os::slice() == Some(SHORT_SLICE_NS) {
            // If that is refused, the row is measured with the slice alone.
            let _ = self.waiter.shorten_slice();
        }
    }
}

impl Method for Own {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        if !self.has_begun {
            self.begin();
        }
        self.waiter.sleep(Duration::from_nanos(ns));
        Ok(())
    }
}
