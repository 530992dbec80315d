//! Requests for waits: new runs, resumed runs, and waits after clocks.

use crate::run::end_run;
use crate::select;
use crate::usual::{self, with_preset};
use chronoscope_measure::engine::{self, Interrupt, notes, schedule};
use chronoscope_measure::run::session::distrust;
use chronoscope_measure::run::{Checkpoint, Error, Measurement, Progress, Setting};
pub use chronoscope_measure::waits::Progress as WaitsProgress;
use chronoscope_measure::waits::{self, Hooks, Plan};
use chronoscope_model::run::Noise;
use chronoscope_model::units::short_ns;
use chronoscope_model::waits::{Class, Course, Load, Priority, Slack, Wait, WaitSpec};
use chronoscope_model::{Note, Report, Ruler};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::{ALL, Entry};
use std::cell::RefCell;
use std::time::Duration;

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

/// The slacks of the waiting thread if none are given.
const SLACKS: [Slack; 2] = [Slack::Default, Slack::Ns(1)];

/// A request for a new run of waits.
pub(crate) struct Request {
    /// The request, including its preset.
    spec: WaitSpec,
    methods: Vec<&'static Entry>,
    /// The durations of an overview, if it is one.
    overview: Option<Vec<Duration>>,
}

impl Request {
    /// Makes a request for an overview, of the durations or the loop of `asked` and of this
    /// language alone if there are any.
    pub(crate) fn overview(asked: &WaitSpec, language: Option<&str>) -> Self {
        let durations = match (asked.period, &asked.wait[..]) {
            (Some(period), _) => vec![period],
            (None, []) => usual::DURATIONS.to_vec(),
            (None, asked) => asked.to_vec(),
        };
        let spec = WaitSpec { period: asked.period, work: asked.work, ..WaitSpec::default() };
        Self { spec, methods: usual::methods(language), overview: Some(durations) }
    }

    /// Makes a request for these waits.
    ///
    /// # Errors
    /// There is no such preset, or an id matches no method.
    pub(crate) fn of(asked: WaitSpec) -> Result<Self, crate::Error> {
        let spec = with_preset(asked)?;
        if is_overview(&spec) {
            return Ok(Self { spec, ..Self::overview(&WaitSpec::default(), None) });
        }
        let mut methods = select::select("wait", &ALL, |entry| entry.id, &spec.ids)?;
        if spec.ids.is_empty() {
            // Those of runtimes are named: building and starting them takes a while.
            methods.retain(|entry| entry.runtime.is_none());
        }
        Ok(Self { spec, methods, overview: None })
    }

    /// Returns the plan that follows from the request.
    fn plan(&self, cpu: Option<usize>, budget: Option<Duration>) -> Plan {
        let (cpus, notes) = cpus(&self.spec, cpu);
        let mut plan = Plan {
            methods: self.methods.clone(),
            // These have become methods and CPUs.
            spec: WaitSpec {
                ids: Vec::new(),
                all: false,
                preset: None,
                all_cpus: false,
                ..self.spec.clone()
            },
            cpus,
            notes,
            ..Plan::default()
        };
        let spec = &mut plan.spec;
        once(&mut spec.slack, &SLACKS);
        once(&mut spec.slice, &[Slack::Default]);
        once(&mut spec.policy, &[]);
        if let Some(durations) = &self.overview {
            // A real-time thread has no slice.
            if spec.fifo().is_none() && spec.policy.is_empty() {
                (spec.slice, plan.sliced) = usual::slices(&spec.slice);
            }
            spec.wait.clone_from(durations);
            spec.load = usual::LOADS.to_vec();
            let time = budget.unwrap_or_else(|| usual::time(durations, &self.methods));
            let each = time / usual::LOADS.len() as u32;
            spec.duration = Some(each);
            plan.chosen = Some(usual::left_out(&self.methods));
            return plan;
        }
        let given = !spec.wait.is_empty() || spec.period.is_some();
        once(&mut spec.wait, &DURATIONS);
        spec.wait.sort_unstable();
        once(&mut spec.load, &[Load::None]);
        let time = spec.duration.or(budget.map(|all| all / spec.load.len() as u32));
        spec.count = spec.count.or((given && time.is_none()).then_some(COUNT));
        spec.duration = time.or(spec.count.is_none().then_some(schedule::WAITS.time));
        plan
    }
}

