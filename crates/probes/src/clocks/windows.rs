//! The clocks of Windows.

use super::entry::{CPU_TIME, Entry, Facts, Kind, PLAIN, Range, STORED, UNDOCUMENTED};
use chronoscope_model::clock::{Counts, RateFrom};

const WINDOWS: Entry = Entry { home: "Windows", range: Range::bits(63), ..PLAIN };

clocks! {
    CLOCKS: windows in native_c if windows, like WINDOWS;

    "qpc" => {
        call: "QueryPerformanceCounter(&t)",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        common: true,
        about: "Windows' own high-resolution clock: the TSC, shifted or scaled, if it is \
                invariant; otherwise the HPET or the ACPI timer, through a system call. Its rate \
                is fixed at boot, and QueryPerformanceFrequency returns it.",
        references: &["Microsoft Learn, Acquiring high-resolution time stamps"],
        expect: &["QueryPerformanceCounter()"],
    }
    "rtl-qpc" => {
        call: "RtlQueryPerformanceCounter(&t)",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        alternative_to: Some("windows/qpc"),
        about: "The function that QueryPerformanceCounter forwards to, called without the step \
                through kernel32. The clock and its rate are the same.",
        references: &["Microsoft Learn, Acquiring high-resolution time stamps", "ntdll.dll"],
        expect: &["RtlQueryPerformanceCounter()"],
    }
    "getsystemtimeasfiletime" => {
        call: "GetSystemTimeAsFileTime(&t)",
        kind: Kind::Wall,
        facts: STORED,
        common: true,
        about: "Universal time in units of 100 ns since 1601, read from a page that the kernel \
                updates at each clock interrupt. It is cheap, and no finer than the interval \
                between those interrupts, 0.5 to 15.6 ms.",
        references: &["Microsoft Learn, GetSystemTimeAsFileTime"],
        expect: &["GetSystemTimeAsFileTime()"],
    }
    "getsystemtimepreciseasfiletime" => {
        call: "GetSystemTimePreciseAsFileTime(&t)",
        kind: Kind::Wall,
        facts: UNDOCUMENTED,
        common: true,
        about: "Universal time in units of 100 ns since 1601. Between clock interrupts it is \
                interpolated with the performance counter. Windows 8 and later.",
        references: &["Microsoft Learn, GetSystemTimePreciseAsFileTime"],
        expect: &["GetSystemTimePreciseAsFileTime()"],
    }
    "querythreadcycletime" => {
        call: "QueryThreadCycleTime(GetCurrentThread(), &t)",
        kind: Kind::Cpu,
        facts: Facts { counts: Counts::Cycles, rate_from: RateFrom::Nothing, ..CPU_TIME },
        common: true,
        about: "Cycles that the thread has been given in user and kernel mode, counted by the \
                processor's counter. Windows promises no fixed relation to seconds.",
        references: &["Microsoft Learn, QueryThreadCycleTime"],
        expect: &["GetCurrentThread()", "QueryThreadCycleTime()"],
        range: Range::bits(64),
    }
    "gettickcount64" => {
        call: "GetTickCount64()",
        kind: Kind::Monotonic,
        facts: STORED,
        common: true,
        about: "Milliseconds since boot, including sleep. Each clock interrupt advances it, by \
                15.625 ms at most.",
        references: &["Microsoft Learn, GetTickCount64"],
        expect: &["GetTickCount64()"],
        range: Range::bits(64),
    }
    "timegettime" => {
        call: "timeGetTime()",
        kind: Kind::Monotonic,
        facts: STORED,
        common: true,
        about: "Milliseconds since boot in 32 bits, which return to zero after 49.7 days. Each \
                clock interrupt updates it, so timeBeginPeriod(1) makes it finer.",
        references: &["Microsoft Learn, timeGetTime"],
        expect: &["timeGetTime()"],
        range: Range::bits(32),
    }
    "queryinterrupttime" => {
        call: "QueryInterruptTime(&t)",
        kind: Kind::Monotonic,
        facts: STORED,
        about: "Time since boot, including sleep, in units of 100 ns, as of the last clock \
                interrupt. Windows 10 and later.",
        references: &["Microsoft Learn, QueryInterruptTime"],
        expect: &["QueryInterruptTime()"],
    }
    "queryinterrupttimeprecise" => {
        call: "QueryInterruptTimePrecise(&t)",
        kind: Kind::Monotonic,
        facts: UNDOCUMENTED,
        about: "Time since boot, including sleep, in units of 100 ns. Between clock interrupts it \
                is interpolated with the performance counter. Windows 10 and later.",
        references: &["Microsoft Learn, QueryInterruptTimePrecise"],
        expect: &["QueryInterruptTimePrecise()"],
    }
    "queryunbiasedinterrupttime" => {
        call: "QueryUnbiasedInterruptTime(&t)",
        kind: Kind::Monotonic,
        facts: STORED,
        about: "Time since boot, excluding sleep, in units of 100 ns, as of the last clock \
                interrupt. Windows 7 and later.",
        references: &["Microsoft Learn, QueryUnbiasedInterruptTime"],
        expect: &["QueryUnbiasedInterruptTime()"],
    }
}
