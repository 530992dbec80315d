//! The wait of Rust's standard library.

use super::entry::{Entry, RUST};
use super::open::ByDuration;

pub(super) const WAITS: &[Entry] = &[Entry {
    id: "rust/thread-sleep",
    call: "std::thread::sleep(duration)",
    about: "The standard library's sleep: nanosleep or clock_nanosleep on Unix, and since Rust \
            1.75 a high-resolution waitable timer on Windows.",
    references: &["std::thread::sleep", "Rust library/std/src/sys/thread"],
    opener: on!(all(), |_| {
        crate::time::may_sleep()?;
        ByDuration(|ns| {
            std::thread::sleep(std::time::Duration::from_nanos(ns));
            Ok(())
        })
    }),
    ..RUST
}];
