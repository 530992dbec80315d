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
        expect: &["QueryPerformanceCounter()"],
    }
    "rtl-qpc" => {
        call: "RtlQueryPerformanceCounter(&t)",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        alternative_to: Some("windows/qpc"),
        expect: &["RtlQueryPerformanceCounter()"],
    }
    "getsystemtimeasfiletime" => {
        call: "GetSystemTimeAsFileTime(&t)",
        kind: Kind::Wall,
        facts: STORED,
        common: true,
        expect: &["GetSystemTimeAsFileTime()"],
    }
    "getsystemtimepreciseasfiletime" => {
        call: "GetSystemTimePreciseAsFileTime(&t)",
        kind: Kind::Wall,
        facts: UNDOCUMENTED,
        common: true,
        expect: &["GetSystemTimePreciseAsFileTime()"],
    }
    "querythreadcycletime" => {
        call: "QueryThreadCycleTime(GetCurrentThread(), &t)",
        kind: Kind::Cpu,
        facts: Facts { counts: Counts::Cycles, rate_from: RateFrom::Nothing, ..CPU_TIME },
        common: true,
        expect: &["GetCurrentThread()", "QueryThreadCycleTime()"],
        range: Range::bits(64),
    }
    "gettickcount64" => {
        call: "GetTickCount64()",
        kind: Kind::Monotonic,
        facts: STORED,
        common: true,
        expect: &["GetTickCount64()"],
        range: Range::bits(64),
    }
    "timegettime" => {
        call: "timeGetTime()",
        kind: Kind::Monotonic,
        facts: STORED,
        common: true,
        expect: &["timeGetTime()"],
        range: Range::bits(32),
    }
    "queryinterrupttime" => {
        call: "QueryInterruptTime(&t)",
        kind: Kind::Monotonic,
        facts: STORED,
        expect: &["QueryInterruptTime()"],
    }
    "queryinterrupttimeprecise" => {
        call: "QueryInterruptTimePrecise(&t)",
        kind: Kind::Monotonic,
        facts: UNDOCUMENTED,
        expect: &["QueryInterruptTimePrecise()"],
    }
    "queryunbiasedinterrupttime" => {
        call: "QueryUnbiasedInterruptTime(&t)",
        kind: Kind::Monotonic,
        facts: STORED,
        expect: &["QueryUnbiasedInterruptTime()"],
    }
}
