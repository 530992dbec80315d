//! Waits.

use crate::{overview, run, select};
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::measurement::{Checkpoint, Error, Measurement, Progress, Setting};
use chronoscope_measure::notes;
use chronoscope_measure::session::distrust;
use chronoscope_measure::waits::{self, Found, Hooks, Plan};
pub use chronoscope_measure::waits::{Progress as WaitsProgress, Slack};
use chronoscope_model::run::Noise;
use chronoscope_model::units::short_ns;
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
/// The time for a load if methods are given, or all are asked for, and nothing else.
const TIME: Duration = Duration::from_secs(60);

/// What is asked of a run of waits. The survey chooses whatever is left at its default.
#[derive(Clone, Debug)]
pub struct Waits {
    /// Whether every method is measured at durations from 1 us to 100 ms, in a minute for each
    /// load, if nothing else is asked for. Otherwise that is an overview in 20 s.
    pub all: bool,
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
    /// What runs alongside, one after the other; empty: nothing.
    pub loads: Vec<Load>,
    /// Processes of a load; absent: one per CPU.
    pub load_processes: Option<usize>,
    /// Real-time priority of the `high` load; absent: the highest nice value.
    pub load_priority: Option<u32>,
    /// Timer slacks of the waiting thread (Linux).
    pub slacks: Vec<Slack>,
    /// The scheduler's slices of the waiting thread, in nanoseconds (Linux 6.12); `None`: the one
    /// that it has by default.
    pub slices: Vec<Option<u64>>,
    /// Whether there is a waiting thread on each CPU.
    pub all_cpus: bool,
    /// Real-time priority of the waiting threads.
    pub priority: Option<u32>,
    /// Whether the CPUs are kept out of deep idle states.
    pub keep_awake: bool,
    /// The overshoot that ends the run.
    pub stop_above: Option<Duration>,
    /// Whether to explain each late wake-up.
    pub why: bool,
}

impl Default for Waits {
    fn default() -> Self {
        Self {
            all: false,
            ids: Vec::new(),
            durations: Vec::new(),
            period: None,
            count: None,
            time: None,
            loads: Vec::new(),
            load_processes: None,
            load_priority: None,
            slacks: vec![Slack::Default, Slack::Ns(1)],
            slices: vec![None],
            all_cpus: false,
            priority: None,
            keep_awake: false,
            stop_above: None,
            why: false,
        }
    }
}

impl Waits {
    /// The request for these waits.
    ///
    /// # Errors
    /// An id matches no method.
    pub(crate) fn request(self) -> Result<Request, crate::Error> {
        let methods = match self.is_overview() {
            true => overview::methods(),
            false => select::select("wait", ALL, |entry| entry.id, &self.ids)?,
        };
        Ok(Request { methods, asked: self })
    }

    /// Whether nothing is said about what to measure, or for how long. How to measure it, as the
    /// slack, is another matter; but one row for each CPU is more than an overview shows.
    fn is_overview(&self) -> bool {
        let all = self.all || self.all_cpus;
        let measured = self.durations.is_empty() && self.period.is_none() && self.loads.is_empty();
        let long = self.count.is_some() || self.time.is_some();
        !all && self.ids.is_empty() && measured && !long
    }

    /// The plan for these methods that results from it.
    fn plan(
        self,
        methods: Vec<&'static Entry>,
        cpu: Option<usize>,
        budget: Option<Duration>,
    ) -> Plan {
        let (cpus, notes) = self.cpus(cpu);
        if self.is_overview() {
            let each = budget.unwrap_or(overview::BUDGET) / overview::LOADS.len() as u32;
            let (slices, sliced) = overview::slices(&once(&self.slices));
            // A real-time thread has no slice.
            let (slices, sliced) = match self.priority {
                Some(_) => (self.slices.clone(), Vec::new()),
                None => (slices, sliced),
            };
            return Plan {
                slices,
                sliced,
                durations: overview::DURATIONS.to_vec(),
                time: Some(each),
                loads: overview::LOADS.to_vec(),
                chosen: Some(overview::left_out()),
                cpus,
                notes,
                ..self.rest(methods)
            };
        }
        let mut durations = self.durations.clone();
        durations.sort_unstable();
        durations.dedup();
        let given = !durations.is_empty() || self.period.is_some();
        if durations.is_empty() {
            durations = DURATIONS.to_vec();
        }
        let time = self.time.or(budget);
        let count = self.count.or((given && time.is_none()).then_some(COUNT));
        let time = time.or(count.is_none().then_some(TIME));
        let loads = match self.loads.is_empty() {
            true => vec![Load::None],
            false => once(&self.loads),
        };
        Plan {
            durations,
            period: self.period,
            count,
            time,
            loads,
            cpus,
            notes,
            ..self.rest(methods)
        }
    }

    /// What is planned whatever is measured.
    fn rest(&self, methods: Vec<&'static Entry>) -> Plan {
        Plan {
            methods,
            slacks: once(&self.slacks),
            slices: once(&self.slices),
            load_processes: self.load_processes,
            load_fifo: self.load_priority,
            fifo: self.priority,
            keep_awake: self.keep_awake,
            stop_above: self.stop_above,
            why: self.why,
            ..Plan::default()
        }
    }

