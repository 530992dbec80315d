use crate::clocks::entry::{RUST, VDSO, WALL};
use crate::clocks::rust_loop::{Read, opened};
use crate::clocks::{Entry, Kind, Range, Unit, permission};
use std::hint::black_box;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) const ENTRY: Entry = Entry {
    id: "rust/system_time",
    call: "SystemTime::now()",
    kind: Kind::Wall,
    facts: VDSO,
    alternative_to: WALL,
    common: true,
    about: "Rust's wall clock: clock_gettime(CLOCK_REALTIME) on Unix, \
            GetSystemTimePreciseAsFileTime on Windows. It may be stepped, which is why the \
            difference of two values is a Result. Use it for dates, not for intervals.",
    references: &["std::time::SystemTime", "Rust library/std/src/sys/time"],
    expect: &["SystemTime::now()|Timespec::now()"],
    range: Range::seconds(63),
    opener: Some(|_, _| {
        permission::vdso()?;
        Ok(opened(Std, Unit::Hz(1e9), None))
    }),
    ..RUST
};

struct Std;

impl Read for Std {
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
