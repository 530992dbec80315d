//! What is concluded of a run as a whole: whether it was disturbed, and what the rate of its ruler
//! was compared with.
//!
//! The samples of a disturbed run agree with one another, so intervals from them are narrow, and
//! the next run still finds something else.
//!
//! On most machines the reference of the rate is the kernel's clock, and the kernel's clock source
//! is the very counter that is the ruler: the two agree to a hundredth of a part per million,
//! whatever the rate of the oscillator that they share. Only something outside can show that rate:
//! a clock that a program keeps synchronised states how far it had to be corrected.

use crate::reading::source;
use chronoscope_model::clock::{Comparison, Cost, Standing};
use chronoscope_model::environment::{Environment, RateKind};
use chronoscope_model::run::{Core, Disturbed, Ruler};
use chronoscope_model::units::{human_ns, percent};
use chronoscope_model::{Estimate, Report};

/// The share of rounds in which a neighbour used the core, above which a run is disturbed. Shared
/// rounds are left out, but between them the core is not always quite its own again.
const SHARED: f64 = 0.25;

/// The share of rounds above which a neighbour is seldom away for long. What is left of the rounds
/// is then shared in part as well, so the cost on a core of its own may be as much lower as the
/// neighbour makes independent additions slower. A simulation whose neighbour comes and goes fails
/// from here on without that (`crates/survey/tests/shared_core.rs`). A run in between, with 55 %,
/// was 0.02 % off for reads in user space, and 3 % for system calls.
const MOSTLY: f64 = 0.6;

/// The share of its usual frequency by which the core fell in one of a hundred rounds, above which
/// a run is disturbed. On an AMD EPYC (family 26, two CPUs of a virtual machine), 40 runs without
/// other load fell by 1.0 to 5.1 %, and 25 next to builds by 1.1 to 3.3 %. Those that fell by over
/// 2.5 %, or had the finding `frequency-changed`, were no further from the others than the drift of
/// the frequency makes their intervals: a limit there would mark half of all calm runs for nothing.
const FELL: f64 = 0.06;

/// The spread of the frequency in 98 % of the rounds that is a finding of its own, as a share of
/// the usual frequency. Costs differ by more for other reasons if it is smaller.
const CHANGED: f64 = 0.05;

/// Half the 95 % interval of what disturbed runs differ by beyond their own intervals, as a share
/// of each cost: of 27 runs on an AMD EPYC, those shared most were off by up to 1.9 % as a whole.
pub const OFF: f64 = 0.02;

/// Whether the core's frequency spread so far that it is a finding.
pub(crate) fn frequency_changed(core: &Core) -> bool {
    core.hz > 0.0 && (core.high_hz - core.low_hz) / core.hz > CHANGED
}

/// Whether a neighbour used the core for so long that the run is disturbed.
pub(crate) fn core_shared(report: &Report) -> bool {
    let shared = report.ruler.as_ref().and_then(|ruler| ruler.noise.shared);
    shared.is_some_and(|share| share > SHARED)
}

/// Why the run of a report may be off as a whole, from what its noise shows; empty for a calm run.
/// A report of any version has what this needs.
pub fn reasons(report: &Report) -> Vec<Disturbed> {
    let Some(noise) = report.ruler.as_ref().map(|ruler| &ruler.noise) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut add = |id: &str, text| found.push(Disturbed { id: id.into(), text });
    if let Some(share) = noise.shared.filter(|_| core_shared(report)) {
        add("core-shared", format!("core shared in {} of the rounds", percent(share)));
    }
    if let Some(core) = noise.core.filter(|core| core.hz > 0.0) {
        let fell = (core.hz - core.low_hz) / core.hz;
        if fell > FELL {
            add("frequency-spread", format!("frequency fell by {}", percent(fell)));
        }
    }
    found
}

/// Records the reasons, and widens the intervals of all costs if there are any. A report that has
/// reasons already was widened for them.
pub(crate) fn mark_disturbed(report: &mut Report) {
    if !report.run.disturbed.is_empty() {
        return;
    }
    report.run.disturbed = reasons(report);
    if report.run.disturbed.is_empty() {
        return;
    }
    // A neighbour makes nothing faster, so only the lower ends move.
    let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
    let mostly = noise.filter(|noise| noise.shared.is_some_and(|share| share > MOSTLY));
    let lower = mostly.and_then(|noise| noise.crowded).map_or(1.0, |it| 1.0 / (1.0 + it.max(0.0)));
    let off = |cost: &mut Estimate| {
        cost.widen(OFF);
        cost.low_ns = cost.low_ns.min(cost.low_ns * lower);
    };
    for overhead in &mut report.overhead {
        for part in [&mut overhead.baseline, &mut overhead.timed, &mut overhead.overhead] {
            *part = part.widened(OFF * part.median_ns);
        }
    }
    let swept = report.sweep.iter_mut().flat_map(|source| &mut source.clocks);
    for clock in report.clocks.iter_mut().chain(&mut report.clocks_under_load).chain(swept) {
        let Cost { throughput, latency, cold, first, .. } = &mut clock.cost;
        [throughput, latency, cold, first].into_iter().flatten().for_each(off);
    }
    for clock in report.runtimes.iter_mut().flat_map(|runtime| &mut runtime.clocks) {
        [&mut clock.throughput, &mut clock.latency].into_iter().flatten().for_each(off);
    }
}

