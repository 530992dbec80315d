use crate::clocks::entry::{VDSO, WALL};
use crate::clocks::{Entry, Kind, Range};

/// The wall clock, cast to milliseconds.
pub(crate) const ENTRY: Entry = native!(Entry {
    id: cxx / "system_clock",
    call: "duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()",
    language: Language::Cxx,
    kind: Kind::Wall,
    facts: VDSO,
    alternative_to: WALL,
    home: "every system",
    about: "The C++ library's wall clock, cast to milliseconds since 1970. It may be stepped, so \
            use it for dates and not for intervals.",
    references: &["ISO C++17 [time.clock.system]", "libstdc++ src/c++11/chrono.cc",],
    expect: &["system_clock::now()"],
    open: here(all(), Range::bits(63), crate::clocks::permission::vdso()),
});
