//! The clocks of Windows.

use super::entry::{CPU_TIME, Entry, Facts, Kind, PLAIN, Range, STORED, UNDOCUMENTED};
use chronoscope_model::clock::{Counts, RateFrom};

const WINDOWS: Entry = Entry { home: "Windows", range: Range::bits(63), ..PLAIN };

clocks! {
    CLOCKS: windows in native_c if windows, like WINDOWS;

    "qpc" =>
        "QueryPerformanceCounter(&t)", Kind::Monotonic,
        Facts { rate_from: RateFrom::System, ..UNDOCUMENTED }, common: true,
        expect: &["QueryPerformanceCounter()"];
    "rtl-qpc" =>
        "RtlQueryPerformanceCounter(&t)", Kind::Monotonic,
        Facts { rate_from: RateFrom::System, ..UNDOCUMENTED }, alternative_to: Some("windows/qpc"),
        expect: &["RtlQueryPerformanceCounter()"];
    "getsystemtimeasfiletime" =>
        "GetSystemTimeAsFileTime(&t)", Kind::Wall, STORED, common: true,
        expect: &["GetSystemTimeAsFileTime()"];
    "getsystemtimepreciseasfiletime" =>
        "GetSystemTimePreciseAsFileTime(&t)", Kind::Wall, UNDOCUMENTED, common: true,
        expect: &["GetSystemTimePreciseAsFileTime()"];
    "querythreadcycletime" =>
        "QueryThreadCycleTime(GetCurrentThread(), &t)", Kind::Cpu,
        Facts { counts: Counts::Cycles, rate_from: RateFrom::Nothing, ..CPU_TIME }, common: true,
        expect: &["GetCurrentThread()", "QueryThreadCycleTime()"], range: Range::bits(64);
    "gettickcount64" =>
        "GetTickCount64()", Kind::Monotonic, STORED, common: true, expect: &["GetTickCount64()"],
        range: Range::bits(64);
    "timegettime" =>
        "timeGetTime()", Kind::Monotonic, STORED, common: true, expect: &["timeGetTime()"],
        range: Range::bits(32);
    "queryinterrupttime" =>
        "QueryInterruptTime(&t)", Kind::Monotonic, STORED, expect: &["QueryInterruptTime()"];
    "queryinterrupttimeprecise" =>
        "QueryInterruptTimePrecise(&t)", Kind::Monotonic, UNDOCUMENTED,
        expect: &["QueryInterruptTimePrecise()"];
    "queryunbiasedinterrupttime" =>
        "QueryUnbiasedInterruptTime(&t)", Kind::Monotonic, STORED,
        expect: &["QueryUnbiasedInterruptTime()"];
}
