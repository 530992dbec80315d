use crate::clocks::entry::COUNTER;
use crate::clocks::{Entry, Kind, Range};

/// `rdtsc` in inline assembly
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "rdtsc-asm",
    call: "asm volatile(\"rdtsc\" : \"=a\"(low), \"=d\"(high))",
    language: Language::C,
    kind: Kind::Counter,
    facts: COUNTER,
    alternative_to: Some("x86/rdtsc-intrinsic"),
    home: "x86",
    about: "The time-stamp counter through inline assembly, for compilers and languages without \
            the intrinsic. It is the same instruction as the intrinsic, at the same cost; what \
            differs is the effort and the chance of a wrong constraint. The read is not ordered \
            with anything.",
    references: &["Intel SDM volume 2B, RDTSC", "GCC manual, Extended Asm"],
    expect: &["rdtsc"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
