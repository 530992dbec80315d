//! The clocks of Mach.

use super::entry::{Entry, Facts, Kind, PLAIN, Range, STORED, SYSTEM_CALL, UNDOCUMENTED};
use chronoscope_model::clock::RateFrom;

const MACH: Entry = Entry { home: "macOS", ..PLAIN };

clocks! {
    CLOCKS: mach in native_c if target_os = "macos", like MACH;

    "clock_get_time-system" => {
        call: "clock_get_time(system_clock, &t)",
        kind: Kind::Monotonic,
        facts: SYSTEM_CALL,
        about: "The kernel's clock service SYSTEM_CLOCK, read with a Mach message: the oldest and \
                slowest way to read the time. The tool gets the service's port before main and \
                releases it at exit.",
        references: &["XNU osfmk/man/clock_get_time.html", "mach/clock.h"],
        expect: &["clock_get_time()"],
        range: Range::seconds(32),
    }
    "clock_get_time-calendar" => {
        call: "clock_get_time(calendar_clock, &t)",
        kind: Kind::Wall,
        facts: SYSTEM_CALL,
        about: "The kernel's clock service CALENDAR_CLOCK, read with a Mach message: universal \
                time. The tool gets the service's port before main and releases it at exit.",
        references: &["XNU osfmk/man/clock_get_time.html", "mach/clock.h"],
        expect: &["clock_get_time()"],
        range: Range::seconds(32),
    }
    "absolute_time" => {
        call: "mach_absolute_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        common: true,
        about: "Ticks since boot, excluding sleep, read without a system call. mach_timebase_info \
                gives the length of a tick in nanoseconds: 1 on Intel, 125/3 on Apple silicon.",
        references: &["Apple, mach_absolute_time", "mach/mach_time.h"],
        expect: &["mach_absolute_time()"],
    }
    "continuous_time" => {
        call: "mach_continuous_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        about: "Like mach_absolute_time, but it continues while the machine sleeps. macOS 10.12 \
                and later.",
        references: &["Apple, mach_continuous_time", "mach/mach_time.h"],
        expect: &["mach_continuous_time()"],
    }
    "approximate_time" => {
        call: "mach_approximate_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..STORED },
        about: "The value of mach_absolute_time as of the last time that the kernel stored it: \
                cheaper and coarser. macOS 10.10 and later.",
        references: &["Apple, mach_approximate_time", "mach/mach_time.h"],
        expect: &["mach_approximate_time()"],
    }
}
