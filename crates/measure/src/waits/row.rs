//! Makes a row of the report from the counts of this run and of one that it continues.
//!
//! Some late waits took a whole number of ticks: those of a thread that sleeps from tick to tick,
//! as with Windows' 64 Hz, or that gets its CPU at a tick only.
//!
//! From an earlier run, it takes over the rows and the load.

use super::live_row::{LiveRow, RowSpec, Spent, locked};
use super::meanwhile::{MOST_S, age_s};
use super::overshoots::{LONGEST, Recorded};
use super::plan::Plan;
use super::reasons::Reasons;
use crate::add_new;
use crate::engine::notes;
use chronoscope_model::Note;
use chronoscope_model::units::{plural, short_ns};
use chronoscope_model::waits::{
    ByClock, Course, Energy, Load, LoadRun, Policy, Priority, Slack, StoppedBy, Throttled, Wait,
    WholeTicks,
};
use chronoscope_probes::machine::Root;
use chronoscope_probes::waits::privilege::scheduler_in_bpf;
use chronoscope_probes::waits::{Asked, Entry, os};
use hdrhistogram::Histogram as Hdr;
use std::collections::BTreeMap;

/// Makes the row of a method that cannot be used here, or under this load.
pub(super) fn unavailable_row(entry: &Entry, load: Load, reason: &str) -> Wait {
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
    /// What counts the energy of the machine, or why nothing does.
    pub(super) meter: Result<String, String>,
    pub(super) notes: Vec<Note>,
    pub(super) course: Option<Course>,
}

/// Makes the row of the records so far.
pub(super) fn report_row(live: &LiveRow, common: &Common) -> Wait {
    let (spec, spent, plan) = (&live.spec, live.spent(), common.plan);
    let Recorded { ruler, clock } = live.lateness.read();
    let samples = ruler.histogram.len();
    let waited = samples.max(1) as f64;
    let cpu_ns = spent.cpu_ns.filter(|_| samples > 0);
    let grid = spec.periodic.then(|| {
        let mut corrected = ruler.histogram.clone();
        live.missed.add_to(&mut corrected);
        ruler.grid(&corrected, spec.ns)
    });
    // On a grid, a wait begins at no tick.
    let ticks = if spec.periodic { Vec::new() } else { os::ticks() };
    let whole_ticks = longest_of_ticks(&ruler.histogram, spec.ns, &ticks);
    let (gaps, gaps_left_out) = live.gaps();
    Wait {
        available: live.failure().is_none(),
        unavailable_reason: live.failure().map(str::to_owned),
        code: if spec.periodic {
            spec.entry.paced(spec.ns).unwrap_or_default()
        } else {
            spec.entry.lines(Asked { ns: spec.ns, counter_hz: Some(common.counter_hz) })
        },
        requested_ns: Some(spec.ns),
        period_ns: spec.periodic.then_some(spec.ns),
        work_ns: common.plan.work_ns(),
        slack_ns: spec.slack.and(live.slack_ns.get().copied()),
        slice_ns: spec.slice.and(live.slice_ns.get().copied()),
        default_slack: spec.slack == Some(Slack::Default),
        // A real-time thread has no slice.
        default_slice_ns: os::slice().filter(|_| plan.spec.fifo().is_none()),
        timer_period_ms: period_ms(spec.slack),
        timer_resolution_ns: resolution_ns(spec.slack),
        cpu: live.cpu,
        scheduling: scheduling(spec, plan),
        policy: spec.policy,
        power: common.power.clone(),
        kept_awake: common.kept_awake,
        whole_ticks,
        by_clock: (samples > 0).then_some(clock),
        censored: live.censored(),
        throttled: throttled(&spent, common),
        cpu_ns: cpu_ns.map(|ns| ns as f64 / waited),
        cpu_share: cpu_ns.filter(|_| spent.ns > 0).map(|ns| ns as f64 / spent.ns as f64),
        energy: energy(live, &common.meter, waited),
        voluntary_switches: spent.switches.map(|s| s.0),
        involuntary_switches: spent.switches.map(|s| s.1),
        grid,
        gaps_left_out,
        gaps,
        course: common.course.clone(),
        load_run: common.load_run.clone(),
        seconds: spent.ns as f64 / 1e9,
        stopped_by: if live.failure().is_some() { StoppedBy::Failure } else { common.stopped_by },
        why: live.why.as_ref().map(|reasons| locked(reasons).clone().report()),
        notes: row_notes(live, common),
        ..ruler.fill(above(live), unavailable_row(spec.entry, common.load, ""))
    }
}

