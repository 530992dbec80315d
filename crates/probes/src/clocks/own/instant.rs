use crate::clocks::rust_loop::{Read, reader, sink};
use crate::clocks::x86::tsc;
use crate::clocks::{Entry, Kind, Language, Range, Unit};

/// `chronoscope::counter::now()`
pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/instant",
    call: "chronoscope::counter::now()",
    language: Language::Rust,
    kind: Kind::Counter,
    home: "every system",
    about: "This project's library: the bare counter, with the conversion left to the difference.",
    references: &["the chronoscope crate"],
    expect: if cfg!(target_arch = "x86_64") {
        &["rdtsc"]
    } else if cfg!(target_arch = "aarch64") {
        &["cntvct_el0"]
    } else {
        &["now"]
    },
    open: on!(all(), "every system", {
        tsc::readable()?;
        Ok(reader::<Own>(unit(), None, Range::bits(64)))
    }),
};

/// Ticks of the counter where the processor has one, else the system's nanoseconds.
pub(crate) const fn unit() -> Unit {
    if chronoscope::counter::IS_HARDWARE {
        Unit::Counter
    } else {
        Unit::Hz(1e9)
    }
}

struct Own;

impl Read for Own {
    #[inline(always)]
    fn read() {
        sink(chronoscope::counter::now());
    }

    #[inline(always)]
    fn value() -> u64 {
        chronoscope::counter::now()
    }
}