/// Whether the request does not state what to measure, or for how long. Settings such as the slack
/// do not matter here, but one row for each CPU is more than an overview shows.
fn is_overview(spec: &WaitSpec) -> bool {
    let all = spec.all || spec.all_cpus;
    let measured = spec.wait.is_empty() && spec.period.is_none() && spec.load.is_empty();
    let long = spec.count.is_some() || spec.duration.is_some();
    !all && spec.ids.is_empty() && measured && !long
}

/// Returns the CPUs with one waiting thread each, and notes on the choice.
fn cpus(spec: &WaitSpec, cpu: Option<usize>) -> (Vec<usize>, Vec<Note>) {
    let mut allowed = affinity::allowed();
    if !spec.all_cpus {
        // The last allowed CPU is used: on most machines the first one serves most interrupts.
        return (cpu.or(allowed.last().copied()).into_iter().collect(), Vec::new());
    }
    let mut notes = Vec::new();
    let realtime = Some(Priority::Class(Class::Realtime));
    if (spec.fifo().is_some() || spec.priority == realtime)
        && allowed.len() > 1
        && let Some(free) = allowed.pop()
    {
        notes.push(notes::cpu_left_free(free));
    }
    (allowed, notes)
}

/// Keeps the first mention of each item, because an item named twice is measured once. If no item
/// is named, the usual ones are used.
fn once<T: Clone + PartialEq>(named: &mut Vec<T>, usual: &[T]) {
    if named.is_empty() {
        named.extend_from_slice(usual);
    }
    for item in std::mem::take(named) {
        if !named.contains(&item) {
            named.push(item);
        }
    }
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let plan = Plan { seed: setting.seed, ..self.plan(setting.cpu, setting.budget) };
        let longest = plan.spec.wait.iter().max().copied();
        if let (Some(durations), None) = (&self.overview, setting.budget)
            && usual::time(durations, &self.methods) > usual::LONGEST
        {
            return Err(Error::Invalid(format!(
                "enough waits of {} with each method take {}: set that time with --budget",
                short_ns(longest.unwrap_or_default().as_nanos() as f64),
                short_ns(usual::time(durations, &self.methods).as_nanos() as f64)
            )));
        }
        if let (Some(_), Some(time), Some(longest)) = (plan.chosen, plan.spec.duration, longest)
            && time < longest
        {
            // The user chose neither the durations nor the loads.
            let loads = plan.spec.load.len();
            let [time, longest] = [time, longest].map(|it| short_ns(it.as_nanos() as f64));
            return Err(Error::Nothing(format!(
                "the time is too short: each of {loads} loads gets {time}, but the longest wait \
                 takes {longest}; raise --budget, or name a duration with --wait"
            )));
        }
        carry_out(setting, report, plan)
    }
}

/// A request for the rest of an earlier run.
pub(crate) struct Resumed {
    earlier: Report,
    plan: Plan,
}

impl Resumed {
    /// Makes a request for the rest of this run.
    ///
    /// # Errors
    /// The report is not a checkpoint of a run of waits, or this version lacks one of its methods.
    pub(crate) fn of(mut earlier: Report) -> Result<Self, crate::Error> {
        let none = "the report cannot be resumed: it has no plan of waits, so it is not the \
                    checkpoint of a run of waits";
        let data = earlier.waits_plan.take();
        let data = data.ok_or_else(|| crate::Error::Invalid(none.into()))?;
        let plan = Plan::from_data(data).map_err(crate::Error::Invalid)?;
        Ok(Self { earlier, plan })
    }
}

impl Measurement for Resumed {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let Report { run, spec, mut waits, .. } = self.earlier;
        // An earlier version dated nothing else.
        for row in waits.iter_mut().filter(|row| row.available) {
            let (started, seconds) = (run.started.clone(), run.seconds);
            row.course.get_or_insert_with(|| Course { started, seconds, ..Course::default() });
        }
        let plan = Plan { seed: run.order_seed, earlier: waits, ..self.plan };
        report.run.argv = run.argv;
        report.run.order_seed = run.order_seed;
        report.spec = spec;
        carry_out(setting, report, plan)
    }
}

