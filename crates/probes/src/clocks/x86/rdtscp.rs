use crate::clocks::entry::ORDERED_COUNTER;
use crate::clocks::{Entry, Kind, Range};

/// `__rdtscp()`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "rdtscp",
    call: "__rdtscp(&processor)",
    language: Language::C,
    kind: Kind::Counter,
    facts: ORDERED_COUNTER,
    alternative_to: None,
    home: "x86",
    about: "Waits until earlier instructions have executed and earlier loads are visible, then \
            reads the counter and the number of the CPU. It is good at the end of a timed region. \
            Later instructions may still begin before the read, so an lfence belongs after it.",
    references: &["Intel SDM volume 2B, RDTSCP", "AMD APM volume 3, RDTSCP"],
    expect: &["rdtscp"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::x86::cpu::rdtscp()),
});
