//! Waits that read a clock again and again and do not give up the CPU, unless their text says so,
//! and the loop that all of them are.

use super::entry::{ByDeadline, ByDuration, Code, DEADLINE, Entry, Kind, Language, PLAIN};
use crate::waits::os;
use chronoscope::counter;
use chronoscope::machine::{Machine, Native};
use chronoscope_model::snippet;
use std::time::Instant;

const BUSY: Entry = Entry { kind: Kind::Busy, slack: false, ..PLAIN };

table! {
    WAITS: &[Entry];
    like BUSY;
    "busy/tsc" => "while (__rdtsc() - start < ticks) _mm_pause();",
        home: "x86",
        code: Code::Before(|wait| wait.ticks_and("uint64_t start = __rdtsc();")),
        opener: on!(portable target_arch = "x86_64", |setting| {
            let hz = setting.counter_hz;
            ByDuration(move |ns| spin_counter(ns, hz, |_| std::hint::spin_loop()))
        });
    "busy/tsc-bare" => "while (__rdtsc() - start < ticks) {}",
        home: "x86",
        code: Code::Before(|wait| wait.ticks_and("uint64_t start = __rdtsc();")),
        opener: on!(portable target_arch = "x86_64", |setting| {
            let hz = setting.counter_hz;
            ByDuration(move |ns| spin_counter(ns, hz, |_| {}))
        });
    "busy/cntvct" => "while (cntvct() - start <= ticks) asm(\"yield\");",
        home: "AArch64",
        code: Code::Lines(|wait| arm_lines("yield", wait.ns)),
        // Not `spin_loop`, which is an isb on this processor (Rust core::hint::spin_loop).
        opener: on!(target_arch = "aarch64", |setting| {
            let hz = setting.counter_hz;
            ByDuration(move |ns| {
                spin_counter(ns, hz, |_| {
                    // SAFETY: yield has no operands and no effect but the hint.
                    unsafe { std::arch::asm!("yield", options(nomem, nostack, preserves_flags)) };
                })
            })
        });
    "busy/qpc" => "do { QueryPerformanceCounter(&now); } while (now.QuadPart < deadline);",
        facts: DEADLINE,
        home: "Windows",
        code: Code::Lines(|wait| snippet::qpc_spin(wait.ns, "")),
        opener: on!(windows, |_| {
            use crate::waits::windows::qpc::{hz, now};
            let hz = hz() as f64;
            ByDuration(move |ns| spin(now(), ticks(ns, hz), ns, now, || {}))
        });
    "busy/monotonic" =>
        "do clock_gettime(CLOCK_MONOTONIC, &t); \
        while (t.tv_sec * 1000000000LL + t.tv_nsec < end);",
        home: "Linux",
        code: Code::Lines(|wait| snippet::spin(wait.ns, "")),
        opener: on!(portable target_os = "linux", |_| {
            ByDeadline(|deadline| spin_until(deadline, || {}))
        });
    "busy/instant" => "while start.elapsed() < duration { std::hint::spin_loop() }",
        language: Language::Rust,
        home: "every system",
        code: Code::Before(|wait| snippet::rust_start(wait.ns)),
        opener: on!(all(), |_| {
            ByDuration(|ns| spin_elapsed(Instant::now(), ns, std::hint::spin_loop))
        });
    "busy/tpause" => "while (__rdtsc() < deadline) _tpause(1, deadline);",
        facts: DEADLINE,
        home: "x86 with WAITPKG",
        code: Code::Before(|wait| wait.ticks_and("uint64_t deadline = __rdtsc() + ticks;")),
        opener: on!(target_arch = "x86_64", |setting| {
            waitpkg::check()?;
            let hz = setting.counter_hz;
            ByDuration(move |ns| spin_counter(ns, hz, waitpkg::tpause))
        });
    "busy/umwait" => "while (__rdtsc() < deadline) { _umonitor(&word); _umwait(1, deadline); }",
        facts: DEADLINE,
        home: "x86 with WAITPKG",
        code: Code::Before(|wait| {
            wait.ticks_and("uint64_t deadline = __rdtsc() + ticks;\nint word = 0;")
        }),
        opener: on!(target_arch = "x86_64", |setting| waitpkg::Umwait::open(setting.counter_hz)?);
    "busy/wfe" => "while (cntvct() - start <= ticks) asm(\"wfe\");",
        home: "AArch64 Linux",
        code: Code::Lines(|wait| arm_lines("wfe", wait.ns)),
        opener: on!(all(target_arch = "aarch64", target_os = "linux"), |setting| {
            let hz = events::stream_hz(setting)?;
            ByDuration(move |ns| events::wfe(ns, hz))
        });
    "busy/wfet" => "while (cntvct() < deadline) asm(\"wfet %0\" : : \"r\"(deadline));",
        facts: DEADLINE,
        home: "AArch64 Linux with FEAT_WFxT",
        code: Code::Lines(|wait| arm_lines("wfet %1", wait.ns)),
        opener: on!(all(target_arch = "aarch64", target_os = "linux"), |setting| {
            let hz = events::timeout_hz(setting)?;
            ByDuration(move |ns| events::wfet(ns, hz))
        });
    "busy/sched_yield" => "while start.elapsed() < duration { std::thread::yield_now() }",
        language: Language::Rust,
        home: "every system",
        code: Code::Before(|wait| snippet::rust_start(wait.ns)),
        opener: on!(all(), |_| {
            ByDuration(|ns| spin_elapsed(Instant::now(), ns, std::thread::yield_now))
        });
}

