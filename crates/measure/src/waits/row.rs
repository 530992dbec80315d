//! From what was counted to the row of the report, and back for a run that goes on.

use super::plan::{Plan, Slack};
use super::recorder::LONGEST;
use super::series::{Question, Series};
use super::tally::{Spread, Tally};
use chronoscope_model::histogram::Histogram;
use chronoscope_model::waits::{ByClock, Grid, Load, LoadRun, StoppedBy, Wait};
use chronoscope_probes::waits::{Entry, os};

/// The row of a method that cannot be used here, or under this load.
pub(super) fn unavailable(entry: &Entry, load: Load, reason: &str) -> Wait {
    Wait {
        id: entry.id.into(),
        call: entry.call.into(),
        language: entry.language,
        kind: entry.kind,
        load,
        unavailable_reason: Some(reason.into()),
        ..Wait::default()
    }
}

/// What all rows of one load have in common.
pub(super) struct Common<'a> {
    pub(super) plan: &'a Plan,
    pub(super) load: Load,
    pub(super) load_run: Option<LoadRun>,
    pub(super) kept_awake: bool,
    pub(super) stopped_by: StoppedBy,
    pub(super) notes: Vec<String>,
}

/// The row of what was counted up to now.
pub(super) fn of(series: &Series, common: &Common) -> Wait {
    let tally = series.tally();
    let question = &series.question;
    let hdr = series.overshoot.histogram();
    // The histogram is ahead of the tally by the burst that runs; it is what counts.
    let samples = hdr.len();
    let mean_ns = tally.ruler.mean(tally.samples);
    let waited = tally.samples.max(1) as f64;
    let cpu_ns = tally.cpu_ns.filter(|_| tally.samples > 0);
    let grid = question.periodic.then(|| {
        let mut corrected = hdr.clone();
        series.missed.add_to(&mut corrected);
        Grid {
            missed: corrected.len() - samples,
            corrected: Histogram::of(&corrected),
        }
    });
    let (min_ns, max_ns) = tally.ruler.ends();
    let clock = tally.clock.ends();
    let gaps = series.gaps();
    Wait {
        available: series.failure().is_none(),
        unavailable_reason: series.failure().map(str::to_owned),
        requested_ns: Some(question.ns),
        period_ns: question.periodic.then_some(question.ns),
        slack_ns: question.slack.and(series.slack_ns.get().copied()),
        default_slack: question.slack == Some(Slack::Default),
        timer_period_ms: period_ms(question.slack),
        cpu: series.cpu,
        scheduling: match common.plan.fifo {
            Some(priority) => format!("fifo:{priority}"),
            None => "other".into(),
        },
        kept_awake: common.kept_awake,
        samples,
        early: tally.ruler.early,
        min_ns,
        mean_ns,
        max_ns,
        by_clock: (tally.samples > 0).then(|| ByClock {
            clock: os::CLOCK.into(),
            early: tally.clock.early,
            min_ns: clock.0,
            mean_ns: tally.clock.mean(tally.samples),
            max_ns: clock.1,
        }),
        overshoot: Histogram::of(&hdr),
        cpu_ns: cpu_ns.map(|ns| ns as f64 / waited),
        cpu_share: cpu_ns
            .filter(|_| tally.spent_ns > 0)
            .map(|ns| ns as f64 / tally.spent_ns as f64),
        voluntary_switches: tally.switches.map(|s| s.0),
        involuntary_switches: tally.switches.map(|s| s.1),
        grid,
        gaps_left_out: tally.gaps.saturating_sub(gaps.len() as u64),
        gaps,
        load_run: common.load_run.clone(),
        seconds: tally.spent_ns as f64 / 1e9,
        stopped_by: if series.failure().is_some() {
            StoppedBy::Failure
        } else {
            common.stopped_by
        },
        notes: common.notes.clone(),
        ..unavailable(question.entry, common.load, "")
    }
}

/// The period of the system's timer that the process asks for in place of a slack, where it does.
fn period_ms(slack: Option<Slack>) -> Option<u32> {
    match slack? {
        Slack::Default => None,
        Slack::Ns(ns) => os::period_ms(ns),
    }
}

/// Whether a row of an earlier run is that of this question.
pub(super) fn answers(wait: &Wait, question: &Question, load: Load, cpu: Option<usize>) -> bool {
    let slack = match question.slack {
        None => true,
        Some(Slack::Default) => wait.default_slack,
        Some(Slack::Ns(ns)) => {
            let asked = period_ms(question.slack);
            let same = match asked {
                Some(_) => wait.timer_period_ms == asked,
                None => wait.slack_ns == Some(ns),
            };
            !wait.default_slack && same
        }
    };
    wait.available
        && wait.id == question.entry.id
        && wait.requested_ns == Some(question.ns)
        && wait.period_ns.is_some() == question.periodic
        && wait.load == load
        && wait.cpu == cpu
        && slack
}

