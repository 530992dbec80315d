//! What a run takes over when it continues an earlier one: the rows and the load.

use super::live_row::{LiveRow, locked};
use super::plan::Plan;
use super::recorder::LONGEST;
use super::row::period_ms;
use super::row_spec::RowSpec;
use super::spent::Spent;
use super::why::Reasons;
use chronoscope_model::waits::{ByClock, Load, LoadRun, Slack, Wait};

/// A run cannot last longer than this, in seconds.
const MOST_S: f64 = 1e9;

/// Returns the load in the rows of the earlier run. Impossible figures count as none, because
/// reports are untrusted.
pub(super) fn load_run(plan: &Plan, load: Load) -> Option<&LoadRun> {
    let rows = plan.earlier.iter().filter(|row| row.load == load);
    let mut runs = rows.filter_map(|row| row.load_run.as_ref());
    let sane = |s: f64| (0.0..=MOST_S).contains(&s);
    let fits = |run: &LoadRun| {
        let mut processes = run.processes.iter();
        sane(run.seconds) && processes.all(|p| sane(p.cpu_s) && p.ended_s.is_none_or(sane))
    };
    runs.next().filter(|run| fits(run))
}

/// Combines the load of both runs. The times of each process are added if both runs have the same
/// processes.
pub(super) fn joined(earlier: Option<&LoadRun>, mut now: LoadRun) -> LoadRun {
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
    for note in &earlier.notes {
        if !now.notes.contains(note) {
            now.notes.push(note.clone());
        }
    }
    now
}

/// Whether a row of an earlier run matches this specification.
pub(super) fn answers(wait: &Wait, spec: &RowSpec, load: Load, cpu: Option<usize>) -> bool {
    let slack = match spec.slack {
        None => true,
        Some(Slack::Default) => wait.default_slack,
        Some(Slack::Ns(ns)) => {
            let asked = period_ms(spec.slack);
            let same = match asked {
                Some(_) => wait.timer_period_ms == asked,
                None => wait.slack_ns == Some(ns),
            };
            !wait.default_slack && same
        }
    };
    wait.available
        && wait.id == spec.entry.id
        && wait.requested_ns == Some(spec.ns)
        && wait.period_ns.is_some() == spec.periodic
        && wait.load == load
        && wait.cpu == cpu
        && wait.slice_ns == spec.slice
        && slack
}

/// Continues a row of an earlier run.
///
/// # Errors
/// The histograms or figures contradict each other: reports are untrusted.
pub(super) fn go_on(row: &LiveRow, wait: &Wait) -> Result<(), String> {
    let fail = |why: &str| Err(format!("the row of {} cannot be continued: {why}", wait.id));
    let overshoot = match wait.overshoot.decode() {
        Ok(hdr) => hdr,
        Err(why) => return fail(&why),
    };
    if wait.samples != overshoot.len() || !sane(wait) {
        return fail("its figures contradict each other");
    }
    if let Some(why) = &wait.why {
        if why.all().is_some_and(|all| all.waits > wait.samples) {
            return fail("more wake-ups are explained than took place");
        }
        if let Some(reasons) = &row.why {
            *locked(reasons) = Reasons::of(why);
        }
    }
    if let Some(grid) = &wait.grid {
        let mut missed = match grid.corrected.decode() {
            Ok(hdr) => hdr,
            Err(why) => return fail(&why),
        };
        if missed.subtract(&overshoot).is_err() {
            return fail(
                "its corrected histogram is not the sum of the plain one and the missed \
                         deadlines",
            );
        }
        if missed.len() > MOST {
            return fail("it has more missed deadlines than are possible");
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
    let ruler = ByClock {
        early: wait.early,
        min_ns: wait.min_ns,
        mean_ns: wait.mean_ns,
        max_ns: wait.max_ns,
        std_dev_ns: wait.std_dev_ns,
        ..ByClock::default()
    };
    row.lateness.load(&overshoot, &ruler, wait.by_clock.as_ref());
    row.load_gaps(&wait.gaps, wait.gaps_left_out);
    row.set_spent(Spent {
        ns: (wait.seconds * 1e9) as u64,
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
const MOST: u64 = 1_000_000_000_000_000_000;

/// Whether the figures of a row can belong to the same run.
fn sane(wait: &Wait) -> bool {
    let clock = wait.by_clock.as_ref();
    let spreads = [
        Some((wait.min_ns, wait.mean_ns, wait.max_ns, wait.early)),
        clock.map(|c| (c.min_ns, c.mean_ns, c.max_ns, c.early)),
    ];
    let spread = |(min, mean, max, early): (i64, f64, i64, u64)| {
        let bounded = |ns: i64| ns.unsigned_abs() <= 100 * LONGEST;
        // An export has six digits of the mean, but all digits of the minimum and maximum.
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
        wait.throttled.map(|it| it.periods),
        wait.throttled.map(|it| it.ns),
        wait.censored.as_ref().map(|it| it.count),
        wait.censored.as_ref().map(|it| it.late_ns),
    ];
    let n = wait.samples as f64;
    let sums = [
        wait.mean_ns * n,
        clock.map_or(0.0, |c| c.mean_ns * n),
        wait.cpu_ns.map_or(0.0, |ns| ns * n),
        wait.seconds * 1e9,
    ];
    let std_devs = [wait.std_dev_ns, clock.and_then(|clock| clock.std_dev_ns)];
    let possible = |ns: f64| (0.0..=100.0 * LONGEST as f64).contains(&ns);
    spreads.into_iter().flatten().all(spread)
        && std_devs.into_iter().flatten().all(possible)
        && counts.into_iter().flatten().all(|count| count <= MOST)
        && sums.iter().all(|ns| ns.abs() <= MOST as f64)
        && wait.cpu_ns.is_none_or(|ns| ns >= 0.0)
        && wait.seconds >= 0.0
}

#[cfg(test)]
mod tests {
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
        let both = joined(Some(&earlier), run(&[0, 1], 0.5, 1.0));
        assert_eq!((both.seconds, both.cpus()), (3.0, 4.0 / 3.0));
        assert_eq!((both.lost(), both.notes.len()), (1, 1));
        let mut later = run(&[0, 1], 0.5, 1.0);
        later.processes[0].ended_s = Some(0.25);
        let both = joined(Some(&run(&[0, 1], 1.5, 2.0)), later.clone());
        assert_eq!(both.processes[0].ended_s, Some(2.25));
        assert_eq!(joined(None, later.clone()), later);
        let other = joined(Some(&run(&[0], 1.5, 2.0)), run(&[0, 1], 0.5, 1.0));
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
            assert_eq!(load_run(&plan, Load::Low), None);
            assert_eq!(load_run(&plan, Load::None), None);
        }
    }
}
