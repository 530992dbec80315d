//! Waits.

use crate::{run, select};
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::measurement::{Checkpoint, Error, Measurement, Progress, Setting};
use chronoscope_measure::notes;
use chronoscope_measure::session::distrust;
use chronoscope_measure::waits::{self, Found, Hooks, Plan};
pub use chronoscope_measure::waits::{Progress as WaitsProgress, Slack};
use chronoscope_model::units::human;
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::{Note, Report, Ruler};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::waits::{ALL, Entry};
use std::time::{Duration, Instant};

/// The durations to wait for if none are given.
const DURATIONS: [Duration; 6] = [
    Duration::from_micros(1),
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
];
/// The waits of each row if durations are given and no count.
const COUNT: u64 = 50;
/// The time for a load if nothing is given.
const TIME: Duration = Duration::from_secs(60);

/// What is asked of a run of waits. The survey chooses whatever is left at its default.
#[derive(Clone, Debug)]
pub struct Waits {
    /// Ids, globs or prefixes of methods; empty: all.
    pub ids: Vec<String>,
    /// Durations to wait for.
    pub durations: Vec<Duration>,
    /// The period of a grid of deadlines to wait for instead.
    pub period: Option<Duration>,
    /// Waits of each method and duration.
    pub count: Option<u64>,
    /// Time for each load.
    pub time: Option<Duration>,
    /// What runs alongside, one after the other.
    pub loads: Vec<Load>,
    /// Processes of a load; absent: one per CPU.
    pub load_processes: Option<usize>,
    /// Real-time priority of the `high` load; absent: the highest nice value.
    pub load_priority: Option<u32>,
    /// Timer slacks of the waiting thread (Linux).
    pub slacks: Vec<Slack>,
    /// Whether there is a waiting thread on each CPU.
    pub all_cpus: bool,
    /// Real-time priority of the waiting threads.
    pub priority: Option<u32>,
    /// Whether the CPUs are kept out of deep idle states.
    pub keep_awake: bool,
    /// The overshoot that ends the run.
    pub stop_above: Option<Duration>,
}

impl Default for Waits {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            durations: Vec::new(),
            period: None,
            count: None,
            time: None,
            loads: vec![Load::None],
            load_processes: None,
            load_priority: None,
            slacks: vec![Slack::Default, Slack::Ns(1)],
            all_cpus: false,
            priority: None,
            keep_awake: false,
            stop_above: None,
        }
    }
}

impl Waits {
    /// The request for these waits.
    ///
    /// # Errors
    /// An id matches no method.
    pub(crate) fn request(self) -> Result<Request, crate::Error> {
        let methods = select::select("wait", ALL, |entry| entry.id, &self.ids)?;
        Ok(Request {
            methods,
            asked: self,
        })
    }

    /// The plan for these methods that results from it.
    fn plan(
        self,
        methods: Vec<&'static Entry>,
        cpu: Option<usize>,
        budget: Option<Duration>,
    ) -> Plan {
        let (cpus, notes) = self.cpus(cpu);
        let mut durations = self.durations;
        durations.sort_unstable();
        durations.dedup();
        let given = !durations.is_empty() || self.period.is_some();
        if durations.is_empty() {
            durations = DURATIONS.to_vec();
        }
        let time = self.time.or(budget);
        let count = self.count.or((given && time.is_none()).then_some(COUNT));
        let time = time.or(count.is_none().then_some(TIME));
        Plan {
            methods,
            slacks: once(&self.slacks),
            durations,
            period: self.period,
            count,
            time,
            loads: once(&self.loads),
            load_processes: self.load_processes,
            load_fifo: self.load_priority,
            cpus,
            fifo: self.priority,
            keep_awake: self.keep_awake,
            stop_above: self.stop_above,
            notes,
            ..Plan::default()
        }
    }