/// Goes on from a row of an earlier run.
///
/// # Errors
/// Histograms or figures that do not fit each other: reports are untrusted.
pub(super) fn go_on(series: &Series, wait: &Wait) -> Result<(), String> {
    let fail = |why: &str| {
        Err(format!(
            "the row of {} cannot be gone on with: {why}",
            wait.id
        ))
    };
    let overshoot = match wait.overshoot.decode() {
        Ok(hdr) => hdr,
        Err(why) => return fail(&why),
    };
    let sane = |ns: i64| ns.unsigned_abs() <= 100 * LONGEST;
    let finite = [wait.mean_ns, wait.seconds, wait.cpu_ns.unwrap_or(0.0)];
    if wait.samples != overshoot.len()
        || !sane(wait.min_ns)
        || !sane(wait.max_ns)
        || finite.iter().any(|x| !x.is_finite() || x.abs() > 1e18)
    {
        return fail("its figures do not fit each other");
    }
    let n = wait.samples;
    let sum = |mean: f64| (mean * n as f64) as i64;
    let spread = |min: i64, max: i64, mean: f64, early: u64| {
        if n == 0 {
            return Spread::default();
        }
        Spread {
            min,
            max,
            sum: sum(mean),
            early,
        }
    };
    let mut tally = Tally {
        samples: n,
        ruler: spread(wait.min_ns, wait.max_ns, wait.mean_ns, wait.early),
        spent_ns: (wait.seconds * 1e9) as u64,
        cpu_ns: wait.cpu_ns.map(|ns| (ns * n as f64) as u64),
        switches: wait.voluntary_switches.zip(wait.involuntary_switches),
        gaps: wait.gaps_left_out.saturating_add(wait.gaps.len() as u64),
        ..Tally::default()
    };
    if let Some(clock) = &wait.by_clock {
        tally.clock = spread(clock.min_ns, clock.max_ns, clock.mean_ns, clock.early);
    }
    if let Some(grid) = &wait.grid {
        let mut missed = match grid.corrected.decode() {
            Ok(hdr) => hdr,
            Err(why) => return fail(&why),
        };
        if missed.subtract(&overshoot).is_err() {
            return fail("its corrected histogram is not its own and the missed deadlines");
        }
        tally.missed = missed.len();
        series.missed.load(&missed);
    }
    series.overshoot.load(&overshoot);
    for gap in &wait.gaps {
        series.add_gap(gap.clone());
    }
    series.set_tally(tally);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_probes::waits;

    fn question() -> Question {
        Question {
            entry: waits::find("rust/thread-sleep").expect("everywhere"),
            slack: Some(Slack::Default),
            ns: 1_000_000,
            periodic: true,
        }
    }

    fn common(plan: &Plan) -> Common<'_> {
        Common {
            plan,
            load: Load::None,
            load_run: None,
            kept_awake: false,
            stopped_by: StoppedBy::Time,
            notes: Vec::new(),
        }
    }

    fn measured() -> Series {
        let series = Series::new(question(), Some(1));
        let mut tally = Tally::default();
        for ns in [55_000i64, 60_000, 3_500_000, 70_000] {
            series.overshoot.record(ns as u64);
            tally.samples += 1;
            tally.ruler.add(ns, 100);
            tally.clock.add(ns + 20, 100);
        }
        tally.missed = series.missed.record_missed(3_500_000, 1_000_000);
        tally.spent_ns = 4_000_000;
        tally.cpu_ns = Some(20_000);
        tally.switches = Some((4, 1));
        series.set_tally(tally);
        series
    }

    #[test]
    fn a_run_that_goes_on_begins_where_the_other_ended() {
        let plan = Plan::default();
        let first = of(&measured(), &common(&plan));
        assert_eq!(
            (first.samples, first.min_ns, first.max_ns),
            (4, 55_000, 3_500_000)
        );
        let grid = first.grid.clone().expect("periodic");
        assert_eq!((grid.missed, grid.corrected.count), (3, 7));
        assert!(grid.corrected.p50_ns > first.overshoot.p50_ns);

        assert!(answers(&first, &question(), Load::None, Some(1)));
        assert!(!answers(&first, &question(), Load::Low, Some(1)));
        assert!(!answers(&first, &question(), Load::None, None));
        let second = Series::new(question(), Some(1));
        go_on(&second, &first).expect("its own row");
        assert_eq!(of(&second, &common(&plan)), first);
    }

    #[test]
    fn a_row_that_does_not_fit_itself_is_refused() {
        let plan = Plan::default();
        let spoil: [fn(&mut Wait); 5] = [
            |w| w.samples += 1,
            |w| w.mean_ns = f64::NAN,
            |w| w.max_ns = i64::MIN,
            |w| w.overshoot.hdr = "AAAA".into(),
            |w| w.grid.as_mut().expect("periodic").corrected = Histogram::default(),
        ];
        for spoil in spoil {
            let mut wait = of(&measured(), &common(&plan));
            spoil(&mut wait);
            let error = go_on(&Series::new(question(), None), &wait).expect_err("spoilt");
            assert!(error.contains("rust/thread-sleep"), "{error}");
        }
    }
}