/// Adds the comparison to the ruler and to the rate that was measured with it.
pub(crate) fn compare_rate(report: &mut Report) {
    let Some(ruler) = &report.ruler else {
        return;
    };
    let found = witnessed_rate(&report.environment);
    let found = found.unwrap_or_else(|| rate_comparison(ruler, &report.environment));
    let rates = report.environment.counter_rates_mut().into_iter().flatten();
    let mut measured = rates.filter(|rate| rate.kind == RateKind::Measured);
    if ruler.is_counter
        && let Some(rate) = measured.next()
    {
        rate.compared = Some(found.clone());
    }
    if let Some(ruler) = &mut report.ruler {
        ruler.compared = Some(found);
    }
}

/// The comparison with a clock that was read alongside the ruler and has another oscillator.
fn witnessed_rate(env: &Environment) -> Option<Comparison> {
    let compared = env.counter_rates().iter().filter_map(|rate| rate.compared.as_ref());
    let mut others = compared.filter(|found| found.standing == Standing::Independent);
    others.find(|found| found.difference_ppm.is_some()).cloned()
}

fn rate_comparison(ruler: &Ruler, env: &Environment) -> Comparison {
    if !ruler.is_counter {
        return Comparison {
            why: format!(
                "the ruler is the system's own clock, which is compared with no other; {}",
                discipline(env)
            ),
            ..Comparison::default()
        };
    }
    let with = ruler.reference.clone();
    if let Some(found) = env.discipline.filter(|found| found.synchronised) {
        return Comparison {
            with: "the disciplined clock".into(),
            standing: Standing::Independent,
            // Seconds of a clock that is made to run faster are shorter, and hold fewer ticks.
            difference_ppm: Some(found.correction_ppm),
            why: discipline(env),
        };
    }
    let (standing, what) = match source(env) {
        Some(name) if env.keeps_time_by_counter() => (
            Standing::SameOscillator,
            format!(
                "the clock source is {name}, so {with} counts this counter too, and the two agree \
                 whatever its rate is"
            ),
        ),
        Some(name) => (
            Standing::Unverified,
            format!("the clock source is {name}, another timer whose own error is not known"),
        ),
        None => (Standing::Unverified, format!("it is not known what {with} counts")),
    };
    Comparison {
        with,
        standing,
        why: format!("{what}; {}", discipline(env)),
        ..Comparison::default()
    }
}

/// What is known about the kernel's discipline, in a clause.
fn discipline(env: &Environment) -> String {
    match &env.discipline {
        Some(found) if found.synchronised => format!(
            "the kernel's clock is disciplined to within {} (maxerror), and for that runs {:+.3} \
             ppm off its clock source at present",
            human_ns(found.max_error_ns),
            found.correction_ppm
        ),
        Some(_) => "nothing outside the machine disciplines the kernel's clock".into(),
        None => "whether the kernel's clock is disciplined is not known".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::Discipline;
    use chronoscope_model::environment::ClockSource;

    fn seen(is_counter: bool, source: Option<&str>, discipline: Option<bool>) -> Comparison {
        let ruler =
            Ruler { is_counter, reference: "linux/monotonic-raw".into(), ..Ruler::default() };
        let env = Environment {
            clocksource: source.map(|name| ClockSource { current: name.into(), available: vec![] }),
            discipline: discipline.map(|synchronised| Discipline {
                synchronised,
                max_error_ns: 1.2e6,
                correction_ppm: 12.3,
                ..Discipline::default()
            }),
            ..Environment::default()
        };
        rate_comparison(&ruler, &env)
    }

    #[test]
    fn a_counter_compared_with_itself_is_not_verified() {
        for name in ["tsc", "kvm-clock", "arch_sys_counter"] {
            let found = seen(true, Some(name), Some(false));
            assert_eq!(found.standing, Standing::SameOscillator);
            assert!(found.why.contains(name) && found.with == "linux/monotonic-raw");
        }
    }

    #[test]
    fn another_timer_is_no_proof_either() {
        for name in [Some("hpet"), Some("acpi_pm"), Some("garbage \u{7}"), None] {
            assert_eq!(seen(true, name, None).standing, Standing::Unverified);
        }
        assert_eq!(seen(false, Some("tsc"), Some(true)).standing, Standing::Unverified);
    }

    #[test]
    fn a_disciplined_clock_is_independent_and_its_error_is_stated() {
        let found = seen(true, Some("tsc"), Some(true));
        assert_eq!(found.standing, Standing::Independent);
        assert!(found.why.contains("1.20 ms") && found.difference_ppm == Some(12.3), "{found:?}");
    }
}
