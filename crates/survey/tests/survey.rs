//! A survey as another program runs it. This test runs alone, because it starts itself as a child
//! and must not be prepared before its first check.

use chronoscope_model::waits::Load;
use chronoscope_survey::spec::{CallSpec, DeltaSpec, Disturbance, OverheadSpec, Spec, TrustSpec};
use chronoscope_survey::{
    Error, Hardware, Interrupt, Report, Slack, Survey, WaitSpec, select, start_up,
};
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

fn main() {
    // A child of this test also comes here.
    let unprepared = Survey::new(Hardware).run();
    assert!(matches!(unprepared, Err(Error::NotStarted)));
    start_up();
    clocks_are_judged_and_read_first_in_children();
    a_gentle_survey_leaves_out_what_disturbs_others();
    what_is_unknown_or_impossible_is_an_error();
    an_interrupt_keeps_what_there_is();
    single_questions_are_answered();
    an_interrupted_run_of_waits_is_resumed();
    println!("all checks of surveys passed");
}

fn clocks_are_judged_and_read_first_in_children() {
    let phases = Cell::new(0);
    let system = if cfg!(windows) { "windows/qpc" } else { "posix/monotonic" };
    let survey = Survey::clocks([system, "chronoscope"]).expect("clocks");
    let survey = survey.budget(Duration::from_secs(4)).seed(7);
    let report = survey.progress(|_| phases.set(phases.get() + 1)).run().expect("a report");
    assert!(phases.get() > 0);
    assert!(report.run.complete && report.run.order_seed == 7);
    assert!(report.run.seconds > 0.0 && !report.environment.arch.is_empty());
    assert_eq!(report.clocks.len(), 3);
    for clock in &report.clocks {
        assert!(clock.read_ns().is_some_and(|ns| ns > 0.0), "{}", clock.id);
        assert!(clock.verdict.is_some() && clock.facts.is_some(), "{}", clock.id);
        // Processes may be too slow to start; a note then says so.
        let told = report.notes.iter().any(|note| note.id == "no-first-reads");
        assert!(clock.cost.first.is_some() || told, "{}: {:?}", clock.id, report.notes);
    }
    assert!(report.clocks.iter().any(|clock| clock.best));
    assert!(report.advice.iter().any(|advice| advice.purpose == "interval"));
}

fn a_gentle_survey_leaves_out_what_disturbs_others() {
    let survey = Survey::clocks(["rust/instant", "chronoscope"]).expect("clocks").gentle();
    // This is enough for first reads and the order of reads in a survey that is not gentle.
    let report = survey.budget(Duration::from_millis(2500)).run().expect("a report");
    for clock in &report.clocks {
        assert!(clock.read_ns().is_some(), "{}", clock.id);
        let disturbs = (clock.cost.cold.is_some(), clock.cost.first.is_some());
        assert_eq!((disturbs, clock.ordering.is_some()), ((false, false), false), "{}", clock.id);
    }
    // The CPUs are compared, or it is said why not.
    let across = report.environment.across_cpus.expect("they are compared in any time");
    assert!(!across.pairs.is_empty() || across.left_out.is_some());
}

fn what_is_unknown_or_impossible_is_an_error() {
    let unknown = Survey::clocks(["rust/instanz"]).err().expect("no such clock");
    assert!(unknown.to_string().contains("rust/instant"), "{unknown}");
    assert!(matches!(select::clock("rust/"), Err(Error::Invalid(_))));
    let survey = Survey::of(Spec::Calls(CallSpec {
        id: "rust/instant".into(),
        disturbance: Disturbance::default(),
    }))
    .expect("a clock");
    assert!(matches!(survey.cpu(1 << 20).run(), Err(Error::Invalid(_))));
    let resumed = Survey::resume(Report::default());
    assert!(matches!(resumed, Err(Error::Invalid(_))));
}

fn an_interrupt_keeps_what_there_is() {
    let interrupt = Interrupt::default();
    interrupt.set();
    let start = Instant::now();
    let survey = Survey::clocks(["rust"]).expect("clocks").interrupt(&interrupt);
    let report = survey.budget(Duration::from_secs(600)).run().expect("a report");
    assert!(!report.run.complete);
    assert!(start.elapsed() < Duration::from_secs(60));
}

fn single_questions_are_answered() {
    let budget = Duration::from_millis(200);
    let id = || String::from("rust/instant");
    let run = |spec: Spec| {
        let survey = Survey::of(spec.clone()).expect("a clock");
        let report = survey.budget(budget).run().expect("a report");
        assert_eq!(report.spec, Some(spec));
        report
    };
    let report =
        run(Spec::Deltas(DeltaSpec { id: id(), reads: 1000, disturbance: Disturbance::default() }));
    assert!(report.deltas[0].reads >= 2 && report.ruler.is_some());
    let report = run(Spec::Calls(CallSpec { id: id(), disturbance: Disturbance::default() }));
    assert_eq!(report.calls[0].passes.len(), 3);
    let disturbance = Disturbance::default();
    let shape = OverheadSpec { id: id(), samples: 3, n: 10, m: 10, disturbance };
    let report = run(Spec::Overhead(shape));
    assert_eq!(report.overhead[0].taken, 3);
    let report =
        run(Spec::Trust(TrustSpec { ids: vec![id()], duration: Some(budget), against: None }));
    assert_eq!(report.trust.expect("it was watched").asked_s, budget.as_secs_f64());
    let report = Survey::new(Hardware).run().expect("a report");
    assert!(report.ruler.is_some() && report.advice.is_empty() && report.spec.is_none());
}

fn an_interrupted_run_of_waits_is_resumed() {
    let asked = WaitSpec {
        ids: vec!["rust/thread-sleep".into()],
        wait: vec![Duration::from_millis(20)],
        count: Some(200),
        slack: vec![Slack::Default],
        load: vec![Load::None],
        ..WaitSpec::default()
    };
    let interrupt = Interrupt::default();
    let kept: RefCell<Option<Report>> = RefCell::new(None);
    let survey = Survey::of(Spec::Waits(asked.clone())).expect("a wait method");
    let survey = survey.interrupt(&interrupt).checkpoint(|report| {
        *kept.borrow_mut() = Some(report.clone());
        interrupt.set();
        true
    });
    let report = survey.run().expect("a report");
    assert!(!report.run.complete && report.waits[0].samples < 200);
    let kept = kept.into_inner().expect("a checkpoint");
    assert!(!kept.run.complete && kept.waits_plan == report.waits_plan);
    assert_eq!(kept.waits[0].samples, report.waits[0].samples);
    let started = kept.waits[0].course.as_ref().expect("a course").started.clone();
    let resumed = Survey::resume(kept).expect("a plan").run().expect("a report");
    let course = resumed.waits[0].course.as_ref().expect("a course");
    assert_eq!((&course.started, course.stops.len()), (&started, 1), "{course:?}");
    // An earlier version kept no course.
    let mut old = resumed.clone();
    old.waits[0].course = None;
    let again = Survey::resume(old).expect("a plan").run().expect("a report");
    let course = again.waits[0].course.as_ref().expect("a course");
    assert_eq!((&course.started, again.waits[0].samples), (&resumed.run.started, 200));
    assert_eq!(resumed.spec, Some(Spec::Waits(asked)));
    assert_eq!(resumed.waits_plan, report.waits_plan);
    assert!(resumed.run.complete);
    assert_eq!(resumed.waits[0].samples, 200);
    assert_eq!(resumed.run.order_seed, report.run.order_seed);
    assert!(resumed.advice.iter().all(|advice| advice.purpose == "wait"));
}