fn carry_out(setting: &mut Setting, report: &mut Report, mut plan: Plan) -> Result<(), Error> {
    report.waits_plan = Some(plan.data());
    plan.check().map_err(Error::Invalid)?;
    if let Some((time, what)) = plan.expected() {
        (setting.progress)(Progress::Expected(time, &what));
    }
    let distrust = distrust(&report.environment);
    plan.gauged = distrust.is_none() && report.environment.emulated.is_none();
    let keep = setting.checkpoint.take();
    let progress = RefCell::new(&mut setting.progress);
    let (began, interrupt) = (setting.began, &setting.interrupt);
    let so_far = report.clone();
    let before = report.notes.clone();
    let mut keeping = keep.map(|keep| Keeping { keep, before, unfinished: report.clone() });
    let mut checkpoint = |rows: &[Wait], notes: &[Note]| {
        keeping.as_mut().is_none_or(|keeping| keeping.keep(rows, notes, began, interrupt))
    };
    let mut hooks = Hooks {
        interrupt,
        progress: &mut |waits| (progress.borrow_mut())(Progress::Waits(waits)),
        checkpoint: Some(&mut checkpoint),
        done: &mut |rows, ruler, complete| {
            let ruler = ruler_of(ruler, None, Noise::default());
            let (waits, ruler) = (rows.to_vec(), so_far.ruler.clone().or(Some(ruler)));
            let mut report = Report { waits, ruler, ..so_far.clone() };
            report.run.complete = complete;
            (progress.borrow_mut())(match complete {
                true => Progress::Done(&report),
                false => Progress::SoFar(&report),
            });
        },
    };
    let found = waits::run(&plan, distrust, &mut hooks).map_err(Error::Invalid)?;
    if found.rows.iter().all(|row| row.samples == 0) && !interrupt.is_set() {
        return Err(nothing(&found.rows));
    }
    if report.ruler.is_none() {
        let cpu = if let [only] = plan.cpus[..] { Some(only) } else { None };
        let noise = Noise { shared: found.shared, ..Noise::default() };
        report.ruler = Some(ruler_of(&found.ruler, cpu, noise));
    }
    report.waits = found.rows;
    report.notes.extend(found.notes);
    if let Some(mut keeping) = keeping {
        let mut whole = report.clone();
        end_run(&mut whole, began, interrupt);
        (keeping.keep)(&whole);
    }
    Ok(())
}

fn ruler_of(ruler: &engine::Ruler, cpu: Option<usize>, noise: Noise) -> Ruler {
    Ruler { id: ruler.id_of_waits(), ..ruler.report(0.0, cpu, noise) }
}

/// Keeps the report of an unfinished run.
struct Keeping<'a> {
    keep: Checkpoint<'a>,
    /// The notes on what was before the waits.
    before: Vec<Note>,
    unfinished: Report,
}

impl Keeping<'_> {
    fn keep(&mut self, rows: &[Wait], notes: &[Note], began: Instant, stop: &Interrupt) -> bool {
        self.unfinished.waits = rows.to_vec();
        self.unfinished.notes = [&self.before[..], notes].concat();
        end_run(&mut self.unfinished, began, stop);
        self.unfinished.run.complete = false;
        (self.keep)(&self.unfinished)
    }
}

/// Returns plain sleeps of this duration, with the default slack of the thread.
pub(crate) fn sleeps(wait: Duration) -> WaitSpec {
    WaitSpec {
        ids: vec!["rust/thread-sleep".into()],
        wait: vec![wait],
        slack: vec![Slack::Default],
        ..WaitSpec::default()
    }
}

