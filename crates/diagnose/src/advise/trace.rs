//! Tracing at the lowest cost.

use super::{About, How, Purpose, interval};
use crate::pick::{Choice, chosen, figures, first_of, handed_over, none, rejected, slow_because};
use crate::reading::{cost, counter_may_jump, not_compared, tsc_objection};
use crate::system::{Code, System, with};
use chronoscope_model::Report;
use chronoscope_model::clock::Clock;

pub(super) const PURPOSE: Purpose = Purpose {
    id: "trace",
    title: "Trace at the lowest cost",
    short: "Trace",
    page: About {
        needs: "The cheapest read whose timestamps can be merged across all CPUs; order within \
                nanoseconds does not matter.",
        rules_out: "Fences, which a trace does not need. A coarse clock, which gives many records \
                    the same timestamp. A counter that the kernel itself does not keep time with: \
                    it can jump when the kernel's clock does not.",
        advised: "The bare counter if it is cheaper than the system's clock, stored as ticks and \
                  converted afterwards; otherwise the system's clock.",
        trap: "Read the counter together with the system clock at the beginning and at the end, \
               and convert with both pairs: a nominal rate is off by tens of parts per million, \
               which is milliseconds in a minute.",
        references: &[
            "Intel SDM vol. 3B, Invariant TSC",
            "Linux kernel/trace/trace_clock.c",
            "docs/METHOD.md",
        ],
    },
    how: How::Clock { choose, code: lines },
};

const COUNTERS: &[&str] =
    &["x86/rdtsc-intrinsic", "x86/rdtsc-builtin", "x86/rdtsc-asm", "arm/cntvct"];

fn choose(report: &Report) -> Choice {
    let env = &report.environment;
    // Records of several CPUs are merged by their timestamps, so the counter must be one that the
    // kernel itself keeps time with.
    let objection =
        tsc_objection(env).or_else(|| counter_may_jump(env)).or_else(|| not_compared(env));
    let system = interval::system_clock(report);
    let counter = match objection {
        None => first_of(report, COUNTERS, |_| true),
        Some(_) => None,
    };
    let system_read = system.and_then(Clock::read);
    let cheaper = |clock: &&Clock| {
        system_read.is_none_or(|other| clock.read().is_some_and(|read| read.is_below(other)))
    };
    if let Some(clock) = counter.filter(cheaper) {
        let against =
            system.and_then(|s| Some(format!(" ({}: {})", s.id, cost(s)?))).unwrap_or_default();
        let why = format!(
            "{} per read{against}; store the ticks and convert them afterwards.{}{}",
            cost(clock).unwrap_or_default(),
            handed_over(clock),
            rejected(
                report,
                &[
                    ("x86/rdtscp", "waits for earlier instructions, which a trace does not need"),
                    ("linux/monotonic-coarse", "gives many records the same timestamp"),
                ],
            )
        );
        return chosen(clock, why);
    }
    let Some(clock) = system else {
        return none(report, COUNTERS);
    };
    let against = objection
        .map_or(String::new(), |reason| format!(" The counter itself is ruled out: {reason}."));
    let why = format!(
        "{}; the cheapest whose timestamps can be merged across CPUs.{}{}{against}",
        figures(clock),
        handed_over(clock),
        slow_because(report, clock)
    );
    chosen(clock, why)
}

fn lines(choice: &Choice, system: System) -> Code {
    let base = with(
        interval::stamps(system),
        &[(
            "Go",
            "start := time.Now()  // once\n\
             fmt.Println(time.Since(start))  // reads the monotonic clock only",
        )],
    );
    if choice.family() == "x86" {
        with(
            base,
            &[
                ("C", "uint64_t t = __rdtsc();"),
                ("C++", "uint64_t t = __rdtsc();"),
                ("Rust", "let t = unsafe { core::arch::x86_64::_rdtsc() };"),
            ],
        )
    } else if choice.family() == "arm" {
        let c = "uint64_t t;\n__asm__ volatile(\"mrs %0, cntvct_el0\" : \"=r\"(t));";
        with(
            base,
            &[
                ("C", c),
                ("C++", c),
                (
                    "Rust",
                    "use core::arch::asm;\nlet t: u64;\n\
                     unsafe { asm!(\"mrs {}, cntvct_el0\", out(reg) t) };",
                ),
            ],
        )
    } else {
        base
    }
}