/// The energy that the machine used during the row's waits, in this run and in one that it
/// continues: of all of them, or of none.
fn energy(live: &LiveRow, meter: &Result<String, String>, waits: f64) -> Option<Energy> {
    let (used, ns) = (live.used(), live.spent().ns);
    let earlier = live.earlier_energy.get();
    // Nothing was measured since.
    if let Some((energy, _)) = earlier.filter(|(_, until)| *until == ns) {
        return energy.clone();
    }
    let without = |energy, why: &str| Some(Energy { reason: Some(why.into()), ..energy });
    let source = match meter {
        Ok(name) => name.clone(),
        Err(why) => return without(Energy::default(), why),
    };
    let same = |energy: &Energy| energy.source == source && energy.counted.is_some();
    if earlier.is_some_and(|(energy, _)| !energy.as_ref().is_some_and(same)) {
        let why = format!("{source} did not count it before the run was resumed, as far as known");
        return without(Energy { source, ..Energy::default() }, &why);
    }
    let energy = Energy { source, counted: Some(used.0), ..Energy::default() };
    let Some([watts, low, high]) = used.watts() else {
        return without(energy, "fewer than ten bursts of waits");
    };
    if used.0[2] < ns as f64 / 2.0 {
        return without(energy, "it was counted during less than half of the waits");
    }
    Some(Energy {
        watts: Some(watts),
        low_watts: Some(low),
        high_watts: Some(high),
        wait_uj: Some(watts * ns as f64 / 1e3 / waits),
        ..energy
    })
}

/// How the row's thread is scheduled.
fn scheduling(spec: &RowSpec, plan: &Plan) -> String {
    let asked = |policy| plan.scheduling(policy, spec.ns);
    match (spec.policy, plan.spec.priority) {
        (Some(policy @ (Policy::Rr | Policy::Fifo)), _) => {
            format!("{}:{}", policy.name(), asked(policy).priority)
        }
        (Some(policy @ Policy::Deadline), _) => {
            let (runtime, period) = asked(policy).budget();
            format!("{}:{runtime}/{period}", policy.name())
        }
        (Some(policy @ Policy::Ext), _) => {
            let name = scheduler_in_bpf(&Root::host()).unwrap_or_else(|why| why.0);
            format!("{}:{name}", policy.name())
        }
        (Some(policy), _) => policy.name().into(),
        (None, Some(Priority::Fifo(priority))) => format!("fifo:{priority}"),
        (None, Some(Priority::Class(class))) => format!("class:{}", class.name()),
        (None, None) => Policy::Other.name().into(),
    }
}

