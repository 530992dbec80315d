//! Missing evidence is not good evidence: verdicts and advice need evidence.

use crate::machines::{self, clock, grade, judged, ordering};
use chronoscope_model::clock::{Clock, Grade, Kind};
use chronoscope_model::environment::TscKind;
use chronoscope_model::ordering::{AcrossCpus, Handed};
use chronoscope_model::{Environment, Report};

/// A healthy machine with a change to it.
fn with(change: impl FnOnce(&mut Environment)) -> Report {
    let mut report = machines::tsc();
    change(&mut report.environment);
    judged(report)
}

fn find<'a>(report: &'a mut Report, id: &str) -> &'a mut Clock {
    let found = report.clocks.iter_mut().find(|clock| clock.id == id);
    found.unwrap_or_else(|| panic!("no clock {id}"))
}

fn said(report: &Report, id: &str) -> String {
    let clock = report.clocks.iter().find(|clock| clock.id == id);
    let verdict = clock.and_then(|clock| clock.verdict.clone());
    verdict.map_or_else(String::new, |verdict| verdict.text)
}

fn order(report: &Report, id: &str) -> String {
    let clock = report.clocks.iter().find(|clock| clock.id == id);
    let ordering = clock.and_then(|clock| clock.ordering.clone());
    ordering.map_or_else(String::new, |ordering| ordering.text)
}

fn why<'a>(report: &'a Report, purpose: &str) -> (Option<&'a str>, &'a str) {
    let advice = report.advice.iter().find(|advice| advice.purpose == purpose);
    let advice = advice.expect("advice");
    (advice.clock.as_deref(), &advice.why)
}

const NO_PROOF: &str = "no proof across CPUs";

#[test]
fn without_a_clock_source_nothing_is_good() {
    let report = with(|env| {
        env.clocksource = None;
        env.across_cpus = None;
    });
    assert_eq!(said(&report, "x86/lfence-rdtsc"), NO_PROOF);
    assert_eq!(said(&report, "posix/monotonic"), "clock source unknown");
    assert_eq!(grade(&report, "posix/monotonic"), Some(Grade::Unknown));
    assert!(report.clocks.iter().all(|clock| {
        let grade = clock.verdict.as_ref().map(|verdict| verdict.grade);
        grade != Some(Grade::Good)
    }));
    assert_ne!(why(&report, "trace").0, Some("x86/rdtsc-intrinsic"));
    assert_ne!(why(&report, "micro").0, Some("x86/lfence-rdtsc"));

    // Another system has no clock source to ask. There, a comparison of its CPUs is the evidence.
    let report = with(|env| {
        env.clocksource = None;
        env.vdso = None;
        env.os = "Windows 11".into();
    });
    assert_eq!(grade(&report, "x86/lfence-rdtsc"), Some(Grade::Good));
    assert_eq!(grade(&report, "posix/monotonic"), Some(Grade::Good));
}

#[test]
fn without_facts_on_the_counter_it_is_not_good() {
    let report = with(|env| env.tsc = None);
    assert_eq!(said(&report, "x86/lfence-rdtsc"), "no facts on counter");
    assert_eq!(grade(&report, "x86/rdtscp"), Some(Grade::Unknown));
    // The kernel's own clock does not depend on these facts.
    assert_eq!(grade(&report, "posix/monotonic"), Some(Grade::Good));
    // On Arm the architecture promises one counter for all CPUs.
    let report = with(|env| {
        env.tsc = None;
        env.arch = "aarch64".into();
    });
    assert_eq!(grade(&report, "x86/rdtscp"), Some(Grade::Good));
}

#[test]
fn kvm_clock_vouches_for_the_counter_only_with_its_stable_bit() {
    let guest = |stable: bool, compared: bool| {
        let mut report = machines::kvm_clock();
        let env = &mut report.environment;
        if !stable && let Some(hypervisor) = &mut env.hypervisor {
            hypervisor.features = vec!["kvm-clock".into()];
        }
        if !compared {
            env.across_cpus = None;
        }
        judged(report)
    };
    let id = "x86/lfence-rdtsc";
    assert_eq!(grade(&guest(true, false), id), Some(Grade::Good));
    assert_eq!(said(&guest(false, false), id), NO_PROOF);
    assert_eq!(grade(&guest(false, true), id), Some(Grade::Good));
    let (pick, text) = why(&guest(false, false), "micro").into_owned();
    assert_eq!(pick.as_deref(), Some("posix/monotonic"));
    assert!(text.contains("does not vouch for the TSC"), "{text}");
}

/// What [`why`] returns, after the report has been dropped.
trait Owned {
    fn into_owned(self) -> (Option<String>, String);
}

impl Owned for (Option<&str>, &str) {
    fn into_owned(self) -> (Option<String>, String) {
        (self.0.map(str::to_owned), self.1.to_owned())
    }
}

