use crate::clocks::entry::COUNTER;
use crate::clocks::{Entry, Kind, Range};

/// `__rdtsc()`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "rdtsc-intrinsic",
    call: "__rdtsc()",
    language: Language::C,
    kind: Kind::Counter,
    facts: COUNTER,
    alternative_to: None,
    home: "x86",
    about: "The time-stamp counter through the intrinsic that compilers have in common: the \
            cheapest clock of x86. The read is not ordered with anything: it may take place before \
            earlier instructions have finished and after later ones have begun. Its ticks need a \
            rate, and they are time only if the counter is invariant.",
    references: &["Intel SDM volume 2B, RDTSC", "Intel SDM volume 3B, Time-Stamp Counter",],
    expect: &["rdtsc"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
