use crate::clocks::entry::{COUNTER};
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::{Orders};

/// `lfence; rdtsc; lfence`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "lfence-rdtsc-lfence",
    call: "_mm_lfence(); __rdtsc(); _mm_lfence()",
    language: Language::C,
    kind: Kind::Counter,
    facts: Facts {
        orders: Orders::Both,
        ..COUNTER
    },
    alternative_to: None,
    home: "x86",
    about: "Earlier instructions have completed, and no later one begins before the read: the start of a timed \
            region done properly. The second fence is what keeps the work under test from moving in front of its \
            own clock.",
    references: &["Intel SDM volume 2B, RDTSC", "Intel SDM volume 2A, LFENCE"],
    expect: &["lfence", "rdtsc", "lfence"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
