//! Makes the row of the report from what was counted.

use super::plan::Plan;
use super::series::Series;
use super::tally::Tally;
use chronoscope_model::Note;
use chronoscope_model::histogram::Histogram;
use chronoscope_model::quantile::Intervals;
use chronoscope_model::waits::{self, ByClock, Grid, Load, LoadRun, Slack, StoppedBy, Wait};
use chronoscope_probes::machine::quota::Throttled;
use chronoscope_probes::waits::{Asked, Entry, os};
use hdrhistogram::Histogram as Hdr;

/// The row of a method that cannot be used here, or under this load.
pub(super) fn unavailable(entry: &Entry, load: Load, reason: &str) -> Wait {
    Wait {
        id: entry.id.into(),
        call: entry.call.into(),
        language: entry.language,
        kind: entry.kind,
        facts: Some(entry.facts),
        load,
        unavailable_reason: Some(reason.into()),
        elsewhere: entry.is_elsewhere(),
        ..Wait::default()
    }
}

/// What all rows of one load have in common.
pub(super) struct Common<'a> {
    pub(super) plan: &'a Plan,
    pub(super) load: Load,
    pub(super) counter_hz: f64,
    pub(super) load_run: Option<LoadRun>,
    pub(super) power: Option<String>,
    pub(super) kept_awake: bool,
    pub(super) stopped_by: StoppedBy,
    /// What a CPU quota throttled during the run, if its rows do not count that themselves.
    pub(super) throttled: Option<Throttled>,
    pub(super) notes: Vec<Note>,
}

/// The row of what was counted so far.
pub(super) fn of(series: &Series, common: &Common) -> Wait {
    let tally = series.tally();
    let question = &series.question;
    let hdr = series.overshoot.histogram();
    // The histogram is ahead of the tally by the burst in progress; the histogram counts.
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
        code: question.entry.lines(Asked { ns: question.ns, counter_hz: Some(common.counter_hz) }),
        requested_ns: Some(question.ns),
        period_ns: question.periodic.then_some(question.ns),
        slack_ns: question.slack.and(series.slack_ns.get().copied()),
        slice_ns: question.slice.and(series.slice_ns.get().copied()),
        default_slack: question.slack == Some(Slack::Default),
        timer_period_ms: period_ms(question.slack),
        cpu: series.cpu,
        scheduling: match common.plan.spec.priority {
            Some(priority) => format!("fifo:{priority}"),
            None => "other".into(),
        },
        power: common.power.clone(),
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
        intervals: Intervals::of(&hdr, above(series)).capped(largest),
        censored: series.censored(),
        throttled: throttled(&tally, common),
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
        stopped_by: if series.failure().is_some() { StoppedBy::Failure } else { common.stopped_by },
        why: series.why(),
        notes: notes(series, common),
        ..unavailable(question.entry, common.load, "")
    }
}

/// How many waits are known to be late, but not how late: those that had passed their deadline when
/// the run ended.
fn above(series: &Series) -> u64 {
    let late = series.censored().filter(|censored| censored.late_ns > 0);
    late.map_or(0, |censored| censored.count)
}

/// What a CPU quota throttled during the row's turns, or during the run if it has only one.
fn throttled(tally: &Tally, common: &Common) -> Option<waits::Throttled> {
    let sum = match (tally.throttled, common.throttled) {
        (Some(turns), None) => Some(turns),
        (turns, run) => Some(turns.unwrap_or_default().and(run?)),
    };
    sum.map(|it| waits::Throttled { periods: it.periods, ns: it.ns })
}

/// The notes on the row, including those of an earlier run.
fn notes(series: &Series, common: &Common) -> Vec<String> {
    let mut all = series.notes.get().cloned().unwrap_or_default();
    for note in &common.notes {
        if !all.contains(&note.text) {
            all.push(note.text.clone());
        }
    }
    all
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
    (min, tally.ruler.mean(tally.samples), max.max(signed(bucket)))
}

/// The period of the system's timer that the process requests instead of a slack, on systems that
/// have one.
pub(super) fn period_ms(slack: Option<Slack>) -> Option<u32> {
    match slack? {
        Slack::Default => None,
        Slack::Ns(ns) => os::period_ms(ns),
    }
}

#[cfg(test)]
mod tests {
    use super::super::earlier::{answers, go_on};
    use super::super::series::Question;
    use super::*;
    use chronoscope_model::waits::Censored;
    use chronoscope_probes::waits;

    fn question() -> Question {
        Question {
            entry: waits::find("rust/thread-sleep").expect("everywhere"),
            slack: Some(Slack::Default),
            slice: None,
            ns: 1_000_000,
            periodic: true,
        }
    }