/// Says that a deadline's budget was used up, if it was: then the kernel keeps the thread from
/// running until its next period begins (Documentation/scheduler/sched-deadline.rst, 2.2).
fn used_up(spec: &RowSpec, plan: &Plan, cpu_ns: f64) -> Option<String> {
    let policy = spec.policy.filter(|policy| *policy == Policy::Deadline)?;
    let (runtime, period) = plan.scheduling(policy, spec.ns).budget();
    let short = |ns: u64| short_ns(ns as f64);
    (cpu_ns >= 0.9 * runtime as f64).then(|| {
        format!(
            "{} used the {} that SCHED_DEADLINE gives it in each {}: the kernel throttles it then, \
             until the next period",
            spec.entry.id,
            short(runtime),
            short(period)
        )
    })
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

/// Notes that waits of this row have no explanation.
pub(super) fn unexplained(live: &LiveRow) -> Option<Note> {
    let why = live.unexplained.get()?;
    Some(notes::unexplained(live.spec.entry.id, why))
}

/// The notes on the row, including those of an earlier run.
fn row_notes(live: &LiveRow, common: &Common) -> Vec<String> {
    let mut all = live.notes.get().cloned().unwrap_or_default();
    add_new(&mut all, common.notes.iter().map(|note| note.text.clone()));
    add_new(&mut all, unexplained(live).map(|note| note.text));
    let waits = live.lateness.samples().max(1) as f64;
    let each = live.spent().cpu_ns.map(|ns| ns as f64 / waits);
    let used = each.and_then(|ns| used_up(&live.spec, common.plan, ns));
    add_new(&mut all, used);
    all
}

/// The period of the system's timer that the process requests instead of a slack, on systems that
/// have such a period.
pub(super) fn period_ms(slack: Option<Slack>) -> Option<u32> {
    os::period_ms(slack?.ns()?)
}

/// The resolution that it requests if that is below every period.
fn resolution_ns(slack: Option<Slack>) -> Option<u64> {
    os::resolution_ns(slack?.ns()?)
}

/// A wait is within this part of a tick if it took a whole number of them. By chance, one in 16
/// would be: twice this part.
const PART: u64 = 32;
/// Fewer waits show nothing.
const ENOUGH: u64 = 8;
/// At least one in this many late waits took a whole number of ticks. All do if each begins at a
/// tick; those that follow a wait of another method do not.
const ONE_IN: u64 = 3;
/// A shorter tick, in nanoseconds, is not told apart from the time that a wake-up takes.
const SHORTEST: u64 = 500_000;

/// The longest of these ticks, in nanoseconds, of which late waits took a whole number.
fn longest_of_ticks(overshoots: &Hdr<u64>, ns: u64, ticks: &[u64]) -> Option<WholeTicks> {
    let long = ticks.iter().copied().filter(|tick| *tick >= SHORTEST);
    let found = long.filter_map(|tick| counted(overshoots, ns, tick));
    found.max_by_key(|found| found.tick_ns)
}

fn counted(overshoots: &Hdr<u64>, ns: u64, tick: u64) -> Option<WholeTicks> {
    let part = tick / PART;
    let (mut late, mut of_each) = (0, BTreeMap::<u64, u64>::new());
    for bucket in overshoots.iter_recorded() {
        let over = overshoots.median_equivalent(bucket.value_iterated_to());
        // Above, a bucket of the histogram may be as wide as the part.
        if !(part..=tick * PART / 2).contains(&over) {
            continue;
        }
        late += bucket.count_at_value();
        let waited = ns.saturating_add(over);
        let nearest = (waited + tick / 2) / tick;
        if waited.abs_diff(nearest * tick) <= part {
            *of_each.entry(nearest).or_default() += bucket.count_at_value();
        }
    }
    let whole: u64 = of_each.values().sum();
    let usual = of_each.into_iter().max_by_key(|(_, count)| *count)?.0;
    let enough = whole >= ENOUGH && whole * ONE_IN >= late;
    enough.then_some(WholeTicks { tick_ns: tick, late, whole, usual })
}

/// Returns the load in the rows of the earlier run. Impossible figures count as none, because
/// reports are untrusted.
pub(super) fn earlier_load(plan: &Plan, load: Load) -> Option<&LoadRun> {
    let rows = plan.earlier.iter().filter(|row| row.load == load);
    let mut runs = rows.filter_map(|row| row.load_run.as_ref());
    let sane = |s: f64| (0.0..=MOST_S).contains(&s);
    let fits = |run: &LoadRun| {
        let mut processes = run.processes.iter();
        sane(run.seconds) && processes.all(|p| sane(p.cpu_s) && p.ended_s.is_none_or(sane))
    };
    runs.next().filter(|run| fits(run))
}

/// Returns the course of the load in the earlier run, and how long ago it began, in seconds.
pub(super) fn earlier_course(plan: &Plan, load: Load) -> Option<(&Course, f64)> {
    let rows = plan.earlier.iter().filter(|row| row.load == load);
    rows.filter_map(|row| row.course.as_ref()).find_map(|it| Some((it, age_s(it)?)))
}

/// Combines the load of both runs. The times of each process are added if both runs have the same
/// processes.
pub(super) fn joined_loads(earlier: Option<&LoadRun>, mut now: LoadRun) -> LoadRun {
    let Some(earlier) = earlier else { return now };
    let places = |run: &LoadRun| run.processes.iter().map(|p| p.cpu).collect::<Vec<_>>();
    if places(earlier) != places(&now) {
        now.notes.push(
            "the run was continued with other load processes; the CPU time of the earlier ones is \
             not included"
                .into(),
        );
        return now;
    }
    for (process, before) in now.processes.iter_mut().zip(&earlier.processes) {
        process.cpu_s += before.cpu_s;
        let later = process.ended_s.map(|s| s + earlier.seconds);
        process.ended_s = before.ended_s.or(later);
    }
    now.seconds += earlier.seconds;
    add_new(&mut now.notes, earlier.notes.iter().cloned());
    now
}

/// Whether a row of an earlier run matches this specification.
pub(super) fn continues(wait: &Wait, spec: &RowSpec, load: Load, cpu: Option<usize>) -> bool {
    let slack = match spec.slack {
        None => true,
        Some(Slack::Default) => wait.default_slack,
        Some(Slack::Ns(ns)) => {
            let asked = period_ms(spec.slack);
            let finer = resolution_ns(spec.slack);
            let same = match asked.is_some() || finer.is_some() {
                true => (wait.timer_period_ms, wait.timer_resolution_ns) == (asked, finer),
                false => wait.slack_ns == Some(ns),
            };
            !wait.default_slack && same
        }
    };
    wait.id == spec.entry.id
        && wait.requested_ns == Some(spec.ns)
        && wait.period_ns.is_some() == spec.periodic
        && wait.load == load
        && wait.cpu == cpu
        && wait.slice_ns == spec.slice
        && wait.policy == spec.policy
        && slack
}

/// Begins a row again that failed in an earlier run, as when its CPU was taken away: nothing mixes
/// what was before with what is now.
pub(super) fn begin_again(row: &LiveRow, wait: &Wait) {
    if wait.samples == 0 {
        return;
    }
    let why = wait.unavailable_reason.as_deref().unwrap_or("it failed");
    let waits = plural(wait.samples, "wait", "waits");
    let note = format!("{why}: when the run was resumed, its {waits} until then were left out");
    let _ = row.notes.set(vec![note]);
}

/// Continues a row of an earlier run.
///
/// # Errors
/// The histograms or figures contradict each other: reports are untrusted.
pub(super) fn continue_row(row: &LiveRow, wait: &Wait) -> Result<(), String> {
    continued(row, wait).map_err(|why| format!("the row of {} cannot be continued: {why}", wait.id))
}

fn continued(row: &LiveRow, wait: &Wait) -> Result<(), String> {
    let overshoot = wait.overshoot.decode()?;
    if wait.samples != overshoot.len() || !sane(wait) {
        return Err("its figures contradict each other".into());
    }
    if let Some(why) = &wait.why {
        if why.all().is_some_and(|all| all.waits > wait.samples) {
            return Err("more wake-ups are explained than took place".into());
        }
        if let Some(reasons) = &row.why {
            *locked(reasons) = Reasons::of(why);
        }
    }
    if let Some(grid) = &wait.grid {
        let mut missed = grid.corrected.decode()?;
        missed.subtract(&overshoot).map_err(
            |_| "its corrected histogram is not the sum of the plain one and the missed deadlines",
        )?;
        if missed.len() > MOST_POSSIBLE {
            return Err("it has more missed deadlines than are possible".into());
        }
        row.missed.load(&missed);
    }
    // If the time of the run is over, nothing more is measured, and its rows must stay as they are.
    if let Some(slack) = row.spec.slack.and(wait.slack_ns) {
        let _ = row.slack_ns.set(slack);
    }
    if let Some(slice) = row.spec.slice.and(wait.slice_ns) {
        let _ = row.slice_ns.set(slice);
    }
    if let Some(censored) = &wait.censored {
        row.add_censored(censored);
    }
    let _ = row.notes.set(wait.notes.iter().take(MOST_NOTES).cloned().collect());
    row.lateness.load(&overshoot, &by_ruler(wait), wait.by_clock.as_ref());
    row.load_gaps(&wait.gaps, wait.gaps_left_out);
    let ns = (wait.seconds * 1e9) as u64;
    if ns > 0 {
        row.load_energy(wait.energy.clone(), ns);
    }
    row.set_spent(Spent {
        ns,
        cpu_ns: wait.cpu_ns.map(|ns| (ns * wait.samples as f64) as u64),
        switches: wait.voluntary_switches.zip(wait.involuntary_switches),
        throttled: wait.throttled,
    });
    Ok(())
}

/// The most notes that are taken over.
const MOST_NOTES: usize = 100;
/// The largest count or sum of nanoseconds that a run can have, which is 31 years in nanoseconds.
/// Whatever is added to it in the life of a machine does not overflow 64 bits.
const MOST_POSSIBLE: u64 = 1_000_000_000_000_000_000;

/// The figures of a row by the ruler, as it has those by the system's clock.
fn by_ruler(wait: &Wait) -> ByClock {
    ByClock {
        early: wait.early,
        min_ns: wait.min_ns,
        mean_ns: wait.mean_ns,
        max_ns: wait.max_ns,
        std_dev_ns: wait.std_dev_ns,
        ..ByClock::default()
    }
}

/// Whether the figures of a row can belong to the same run.
fn sane(wait: &Wait) -> bool {
    let ruler = by_ruler(wait);
    let clocks = || [&ruler].into_iter().chain(&wait.by_clock);
    let possible = |ns: f64| (0.0..=100.0 * LONGEST as f64).contains(&ns);
    let spread = |it: &ByClock| {
        let [min, max] = [it.min_ns, it.max_ns].map(i64::unsigned_abs);
        // An export has six digits of the mean, but all digits of the minimum and maximum.
        let off = 1.0 + min.max(max) as f64 * 1e-5;
        min.max(max) <= 100 * LONGEST
            && (it.min_ns as f64 - off..=it.max_ns as f64 + off).contains(&it.mean_ns)
            && it.early <= wait.samples
            && it.std_dev_ns.is_none_or(possible)
    };
    let counts = [
        Some(wait.samples),
        wait.voluntary_switches,
        wait.involuntary_switches,
        Some(wait.gaps_left_out),
        wait.throttled.map(|it| it.periods),
        wait.throttled.map(|it| it.ns),
        wait.censored.as_ref().map(|it| it.count),
        wait.censored.as_ref().map(|it| it.late_ns),
    ];
    let n = wait.samples as f64;
    let counted = wait.energy.iter().filter_map(|energy| energy.counted).flatten();
    let spent = [wait.cpu_ns.map_or(0.0, |ns| ns * n), wait.seconds * 1e9];
    let mut sums = clocks().map(|it| it.mean_ns * n).chain(spent);
    clocks().all(spread)
        && counts.into_iter().flatten().all(|count| count <= MOST_POSSIBLE)
        && sums.all(|ns| ns.abs() <= MOST_POSSIBLE as f64)
        && counted.into_iter().all(|sum| sum.abs() <= (MOST_POSSIBLE as f64).powi(2))
        && wait.cpu_ns.is_none_or(|ns| ns >= 0.0)
        && wait.seconds >= 0.0
}

#[cfg(test)]
mod row_tests {
    use super::*;
    use crate::waits::live_row::RowSpec;
    use chronoscope_model::histogram::Histogram;
    use chronoscope_model::waits::Censored;
    use chronoscope_probes::machine::power::Meter;
    use chronoscope_probes::waits;

    fn spec() -> RowSpec {
        RowSpec {
            entry: waits::find("rust/thread-sleep").expect("everywhere"),
            slack: Some(Slack::Default),
            slice: None,
            policy: None,
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
            meter: Err(String::new()),
            notes: Vec::new(),
            course: None,
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
        common.notes = vec![notes::stepped(1.0, 2.0)];
        let first = report_row(&measured(), &common);
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

        assert!(continues(&first, &spec(), Load::None, Some(1)));
        assert!(!continues(&first, &spec(), Load::Low, Some(1)));
        assert!(!continues(&first, &spec(), Load::None, None));
        let second = LiveRow::new(spec(), Some(1), false);
        continue_row(&second, &first).expect("its own row");
        assert_eq!(report_row(&second, &common), first);
        assert_eq!((first.slack_ns, first.notes.len()), (Some(50_000), 1));
    }

    #[test]
    fn a_wait_that_the_end_cuts_off_is_censored_and_counts_as_late() {
        let plan = Plan::default();
        let live = measured();
        (0..40).for_each(|_| record(&live, 60_000));
        // The run ends when no wait is in progress.
        live.censor(5_000_000);
        assert_eq!(report_row(&live, &common(&plan)).censored, None);
        let closed = report_row(&live, &common(&plan)).intervals.p90.expect("44 waits");
        assert!(closed.high_ns.is_some());
        // The run ends before the deadline of a wait, so nothing is known about that wait.
        live.begin(9_000_000);
        live.censor(5_000_000);
        let early = report_row(&live, &common(&plan));
        let one = Censored { count: 1, late_ns: 0 };
        assert_eq!((early.censored, early.intervals.p90), (Some(one), Some(closed)));
        // Many run out of time after their deadlines, as in a run that is resumed again and again.
        for _ in 0..9 {
            live.begin(1_000_000);
            live.censor(5_000_000);
        }
        let row = report_row(&live, &common(&plan));
        let ten = Censored { count: 10, late_ns: 4_000_000 };
        assert_eq!(row.censored, Some(ten.clone()));
        assert_eq!((row.samples, row.intervals.p90.and_then(|it| it.high_ns)), (44, None));
        // A wait that has ended is not in progress.
        live.begin(1_000_000);
        live.end();
        live.censor(5_000_000);
        assert_eq!(report_row(&live, &common(&plan)).censored, Some(ten.clone()));
        // A run that continues takes this over.
        let second = LiveRow::new(spec(), Some(1), false);
        continue_row(&second, &row).expect("its own row");
        assert_eq!(second.censored(), Some(ten));
    }

    #[test]
    fn what_a_quota_throttled_is_that_of_the_turns_or_of_the_run() {
        let plan = Plan::default();
        let live = measured();
        assert_eq!(report_row(&live, &common(&plan)).throttled, None);
        let some = |periods, ns| Throttled { periods, ns };
        let run = Common { throttled: Some(some(1, 500)), ..common(&plan) };
        let shown =
            |common: &Common| report_row(&live, common).throttled.map(|it| (it.periods, it.ns));
        assert_eq!(shown(&run), Some((1, 500)));
        let mut spent = live.spent();
        for throttled in [some(2, 300), some(3, 100)] {
            spent.add(Spent { throttled: Some(throttled), ..Spent::default() });
        }
        live.set_spent(spent);
        assert_eq!(shown(&common(&plan)), Some((5, 400)));
        let second = LiveRow::new(spec(), Some(1), false);
        continue_row(&second, &report_row(&live, &common(&plan))).expect("its own row");
        assert_eq!(second.spent().throttled, Some(some(5, 400)));
    }

    #[test]
    fn the_energy_of_a_resumed_run_is_that_of_all_its_parts_or_of_none() {
        const BURST_NS: u64 = 10_000_000;
        let (plan, folder) = (Plan::default(), tempfile::tempdir().expect("a folder"));
        // A machine whose processor of this name has used so much, in microjoules.
        let machine = |name: &str, uj: u64| {
            let zone = folder.path().join("root/sys/class/powercap/intel-rapl:0");
            std::fs::create_dir_all(&zone).expect("room");
            std::fs::write(zone.join("name"), name).expect("room");
            std::fs::write(zone.join("energy_uj"), uj.to_string()).expect("room");
            Root::recorded(folder.path()).expect("a folder")
        };
        let used = std::cell::Cell::new(1_000_000_000);
        // A part of a run: it goes on from what a checkpoint holds, in bursts of ten waits.
        let part = |earlier: Option<&Wait>, name: &str, bursts: u64, watts: u64| {
            let row = LiveRow::new(spec(), Some(1), false);
            if let Some(wait) = earlier {
                let kept = serde_json::to_string(wait).expect("JSON");
                continue_row(&row, &serde_json::from_str(&kept).expect("a row")).expect("its own");
            }
            let mut meter = Meter::of(&machine(name, used.get())).expect("a processor");
            for _ in 0..bursts {
                (0..10).for_each(|_| record(&row, 60_000));
                let before = meter.total_uj().expect("a counter");
                used.set(used.get() + watts * BURST_NS / 1_000);
                machine(name, used.get());
                row.use_energy(meter.total_uj().expect("a counter") - before, BURST_NS);
                let mut spent = row.spent();
                spent.add(Spent { ns: BURST_NS, ..Spent::default() });
                row.set_spent(spent);
            }
            // What is used until the run is resumed is of no part.
            used.set(used.get() + 1_000_000_000);
            report_row(&row, &Common { meter: Ok(meter.name()), ..common(&plan) })
        };
        let energy = |wait: &Wait| wait.energy.clone().expect("an entry");
        let known = |wait: &Wait| energy(wait).wait_uj;
        let first = part(None, "package-0", 20, 5);
        assert_eq!(known(&first), Some(5_000.0));
        let none = part(Some(&first), "package-0", 0, 0);
        assert_eq!(energy(&none), energy(&first));
        // 20 bursts of 50 mJ and 60 of 10 mJ: 1.6 J for 800 waits, at 2 W.
        let both = part(Some(&none), "package-0", 60, 1);
        let found = energy(&both);
        assert_eq!((both.samples, found.wait_uj, found.watts), (800, Some(2_000.0), Some(2.0)));
        assert!(found.low_watts < Some(1.9) && found.high_watts > Some(2.1), "{found:?}");
        // Parts too short for a figure count in those that follow.
        let short = part(None, "package-0", 5, 5);
        assert!(known(&short).is_none() && energy(&short).reason.is_some());
        assert_eq!(known(&part(Some(&short), "package-0", 5, 1)), Some(3_000.0));
        // Another meter, a checkpoint without the sums, and no meter before.
        let other = part(Some(&both), "psys", 60, 1);
        let [mut old, mut unread] = [both.clone(), both.clone()];
        old.energy = Some(Energy { counted: None, ..energy(&both) });
        unread.energy = Some(Energy { reason: Some("no meter".into()), ..Energy::default() });
        let [old, unread] = [old, unread].map(|wait| part(Some(&wait), "package-0", 60, 1));
        let again = part(Some(&other), "psys", 60, 1);
        for wait in [other, old, unread, again] {
            let found = energy(&wait);
            let why = found.reason.expect("a reason");
            assert!(why.contains("before the run was resumed"), "{why}");
            assert_eq!((found.wait_uj, found.watts, found.counted), (None, None, None));
        }
    }

    #[test]
    fn a_row_in_the_middle_of_a_burst_is_consistent() {
        let plan = Plan::default();
        let first = LiveRow::new(spec(), Some(1), false);
        record(&first, 1_234_567);
        let later = measured();
        record(&later, 9_876_543);
        for (live, largest) in [(first, 1_234_567), (later, 9_876_543)] {
            let mut row = report_row(&live, &common(&plan));
            let off = (row.max_ns - largest).abs();
            assert!(off <= largest / 1000, "{}", row.max_ns);
            assert!(row.overshoot.max_ns as i64 <= row.max_ns);
            continue_row(&LiveRow::new(spec(), Some(1), false), &row).expect("its own row");
            // An export writes it like this.
            row.mean_ns = format!("{:.5e}", row.mean_ns).parse().expect("a number");
            continue_row(&LiveRow::new(spec(), Some(1), false), &row).expect("its own row");
        }
    }

    #[test]
    fn an_inconsistent_row_is_refused() {
        let plan = Plan::default();
        let spoil: [fn(&mut Wait); 17] = [
            |w| w.energy.get_or_insert_default().counted = Some([f64::NAN; 6]),
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
            let mut wait = report_row(&measured(), &common(&plan));
            spoil(&mut wait);
            let error =
                continue_row(&LiveRow::new(spec(), None, false), &wait).expect_err("spoilt");
            assert!(error.contains("rust/thread-sleep"), "{error}");
        }
    }
}

#[cfg(test)]
mod ticks_tests {
    use super::*;
    use chronoscope_model::histogram::empty;

    const WINDOWS: u64 = 15_625_000;
    const MS: u64 = 1_000_000;

    fn planted(overshoots: impl IntoIterator<Item = u64>) -> Hdr<u64> {
        let mut all = empty();
        overshoots.into_iter().for_each(|ns| all.record(ns).expect("in range"));
        all
    }

    #[test]
    fn waits_that_end_at_ticks_are_found_with_their_usual_number() {
        // 100 ms take 7 ticks of 15.625 ms, which is 109.4 ms, and now and then 8.
        let late = |n: u64| if n.is_multiple_of(10) { 25_000_000 } else { 9_375_000 };
        let all = planted((0..50).map(|n| late(n) + n * 2_000));
        let found = longest_of_ticks(&all, 100 * MS, &[MS, WINDOWS]).expect("at ticks");
        assert_eq!(found, WholeTicks { tick_ns: WINDOWS, late: 50, whole: 50, usual: 7 });
        // 10 ms take one tick, and with a tick of 1 ms nothing is late.
        let one = planted((0..50).map(|n| 5_625_000 + n * 1_000));
        assert_eq!(longest_of_ticks(&one, 10 * MS, &[WINDOWS]).map(|it| it.usual), Some(1));
        // Linux with a tick of 4 ms, next to a load: a wait of 1 ms takes one or two.
        let loaded = planted((0..90).map(|n| if n % 3 == 0 { 55_000 } else { 3_010_000 + n }));
        let found = longest_of_ticks(&loaded, MS, &[4 * MS]).expect("at ticks");
        assert_eq!((found.late, found.whole, found.usual), (60, 60, 1));
    }

    #[test]
    fn waits_that_end_anywhere_or_on_time_are_not() {
        // Evenly over a tick: one in 16 is near a whole number.
        let even = planted((0..1000).map(|n| n * WINDOWS / 1000));
        assert_eq!(longest_of_ticks(&even, 100 * MS, &[WINDOWS]), None);
        let on_time = planted((0..1000).map(|n| 50_000 + n * 10));
        assert_eq!(longest_of_ticks(&on_time, 100 * MS, &[MS, 4 * MS, WINDOWS]), None);
        let few = planted([9_375_000; 7]);
        assert_eq!(longest_of_ticks(&few, 100 * MS, &[WINDOWS]), None);
        // No tick is known, or it is too short to be seen; and nothing was measured.
        let all = planted([9_375_000; 50]);
        assert_eq!(longest_of_ticks(&all, 100 * MS, &[]), None);
        assert_eq!(longest_of_ticks(&all, 100 * MS, &[1, 100_000]), None);
        assert_eq!(longest_of_ticks(&empty(), u64::MAX, &[WINDOWS]), None);
    }
}

#[cfg(test)]
mod earlier_tests {
    use super::*;
    use chronoscope_model::waits::LoadProcess;

    fn run(cpus: &[usize], cpu_s: f64, seconds: f64) -> LoadRun {
        let process = |&cpu: &usize| LoadProcess { cpu, cpu_s, ended_s: None };
        LoadRun { seconds, processes: cpus.iter().map(process).collect(), ..LoadRun::default() }
    }

    #[test]
    fn the_time_of_two_runs_is_added() {
        let mut earlier = run(&[0, 1], 1.5, 2.0);
        earlier.processes[1].ended_s = Some(1.0);
        earlier.notes = vec!["shared".into()];
        let both = joined_loads(Some(&earlier), run(&[0, 1], 0.5, 1.0));
        assert_eq!((both.seconds, both.cpus()), (3.0, 4.0 / 3.0));
        assert_eq!((both.lost(), both.notes.len()), (1, 1));
        let mut later = run(&[0, 1], 0.5, 1.0);
        later.processes[0].ended_s = Some(0.25);
        let both = joined_loads(Some(&run(&[0, 1], 1.5, 2.0)), later.clone());
        assert_eq!(both.processes[0].ended_s, Some(2.25));
        assert_eq!(joined_loads(None, later.clone()), later);
        let other = joined_loads(Some(&run(&[0], 1.5, 2.0)), run(&[0, 1], 0.5, 1.0));
        assert_eq!((other.seconds, other.notes.len()), (1.0, 1));
    }

    #[test]
    fn impossible_figures_count_as_none() {
        for (cpu_s, seconds) in [(f64::NAN, 1.0), (1.0, 1e300), (-1.0, 1.0)] {
            let row = Wait {
                load: Load::Low,
                load_run: Some(run(&[0], cpu_s, seconds)),
                ..Wait::default()
            };
            let plan = Plan { earlier: vec![row], ..Plan::default() };
            assert_eq!(earlier_load(&plan, Load::Low), None);
            assert_eq!(earlier_load(&plan, Load::None), None);
        }
    }
}
