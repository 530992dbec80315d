use super::instant::opened;
use crate::clocks::entry::{FENCED_COUNTER, ORDERED_COUNTER, RUST};
use crate::clocks::rust_loop::Read;
use crate::clocks::{Entry, Kind};
use chronoscope::Instant;

pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/ordered",
    call: "chronoscope::Instant::now_ordered()",
    kind: Kind::Counter,
    facts: if cfg!(target_arch = "x86_64") { FENCED_COUNTER } else { ORDERED_COUNTER },
    about: "The clock of this project's library, read after all earlier instructions have \
            completed (lfence on x86, isb on Arm). It is for regions so short that the processor \
            would otherwise move the read past the work.",
    references: &["the chronoscope crate", "Intel SDM volume 2A, LFENCE"],
    expect: if cfg!(target_arch = "x86_64") {
        &["lfence", "rdtsc"]
    } else if cfg!(target_arch = "aarch64") {
        &["isb", "mrs cntvct_el0"]
    } else {
        &["Instant::now()|Timespec::now()"]
    },
    opener: Some(|_, _| opened(Own)),
    ..RUST
};

struct Own;

impl Read for Own {
    #[inline(always)]
    fn value(&mut self) -> u64 {
        Instant::now_ordered().ticks()
    }
}
