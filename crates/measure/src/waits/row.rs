//! Makes a row of the report from the counts.

use super::lateness::Recorded;
use super::live_row::{LiveRow, locked};
use super::plan::Plan;
use super::spent::Spent;
use super::ticks;
use chronoscope_model::Note;
use chronoscope_model::waits::{Load, LoadRun, Priority, Slack, StoppedBy, Throttled, Wait};
use chronoscope_probes::waits::{Asked, Entry, os};

/// Makes the row of a method that cannot be used here, or under this load.
pub(super) fn unavailable(entry: &Entry, load: Load, reason: &str) -> Wait {
    Wait {
        id: entry.id.into(),
        call: entry.call.into(),
        language: entry.language,
        kind: entry.kind,
        facts: Some(entry.facts),
        load,
        unavailable_reason: Some(reason.into()),
        elsewhere: entry.is_on_other_system(),
        ..Wait::default()
    }
}

pub(super) struct Common<'a> {
    pub(super) plan: &'a Plan,
    pub(super) load: Load,
    pub(super) counter_hz: f64,
    pub(super) load_run: Option<LoadRun>,
    pub(super) power: Option<String>,
    pub(super) kept_awake: bool,
    pub(super) stopped_by: StoppedBy,
    /// The time that a CPU quota throttled during the run, if its rows do not count that
    /// themselves.
    pub(super) throttled: Option<Throttled>,
    pub(super) notes: Vec<Note>,
}

/// Makes the row of the records so far.
pub(super) fn of(live: &LiveRow, common: &Common) -> Wait {
    let (spec, spent) = (&live.spec, live.spent());
    let Recorded { ruler, clock } = live.lateness.read();
    let samples = ruler.histogram.len();
    let waited = samples.max(1) as f64;
    let cpu_ns = spent.cpu_ns.filter(|_| samples > 0);
    let grid = spec.periodic.then(|| {
        let mut corrected = ruler.histogram.clone();
        live.missed.add_to(&mut corrected);
        ruler.grid(&corrected)
    });
    let (gaps, gaps_left_out) = live.gaps();
    Wait {
        available: live.failure().is_none(),
        unavailable_reason: live.failure().map(str::to_owned),
        code: spec.entry.lines(Asked { ns: spec.ns, counter_hz: Some(common.counter_hz) }),
        requested_ns: Some(spec.ns),
        period_ns: spec.periodic.then_some(spec.ns),
        slack_ns: spec.slack.and(live.slack_ns.get().copied()),
        slice_ns: spec.slice.and(live.slice_ns.get().copied()),
        default_slack: spec.slack == Some(Slack::Default),
        // A real-time thread has no slice.
        default_slice_ns: os::slice().filter(|_| common.plan.spec.fifo().is_none()),
        timer_period_ms: period_ms(spec.slack),
        cpu: live.cpu,
        scheduling: match common.plan.spec.priority {
            Some(Priority::Fifo(priority)) => format!("fifo:{priority}"),
            Some(Priority::Class(class)) => format!("class:{}", class.name()),
            None => "other".into(),
        },
        power: common.power.clone(),
        kept_awake: common.kept_awake,
        // On a grid, a wait begins at no tick.
        whole_ticks: (!spec.periodic).then(|| ticks::whole(&ruler.histogram, spec.ns)).flatten(),
        by_clock: (samples > 0).then_some(clock),
        censored: live.censored(),
        throttled: throttled(&spent, common),
        cpu_ns: cpu_ns.map(|ns| ns as f64 / waited),
        cpu_share: cpu_ns.filter(|_| spent.ns > 0).map(|ns| ns as f64 / spent.ns as f64),
        voluntary_switches: spent.switches.map(|s| s.0),
        involuntary_switches: spent.switches.map(|s| s.1),
        grid,
        gaps_left_out,
        gaps,
        load_run: common.load_run.clone(),
        seconds: spent.ns as f64 / 1e9,
        stopped_by: if live.failure().is_some() { StoppedBy::Failure } else { common.stopped_by },
        why: live.why.as_ref().map(|reasons| locked(reasons).clone().report()),
        notes: notes(live, common),
        ..ruler.fill(above(live), unavailable(spec.entry, common.load, ""))
    }
}

/// The number of waits that are known to be late by an unknown amount: their deadlines had passed
/// when the run ended.
fn above(live: &LiveRow) -> u64 {
    let late = live.censored().filter(|censored| censored.late_ns > 0);
    late.map_or(0, |censored| censored.count)
}

/// The time that a CPU quota throttled during the row's turns, or during the run if there is one
/// row.
fn throttled(spent: &Spent, common: &Common) -> Option<Throttled> {
    match (spent.throttled, common.throttled) {
        (Some(turns), None) => Some(turns),
        (turns, run) => Some(turns.unwrap_or_default().and(run?)),
    }
}

/// The notes on the row, including those of an earlier run.
fn notes(live: &LiveRow, common: &Common) -> Vec<String> {
    let mut all = live.notes.get().cloned().unwrap_or_default();
    for note in &common.notes {
        if !all.contains(&note.text) {
            all.push(note.text.clone());
        }
    }
    all
}

/// The period of the system's timer that the process requests instead of a slack, on systems that
/// have such a period.
pub(super) fn period_ms(slack: Option<Slack>) -> Option<u32> {
    match slack? {
        Slack::Default => None,
        Slack::Ns(ns) => os::period_ms(ns),
    }
}