/// Measures these waits after clocks, on the same CPU, in this time. A note states which waits
/// there was no time for.
pub(crate) fn after_clocks(
    asked: WaitSpec,
    time: Duration,
    setting: &mut Setting,
    report: &mut Report,
) {
    if setting.interrupt.is_set() {
        return;
    }
    setting.cpu = report.ruler.as_ref().and_then(|ruler| ruler.cpu);
    let request = Request::of(WaitSpec { duration: Some(time), ..asked });
    let measured = request.map_err(|unknown| Error::Invalid(unknown.to_string()));
    let measured = measured.and_then(|request| Box::new(request).measure(setting, report));
    // A part of another run is never resumed.
    report.waits_plan = None;
    let all = report.waits.len();
    let missing = report.waits.iter().filter(|wait| wait.available && wait.samples == 0).count();
    let why = match measured {
        Err(why) => format!("no waits: {why}"),
        Ok(()) if missing > 0 && !setting.interrupt.is_set() => {
            format!("no time for {missing} of {all} waits")
        }
        Ok(()) => return,
    };
    report.notes.push(notes::no_waits(&why, time));
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

    fn planned(asked: WaitSpec) -> Plan {
        let plan = Request::of(asked).expect("known ids").plan(None, None);
        assert_eq!(plan.chosen, None);
        plan
    }

    fn sleeping(asked: WaitSpec) -> WaitSpec {
        WaitSpec { ids: vec!["rust/thread-sleep".into()], ..asked }
    }

    #[test]
    fn whatever_is_named_twice_is_measured_once_and_the_order_stays() {
        let ms = Duration::from_millis;
        let plan = planned(sleeping(WaitSpec {
            load: vec![Load::Low, Load::None, Load::Low, Load::None],
            slack: vec![Slack::Ns(1), Slack::Default, Slack::Ns(1)],
            wait: vec![ms(2), ms(1), ms(2)],
            ..WaitSpec::default()
        }));
        assert_eq!(plan.spec.load, [Load::Low, Load::None]);
        assert_eq!(plan.spec.slack, [Slack::Ns(1), Slack::Default]);
        assert_eq!(plan.spec.wait, [ms(1), ms(2)]);
        assert!(plan.spec.ids.is_empty());
    }

    #[test]
    fn without_a_request_an_overview_is_planned_in_less_than_20_s() {
        let overview = |budget| Request::of(WaitSpec::default()).expect("no id").plan(None, budget);
        let plan = overview(None);
        let time = |plan: &Plan| {
            plan.spec.duration.expect("a limit") * u32::try_from(plan.spec.load.len()).expect("few")
        };
        assert!(plan.chosen.is_some_and(|left_out| left_out > 0) && plan.spec.count.is_none());
        assert!(time(&plan) <= Duration::from_secs(19), "{:?}", plan.spec.duration);
        assert_eq!(plan.spec.load, [Load::None, Load::Normal]);
        assert_eq!(plan.check(), Ok(()));
        let five = Duration::from_secs(5);
        assert_eq!(time(&overview(Some(five))), five);
    }

    #[test]
    fn whatever_is_asked_for_is_planned_as_it_is_asked() {
        let every = ALL.iter().filter(|entry| entry.runtime.is_none()).count();
        let asked = |change: fn(&mut WaitSpec)| {
            let mut asked = WaitSpec::default();
            change(&mut asked);
            planned(asked)
        };
        let all = asked(|w| w.all = true);
        assert_eq!((all.methods.len(), all.spec.duration), (every, Some(schedule::WAITS.time)));
        assert_eq!((all.spec.wait, all.spec.load), (DURATIONS.to_vec(), vec![Load::None]));
        assert_eq!((all.spec.slack, all.spec.slice), (SLACKS.to_vec(), vec![Slack::Default]));
        let counted = asked(|w| {
            w.wait = vec![Duration::from_millis(10)];
            w.count = Some(500);
        });
        assert_eq!((counted.methods.len(), counted.spec.count), (every, Some(500)));
        let loaded = asked(|w| w.load = vec![Load::Normal]);
        assert_eq!(
            (loaded.methods.len(), loaded.spec.duration),
            (every, Some(schedule::WAITS.time))
        );
        let python = asked(|w| w.ids = vec!["python".into()]);
        assert!(python.methods.iter().all(|entry| entry.runtime == Some("python")));
        assert_eq!(asked(|w| w.ids = vec!["*".into()]).methods.len(), ALL.len());
        let one = asked(|w| *w = sleeping(std::mem::take(w)));
        assert_eq!((one.methods.len(), one.spec.wait.len()), (1, DURATIONS.len()));
        assert_eq!(asked(|w| w.all_cpus = true).methods.len(), every);
    }

    #[test]
    fn the_cpu_that_real_time_threads_leave_free_is_named() {
        let allowed = affinity::allowed();
        let all = |priority| {
            planned(sleeping(WaitSpec { all_cpus: true, priority, ..WaitSpec::default() }))
        };
        let plan = all(Some(Priority::Fifo(5)));
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
