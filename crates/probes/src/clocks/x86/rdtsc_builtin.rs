use crate::clocks::entry::COUNTER;
use crate::clocks::{Entry, Kind, Range};

/// `__builtin_ia32_rdtsc()`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "rdtsc-builtin",
    call: "__builtin_ia32_rdtsc()",
    language: Language::C,
    kind: Kind::Counter,
    facts: COUNTER,
    alternative_to: Some("x86/rdtsc-intrinsic"),
    home: "x86",
    about: "The time-stamp counter through the builtin of GCC and Clang on which their __rdtsc() \
            is based. It needs no header, but MSVC does not have it. There is no other reason to \
            prefer it.",
    references: &["Intel SDM volume 2B, RDTSC", "GCC manual, x86 Built-in Functions",],
    expect: &["rdtsc"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