#[test]
fn a_kernel_that_was_told_not_to_check_the_counter_is_no_evidence() {
    let told = |compared: bool| {
        with(|env| {
            env.parameters = vec!["tsc=reliable".into()];
            if !compared {
                env.across_cpus = None;
            }
        })
    };
    let id = "x86/lfence-rdtsc";
    assert_eq!(said(&told(false), id), NO_PROOF);
    assert_eq!(said(&told(false), "posix/monotonic"), "TSC is not checked");
    assert_eq!(grade(&told(true), id), Some(Grade::Good));
    let (_, text) = why(&told(false), "micro").into_owned();
    assert!(text.contains("told tsc=reliable"), "{text}");
    // Another value of the parameter does not weaken the kernel's word.
    let report = with(|env| {
        env.parameters = vec!["tsc=recalibrate".into()];
        env.across_cpus = None;
    });
    assert_eq!(grade(&report, id), Some(Grade::Good));
}

#[test]
fn counter_values_are_merged_across_cpus_only_if_these_were_compared() {
    let (pick, text) = why(&with(|_| ()), "trace").into_owned();
    assert_eq!(pick.as_deref(), Some("x86/rdtsc-intrinsic"), "{text}");

    let (pick, text) = why(&with(|env| env.across_cpus = None), "trace").into_owned();
    assert_eq!(pick.as_deref(), Some("posix/monotonic"));
    assert!(text.contains("two CPUs were not compared"), "{text}");
    // With one CPU there is nothing to compare.
    let report = with(|env| {
        env.across_cpus = None;
        env.cpu.logical = 1;
    });
    assert_eq!(why(&report, "trace").0, Some("x86/rdtsc-intrinsic"));
    // The reason why they were not compared is given.
    let report = with(|env| {
        env.across_cpus = Some(AcrossCpus {
            left_out: Some("CPU 0: it was busy".into()),
            ..AcrossCpus::default()
        });
    });
    assert!(why(&report, "trace").1.contains("CPU 0: it was busy"));
}

#[test]
fn counters_that_are_not_in_step_are_ruled_out() {
    for change in [
        |handed: &mut Handed, low: &mut f64| {
            handed.backwards = 3;
            handed.worst_ns = 900.0;
            *low = -43.0;
        },
        |_: &mut Handed, low: &mut f64| *low = 36.0,
    ] {
        let report = with(|env| {
            let across = env.across_cpus.as_mut().expect("the machine has one");
            let pair = &mut across.pairs[0];
            change(&mut pair.handed, &mut pair.low_ns);
        });
        assert_eq!(said(&report, "x86/rdtsc-intrinsic"), "CPUs not in step");
        let found: Vec<&str> = report.findings.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(found, ["counter-out-of-step"]);
        assert!(report.findings[0].evidence[0].starts_with("CPU 0 is ahead of CPU 1 by"));
        assert_eq!(grade(&report, "x86/lfence-rdtsc"), Some(Grade::Avoid));
        assert_eq!(grade(&report, "posix/monotonic"), Some(Grade::Good));
        let (pick, text) = why(&report, "trace").into_owned();
        assert_eq!(pick.as_deref(), Some("posix/monotonic"));
        assert!(text.contains("CPUs 1 and 0 are not in step"), "{text}");
    }
}

#[test]
fn what_a_clock_is_built_on_decides_whether_it_is_the_best() {
    let mut report = machines::hpet();
    if let Some(tsc) = &mut report.environment.tsc {
        tsc.kind = TscKind::Variant;
    }
    // It scales the counter, whatever its read is called, and is by far the cheapest.
    for reads in [None, Some(chronoscope_model::clock::Reads::Vdso)] {
        let mut scaled = clock("linux/perf-mmap", "", Kind::Monotonic, 12.0, 1.0);
        if let (Some(reads), Some(facts)) = (reads, &mut scaled.facts) {
            facts.reads = reads;
        }
        let mut report = report.clone();
        *find(&mut report, "linux/perf-mmap") = scaled;
        let report = judged(report);
        assert_eq!(said(&report, "linux/perf-mmap"), "rate varies");
        let best = report.clocks.iter().filter(|clock| clock.best);
        let best: Vec<&str> = best.map(|clock| clock.id.as_str()).collect();
        assert!(best.contains(&"posix/monotonic"), "{best:?}");
        assert!(!best.contains(&"linux/perf-mmap"), "{best:?}");
    }
}

