//! A microbenchmark: the shortest intervals.

use super::{About, Purpose, interval};
use crate::pick::{Choice, chosen, dear, figures, first_ordered, none, rejected};
use crate::reading::{latency, ns, tsc_objection};
use crate::system::{Code, System, with};
use chronoscope_model::Report;
use chronoscope_model::clock::Clock;

pub(super) const PURPOSE: Purpose = Purpose {
    id: "micro",
    title: "Time the shortest intervals (microbenchmark)",
    page: About {
        needs: "A counter whose read cannot begin before what stands before it has finished, and \
             whose cost is small and steady.",
        rules_out: "A bare rdtsc or cntvct: the processor executes it early, by more than such an \
             interval lasts. CPUID as the fence, which leaves to the hypervisor on a virtual \
             machine. MFENCE, which on Intel orders memory and not the read. A TSC that is not \
             invariant, or that the kernel has left.",
        advised: "The cheapest ordered counter, where it is cheaper than the system's clock; begin by \
             lfence; rdtsc; lfence and end by rdtscp; lfence, so that nothing of what is timed \
             moves out, and nothing else in. Otherwise the system's clock around many turns.",
        trap: "The pair of reads has a cost of its own, which chronoscope calls and overhead show: \
             take the median of many, and that of an empty interval off. The TSC counts at its \
             own rate, not in cycles of the core; the compiler may move or drop what has no \
             effect that it can see.",
        references: &[
            "Intel SDM vol. 2B, RDTSC",
            "Paoloni, How to Benchmark Code Execution Times on Intel IA-32 and IA-64, 2010",
            "docs/METHOD.md",
        ],
    },
    choose,
    code: lines,
};

/// Counters whose reads cannot be taken early.
const ORDERED: &[&str] = &[
    "x86/lfence-rdtsc",
    "x86/rdtscp",
    "x86/lfence-rdtsc-lfence",
    "x86/serialize-rdtsc",
    "arm/isb-cntvct",
    "arm/cntvctss",
];

/// The pair of reads in the lines of code, as the ruler's id names it.
const PAIR: &str = "lfence-rdtsc-lfence/rdtscp-lfence";

fn choose(report: &Report) -> Choice {
    let objection = tsc_objection(&report.environment);
    let system = interval::system_clock(report);
    let counter = match objection {
        None => first_ordered(report, ORDERED),
        Some(_) => None,
    };
    // An ordered counter is worth its trouble only where it is cheaper than the system's clock.
    let cheaper = |c| Some(latency(c)? < system.and_then(latency).unwrap_or(f64::INFINITY));
    if let Some(clock) = counter.filter(|c| cheaper(c) == Some(true)) {
        let against = system.and_then(|s| Some((s, latency(s)?))).map_or(
            String::new(),
            |(s, cost)| format!(", against {} for {}", ns(cost), s.id),
        );
        let why = format!(
            "{} a read when ordered{against}; no earlier instruction slips behind it.{}{}",
            latency(clock).map_or(String::new(), ns),
            pair(report, clock),
            rejected(
                report,
                &[
                    ("x86/rdtsc-intrinsic", "the processor may read it early, by more than such an interval lasts"),
                    ("x86/cpuid-rdtsc", "CPUID costs more than what is to be timed"),
                    ("x86/mfence-rdtsc", "MFENCE orders memory, not the read"),
                ],
            )
        );
        return Choice {
            cost_ns: latency(clock),
            ..chosen(clock, why)
        };
    }
    let Some(clock) = system else {
        return none(report, ORDERED);
    };
    let against = match (&objection, counter) {
        (Some(reason), _) => format!(" The counter itself is no choice: {reason}."),
        (None, Some(c)) => rejected(report, &[(&c.id, "no cheaper, and in ticks")]),
        (None, None) => String::new(),
    };
    let why = format!(
        "{}, and ordered; time many turns at once, so that this is small against them.{}{against}",
        figures(clock),
        dear(report, clock)
    );
    chosen(clock, why)
}

/// What the pair of reads in the lines of code costs, which is the ruler of the report: a sentence
/// that follows, empty where the ruler is another.
fn pair(report: &Report, clock: &Clock) -> String {
    let ruler = report.ruler.as_ref().filter(|ruler| {
        clock.id.starts_with("x86/") && ruler.id == PAIR && ruler.cost_ns.is_finite()
    });
    ruler.map_or(String::new(), |ruler| {
        format!(
            " That is one read; the lines of C, C++ and Rust fence a pair of them on both sides, which takes {} with an \
             empty call in between: take it off.",
            ns(ruler.cost_ns)
        )
    })
}

fn lines(choice: &Choice, system: System) -> Code {
    let base = with(
        interval::lines(system),
        &[
            (
                "Go",
                "r := testing.Benchmark(func(b *testing.B) {\n    \
                 for b.Loop() {  // Go 1.24\n        \
                 // what is timed\n    }\n})\nfmt.Println(r)",
            ),
            (
                "Python",
                "import timeit\n\
                 f = lambda: None  # what is timed\n\
                 ns = timeit.timeit(f, number=10**6) / 10**6 * 1e9",
            ),
            (
                "JavaScript",
                "const t0 = process.hrtime.bigint();\nconst ns = process.hrtime.bigint() - t0;",
            ),
        ],
    );
    let id = choice.clock.as_deref().unwrap_or("");
    if id.starts_with("x86/") {
        let c = "_mm_lfence(); uint64_t t0 = __rdtsc(); _mm_lfence();\n\
                 unsigned aux;\n\
                 uint64_t t1 = __rdtscp(&aux); _mm_lfence();\n\
                 uint64_t ticks = t1 - t0;";
        with(
            base,
            &[
                ("C", c),
                ("C++", c),
                (
                    "Rust",
                    "use core::arch::x86_64::*;\n\
                     let t0 = unsafe {\n    \
                     _mm_lfence(); let t = _rdtsc(); _mm_lfence(); t\n\
                     };\n\
                     let mut aux = 0;\n\
                     let t1 = unsafe {\n    \
                     let t = __rdtscp(&mut aux); _mm_lfence(); t\n\
                     };\n\
                     let ticks = t1 - t0;",
                ),
            ],
        )
    } else if id.starts_with("arm/") {
        let c = "uint64_t t;\n__asm__ volatile(\"isb\\n\\tmrs %0, cntvct_el0\\n\\tisb\"\n                 : \"=r\"(t) :: \"memory\");";
        with(
            base,
            &[
                ("C", c),
                ("C++", c),
                (
                    "Rust",
                    "use core::arch::asm;\nlet t: u64;\n\
                     unsafe { asm!(\"isb\", \"mrs {}, cntvct_el0\", \"isb\", out(reg) t) };",
                ),
            ],
        )
    } else {
        base
    }
}
