//! The time-stamp counter of x86, unordered and ordered, and the cycle counter.

use super::entry::{
    COUNTER, CYCLES, Entry, FENCED_COUNTER, Facts, Kind, ORDERED_COUNTER, PLAIN, Range,
};
use chronoscope_model::clock::Orders;

const X86: Entry = Entry { home: "x86", ..PLAIN };

clocks! {
    CLOCKS: x86 in native_c if target_arch = "x86_64", like X86;

    "rdtsc-asm" after super::entry::may_read_counter() =>
        "asm volatile(\"rdtsc\" : \"=a\"(low), \"=d\"(high))", Kind::Counter, COUNTER,
        alternative_to: Some("x86/rdtsc-intrinsic"), expect: &["rdtsc"];
    "rdtsc-intrinsic" after super::entry::may_read_counter() =>
        "__rdtsc()", Kind::Counter, COUNTER, common: true, expect: &["rdtsc"];
    "rdtsc-builtin" after super::entry::may_read_counter() =>
        "__builtin_ia32_rdtsc()", Kind::Counter, COUNTER,
        alternative_to: Some("x86/rdtsc-intrinsic"), expect: &["rdtsc"];
    "rdtsc-ms" after cpu::khz() =>
        "__rdtsc() / tsc_khz", Kind::Monotonic, COUNTER, expect: &["rdtsc", "div"],
        range: Range::counter(64);
    "rdtscp" after cpu::rdtscp() =>
        "__rdtscp(&processor)", Kind::Counter, ORDERED_COUNTER, common: true, expect: &["rdtscp"];
    "lfence-rdtsc" after super::entry::may_read_counter() =>
        "_mm_lfence(); __rdtsc()", Kind::Counter, FENCED_COUNTER, common: true,
        expect: &["lfence", "rdtsc"];
    "lfence-rdtsc-lfence" after super::entry::may_read_counter() =>
        "_mm_lfence(); __rdtsc(); _mm_lfence()", Kind::Counter,
        Facts { orders: Orders::Both, ..FENCED_COUNTER }, expect: &["lfence", "rdtsc", "lfence"];
    "mfence-rdtsc" after super::entry::may_read_counter() =>
        "_mm_mfence(); __rdtsc()", Kind::Counter, Facts { orders: Orders::Memory, ..COUNTER },
        expect: &["mfence", "rdtsc"];
    "serialize-rdtsc" after cpu::serialize() =>
        "_serialize(); __rdtsc()", Kind::Counter, ORDERED_COUNTER, expect: &["serialize", "rdtsc"];
    // CPUID exits unconditionally (Intel SDM volume 3, 26.1.2).
    "cpuid-rdtsc" after super::entry::may_read_counter() =>
        "asm volatile(\"cpuid; rdtsc\" : \"=a\"(low), \"=d\"(high) : \"0\"(0) \
               : \"rbx\", \"rcx\", \"memory\")",
        Kind::Counter, Facts { exits_guest: true, ..ORDERED_COUNTER }, common: true,
        expect: &["cpuid", "rdtsc"];
    "rdtscp-cpuid" after cpu::rdtscp() =>
        "__rdtscp(&processor); __cpuid(0, a, b, c, d)", Kind::Counter,
        Facts { exits_guest: true, orders: Orders::Both, ..ORDERED_COUNTER },
        expect: &["rdtscp", "cpuid"];
    // The width of a counter on every processor that reports it (CPUID leaf 0xA, EAX[23:16]),
    // and on AMD's processors (APM volume 2, 13.2).
    "rdpmc" if target_os = "linux" after super::perf_event::cycles() =>
        "asm volatile(\"rdpmc\" : \"=a\"(low), \"=d\"(high) : \"c\"(counter))", Kind::Counter,
        CYCLES, home: "Linux on x86", expect: &["rdpmc"], range: Range::bits(48);
}

/// What reads of the counter need: the instructions that order them (Intel SDM volume 2A, CPUID),
/// and the counter's rate.
#[cfg(all(native_c, target_arch = "x86_64"))]
mod cpu {
    use crate::clocks::native::State;
    use crate::clocks::{Unavailable, entry};
    use crate::time::Instant;
    use chronoscope::counter;
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    use raw_cpuid::CpuId;
    use std::sync::OnceLock;
    use std::time::Duration;

    /// RDTSCP: leaf 0x8000_0001, EDX bit 27.
    pub(super) fn rdtscp() -> Result<(), Unavailable> {
        entry::may_read_counter()?;
        let features = CpuId::new().get_extended_processor_and_feature_identifiers();
        has(
            features.is_some_and(|features| features.has_rdtscp()),
            "rdtscp (CPUID 0x80000001 EDX[27] is 0): `lfence; rdtsc` is ordered as well",
        )
    }

    /// SERIALIZE: leaf 7, subleaf 0, EDX bit 14.
    pub(super) fn serialize() -> Result<(), Unavailable> {
        entry::may_read_counter()?;
        // The decoder does not know it.
        let known = __cpuid(0).eax >= 7;
        has(
            known && __cpuid_count(7, 0).edx & 1 << 14 != 0,
            "serialize (CPUID 7 EDX[14] is 0): `lfence; rdtsc` orders reads, and cpuid serialises",
        )
    }

    /// How long the rate is measured, and so the start of each command that lists clocks. With
    /// brackets of some 50 ns, its error is about 12 ppm.
    const MEASURED: Duration = Duration::from_millis(4);

    /// The counter's rate in kHz, as a program measures it that converts its reads to milliseconds:
    /// once, against the system's monotonic clock. This reads the counter, but runs none of the
    /// code of the clock, so the first read of that is still cold.
    pub(super) fn khz() -> Result<State, Unavailable> {
        static KHZ: OnceLock<usize> = OnceLock::new();
        entry::may_read_counter()?;
        let khz = *KHZ.get_or_init(|| {
            let (start, from) = together();
            while start.elapsed() < MEASURED {
                std::hint::spin_loop();
            }
            let (end, to) = together();
            let ms = (end - start).as_secs_f64() * 1e3;
            (to.wrapping_sub(from) as f64 / ms).round() as usize
        });
        match khz {
            0 => Err(Unavailable("the TSC did not count while its rate was measured".into())),
            khz => Ok(State::of(khz)),
        }
    }

    /// Both clocks at one moment: the closest of a few attempts.
    fn together() -> (Instant, u64) {
        let attempts = (0..16).map(|_| {
            let before = counter::now_ordered();
            let time = Instant::now();
            let width = counter::now_ordered().wrapping_sub(before);
            (width, time, before.wrapping_add(width / 2))
        });
        let closest = attempts.min_by_key(|(width, ..)| *width);
        closest.map_or_else(|| (Instant::now(), counter::now()), |(_, time, ticks)| (time, ticks))
    }

    fn has(flag: bool, what: &str) -> Result<(), Unavailable> {
        if flag { Ok(()) } else { Err(Unavailable(format!("this processor does not have {what}"))) }
    }
}