#[test]
fn the_order_of_reads_is_shown_next_to_the_promise() {
    let mut report = machines::tsc();
    find(&mut report, "x86/rdtsc-intrinsic").ordering = Some(ordering(1.0, 5000));
    find(&mut report, "x86/rdtscp").ordering = Some(ordering(0.0, 0));
    find(&mut report, "x86/lfence-rdtsc").ordering = Some(ordering(1.0, 0));
    find(&mut report, "posix/monotonic").ordering = Some(ordering(0.0, 1));
    find(&mut report, "chronoscope/instant").ordering = Some(ordering(0.0, 0));
    let report = judged(report);
    assert_eq!(
        order(&report, "x86/rdtsc-intrinsic"),
        "140 ns early; 1 in 8 hand-overs backwards, up to 69 ns"
    );
    assert_eq!(said(&report, "x86/rdtsc-intrinsic"), "140 ns early");
    assert_eq!(order(&report, "x86/rdtscp"), "ordered, as promised");
    assert_eq!(grade(&report, "x86/rdtscp"), Some(Grade::Good));
    assert_eq!(order(&report, "x86/lfence-rdtsc"), "140 ns early; against the promise");
    assert_eq!(grade(&report, "x86/lfence-rdtsc"), Some(Grade::Limited));
    // A clock whose reads are ordered but that ran backwards cannot order several threads.
    assert_eq!(said(&report, "posix/monotonic"), "backwards on 2 CPUs");
    let merged = why(&report, "cross-process").1;
    assert!(merged.contains("A read can be 69 ns early"), "{merged}");
    // No test failed, but the manuals promise nothing.
    assert_eq!(order(&report, "chronoscope/instant"), "ordered in every test, not promised");
    assert_eq!(said(&report, "chronoscope/instant"), "may be read early");
    let trace = why(&report, "trace");
    assert_eq!(trace.0, Some("x86/rdtsc-intrinsic"));
    // The figure is the verdict's, from the test that was worst.
    assert!(trace.1.contains("A read can be 140 ns early"), "{}", trace.1);
    assert!(trace.1.contains("of 40,000 hand-overs"), "{}", trace.1);
    assert!(
        report
            .clocks
            .iter()
            .filter_map(|clock| clock.verdict.as_ref())
            .all(|verdict| { verdict.text.len() <= 20 })
    );
}

#[test]
fn lfence_is_promised_on_amd_only_by_cpuid() {
    let machine = |promise: Option<bool>, tested: bool| {
        let mut report = machines::tsc();
        report.environment.cpu.vendor = Some("AuthenticAMD".into());
        report.environment.cpu.lfence_serialises = promise;
        if tested {
            find(&mut report, "x86/lfence-rdtsc").ordering = Some(ordering(0.0, 0));
        }
        judged(report)
    };
    let id = "x86/lfence-rdtsc";
    assert_eq!(order(&machine(Some(true), true), id), "ordered, as promised");
    let not = "ordered in every test, not promised";
    assert_eq!(order(&machine(Some(false), true), id), not);
    assert_eq!(order(&machine(None, true), id), not);
    assert_eq!(grade(&machine(None, true), id), Some(Grade::Good));
    assert_eq!(said(&machine(None, false), id), "LFENCE not promised");
    assert_eq!(grade(&machine(None, false), "x86/rdtscp"), Some(Grade::Good));
}

#[test]
fn the_shortest_interval_follows_from_tick_and_pair_and_the_code_gives_nanoseconds() {
    let shortest = |report: &Report| {
        let advice = report.advice.iter().find(|advice| advice.purpose == "micro");
        let advice = advice.expect("advice").clone();
        let both = advice.shortest.iter().map(|one| (one.error_percent, one.interval_ns.round()));
        (both.collect::<Vec<_>>(), advice)
    };
    // What an empty pair varies by, 1.5 ns, is longer than the tick.
    let (both, advice) = shortest(&judged(machines::tsc()));
    assert_eq!(both, [(1.0, 150.0), (10.0, 15.0)]);
    let sentence = "of 150 ns or longer to within 1 %, and one of 15 ns or longer to within 10 %";
    assert!(advice.why.contains(sentence), "{}", advice.why);
    for language in ["C", "C++", "Rust"] {
        let code = &advice.code[language];
        assert!(code.contains("ns = ") && !code.contains("let ticks"), "{code}");
    }
    // A counter that advances in steps of 10 ns cannot show less.
    let mut coarse = machines::tsc();
    coarse.ruler.as_mut().expect("a ruler").tick_ns = 10.0;
    assert_eq!(shortest(&judged(coarse)).0, [(1.0, 1000.0), (10.0, 100.0)]);
    // An older report does not have the spread.
    let mut older = machines::tsc();
    older.ruler.as_mut().expect("a ruler").empty_spread_ns = None;
    assert_eq!(shortest(&judged(older)).0, []);
    // The system's clock is not fenced from the code, so all of a read can overlap with it.
    let report = judged(machines::hpet());
    let (both, advice) = shortest(&report);
    let clock = report.clocks.iter().find(|clock| Some(&clock.id) == advice.clock.as_ref());
    let read_ns = clock.and_then(Clock::ordered_ns).expect("a cost");
    assert_eq!(both, [(1.0, (read_ns * 100.0).round()), (10.0, (read_ns * 10.0).round())]);
}