    /// The CPUs with one waiting thread each, and notes on the choice.
    fn cpus(&self, cpu: Option<usize>) -> (Vec<usize>, Vec<Note>) {
        let mut allowed = affinity::allowed();
        if !self.all_cpus {
            // The last one allowed: on most machines the first serves most interrupts.
            return (cpu.or(allowed.last().copied()).into_iter().collect(), Vec::new());
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
        let longest = plan.durations.iter().max().copied();
        if let (Some(_), Some(time), Some(longest)) = (plan.chosen, plan.time, longest)
            && time < longest
        {
            // The user asked for neither the durations nor the loads.
            return Err(Error::Nothing(format!(
                "the time is too short: for each of {} loads there is {}, and the longest wait \
                 takes {}; raise --budget, or name a duration with --wait",
                plan.loads.len(),
                short_ns(time.as_nanos() as f64),
                short_ns(longest.as_nanos() as f64)
            )));
        }
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
    let mut keeping = keep.map(|keep| Keeping { keep, unfinished: report.clone() });
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
    let plan = &Plan {
        gauged: distrust.is_none() && report.environment.emulated.is_none(),
        ..plan.clone()
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
        let noise = Noise { shared: found.shared, ..Noise::default() };
        let ruler = found.ruler.report(0.0, cpu, noise);
        report.ruler = Some(Ruler { id: found.ruler.id_of_waits(), ..ruler });
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

/// Measures these waits next to something else. Returns a note if there was no time for them.
pub(crate) fn within(asked: Waits, setting: &mut Setting, report: &mut Report) -> Option<Note> {
    let time = asked.time.unwrap_or_default();
    let measured = match asked.request() {
        Ok(request) => {
            let measured = Box::new(request).measure(setting, report);
            // Nobody resumes what was a part of another run.
            report.waits_plan = None;
            measured.map_err(|error| error.to_string())
        }
        Err(unknown) => Err(unknown.to_string()),
    };
    let why = measured.err()?;
    Some(notes::no_waits(&format!("no waits: {why}"), time))
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
    let missing = report.waits.iter().filter(|wait| wait.available && wait.samples == 0);
    let missing = missing.count();
    let all = report.waits.len();
    (missing > 0).then(|| notes::no_waits(&format!("no time for {missing} of {all} waits"), budget))
}

fn nothing(rows: &[Wait]) -> Error {
    let mut reasons: Vec<String> = Vec::new();
    for row in rows {
        let reason = row.unavailable_reason.as_deref();
        let reason = format!("{} ({})", row.id, reason.unwrap_or("no time for a single wait"));
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
        let asked = Waits { ids: vec!["rust/thread-sleep".into()], ..asked };
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
    fn without_a_request_an_overview_is_planned_in_less_than_20_s() {
        let overview = |budget| {
            let request = Waits::default().request().expect("no id");
            request.asked.plan(request.methods, None, budget)
        };
        let plan = overview(None);
        let time = |plan: &Plan| plan.time.expect("a limit") * plan.loads.len() as u32;
        assert!(plan.chosen.is_some_and(|left_out| left_out > 0) && plan.count.is_none());
        assert!(time(&plan) <= Duration::from_secs(19), "{:?}", plan.time);
        assert_eq!(plan.loads, [Load::None, Load::Normal]);
        assert_eq!(plan.check(), Ok(()));
        let five = Duration::from_secs(5);
        assert_eq!(time(&overview(Some(five))), five);
    }

    #[test]
    fn whatever_is_asked_for_is_planned_as_it_is_asked() {
        let asked = |change: fn(&mut Waits)| {
            let mut asked = Waits::default();
            change(&mut asked);
            let request = asked.request().expect("known ids");
            let plan = request.asked.plan(request.methods, None, None);
            assert_eq!(plan.chosen, None);
            plan
        };
        let all = asked(|w| w.all = true);
        assert_eq!((all.methods.len(), all.time), (ALL.len(), Some(TIME)));
        assert_eq!((all.durations, all.loads), (DURATIONS.to_vec(), vec![Load::None]));
        let counted = asked(|w| {
            w.durations = vec![Duration::from_millis(10)];
            w.count = Some(500);
        });
        assert_eq!((counted.methods.len(), counted.count), (ALL.len(), Some(500)));
        let loaded = asked(|w| w.loads = vec![Load::Normal]);
        assert_eq!((loaded.methods.len(), loaded.time), (ALL.len(), Some(TIME)));
        let one = asked(|w| w.ids = vec!["rust/thread-sleep".into()]);
        assert_eq!((one.methods.len(), one.durations.len()), (1, DURATIONS.len()));
        assert_eq!(asked(|w| w.all_cpus = true).methods.len(), ALL.len());
    }

    #[test]
    fn the_cpu_that_real_time_threads_leave_free_is_named() {
        let allowed = affinity::allowed();
        let all = |priority| planned(Waits { all_cpus: true, priority, ..Waits::default() });
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
