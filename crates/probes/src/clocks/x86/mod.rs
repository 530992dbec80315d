//! The time-stamp counter of x86, unordered and ordered, and the cycle counter.

#[cfg(all(native_c, target_arch = "x86_64"))]
mod cpu;

use super::entry::{
    COUNTER, CYCLES, Entry, FENCED_COUNTER, Facts, Kind, ORDERED_COUNTER, PLAIN, Range,
};
use chronoscope_model::clock::Orders;

const X86: Entry = Entry { kind: Kind::Counter, home: "x86", ..PLAIN };

clocks! {
    CLOCKS: x86 in native_c if target_arch = "x86_64", like X86;

    "rdtsc-asm" after super::permission::counter() => {
        call: "asm volatile(\"rdtsc\" : \"=a\"(low), \"=d\"(high))",
        facts: COUNTER,
        alternative_to: Some("x86/rdtsc-intrinsic"),
        expect: &["rdtsc"],
    }
    "rdtsc-intrinsic" after super::permission::counter() => {
        call: "__rdtsc()",
        facts: COUNTER,
        common: true,
        expect: &["rdtsc"],
    }
    "rdtsc-builtin" after super::permission::counter() => {
        call: "__builtin_ia32_rdtsc()",
        facts: COUNTER,
        alternative_to: Some("x86/rdtsc-intrinsic"),
        expect: &["rdtsc"],
    }
    "rdtsc-ms" after cpu::khz() => {
        call: "__rdtsc() / tsc_khz",
        kind: Kind::Monotonic,
        facts: COUNTER,
        expect: &["rdtsc", "div"],
        range: Range::counter(64),
    }
    "rdtscp" after cpu::rdtscp() => {
        call: "__rdtscp(&processor)",
        facts: ORDERED_COUNTER,
        common: true,
        expect: &["rdtscp"],
    }
    "lfence-rdtsc" after super::permission::counter() => {
        call: "_mm_lfence(); __rdtsc()",
        facts: FENCED_COUNTER,
        common: true,
        expect: &["lfence", "rdtsc"],
    }
    "lfence-rdtsc-lfence" after super::permission::counter() => {
        call: "_mm_lfence(); __rdtsc(); _mm_lfence()",
        facts: Facts { orders: Orders::Both, ..FENCED_COUNTER },
        expect: &["lfence", "rdtsc", "lfence"],
    }
    "mfence-rdtsc" after super::permission::counter() => {
        call: "_mm_mfence(); __rdtsc()",
        facts: Facts { orders: Orders::Memory, ..COUNTER },
        expect: &["mfence", "rdtsc"],
    }
    "serialize-rdtsc" after cpu::serialize() => {
        call: "_serialize(); __rdtsc()",
        facts: ORDERED_COUNTER,
        expect: &["serialize", "rdtsc"],
    }
    "cpuid-rdtsc" after super::permission::counter() => {
        call: "asm volatile(\"cpuid; rdtsc\" : \"=a\"(low), \"=d\"(high) : \"0\"(0) \
               : \"rbx\", \"rcx\", \"memory\")",
        // CPUID exits unconditionally (Intel SDM volume 3, 26.1.2).
        facts: Facts { exits_guest: true, ..ORDERED_COUNTER },
        common: true,
        expect: &["cpuid", "rdtsc"],
    }
    "rdtscp-cpuid" after cpu::rdtscp() => {
        call: "__rdtscp(&processor); __cpuid(0, a, b, c, d)",
        facts: Facts { exits_guest: true, orders: Orders::Both, ..ORDERED_COUNTER },
        expect: &["rdtscp", "cpuid"],
    }
    "rdpmc" if target_os = "linux" after super::perf_event::cycles() => {
        call: "asm volatile(\"rdpmc\" : \"=a\"(low), \"=d\"(high) : \"c\"(counter))",
        facts: CYCLES,
        home: "Linux on x86",
        expect: &["rdpmc"],
        // The width of a counter on every processor that reports it (CPUID leaf 0xA, EAX[23:16]),
        // and on AMD's processors (APM volume 2, 13.2).
        range: Range::bits(48),
    }
}
