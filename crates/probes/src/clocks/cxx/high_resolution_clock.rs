use crate::clocks::entry::{MONOTONIC, VDSO, WALL};
use crate::clocks::{Entry, Kind, Range};

/// The clock with the shortest tick, cast to milliseconds.
pub(crate) const ENTRY: Entry = native!(Entry {
    id: cxx / "high_resolution_clock",
    call: "duration_cast<milliseconds>(high_resolution_clock::now().time_since_epoch()).count()",
    language: Language::Cxx,
    kind: if cfg!(target_vendor = "apple") { Kind::Monotonic } else { Kind::Wall },
    facts: VDSO,
    alternative_to: if cfg!(target_vendor = "apple") { MONOTONIC } else { WALL },
    home: "every system",
    about: "Another name for one of the two other clocks: system_clock in libstdc++, which may be \
            stepped, and steady_clock in libc++. The name promises what the standard does not. Use \
            steady_clock for intervals.",
    references: &["ISO C++17 [time.clock.hires]", "libstdc++ include/bits/chrono.h",],
    expect: &["system_clock::now()|steady_clock::now()"],
    open: here(all(), Range::bits(63), crate::clocks::permission::vdso()),
});
