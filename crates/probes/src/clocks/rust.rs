//! The clocks of Rust's standard library.

use super::entry::{Entry, Kind, MONOTONIC, RUST, Range, Unit, VDSO, WALL};
use super::permission;
use super::rust_loop::{Read, opened};
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

pub(super) const CLOCKS: &[Entry] = &[
    Entry {
        id: "rust/instant",
        call: "Instant::now()",
        kind: Kind::Monotonic,
        facts: VDSO,
        alternative_to: MONOTONIC,
        common: true,
        expect: &["Instant::now()|Timespec::now()"],
        range: Range::seconds(63),
        opener: Some(|_, _| {
            permission::vdso()?;
            Ok(opened(Monotonic, Unit::Hz(1e9), None))
        }),
        ..RUST
    },
    Entry {
        id: "rust/system_time",
        call: "SystemTime::now()",
        kind: Kind::Wall,
        facts: VDSO,
        alternative_to: WALL,
        common: true,
        expect: &["SystemTime::now()|Timespec::now()"],
        range: Range::seconds(63),
        opener: Some(|_, _| {
            permission::vdso()?;
            Ok(opened(Wall, Unit::Hz(1e9), None))
        }),
        ..RUST
    },
];

struct Monotonic;

impl Read for Monotonic {
    #[inline(always)]
    fn read(&mut self) {
        black_box(Instant::now());
    }

    /// Nanoseconds since one hour before the first read, because the type does not expose a value
    /// of its own.
    #[inline(always)]
    fn value(&mut self) -> u64 {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        const HEAD_START: u64 = 3_600_000_000_000;
        HEAD_START + ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    #[inline(always)]
    fn around(&mut self, work: impl FnOnce()) {
        let start = Instant::now();
        work();
        black_box(Instant::now() - start);
    }
}

struct Wall;

impl Read for Wall {
    #[inline(always)]
    fn read(&mut self) {
        black_box(SystemTime::now());
    }

    /// Nanoseconds since 1970; zero if the clock is set to an earlier date.
    #[inline(always)]
    fn value(&mut self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.unwrap_or_default().as_nanos() as u64
    }

    #[inline(always)]
    fn around(&mut self, work: impl FnOnce()) {
        let start = SystemTime::now();
        work();
        black_box(SystemTime::now().duration_since(start).unwrap_or_default());
    }
}
