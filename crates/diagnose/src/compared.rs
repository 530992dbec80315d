//! What the rate of the ruler was compared with, and whether that could have shown a wrong rate.
//!
//! On most machines the reference is the kernel's clock, and the kernel's clock source is the very
//! counter that is the ruler: the two agree to a hundredth of a part per million, whatever the rate
//! of the oscillator that they share. Only something outside can show that rate: a clock that a
//! program keeps synchronised states how far it had to be corrected.

use crate::reading::source;
use chronoscope_model::Report;
use chronoscope_model::comparison::{Comparison, Standing};
use chronoscope_model::environment::{Environment, RateKind};
use chronoscope_model::run::Ruler;
use chronoscope_model::units::human_ns;

/// Adds the comparison to the ruler and to the rate that was measured with it.
pub(crate) fn mark(report: &mut Report) {
    let Some(ruler) = &report.ruler else {
        return;
    };
    let found = witnessed(&report.environment);
    let found = found.unwrap_or_else(|| comparison(ruler, &report.environment));
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
fn witnessed(env: &Environment) -> Option<Comparison> {
    let compared = env.counter_rates().iter().filter_map(|rate| rate.compared.as_ref());
    let mut others = compared.filter(|found| found.standing == Standing::Independent);
    others.find(|found| found.difference_ppm.is_some()).cloned()
}

fn comparison(ruler: &Ruler, env: &Environment) -> Comparison {
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
    use chronoscope_model::comparison::Discipline;
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
        comparison(&ruler, &env)
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