/// The instructions of WAITPKG.
#[cfg(target_arch = "x86_64")]
mod waitpkg {
    use super::spin_counter;
    use crate::waits::{Method, Unavailable};
    use std::arch::asm;

    /// CPUID leaf 7, ECX bit 5 (Intel SDM volume 2A, CPUID).
    pub(super) fn check() -> Result<(), Unavailable> {
        let features = raw_cpuid::CpuId::new().get_extended_feature_info();
        if features.is_some_and(|features| features.has_waitpkg()) {
            Ok(())
        } else {
            Err(Unavailable(
                "this processor does not offer WAITPKG (CPUID leaf 7, ECX bit 5); some hypervisors \
                 hide it"
                    .into(),
            ))
        }
    }

    /// Waits in the lighter of the two states, C0.1, which bit 0 of the control operand selects.
    pub(super) fn tpause(deadline: u64) {
        // SAFETY: `check` has found that the instruction exists; it changes nothing but flags.
        unsafe {
            asm!(
                "tpause {:e}",
                in(reg) 1u32,
                in("eax") deadline as u32,
                in("edx") (deadline >> 32) as u32,
                options(nomem, nostack)
            );
        }
    }

    /// A word on a cache line of its own, so that no write to another word counts as a write to
    /// this one.
    #[repr(align(128))]
    pub(super) struct Line(u64);

    pub(super) struct Umwait(f64, Box<Line>);

    impl Umwait {
        pub(super) fn open(hz: f64) -> Result<Self, Unavailable> {
            check()?;
            Ok(Self(hz, Box::new(Line(0))))
        }
    }

    impl Method for Umwait {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            let word = &raw const self.1.0;
            spin_counter(ns, self.0, |deadline| umwait(word, deadline))
        }
    }

    fn umwait(word: *const u64, deadline: u64) {
        // SAFETY: `check` has found that the instructions exist; they use the word's address,
        // which is valid, and change nothing but flags.
        unsafe {
            asm!("umonitor {}", in(reg) word, options(nostack));
            asm!(
                "umwait {:e}",
                in(reg) 1u32,
                in("eax") deadline as u32,
                in("edx") (deadline >> 32) as u32,
                options(nostack)
            );
        }
    }
}

/// The instructions that wait for an event.
#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod events {
    use super::spin_counter;
    use crate::waits::{Setting, Unavailable};

    /// Without the event stream, only an interrupt would end a `wfe`, whenever one comes.
    /// HWCAP_EVTSTRM shows that the stream runs (Linux Documentation/arch/arm64/elf_hwcaps.rst).
    pub(super) fn stream_hz(setting: &Setting) -> Result<f64, Unavailable> {
        // SAFETY: getauxval takes any number and only reads the process's own vector.
        if unsafe { libc::getauxval(libc::AT_HWCAP) } & libc::HWCAP_EVTSTRM == 0 {
            return Err(Unavailable(
                "the kernel runs no event stream (HWCAP_EVTSTRM), so nothing would end a wfe"
                    .into(),
            ));
        }
        Ok(setting.counter_hz)
    }

    pub(super) fn wfe(ns: u64, hz: f64) -> Result<(), i32> {
        spin_counter(ns, hz, |_| {
            // SAFETY: wfe has no operands and no effect but the wait.
            unsafe { std::arch::asm!("wfe", options(nomem, nostack, preserves_flags)) };
        })
    }

    /// Linux arch/arm64/include/uapi/asm/hwcap.h
    const HWCAP2_WFXT: libc::c_ulong = 1 << 31;

    pub(super) fn timeout_hz(setting: &Setting) -> Result<f64, Unavailable> {
        // SAFETY: getauxval takes any number and only reads the process's own vector.
        if unsafe { libc::getauxval(libc::AT_HWCAP2) } & HWCAP2_WFXT == 0 {
            return Err(Unavailable("this processor has no wfet (FEAT_WFxT, Armv8.7)".into()));
        }
        Ok(setting.counter_hz)
    }

    pub(super) fn wfet(ns: u64, hz: f64) -> Result<(), i32> {
        spin_counter(ns, hz, |deadline| {
            // `wfet x0`, as a number because some assemblers do not know it (Arm ARM, WFET).
            // SAFETY: the processor was found to have the instruction, which has no effect but the
            // wait.
            unsafe {
                std::arch::asm!(
                    ".inst 0xd5031000",
                    in("x0") deadline,
                    options(nomem, nostack, preserves_flags)
                );
            }
        })
    }
}