    fn common(plan: &Plan) -> Common<'_> {
        Common {
            plan,
            load: Load::None,
            counter_hz: 2.6e9,
            load_run: None,
            power: None,
            kept_awake: false,
            stopped_by: StoppedBy::Time,
            throttled: None,
            notes: Vec::new(),
        }
    }

    fn measured() -> Series {
        let series = Series::new(question(), Some(1), false);
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
        let _ = series.slack_ns.set(50_000);
        series
    }

    #[test]
    fn a_continued_run_begins_where_the_earlier_one_ended() {
        let plan = Plan::default();
        let mut common = common(&plan);
        common.notes = vec![crate::notes::stepped(1.0, 2.0)];
        let first = of(&measured(), &common);
        common.notes.clear();
        assert_eq!((first.samples, first.min_ns, first.max_ns), (4, 55_000, 3_500_000));
        let grid = first.grid.clone().expect("periodic");
        assert_eq!((grid.missed, grid.corrected.count), (3, 7));
        // Four waits have no median; seven have one, and nothing above it.
        assert_eq!(first.overshoot.p50_ns, None);
        assert!(grid.corrected.p50_ns.is_some() && grid.corrected.p90_ns.is_none());
        for histogram in [&first.overshoot, &grid.corrected] {
            assert!(histogram.max_ns <= 3_500_000);
        }

        assert!(answers(&first, &question(), Load::None, Some(1)));
        assert!(!answers(&first, &question(), Load::Low, Some(1)));
        assert!(!answers(&first, &question(), Load::None, None));
        let second = Series::new(question(), Some(1), false);
        go_on(&second, &first).expect("its own row");
        assert_eq!(of(&second, &common), first);
        assert_eq!((first.slack_ns, first.notes.len()), (Some(50_000), 1));
    }

    #[test]
    fn a_wait_that_the_end_cuts_off_is_censored_and_counts_as_late() {
        let plan = Plan::default();
        let series = measured();
        (0..40).for_each(|_| series.overshoot.record(60_000));
        // The run ends when no wait is in progress.
        series.censor(5_000_000);
        assert_eq!(of(&series, &common(&plan)).censored, None);
        let closed = of(&series, &common(&plan)).intervals.p90.expect("44 waits");
        assert!(closed.high_ns.is_some());
        // It ends before the deadline of a wait: nothing is known of that one.
        series.begin(9_000_000);
        series.censor(5_000_000);
        let early = of(&series, &common(&plan));
        let one = Censored { count: 1, late_ns: 0 };
        assert_eq!((early.censored, early.intervals.p90), (Some(one), Some(closed)));
        // Many run out of time after their deadlines, as in a run that is resumed again and again.
        for _ in 0..9 {
            series.begin(1_000_000);
            series.censor(5_000_000);
        }
        let row = of(&series, &common(&plan));
        let ten = Censored { count: 10, late_ns: 4_000_000 };
        assert_eq!(row.censored, Some(ten.clone()));
        assert_eq!((row.samples, row.intervals.p90.and_then(|it| it.high_ns)), (44, None));
        // A wait that ended is not in progress.
        series.begin(1_000_000);
        series.end();
        series.censor(5_000_000);
        assert_eq!(of(&series, &common(&plan)).censored, Some(ten.clone()));
        // And it is taken over by a run that goes on.
        let second = Series::new(question(), Some(1), false);
        go_on(&second, &row).expect("its own row");
        assert_eq!(second.censored(), Some(ten));
    }

    #[test]
    fn what_a_quota_throttled_is_that_of_the_turns_or_of_the_run() {
        let plan = Plan::default();
        let series = measured();
        assert_eq!(of(&series, &common(&plan)).throttled, None);
        let some = |periods, ns| Throttled { periods, ns };
        let run = Common { throttled: Some(some(1, 500)), ..common(&plan) };
        let shown = |common: &Common| of(&series, common).throttled.map(|it| (it.periods, it.ns));
        assert_eq!(shown(&run), Some((1, 500)));
        let mut tally = series.tally();
        tally.throttle(some(2, 300));
        tally.throttle(some(3, 100));
        series.set_tally(tally);
        assert_eq!(shown(&common(&plan)), Some((5, 400)));
        let second = Series::new(question(), Some(1), false);
        go_on(&second, &of(&series, &common(&plan))).expect("its own row");
        assert_eq!(second.tally().throttled, Some(some(5, 400)));
    }

    #[test]
    fn a_row_in_the_middle_of_a_burst_is_consistent() {
        let plan = Plan::default();
        let first = Series::new(question(), Some(1), false);
        first.overshoot.record(1_234_567);
        let later = measured();
        later.overshoot.record(9_876_543);
        for (series, largest) in [(first, 1_234_567), (later, 9_876_543)] {
            let mut row = of(&series, &common(&plan));
            let off = (row.max_ns - largest).abs();
            assert!(off <= largest / 1000, "{}", row.max_ns);
            assert!(row.overshoot.max_ns as i64 <= row.max_ns);
            go_on(&Series::new(question(), Some(1), false), &row).expect("its own row");
            // As an export writes it.
            row.mean_ns = format!("{:.5e}", row.mean_ns).parse().expect("a number");
            go_on(&Series::new(question(), Some(1), false), &row).expect("its own row");
        }
    }

    #[test]
    fn an_inconsistent_row_is_refused() {
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
            let error = go_on(&Series::new(question(), None, false), &wait).expect_err("spoilt");
            assert!(error.contains("rust/thread-sleep"), "{error}");
        }
    }
}