    /// The CPUs with one waiting thread each, and notes on the choice.
    fn cpus(&self, cpu: Option<usize>) -> (Vec<usize>, Vec<Note>) {
        let mut allowed = affinity::allowed();
        if !self.all_cpus {
            // The last one allowed: on most machines the first serves most interrupts.
            return (
                cpu.or(allowed.last().copied()).into_iter().collect(),
                Vec::new(),
            );
        }
        let mut notes = Vec::new();
        if self.priority.is_some()
            && allowed.len() > 1
            && let Some(free) = allowed.pop()
        {
            notes.push(notes::cpu_left_free(free));
        }
        (allowed, notes)
    }
}

/// What was named, in the order of its first mention: an item named twice is measured once.
fn once<T: Clone + PartialEq>(named: &[T]) -> Vec<T> {
    let mut kept = Vec::with_capacity(named.len());
    for one in named {
        if !kept.contains(one) {
            kept.push(one.clone());
        }
    }
    kept
}

/// A request for waits.
pub(crate) struct Request {
    methods: Vec<&'static Entry>,
    asked: Waits,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let plan = Plan {
            seed: setting.seed,
            ..self.asked.plan(self.methods, setting.cpu, setting.budget)
        };
        carry_out(setting, report, &plan)
    }
}

/// A request for the rest of what an earlier run was asked for.
pub(crate) struct Resumed(pub(crate) Report);

impl Measurement for Resumed {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let earlier = self.0;
        let Some(data) = &earlier.waits_plan else {
            return Err(Error::Invalid(
                "it contains no plan of waits, so it cannot be resumed: it was written by an older \
                 version, or is not the checkpoint of a run of waits"
                    .into(),
            ));
        };
        let plan = Plan {
            seed: earlier.run.order_seed,
            earlier: earlier.waits,
            ..Plan::from_data(data).map_err(|error| Error::Invalid(error.0))?
        };
        report.run.argv = earlier.run.argv;
        report.run.order_seed = earlier.run.order_seed;
        carry_out(setting, report, &plan)
    }
}

fn carry_out(setting: &mut Setting, report: &mut Report, plan: &Plan) -> Result<(), Error> {
    report.waits_plan = Some(plan.data());
    let distrust = distrust(&report.environment);
    let keep = setting.checkpoint.take();
    let progress = &mut setting.progress;
    let (began, interrupt) = (setting.began, &setting.interrupt);
    let mut keeping = keep.map(|keep| Keeping {
        keep,
        unfinished: report.clone(),
    });
    let mut checkpoint = |rows: &[Wait], notes: &[Note]| {
        if let Some(keeping) = &mut keeping {
            keeping.keep(rows, notes, began, interrupt);
        }
    };
    let mut hooks = Hooks {
        interrupt,
        progress: &mut |waits| progress(Progress::Waits(waits)),
        checkpoint: Some(&mut checkpoint),
    };
    let found = waits::run(plan, distrust, &mut hooks).map_err(|error| Error::Invalid(error.0))?;
    if found.rows.iter().all(|row| row.samples == 0) && !interrupt.is_set() {
        return Err(nothing(&found.rows));
    }
    let cpu = match plan.cpus.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    take(report, found, cpu);
    if let Some(mut keeping) = keeping {
        let mut whole = report.clone();
        run::end(&mut whole, began, interrupt);
        (keeping.keep)(&whole);
    }
    Ok(())
}

/// The report of an unfinished run.
struct Keeping<'a> {
    keep: Checkpoint<'a>,
    unfinished: Report,
}

impl Keeping<'_> {
    fn keep(&mut self, rows: &[Wait], notes: &[Note], began: Instant, interrupt: &Interrupt) {
        self.unfinished.waits = rows.to_vec();
        self.unfinished.notes = notes.to_vec();
        run::end(&mut self.unfinished, began, interrupt);
        self.unfinished.run.complete = false;
        (self.keep)(&self.unfinished);
    }
}

fn take(report: &mut Report, found: Found, cpu: Option<usize>) {
    if report.ruler.is_none() {
        let ruler = found
            .ruler
            .report(0.0, cpu, chronoscope_model::run::Noise::default());
        report.ruler = Some(Ruler {
            id: found.ruler.id_of_waits(),
            ..ruler
        });
    }
    report.waits = found.rows;
    report.notes.extend(found.notes);
}

