use crate::clocks::entry::VDSO;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_TAI`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "tai",
    call: "clock_gettime(CLOCK_TAI, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: VDSO,
    alternative_to: None,
    home: "Linux",
    about: "International atomic time: universal time without leap seconds. It equals \
            CLOCK_REALTIME until something (NTP, PTP) gives the kernel the offset, 37 s since \
            2017. Whatever steps CLOCK_REALTIME steps this clock too.",
    references: &["clock_gettime(2)", "adjtimex(2), ADJ_TAI"],
    expect: &["clock_gettime()"],
    open: here(target_os = "linux", TIME_T, crate::clocks::permission::vdso()),
});
