use crate::clocks::entry::DEVICE;
use crate::clocks::{Entry, Kind, Range};

/// The battery-backed clock
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "rtc",
    call: "ioctl(fd, RTC_RD_TIME, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: DEVICE,
    alternative_to: None,
    home: "Linux with a real-time clock",
    about: "The battery-backed clock that keeps the date while the machine is off, in whole \
            seconds. A read goes to slow hardware and takes tens of microseconds to milliseconds; \
            with the classic chip it also waits while the chip updates itself. It is for setting \
            the system's clock at boot, and for nothing that is timed. Usually only root may open \
            it, and only one process at a time.",
    references: &["rtc(4)", "Linux Documentation/admin-guide/rtc.rst"],
    expect: &["ioctl()"],
    open: here(
        target_os = "linux",
        Range::seconds(33),
        super::device::rtc(),
        "/dev/rtc0, RTC_RD_TIME"
    ),
});
