//! From what was counted to the row of the report, and back for a run that goes on.

use super::plan::{Plan, Slack};
use super::recorder::LONGEST;
use super::series::{Question, Series};
use super::tally::{Spread, Tally};
use chronoscope_model::histogram::Histogram;
use chronoscope_model::waits::{ByClock, Grid, Load, LoadRun, StoppedBy, Wait};
use chronoscope_probes::waits::{Entry, os};
use hdrhistogram::Histogram as Hdr;

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
    let waited = tally.samples.max(1) as f64;
    let cpu_ns = tally.cpu_ns.filter(|_| tally.samples > 0);
    let (min_ns, mean_ns, max_ns) = spread(&tally, &hdr);
    let largest = u64::try_from(max_ns).unwrap_or(0);
    let grid = question.periodic.then(|| {
        let mut corrected = hdr.clone();
        series.missed.add_to(&mut corrected);
        Grid {
            missed: corrected.len() - samples,
            corrected: Histogram::of(&corrected).capped(largest),
        }
    });
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
        overshoot: Histogram::of(&hdr).capped(largest),
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

/// Smallest, mean and largest overshoot: exact as far as the tally reaches, and from the buckets
/// for the burst by which the histogram is ahead of it.
fn spread(tally: &Tally, hdr: &Hdr<u64>) -> (i64, f64, i64) {
    let signed = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
    if tally.samples == 0 {
        return (signed(hdr.min()), hdr.mean(), signed(hdr.max()));
    }
    let (min, max) = tally.ruler.ends();
    let bucket = hdr.lowest_equivalent(hdr.max());
    (
        min,
        tally.ruler.mean(tally.samples),
        max.max(signed(bucket)),
    )
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
    if wait.samples != overshoot.len() || !sane(wait) {
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
        if missed.len() > MOST {
            return fail("it has more missed deadlines than there can be");
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

/// No count and no sum of nanoseconds of a run is above this, which in nanoseconds is 31 years;
/// what is added to it in the life of a machine does not reach the end of 64 bits.
const MOST: u64 = 1_000_000_000_000_000_000;

/// Whether the figures of a row can be those of one and the same run.
fn sane(wait: &Wait) -> bool {
    let clock = wait.by_clock.as_ref();
    let spreads = [
        Some((wait.min_ns, wait.mean_ns, wait.max_ns, wait.early)),
        clock.map(|c| (c.min_ns, c.mean_ns, c.max_ns, c.early)),
    ];
    let spread = |(min, mean, max, early): (i64, f64, i64, u64)| {
        let bounded = |ns: i64| ns.unsigned_abs() <= 100 * LONGEST;
        // An export has six digits of a mean, and of its ends all.
        let off = 1.0 + min.unsigned_abs().max(max.unsigned_abs()) as f64 * 1e-5;
        bounded(min)
            && bounded(max)
            && (min as f64 - off..=max as f64 + off).contains(&mean)
            && early <= wait.samples
    };
    let counts = [
        Some(wait.samples),
        wait.voluntary_switches,
        wait.involuntary_switches,
        Some(wait.gaps_left_out),
    ];
    let n = wait.samples as f64;
    let sums = [
        wait.mean_ns * n,
        clock.map_or(0.0, |c| c.mean_ns * n),
        wait.cpu_ns.map_or(0.0, |ns| ns * n),
        wait.seconds * 1e9,
    ];
    spreads.into_iter().flatten().all(spread)
        && counts.into_iter().flatten().all(|count| count <= MOST)
        && sums.iter().all(|ns| ns.abs() <= MOST as f64)
        && wait.cpu_ns.is_none_or(|ns| ns >= 0.0)
        && wait.seconds >= 0.0
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
        for histogram in [&first.overshoot, &grid.corrected] {
            assert!(histogram.p999_ns <= 3_500_000 && histogram.max_ns <= 3_500_000);
        }

        assert!(answers(&first, &question(), Load::None, Some(1)));
        assert!(!answers(&first, &question(), Load::Low, Some(1)));
        assert!(!answers(&first, &question(), Load::None, None));
        let second = Series::new(question(), Some(1));
        go_on(&second, &first).expect("its own row");
        assert_eq!(of(&second, &common(&plan)), first);
    }

    #[test]
    fn a_row_in_the_middle_of_a_burst_fits_itself() {
        let plan = Plan::default();
        let first = Series::new(question(), Some(1));
        first.overshoot.record(1_234_567);
        let later = measured();
        later.overshoot.record(9_876_543);
        for (series, largest) in [(first, 1_234_567), (later, 9_876_543)] {
            let mut row = of(&series, &common(&plan));
            let off = (row.max_ns - largest).abs();
            assert!(off <= largest / 1000, "{}", row.max_ns);
            assert!(row.overshoot.p999_ns as i64 <= row.max_ns);
            go_on(&Series::new(question(), Some(1)), &row).expect("its own row");
            // As an export has it.
            row.mean_ns = format!("{:.5e}", row.mean_ns).parse().expect("a number");
            go_on(&Series::new(question(), Some(1)), &row).expect("its own row");
        }
    }

    #[test]
    fn a_row_that_does_not_fit_itself_is_refused() {
        let plan = Plan::default();
        let spoil: [fn(&mut Wait); 16] = [
            |w| w.early = u64::MAX,
            |w| w.early = w.samples + 1,
            |w| w.by_clock.as_mut().expect("measured").early = 5,
            |w| w.by_clock.as_mut().expect("measured").max_ns = i64::MAX,
            |w| w.by_clock.as_mut().expect("measured").mean_ns = f64::INFINITY,
            |w| w.voluntary_switches = Some(u64::MAX),
            |w| w.involuntary_switches = Some(u64::MAX),
            |w| w.gaps_left_out = u64::MAX,
            |w| w.cpu_ns = Some(1e18),
            |w| w.seconds = -1.0,
            |w| w.mean_ns = 1e6 * w.max_ns as f64,
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
