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
        about: "The time-stamp counter through inline assembly, for compilers and languages \
                without the intrinsic. It is the same instruction as the intrinsic, at the same \
                cost; what differs is the effort and the chance of a wrong constraint. The read is \
                not ordered with anything.",
        references: &["Intel SDM volume 2B, RDTSC", "GCC manual, Extended Asm"],
        expect: &["rdtsc"],
    }
    "rdtsc-intrinsic" after super::permission::counter() => {
        call: "__rdtsc()",
        facts: COUNTER,
        common: true,
        about: "The time-stamp counter through the intrinsic that compilers have in common: the \
                cheapest clock of x86. The read is not ordered with anything: it may take place \
                before earlier instructions have finished and after later ones have begun. Its \
                ticks need a rate, and they are time only if the counter is invariant.",
        references: &["Intel SDM volume 2B, RDTSC", "Intel SDM volume 3B, Time-Stamp Counter"],
        expect: &["rdtsc"],
    }
    "rdtsc-builtin" after super::permission::counter() => {
        call: "__builtin_ia32_rdtsc()",
        facts: COUNTER,
        alternative_to: Some("x86/rdtsc-intrinsic"),
        about: "The time-stamp counter through the builtin of GCC and Clang on which their \
                __rdtsc() is based. It needs no header, but MSVC does not have it. There is no \
                other reason to prefer it.",
        references: &["Intel SDM volume 2B, RDTSC", "GCC manual, x86 Built-in Functions"],
        expect: &["rdtsc"],
    }
    "rdtsc-ms" after cpu::khz() => {
        call: "__rdtsc() / tsc_khz",
        kind: Kind::Monotonic,
        facts: COUNTER,
        about: "The time-stamp counter as milliseconds since it started from zero: the intrinsic \
                and a division by the counter's rate in kHz. The program must measure that rate \
                first; here that takes 4 ms, against the system's monotonic clock. An error of \
                the rate is one of the time for as long as the program runs. The value is coarse, \
                and on Intel's processors before Ice Lake the division takes longer than the read: \
                keep the ticks, and convert only what is shown.",
        references: &[
            "Intel SDM volume 2B, RDTSC",
            "Intel SDM volume 2A, DIV",
            "Agner Fog, Instruction tables, DIV r64",
        ],
        expect: &["rdtsc", "div"],
        range: Range::counter(64),
    }
    "rdtscp" after cpu::rdtscp() => {
        call: "__rdtscp(&processor)",
        facts: ORDERED_COUNTER,
        common: true,
        about: "Waits until earlier instructions have executed and earlier loads are visible, then \
                reads the counter and the number of the CPU. It is good at the end of a timed \
                region. Later instructions may still begin before the read, so an lfence belongs \
                after it.",
        references: &["Intel SDM volume 2B, RDTSCP", "AMD APM volume 3, RDTSCP"],
        expect: &["rdtscp"],
    }
    "lfence-rdtsc" after super::permission::counter() => {
        call: "_mm_lfence(); __rdtsc()",
        facts: FENCED_COUNTER,
        common: true,
        about: "The counter, read after all earlier instructions have completed locally. The \
                kernel itself reads it this way (rdtsc_ordered), and it is the usual read at the \
                end of a region if the processor has no rdtscp. On AMD, lfence waits only if the \
                kernel has set DE_CFG[1], as every supported Linux does.",
        references: &[
            "Intel SDM volume 2B, RDTSC",
            "Intel SDM volume 2A, LFENCE",
            "Linux arch/x86/include/asm/tsc.h, rdtsc_ordered()",
        ],
        expect: &["lfence", "rdtsc"],
    }
    "lfence-rdtsc-lfence" after super::permission::counter() => {
        call: "_mm_lfence(); __rdtsc(); _mm_lfence()",
        facts: Facts { orders: Orders::Both, ..FENCED_COUNTER },
        about: "The counter, read after earlier instructions have completed and before any later \
                one begins: the proper way to start a timed region. The second fence keeps the \
                work under test from moving ahead of its own clock.",
        references: &["Intel SDM volume 2B, RDTSC", "Intel SDM volume 2A, LFENCE"],
        expect: &["lfence", "rdtsc", "lfence"],
    }
    "mfence-rdtsc" after super::permission::counter() => {
        call: "_mm_mfence(); __rdtsc()",
        facts: Facts { orders: Orders::Memory, ..COUNTER },
        about: "The counter, read after earlier loads and stores have become visible. On AMD, \
                before DE_CFG[1] was usual, this was the way to order rdtsc, and Linux used it \
                there. On Intel, mfence is not architecturally required to hold back rdtsc, and it \
                costs more than lfence.",
        references: &[
            "Intel SDM volume 2B, RDTSC",
            "Intel SDM volume 2B, MFENCE",
            "AMD APM volume 3, RDTSC",
        ],
        expect: &["mfence", "rdtsc"],
    }
    "serialize-rdtsc" after cpu::serialize() => {
        call: "_serialize(); __rdtsc()",
        facts: ORDERED_COUNTER,
        about: "The serialising instruction that does nothing else: all earlier instructions and \
                their stores are complete before the read, no register is overwritten, and the \
                hypervisor is not called. It is stronger than lfence, which leaves stores in their \
                buffer. Only processors from the time of Alder Lake and Sapphire Rapids on have \
                it.",
        references: &[
            "Intel SDM volume 2B, SERIALIZE",
            "Intel SDM volume 2A, CPUID leaf 7 EDX bit 14",
        ],
        expect: &["serialize", "rdtsc"],
    }
    "cpuid-rdtsc" after super::permission::counter() => {
        call: "asm volatile(\"cpuid; rdtsc\" : \"=a\"(low), \"=d\"(high) : \"0\"(0) \
               : \"rbx\", \"rcx\", \"memory\")",
        // CPUID exits unconditionally (Intel SDM volume 3, 26.1.2).
        facts: Facts { exits_guest: true, ..ORDERED_COUNTER },
        common: true,
        about: "The oldest recipe: cpuid serialises the whole pipeline before the read. It costs a \
                hundred cycles or more, and varies from call to call. In a virtual machine it \
                traps to the hypervisor and takes microseconds. It is kept for comparison: lfence \
                or serialize does what it was used for.",
        references: &[
            "Intel SDM volume 3A, Serializing Instructions",
            "Paoloni 2010, How to Benchmark Code Execution Times on Intel IA-32 and IA-64",
        ],
        expect: &["cpuid", "rdtsc"],
    }
    "rdtscp-cpuid" after cpu::rdtscp() => {
        call: "__rdtscp(&processor); __cpuid(0, a, b, c, d)",
        facts: Facts { exits_guest: true, orders: Orders::Both, ..ORDERED_COUNTER },
        about: "The end of Intel's pair, whose beginning is cpuid-rdtsc: nothing of the timed region \
                begins before the first read or ends after the second, and cpuid lies outside both. \
                As a clock, each read pays for its cpuid, which traps in a virtual machine.",
        references: &[
            "Paoloni 2010, How to Benchmark Code Execution Times on Intel IA-32 and IA-64, 3.2.1",
        ],
        expect: &["rdtscp", "cpuid"],
    }
    "rdpmc" if target_os = "linux" after super::perf_event::cycles() => {
        call: "asm volatile(\"rdpmc\" : \"=a\"(low), \"=d\"(high) : \"c\"(counter))",
        facts: CYCLES,
        home: "Linux on x86",
        about: "Core cycles, counted by the performance monitor and read without a system call. \
                They come at the rate at which the core actually runs, and stop when it halts or \
                the kernel gives the counter away: right for counting cycles, wrong for time. It \
                needs hardware counters and a kernel that lets user code read them.",
        references: &[
            "Intel SDM volume 2B, RDPMC",
            "Linux include/uapi/linux/perf_event.h, struct perf_event_mmap_page",
            "/sys/bus/event_source/devices/cpu/rdpmc",
        ],
        expect: &["rdpmc"],
        // The width of a counter on every processor that reports it (CPUID leaf 0xA, EAX[23:16]),
        // and on AMD's processors (APM volume 2, 13.2).
        range: Range::bits(48),
    }
}
