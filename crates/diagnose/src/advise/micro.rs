//! A microbenchmark: the shortest intervals.

use super::interval;
use super::purpose::{How, Purpose};
use crate::pick::{chosen, figures, first_ordered, none, rejected, slow_because};
use crate::reading::{available, counter_may_jump, ns, tsc_objection, unordered};
use chronoscope_model::clock::Clock;
use chronoscope_model::{Advice, Estimate, Page, Report};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["micro"],
        title: "Time the shortest intervals (microbenchmark)",
        about: "A counter whose read cannot begin before earlier instructions have finished, and \
                whose cost is small and steady.",
        how: "A bare rdtsc or cntvct: the processor may execute it early, by more than such an \
              interval lasts. CPUID as the fence, which exits to the hypervisor in a virtual \
              machine. MFENCE, which on Intel orders memory and not the read. A TSC that is not \
              invariant, or that the kernel has stopped using.",
        act: "The cheapest ordered counter if it is cheaper than the system's clock. Begin with \
              lfence; rdtsc; lfence and end with rdtscp; lfence, so that none of the timed code \
              moves out and nothing else moves in. Otherwise the system's clock around many \
              iterations.",
        references: &[
            "Intel SDM vol. 2B, RDTSC",
            "Paoloni, How to Benchmark Code Execution Times on Intel IA-32 and IA-64, 2010",
            "docs/METHOD.md",
        ],
        ..Page::EMPTY
    },
    trap: "The pair of reads has a cost of its own, which `chronoscope calls` and `overhead` \
           show: take the median of many intervals and subtract that of an empty one. The TSC \
           counts at its own rate, not in core cycles. The compiler may move or drop code without \
           visible effects.",
    short: "Microbenchmark",
    how: How::Clock {
        choose,
        // The other reads do more than one of these, and so cost more.
        needs: &[interval::SYSTEM, &["x86/lfence-rdtsc", "x86/rdtscp", "arm/isb-cntvct"]],
        sheets: &[interval::CODE, CODE],
    },
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

fn choose(report: &Report) -> Advice {
    let objection = tsc_objection(&report.environment);
    let system = interval::system_clock(report);
    let counter = match objection {
        None => first_ordered(report, ORDERED),
        Some(_) => None,
    };
    // An ordered counter is worth the trouble only if it is cheaper than the system's clock.
    let system_read = system.and_then(Clock::ordered);
    let cheaper = |read: &&Estimate| system_read.is_none_or(|other| read.is_below(other));
    if let Some((clock, read)) =
        counter.and_then(|clock| Some((clock, clock.ordered().filter(cheaper)?)))
    {
        let cost = read.human().unwrap_or_default();
        let against = system
            .and_then(|s| Some(format!(" ({}: {})", s.id, s.ordered()?.human()?)))
            .unwrap_or_default();
        let why = format!(
            "{cost} per ordered read{against}; earlier instructions cannot move past it.{}{}{}",
            pair(report),
            jumps(report),
            rejected(
                report,
                &[
                    (
                        "x86/rdtsc-intrinsic",
                        "the processor may read it early, by more than such an interval lasts"
                    ),
                    ("x86/cpuid-rdtsc", "CPUID takes longer than the code to be timed"),
                    ("x86/mfence-rdtsc", mfence(report)),
                ],
            )
        );
        return Advice { cost_ns: read.known_ns(), figure: cost, ..chosen(clock, why) };
    }
    let Some(clock) = system else {
        return none(report, ORDERED);
    };
    let against = match (&objection, counter) {
        (Some(reason), _) => format!(" The counter itself is ruled out: {reason}."),
        (None, Some(c)) => rejected(report, &[(&c.id, "not cheaper, and in ticks")]),
        (None, None) => String::new(),
    };
    let why = format!(
        "{}, and ordered; time many iterations at once, so that the reads hardly count.{}{against}",
        figures(clock),
        slow_because(report, clock)
    );
    chosen(clock, why)
}

/// Why a read after MFENCE is rejected: its order if MFENCE orders only memory, otherwise its cost.
fn mfence(report: &Report) -> &'static str {
    let clock = available(report, "x86/mfence-rdtsc");
    if clock.is_some_and(|clock| unordered(clock, &report.environment)) {
        "MFENCE orders memory, not the read"
    } else {
        "equally ordered, but slower"
    }
}

/// What it means for short intervals that the kernel does not keep time with the counter, as a
/// sentence that follows others; a trace must not be merged by such a counter.
fn jumps(report: &Report) -> String {
    counter_may_jump(&report.environment).map_or(String::new(), |why| {
        format!(
            " Use it for short intervals only: {why}, which spoils one interval here, but every \
             later timestamp of a trace."
        )
    })
}

/// What the pair of reads in the code costs, as a sentence that follows others; empty unless the
/// report's ruler is that pair.
fn pair(report: &Report) -> String {
    let ruler = report.ruler.as_ref();
    let ruler = ruler.filter(|ruler| ruler.id == PAIR && ruler.cost_ns.is_finite());
    ruler.map_or(String::new(), |ruler| {
        format!(
            " That is one read; the code for C, C++ and Rust fences a pair of reads on both sides, \
             which takes {} around an empty call: subtract it.",
            ns(ruler.cost_ns)
        )
    })
}

const CODE: &str = r#"
=== Go
r := testing.Benchmark(func(b *testing.B) {
    for b.Loop() {  // Go 1.24
        // the code to be timed
    }
})
fmt.Println(r)
=== Python
import timeit
f = lambda: None  # the code to be timed
ns = timeit.timeit(f, number=10**6) / 10**6 * 1e9
=== JavaScript
const t0 = process.hrtime.bigint();
const ns = process.hrtime.bigint() - t0;
=== C, C++ on x86/
_mm_lfence(); uint64_t t0 = __rdtsc(); _mm_lfence();
unsigned aux;
uint64_t t1 = __rdtscp(&aux); _mm_lfence();
uint64_t ticks = t1 - t0;
=== Rust on x86/
use core::arch::x86_64::*;
let t0 = unsafe {
    _mm_lfence(); let t = _rdtsc(); _mm_lfence(); t
};
let mut aux = 0;
let t1 = unsafe {
    let t = __rdtscp(&mut aux); _mm_lfence(); t
};
let ticks = t1 - t0;
=== C, C++ on arm/
uint64_t t;
__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb"
                 : "=r"(t) :: "memory");
=== Rust on arm/
use core::arch::asm;
let t: u64;
unsafe { asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) t) };
"#;
