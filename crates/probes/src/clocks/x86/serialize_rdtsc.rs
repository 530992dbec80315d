use crate::clocks::entry::ORDERED_COUNTER;
use crate::clocks::{Entry, Kind, Range};

/// `serialize; rdtsc`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "serialize-rdtsc",
    call: "_serialize(); __rdtsc()",
    language: Language::C,
    kind: Kind::Counter,
    facts: ORDERED_COUNTER,
    alternative_to: None,
    home: "x86",
    about: "The serialising instruction that does nothing else: all earlier instructions and their \
            stores are complete before the read, no register is overwritten, and the hypervisor is \
            not called. It is stronger than lfence, which leaves stores in their buffer. Only \
            processors from the time of Alder Lake and Sapphire Rapids on have it.",
    references: &["Intel SDM volume 2B, SERIALIZE", "Intel SDM volume 2A, CPUID leaf 7 EDX bit 14",],
    expect: &["serialize", "rdtsc"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::x86::cpu::serialize()),
});