/// The error of a spin whose clock stood still. No system has an error number for that; this one
/// means "timer expired" on every system.
const FROZEN: i32 = 62;

/// Reads a clock until it shows `ticks` more than `start`, and calls `relax` between two reads.
///
/// A clock that stands still must not hang the tool, so the number of iterations is limited too: no
/// iteration takes less than a third of a nanosecond, which is one cycle of a 3 GHz processor, and
/// a hundred thousand more are allowed.
#[inline(always)]
pub(crate) fn spin(
    start: u64,
    ticks: u64,
    ns: u64,
    mut now: impl FnMut() -> u64,
    mut relax: impl FnMut(),
) -> Result<(), i32> {
    let most = ns.saturating_mul(3).saturating_add(100_000);
    for _ in 0..most {
        // A step backwards wraps to a huge number. As a signed number it means that the wait is not
        // over yet.
        if now().wrapping_sub(start) as i64 >= ticks as i64 {
            return Ok(());
        }
        relax();
    }
    Err(FROZEN)
}

/// Spins for `ns` nanoseconds on the counter of this machine, whose rate is `hz`. `relax` is told
/// the counter's value at the end.
#[inline(always)]
pub(crate) fn spin_counter(ns: u64, hz: f64, mut relax: impl FnMut(u64)) -> Result<(), i32> {
    let (start, ticks) = (counter::now(), counter_ticks(ns, hz));
    let deadline = start.wrapping_add(ticks);
    spin(start, ticks, ns, counter::now, || relax(deadline))
}

/// Spins on the clock of Rust's standard library until `ns` have passed since `start`.
#[inline(always)]
pub(crate) fn spin_elapsed(start: Instant, ns: u64, relax: impl FnMut()) -> Result<(), i32> {
    let now = || start.elapsed().as_nanos() as u64;
    spin(0, ns, ns, now, relax)
}

/// Spins on the system's clock until that clock shows `deadline`.
#[inline(always)]
pub(crate) fn spin_until(deadline: u64, relax: impl FnMut()) -> Result<(), i32> {
    let now = os::monotonic();
    let left = deadline.saturating_sub(now);
    if left == 0 {
        return Ok(());
    }
    spin(now, left, left, os::monotonic, relax)
}

/// Nanoseconds in ticks of a counter, rounded up.
pub(crate) fn ticks(ns: u64, hz: f64) -> u64 {
    (ns as f64 * hz / 1e9).ceil() as u64
}

/// Nanoseconds in ticks of this machine's counter, whose rate is `hz`. The value at the start may
/// be as old as one step of the counter, so one more step must pass or the wait is early. A step is
/// nothing on x86-64, and a microsecond if an emulator derives the counter from a coarse clock.
pub(crate) fn counter_ticks(ns: u64, hz: f64) -> u64 {
    ticks(ns, hz).saturating_add(Native.ticks_step())
}

/// Lines of C that spin on the counter of Arm's generic timer with an instruction that waits a
/// little; operand 1 of the instruction is the end.
pub(crate) fn arm_lines(instruction: &str, ns: u64) -> String {
    format!(
        "uint64_t hz, now, end;\n\
         __asm__(\"mrs %0, cntfrq_el0\" : \"=r\"(hz));\n\
         __asm__ volatile(\"mrs %0, cntvct_el0\" : \"=r\"(end));\n\
         end += {ns} * hz / 1000000000;\n\
         do __asm__ volatile(\"{instruction}\\n\\tmrs %0, cntvct_el0\"\n                     \
         : \"=&r\"(now) : \"r\"(end));\n\
         while (now < end);"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_stands_still_ends_the_spin() {
        assert_eq!(spin(7, 10, 10, || 7, || {}), Err(FROZEN));
        let mut now = 100_000;
        let backwards = || {
            now -= 1;
            now
        };
        assert!(spin(100_000, 10, 0, backwards, || {}).is_err());
    }

    #[test]
    fn a_spin_ends_when_the_clock_has_advanced() {
        let mut now = u64::MAX - 3;
        let mut turns = 0;
        let clock = || {
            now = now.wrapping_add(1);
            now
        };
        assert_eq!(spin(u64::MAX - 3, 10, 10, clock, || turns += 1), Ok(()));
        assert_eq!(turns, 9);
        assert_eq!(ticks(1_000, 2.6e9), 2_600);
        assert_eq!(
            counter_ticks(1_000, 2.6e9),
            2_600 + Native.ticks_step(),
            "without one more step it would be early"
        );
    }
}
