use crate::clocks::entry::DEVICE;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// The clock of a network card
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "ptp",
    call: "clock_gettime(FD_TO_CLOCKID(fd), &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: DEVICE,
    alternative_to: None,
    home: "Linux with a PTP hardware clock",
    about: "The clock of a network card or of the hypervisor (ptp_kvm, ptp_vmclock), kept by IEEE \
            1588 and usually in TAI. The one read here is the first of /dev/ptp0, /dev/ptp1 and so \
            on that can be opened. A read is a system call and a transfer over the bus, often more \
            than a microsecond. Use it to compare machines, not to time code.",
    references: &["Linux Documentation/driver-api/ptp.rst", "clock_getres(2), Dynamic clocks",],
    expect: &["clock_gettime()"],
    open: here(target_os = "linux", TIME_T, super::device::ptp(), "/dev/ptp"),
});
