//! Tracing at the lowest cost.

use super::{About, Purpose, interval};
use crate::pick::{Choice, chosen, dear, figures, first_of, none, rejected};
use crate::reading::{cost, ns, source, tsc_objection};
use crate::system::{Code, System, with};
use chronoscope_model::Report;

pub(super) const PURPOSE: Purpose = Purpose {
    id: "trace",
    title: "Trace at the lowest cost",
    page: About {
        needs: "The cheapest read whose stamps can be merged over all processors; order within \
             nanoseconds does not matter.",
        rules_out: "Fences, which a trace need not pay for. A coarse clock, which gives many records one \
             stamp. A counter that the kernel itself does not keep time by: it can jump where \
             that does not.",
        advised: "The bare counter, stored as ticks and converted afterwards, where it is cheaper than \
             the system's clock; otherwise that one.",
        trap: "Take a pair of counter and system clock at the beginning and at the end, and convert \
             by both: a rate that was told, and not measured, is off by tens of parts per \
             million, which is milliseconds in a minute.",
        references: &[
            "Intel SDM vol. 3B, Invariant TSC",
            "Linux kernel/trace/trace_clock.c",
            "docs/METHOD.md",
        ],
    },
    choose,
    code: lines,
};

const COUNTERS: &[&str] = &[
    "x86/rdtsc-intrinsic",
    "x86/rdtsc-builtin",
    "x86/rdtsc-asm",
    "arm/cntvct",
];

fn choose(report: &Report) -> Choice {
    let env = &report.environment;
    // Records of several CPUs are merged by their stamps, so the counter must be one that the
    // kernel itself keeps time by.
    let objection = tsc_objection(env).or_else(|| match source(env) {
        Some("tsc" | "arch_sys_counter") | None => None,
        Some(other) => Some(format!(
            "the kernel runs by {other}, and the bare counter can jump where that does not"
        )),
    });
    let system = interval::system_clock(report);
    let counter = match objection {
        None => first_of(report, COUNTERS, |_| true),
        Some(_) => None,
    };
    let cheaper = |c| Some(cost(c)? < system.and_then(cost).unwrap_or(f64::INFINITY));
    if let Some(clock) = counter.filter(|c| cheaper(c) == Some(true)) {
        let against = system
            .and_then(|s| Some(format!(", against {} for {}", ns(cost(s)?), s.id)))
            .unwrap_or_default();
        let why = format!(
            "{} a read{against}; store the ticks and convert them afterwards.{}",
            cost(clock).map_or(String::new(), ns),
            rejected(
                report,
                &[
                    ("x86/rdtscp", "waits for earlier instructions, which a trace need not"),
                    ("linux/monotonic-coarse", "gives many records one stamp"),
                ],
            )
        );
        return chosen(clock, why);
    }
    let Some(clock) = system else {
        return none(report, COUNTERS);
    };
    let against = objection.map_or(String::new(), |reason| {
        format!(" The counter itself is no choice: {reason}.")
    });
    let why = format!(
        "{}; the cheapest whose stamps can be merged across CPUs.{}{against}",
        figures(clock),
        dear(report, clock)
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
    let id = choice.clock.as_deref().unwrap_or("");
    if id.starts_with("x86/") {
        with(
            base,
            &[
                ("C", "uint64_t t = __rdtsc();"),
                ("C++", "uint64_t t = __rdtsc();"),
                ("Rust", "let t = unsafe { core::arch::x86_64::_rdtsc() };"),
            ],
        )
    } else if id.starts_with("arm/") {
        let c = "uint64_t t;\n__asm__ volatile(\"mrs %0, cntvct_el0\" : \"=r\"(t));";
        with(
            base,
            &[
                ("C", c),
                ("C++", c),
                (
                    "Rust",
                    "use core::arch::asm;\nlet t: u64;\nunsafe { asm!(\"mrs {}, cntvct_el0\", out(reg) t) };",
                ),
            ],
        )
    } else {
        base
    }
}