/// A few methods in a short time, on the survey's CPU.
///
/// # Errors
/// The time is too short for a single wait of each duration.
pub(crate) fn glance(
    setting: &mut Setting,
    report: &mut Report,
    budget: Duration,
    loads: &[Load],
) -> Result<(), waits::Error> {
    let found = waits::glance(
        budget,
        loads,
        setting.cpu,
        distrust(&report.environment),
        setting.seed,
        &setting.interrupt,
    )?;
    take(report, found, setting.cpu);
    Ok(())
}

/// A note that some waits are missing because there was no time for them, if that is so.
pub(crate) fn left_out(
    report: &Report,
    why: Option<waits::Error>,
    budget: Duration,
) -> Option<Note> {
    if let Some(why) = why {
        return Some(notes::no_waits(&format!("no waits: {why}"), budget));
    }
    let missing = report
        .waits
        .iter()
        .filter(|wait| wait.available && wait.samples == 0);
    let missing = missing.count();
    let all = report.waits.len();
    (missing > 0).then(|| notes::no_waits(&format!("no time for {missing} of {all} waits"), budget))
}

/// Checks that there is a wait to advise on.
///
/// # Errors
/// There is none.
pub(crate) fn require(
    report: &Report,
    why: Option<waits::Error>,
    budget: Duration,
    interrupt: &Interrupt,
) -> Result<(), Error> {
    let measured = report.waits.iter().any(|wait| wait.samples > 0);
    if measured || interrupt.is_set() {
        return Ok(());
    }
    let why = why.map_or(String::new(), |why| format!(" ({why})"));
    let budget = human(budget);
    Err(Error::Nothing(format!(
        "no wait could be measured within {budget}{why}: raise --budget"
    )))
}

fn nothing(rows: &[Wait]) -> Error {
    let mut reasons: Vec<String> = Vec::new();
    for row in rows {
        let reason = row.unavailable_reason.as_deref();
        let reason = format!(
            "{} ({})",
            row.id,
            reason.unwrap_or("no time for a single wait")
        );
        if !reasons.contains(&reason) && reasons.len() < 3 {
            reasons.push(reason);
        }
    }
    Error::Nothing(format!("no wait could be measured: {}", reasons.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(asked: Waits) -> Plan {
        let asked = Waits {
            ids: vec!["rust/thread-sleep".into()],
            ..asked
        };
        let request = asked.request().expect("a wait method");
        request.asked.plan(request.methods, None, None)
    }

    #[test]
    fn whatever_is_named_twice_is_measured_once_and_the_order_stays() {
        let ms = Duration::from_millis;
        let plan = planned(Waits {
            loads: vec![Load::Low, Load::None, Load::Low, Load::None],
            slacks: vec![Slack::Ns(1), Slack::Default, Slack::Ns(1)],
            durations: vec![ms(2), ms(1), ms(2)],
            ..Waits::default()
        });
        assert_eq!(plan.loads, [Load::Low, Load::None]);
        assert_eq!(plan.slacks, [Slack::Ns(1), Slack::Default]);
        assert_eq!(plan.durations, [ms(1), ms(2)]);
    }

    #[test]
    fn the_cpu_that_real_time_threads_leave_free_is_named() {
        let allowed = affinity::allowed();
        let all = |priority| {
            planned(Waits {
                all_cpus: true,
                priority,
                ..Waits::default()
            })
        };
        let plan = all(Some(5));
        if let [rest @ .., free] = &allowed[..]
            && !rest.is_empty()
        {
            assert_eq!(plan.cpus, rest);
            let note = &plan.notes[0].text;
            assert!(note.contains(&format!("CPU {free}")), "{note}");
        }
        let whole = all(None);
        assert_eq!((whole.cpus, whole.notes), (allowed, Vec::new()));
    }
}