#[cfg(test)]
mod tests {
    use super::super::earlier::{answers, go_on};
    use super::super::row_spec::RowSpec;
    use super::*;
    use chronoscope_model::histogram::Histogram;
    use chronoscope_model::waits::Censored;
    use chronoscope_probes::waits;

    fn spec() -> RowSpec {
        RowSpec {
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

    fn record(row: &LiveRow, ns: i64) {
        row.lateness.record((ns, 100), (ns + 20, 100));
    }

    fn measured() -> LiveRow {
        let row = LiveRow::new(spec(), Some(1), false);
        [55_000, 60_000, 3_500_000, 70_000].iter().for_each(|ns| record(&row, *ns));
        row.missed.record_missed(3_500_000, 1_000_000);
        row.set_spent(Spent {
            ns: 4_000_000,
            cpu_ns: Some(20_000),
            switches: Some((4, 1)),
            throttled: None,
        });
        let _ = row.slack_ns.set(50_000);
        row
    }

    #[test]
    fn a_continued_run_begins_where_the_earlier_one_ended() {
        let plan = Plan::default();
        let mut common = common(&plan);
        common.notes = vec![crate::engine::notes::stepped(1.0, 2.0)];
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

        assert!(answers(&first, &spec(), Load::None, Some(1)));
        assert!(!answers(&first, &spec(), Load::Low, Some(1)));
        assert!(!answers(&first, &spec(), Load::None, None));
        let second = LiveRow::new(spec(), Some(1), false);
        go_on(&second, &first).expect("its own row");
        assert_eq!(of(&second, &common), first);
        assert_eq!((first.slack_ns, first.notes.len()), (Some(50_000), 1));
    }

    #[test]
    fn a_wait_that_the_end_cuts_off_is_censored_and_counts_as_late() {
        let plan = Plan::default();
        let live = measured();
        (0..40).for_each(|_| record(&live, 60_000));
        // The run ends when no wait is in progress.
        live.censor(5_000_000);
        assert_eq!(of(&live, &common(&plan)).censored, None);
        let closed = of(&live, &common(&plan)).intervals.p90.expect("44 waits");
        assert!(closed.high_ns.is_some());
        // The run ends before the deadline of a wait, so nothing is known about that wait.
        live.begin(9_000_000);
        live.censor(5_000_000);
        let early = of(&live, &common(&plan));
        let one = Censored { count: 1, late_ns: 0 };
        assert_eq!((early.censored, early.intervals.p90), (Some(one), Some(closed)));
        // Many run out of time after their deadlines, as in a run that is resumed again and again.
        for _ in 0..9 {
            live.begin(1_000_000);
            live.censor(5_000_000);
        }
        let row = of(&live, &common(&plan));
        let ten = Censored { count: 10, late_ns: 4_000_000 };
        assert_eq!(row.censored, Some(ten.clone()));
        assert_eq!((row.samples, row.intervals.p90.and_then(|it| it.high_ns)), (44, None));
        // A wait that has ended is not in progress.
        live.begin(1_000_000);
        live.end();
        live.censor(5_000_000);
        assert_eq!(of(&live, &common(&plan)).censored, Some(ten.clone()));
        // A run that continues takes this over.
        let second = LiveRow::new(spec(), Some(1), false);
        go_on(&second, &row).expect("its own row");
        assert_eq!(second.censored(), Some(ten));
    }

    #[test]
    fn what_a_quota_throttled_is_that_of_the_turns_or_of_the_run() {
        let plan = Plan::default();
        let live = measured();
        assert_eq!(of(&live, &common(&plan)).throttled, None);
        let some = |periods, ns| Throttled { periods, ns };
        let run = Common { throttled: Some(some(1, 500)), ..common(&plan) };
        let shown = |common: &Common| of(&live, common).throttled.map(|it| (it.periods, it.ns));
        assert_eq!(shown(&run), Some((1, 500)));
        let mut spent = live.spent();
        for throttled in [some(2, 300), some(3, 100)] {
            spent.add(Spent { throttled: Some(throttled), ..Spent::default() });
        }
        live.set_spent(spent);
        assert_eq!(shown(&common(&plan)), Some((5, 400)));
        let second = LiveRow::new(spec(), Some(1), false);
        go_on(&second, &of(&live, &common(&plan))).expect("its own row");
        assert_eq!(second.spent().throttled, Some(some(5, 400)));
    }

    #[test]
    fn a_row_in_the_middle_of_a_burst_is_consistent() {
        let plan = Plan::default();
        let first = LiveRow::new(spec(), Some(1), false);
        record(&first, 1_234_567);
        let later = measured();
        record(&later, 9_876_543);
        for (live, largest) in [(first, 1_234_567), (later, 9_876_543)] {
            let mut row = of(&live, &common(&plan));
            let off = (row.max_ns - largest).abs();
            assert!(off <= largest / 1000, "{}", row.max_ns);
            assert!(row.overshoot.max_ns as i64 <= row.max_ns);
            go_on(&LiveRow::new(spec(), Some(1), false), &row).expect("its own row");
            // An export writes it like this.
            row.mean_ns = format!("{:.5e}", row.mean_ns).parse().expect("a number");
            go_on(&LiveRow::new(spec(), Some(1), false), &row).expect("its own row");
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
            let error = go_on(&LiveRow::new(spec(), None, false), &wait).expect_err("spoilt");
            assert!(error.contains("rust/thread-sleep"), "{error}");
        }
    }
}
