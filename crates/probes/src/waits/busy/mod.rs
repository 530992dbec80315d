//! Waits that read a clock again and again and do not give up the CPU, unless their text says so.

mod tpause;
mod umwait;
mod wfe;
mod wfet;

use super::entry::{Code, DEADLINE, Entry, Kind, Language, PLAIN};
use super::open::{ByDeadline, ByDuration};
use super::spin::{arm_lines, spin_counter, spin_elapsed, spin_until};
use chronoscope_model::snippet;
use std::time::Instant;

const BUSY: Entry = Entry { kind: Kind::Busy, slack: false, ..PLAIN };

pub(super) const WAITS: &[Entry] = &[
    Entry {
        id: "busy/tsc",
        call: "while (__rdtsc() - start < ticks) _mm_pause();",
        home: "x86",
        about: "Reads the counter until the deadline, with the hint that this is a spin loop. On \
                Intel since Skylake, a pause takes 40 to 140 cycles. The wait cannot be finer than \
                that, but the core's other thread gets more room.",
        references: &[
            "Intel SDM volume 2B, PAUSE",
            "Intel Optimization Manual, PAUSE latency in Skylake",
        ],
        code: Code::Before(|wait| wait.ticks_and("uint64_t start = __rdtsc();")),
        opener: on!(portable target_arch = "x86_64", |setting| {
            let hz = setting.counter_hz;
            ByDuration(move |ns| spin_counter(ns, hz, std::hint::spin_loop))
        }),
        ..BUSY
    },
    Entry {
        id: "busy/tsc-bare",
        call: "while (__rdtsc() - start < ticks) {}",
        home: "x86",
        about: "Reads the counter back to back: the finest wait possible, at the expense of the \
                core's other thread.",
        references: &["Intel SDM volume 2B, RDTSC"],
        code: Code::Before(|wait| wait.ticks_and("uint64_t start = __rdtsc();")),
        opener: on!(portable target_arch = "x86_64", |setting| {
            let hz = setting.counter_hz;
            ByDuration(move |ns| spin_counter(ns, hz, || {}))
        }),
        ..BUSY
    },
    Entry {
        id: "busy/cntvct",
        call: "while (cntvct() - start <= ticks) asm(\"yield\");",
        home: "AArch64",
        about: "Reads the generic timer until the deadline, with the hint that this is a spin \
                loop. The wait ends at a tick of the counter; ticks are 18 to 52 ns apart on most \
                boards. One tick more than asked for must pass, because the first may be half \
                over.",
        references: &["Arm ARM, CNTVCT_EL0", "Arm ARM, YIELD"],
        code: Code::Lines(|wait| arm_lines("yield", wait.ns)),
        // Not `spin_loop`, which is an isb on this processor (Rust core::hint::spin_loop).
        opener: on!(target_arch = "aarch64", |setting| {
            let hz = setting.counter_hz;
            ByDuration(move |ns| {
                spin_counter(ns, hz, || {
                    // SAFETY: yield has no operands and no effect but the hint.
                    unsafe { std::arch::asm!("yield", options(nomem, nostack, preserves_flags)) };
                })
            })
        }),
        ..BUSY
    },
    Entry {
        id: "busy/qpc",
        call: "do { QueryPerformanceCounter(&now); } while (now.QuadPart < deadline);",
        facts: DEADLINE,
        home: "Windows",
        about: "Reads Windows' own counter until the deadline. It is accurate to tens of ticks \
                until the machine is loaded, and then it fails completely.",
        references: &["Microsoft Learn, QueryPerformanceCounter"],
        code: Code::Lines(|wait| snippet::qpc_spin(wait.ns).alone()),
        opener: on!(windows, |_| {
            use crate::waits::spin::{spin, ticks};
            use crate::waits::windows_qpc::{hz, now};
            let hz = hz() as f64;
            ByDuration(move |ns| spin(now(), ticks(ns, hz), ns, now, || {}))
        }),
        ..BUSY
    },
    Entry {
        id: "busy/monotonic",
        call: "do clock_gettime(CLOCK_MONOTONIC, &t); \
               while (t.tv_sec * 1000000000LL + t.tv_nsec < end);",
        home: "Linux",
        about: "Reads the clock of the system's own timers until the deadline, so it is never \
                early by that clock. If the vDSO serves the clock, this is as cheap as spinning on \
                the counter.",
        references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
        code: Code::Lines(|wait| snippet::spin(wait.ns, "").alone()),
        opener: on!(portable target_os = "linux", |_| {
            ByDeadline(|deadline| spin_until(deadline, || {}))
        }),
        ..BUSY
    },
    Entry {
        id: "busy/instant",
        call: "while start.elapsed() < duration { std::hint::spin_loop() }",
        language: Language::Rust,
        home: "every system",
        about: "What a Rust programmer would write: a loop that reads the system's monotonic clock \
                through the standard library until the duration is over.",
        references: &["std::time::Instant::elapsed", "std::hint::spin_loop"],
        code: Code::Before(|wait| snippet::rust_start(wait.ns)),
        opener: on!(all(), |_| {
            ByDuration(|ns| spin_elapsed(Instant::now(), ns, std::hint::spin_loop))
        }),
        ..BUSY
    },
    tpause::ENTRY,
    umwait::ENTRY,
    wfe::ENTRY,
    wfet::ENTRY,
    Entry {
        id: "busy/sched_yield",
        call: "while start.elapsed() < duration { std::thread::yield_now() }",
        language: Language::Rust,
        home: "every system",
        about: "A spin that offers its CPU to others in each iteration. If another thread can run, \
                it takes the offer, and that costs its whole time slice; if none can, this is a \
                spin with a system call in it. yield_now() is sched_yield() on Unix, and \
                SwitchToThread() on Windows.",
        references: &["sched_yield(2)", "Linux kernel/sched/syscalls.c, do_sched_yield"],
        code: Code::Before(|wait| snippet::rust_start(wait.ns)),
        opener: on!(all(), |_| {
            ByDuration(|ns| spin_elapsed(Instant::now(), ns, std::thread::yield_now))
        }),
        ..BUSY
    },
];
