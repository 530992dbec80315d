use crate::clocks::entry::FENCED_COUNTER;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::Orders;

/// `lfence; rdtsc; lfence`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "lfence-rdtsc-lfence",
    call: "_mm_lfence(); __rdtsc(); _mm_lfence()",
    language: Language::C,
    kind: Kind::Counter,
    facts: Facts { orders: Orders::Both, ..FENCED_COUNTER },
    alternative_to: None,
    home: "x86",
    about: "The counter, read after earlier instructions have completed and before any later one \
            begins: the proper way to start a timed region. The second fence keeps the work under \
            test from moving ahead of its own clock.",
    references: &["Intel SDM volume 2B, RDTSC", "Intel SDM volume 2A, LFENCE"],
    expect: &["lfence", "rdtsc", "lfence"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
