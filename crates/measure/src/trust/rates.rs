//! Which rates are compared, and what each comparison can show.

use super::log::{Log, Role};
use super::real::{PTP, RTC};
use chronoscope_model::Environment;
use chronoscope_model::clock::Standing;
use chronoscope_model::environment::RateKind;
use chronoscope_model::trust::{Outside, RateAgainst};
use chronoscope_model::units::human_ns;

/// The most rows: a run that names many clocks still has a table that can be read.
const MOST: usize = 60;

const OWN_OSCILLATOR: &str = "a device with an oscillator of its own, or the host's clock";

/// Returns the rate of the counter, and of each clock, against each reference, from at most this
/// many moments. `counter` is the counter's name and the rate that the log assumes; `None` if the
/// system's clock keeps the log, which is one of the clocks that are compared.
pub(super) fn rates(
    log: &Log,
    counter: Option<(&str, f64)>,
    env: &Environment,
    most: usize,
) -> Vec<RateAgainst> {
    let subjects = log.subjects();
    let reference = |at: &usize| {
        subjects[*at].raw || subjects[*at].role.is_device() || disciplined(*at, log, env)
    };
    let references: Vec<usize> = (0..subjects.len()).filter(reference).collect();
    let others = (0..subjects.len()).filter(|at| !subjects[*at].role.is_device());
    let clocks = counter.map(|_| None).into_iter().chain(others.map(Some));
    let mut found = Vec::new();
    for clock in clocks {
        for &against in &references {
            let steered = clock.is_some_and(|at| !subjects[at].raw);
            // A clock is not a reference for itself, nor is a clock that the same program steers.
            if clock == Some(against) || steered && disciplined(against, log, env) {
                continue;
            }
            let Some(ppm) = log.rate(clock, Some(against), most) else {
                continue;
            };
            // The log's rates are differences of two rates against the counter.
            let (id, offset) = match (clock, counter) {
                (Some(at), _) => (subjects[at].id.as_str(), 0.0),
                (None, Some((id, hz))) => (id, (hz / stated(env).unwrap_or(hz) - 1.0) * 1e6),
                (None, None) => continue,
            };
            let (standing, why) = standing(clock, against, log, env);
            found.push(RateAgainst {
                id: id.into(),
                against: subjects[against].id.clone(),
                ppm: ppm.value + offset,
                low_ppm: ppm.low + offset,
                high_ppm: ppm.high + offset,
                pairs: ppm.moments,
                seconds: ppm.seconds,
                standing,
                why,
            });
        }
    }
    found.truncate(MOST);
    found
}

/// Returns the counter's rate as stated by the processor, the hypervisor or the kernel.
pub(super) fn stated(env: &Environment) -> Option<f64> {
    let mut rates = env.counter_rates().iter();
    let stated = rates.find(|rate| rate.kind == RateKind::Stated && rate.hz.is_some())?;
    stated.hz.filter(|hz| hz.is_finite() && *hz > 0.0)
}

/// Whether this is the principal wall clock, and something outside the machine disciplines it.
fn disciplined(at: usize, log: &Log, env: &Environment) -> bool {
    log.principal(Role::Wall) == Some(at) && env.discipline.is_some_and(|found| found.synchronised)
}

fn standing(
    clock: Option<usize>,
    against: usize,
    log: &Log,
    env: &Environment,
) -> (Standing, String) {
    let reference = &log.subjects()[against];
    let source = env.clocksource.as_ref().map(|source| source.current.as_str());
    if reference.role.is_device() {
        return (Standing::Independent, OWN_OSCILLATOR.into());
    }
    if disciplined(against, log, env) {
        let within = env.discipline.map_or(0.0, |found| found.max_error_ns);
        let why = format!("disciplined from outside to within {}", human_ns(within));
        return (Standing::Independent, why);
    }
    let named = source.map_or(String::new(), |name| format!(" {name}"));
    if clock.is_some() {
        (Standing::SameOscillator, format!("both count the clock source{named}"))
    } else if env.keeps_time_by_counter() {
        (Standing::SameOscillator, format!("the clock source{named} is this counter"))
    } else if source.is_some() {
        let why = format!("the clock source{named} is another timer, whose own error is not known");
        (Standing::Unverified, why)
    } else {
        (Standing::Unverified, "it is not known what the system keeps time with".into())
    }
}

/// What could show a wrong rate: the kernel's discipline and who keeps it, and devices.
pub(super) fn outside(
    log: &Log,
    missing: &[(&'static str, String)],
    rates: &[RateAgainst],
    env: &Environment,
) -> Vec<Outside> {
    let mut found = Vec::new();
    let programs = env.keeping.as_ref().and_then(|keeping| keeping.programs.as_deref());
    let kept = match programs.unwrap_or_default() {
        [] => "no program that synchronises it was found".to_owned(),
        some => format!("running: {}", some.join(", ")),
    };
    let wall = log.subjects().iter().find(|one| one.role == Role::Wall);
    let used = |id: &str| {
        let independent = |rate: &RateAgainst| rate.standing == Standing::Independent;
        rates.iter().any(|rate| rate.against == id && independent(rate))
    };
    let says = match &env.discipline {
        Some(it) if it.synchronised => format!(
            "reports that its clock is synchronised to within {} (maxerror), corrected by \
             {:+.3} ppm",
            human_ns(it.max_error_ns),
            it.correction_ppm
        ),
        Some(_) => "reports that its clock is not synchronised (STA_UNSYNC)".into(),
        None => "does not report whether its clock is synchronised".into(),
    };
    found.push(Outside {
        id: "discipline".into(),
        used: env.discipline.is_some_and(|it| it.synchronised)
            && wall.is_some_and(|wall| used(&wall.id)),
        text: format!("the kernel {says}; {kept}"),
    });
    for id in [PTP, RTC] {
        let why = missing.iter().find(|(missing, _)| *missing == id);
        let text = if log.subjects().iter().any(|one| one.id == id) {
            OWN_OSCILLATOR.into()
        } else if let Some((_, why)) = why {
            why.clone()
        } else {
            continue;
        };
        found.push(Outside { id: id.into(), used: used(id), text });
    }
    found
}
