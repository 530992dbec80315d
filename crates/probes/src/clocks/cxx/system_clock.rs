use crate::clocks::{Entry, Kind, Language, Range};

/// The wall clock, cast to milliseconds.
pub(crate) const ENTRY: Entry = Entry {
    id: "cxx/system_clock",
    call: "duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()",
    language: Language::Cxx,
    kind: Kind::Wall,
    home: "every system",
    about: "The C++ library's wall clock, cast to milliseconds since 1970. It may be stepped, so it is for dates \
            and not for intervals.",
    references: &[
        "ISO C++17 [time.clock.system]",
        "libstdc++ src/c++11/chrono.cc",
    ],
    expect: &["system_clock"],
    open: native!(
        native_cxx,
        all(),
        "every system",
        cs_cxx_system_clock,
        "system_clock::now()",
        Range::bits(63),
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
