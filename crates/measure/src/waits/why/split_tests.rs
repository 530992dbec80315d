use super::*;
use chronoscope_probes::blame::IdleState;
use proptest::prelude::*;

fn at(us: u64, turn: Turn) -> Switch {
    Switch { at: us * 1_000, cpu: 1, turn }
}

/// A sleep of 1 ms from 1,000 us on, watched from 990 us until 10 us after its end.
fn sleep(end_us: u64) -> Evidence<'static> {
    Evidence {
        kind: Kind::Sleep,
        asked_ns: 1_000_000,
        deadline: 2_000_000,
        end: end_us * 1_000,
        slack_ns: 50_000,
        stopped: false,
        seen: Seen {
            since: 990_000,
            until: end_us * 1_000 + 10_000,
            idle: Some(Some(&IDLED)),
            entered: Some(false),
            ..Seen::default()
        },
    }
}

static IDLED: IdleState = IdleState { name: String::new(), exit_ns: 0 };

/// A wait for which the thread's sources saw something else.
fn with<'a>(wait: Evidence<'a>, change: impl FnOnce(&mut Seen<'a>)) -> Evidence<'a> {
    let mut wait = wait;
    change(&mut wait.seen);
    wait
}

/// A wait with these switches and this time in the run queue.
fn switched<'a>(wait: Evidence<'a>, switches: &'a [Switch], queued_ns: u64) -> Evidence<'a> {
    with(wait, |seen| (seen.switches, seen.queued_ns) = (Some(switches), Some(queued_ns)))
}

fn spin(end_us: u64) -> Evidence<'static> {
    Evidence { kind: Kind::Busy, slack_ns: 0, ..sleep(end_us) }
}

/// Returns the parts in microseconds, the largest first, and checks that they add up.
fn parts(seen: &Evidence) -> Vec<(Cause, u64)> {
    // What the quickest wait took.
    let mut floors = Floors { asleep: 30_000, awake: 4_000 };
    let parts = split(seen, &mut floors);
    assert_eq!(parts.sum(), seen.end.saturating_sub(seen.deadline));
    let list = parts.list().into_iter();
    list.map(|part| (part.cause, part.ns / 1_000)).collect()
}

const SLEPT: [Switch; 2] = [
    Switch { at: 1_010_000, cpu: 1, turn: Turn::Out },
    Switch { at: 2_085_000, cpu: 1, turn: Turn::In },
];

#[test]
fn an_idle_machine_takes_the_slack_and_an_idle_exit() {
    let seen = switched(sleep(2_090), &SLEPT, 3_000);
    let expected =
        [(Cause::TimerSlack, 50), (Cause::IdleExit, 32), (Cause::Return, 5), (Cause::RunQueue, 3)];
    assert_eq!(parts(&seen), expected);
    // Without slack, all of it is the exit; and if no idle state was entered, interrupts.
    let tight = with(Evidence { slack_ns: 0, ..seen.clone() }, |seen| seen.idle = Some(None));
    assert_eq!(parts(&tight)[0], (Cause::Interrupt, 82));
    // A timer that another one has woken early has no slack left.
    let switches = [at(1_010, Turn::Out), at(2_025, Turn::In)];
    let early = switched(sleep(2_030), &switches, 0);
    assert_eq!(parts(&early), [(Cause::IdleExit, 25), (Cause::Return, 5)]);
}

#[test]
fn a_hog_keeps_the_thread_in_the_run_queue() {
    let switches = [at(1_010, Turn::Out), at(4_900, Turn::In)];
    let seen = switched(sleep(4_904), &switches, 2_850_000);
    assert_eq!(parts(&seen)[0], (Cause::RunQueue, 2_850));
    // To the thread, a quota is the same, except for its own account.
    let quota = with(seen.clone(), |seen| seen.throttled_ns = Some(2_800_000));
    let quota = parts(&quota);
    assert_eq!(quota[0], (Cause::Throttled, 2_800));
    assert!(quota.contains(&(Cause::RunQueue, 50)), "{quota:?}");
}

#[test]
fn a_preemption_after_waking_is_timed_by_its_records() {
    let switches = [
        at(1_010, Turn::Out),
        at(2_040, Turn::In),
        at(2_045, Turn::Preempted),
        at(5_045, Turn::In),
    ];
    let seen = Evidence { slack_ns: 0, ..switched(sleep(5_050), &switches, 3_002_000) };
    let found = parts(&seen);
    assert_eq!(found[0], (Cause::Preempted, 3_000));
    assert!(found.contains(&(Cause::RunQueue, 2)), "{found:?}");
}

#[test]
fn a_preemption_before_the_deadline_makes_nothing_late() {
    let switches =
        [at(995, Turn::Preempted), at(1_005, Turn::In), at(1_010, Turn::Out), at(2_040, Turn::In)];
    let seen = Evidence { slack_ns: 0, ..switched(sleep(2_045), &switches, 12_000) };
    let expected = [(Cause::IdleExit, 38), (Cause::Return, 5), (Cause::RunQueue, 2)];
    assert_eq!(parts(&seen), expected);
}

#[test]
fn a_stop_and_a_spin_are_told_apart_from_sleeps() {
    let stopped = Evidence { stopped: true, ..switched(sleep(2_090), &SLEPT, 0) };
    assert_eq!(parts(&stopped)[0], (Cause::Stopped, 85));
    let spun = |entered, asked_ns, ran_us: u64| {
        let seen = Evidence { asked_ns, ..switched(spin(2_100), &[], 0) };
        let seen = with(seen, |seen| (seen.entered, seen.ran_ns) = (entered, Some(ran_us * 1_000)));
        parts(&seen)[0]
    };
    let whole = 2_110 - 990;
    assert_eq!(spun(Some(false), 1_000_000, whole), (Cause::BelowKernel, 90));
    assert_eq!(spun(Some(true), 1_000_000, whole), (Cause::Interrupt, 90));
    // The tick occurs in every long wait.
    assert_eq!(spun(Some(true), 10_000_000, whole), (Cause::OnCpu, 90));
    assert_eq!(spun(None, 1_000_000, whole), (Cause::OnCpu, 90));
    assert_eq!(spun(Some(true), 1_000_000, whole - 95), (Cause::Steal, 95));
}

#[test]
fn what_cannot_be_separated_keeps_its_common_name() {
    // No schedstat: the timer and the run queue are one.
    let seen = with(sleep(2_090), |seen| seen.switches = Some(&SLEPT));
    assert_eq!(parts(&seen)[0], (Cause::TimerSlack, 50));
    assert_eq!(parts(&seen)[1], (Cause::OffCpu, 35));
    // No records: the way back is one with the idle exit, and preemptions are in the run queue.
    let seen = with(sleep(2_110), |seen| seen.queued_ns = Some(20_000));
    let expected = [(Cause::TimerSlack, 50), (Cause::OffCpu, 40), (Cause::RunQueue, 20)];
    assert_eq!(parts(&seen), expected);
    let seen = with(spin(2_090), |seen| seen.queued_ns = Some(80_000));
    assert_eq!(parts(&seen)[0], (Cause::Preempted, 80));
    // Neither: what the thread ran for is all that is known, as on Windows.
    let seen = with(spin(2_100), |seen| (seen.ran_ns, seen.entered) = (Some(1_020_000), None));
    assert_eq!(parts(&seen)[0], (Cause::OffCpu, 100));
    let expected = [(Cause::TimerSlack, 50), (Cause::OffCpu, 50)];
    assert_eq!(parts(&sleep(2_100)), expected);
}

#[test]
fn a_wait_that_was_not_late_has_no_parts() {
    assert_eq!(parts(&sleep(1_990)), []);
    assert_eq!(parts(&sleep(2_000)), []);
}

#[test]
fn records_of_a_clock_that_went_back_explain_nothing() {
    let switches = [at(2_001, Turn::Out), at(2_050, Turn::In), at(2_002, Turn::Out)];
    let twice = [switches.as_slice(), &[at(2_049, Turn::In)]].concat();
    let seen = switched(sleep(2_051), &twice, 0);
    assert_eq!(parts(&seen), [(Cause::Unknown, 51)]);
}

fn turns() -> impl Strategy<Value = Vec<Switch>> {
    let turn = prop_oneof![Just(Turn::In), Just(Turn::Out), Just(Turn::Preempted)];
    let switch = (0..10_000_000u64, 0..4u32, turn);
    prop::collection::vec(switch, 0..12).prop_map(|mut all| {
        all.sort_by_key(|switch| switch.0);
        let switch = |(at, cpu, turn)| Switch { at, cpu, turn };
        all.into_iter().map(switch).collect()
    })
}

proptest! {
    /// Whatever the sources say, and however they contradict each other.
    #[test]
    fn the_parts_always_add_up_to_the_lateness(
        switches in prop::option::of(turns()),
        kind in prop_oneof![Just(Kind::Sleep), Just(Kind::Busy), Just(Kind::Hybrid)],
        since in 0..2_000_000u64,
        asked_ns in 0..5_000_000u64,
        late in 0..8_000_000u64,
        after in 0..100_000u64,
        known in prop::array::uniform3(prop::option::of(any::<u64>())),
        short in prop::array::uniform3(prop::option::of(0..8_000_000u64)),
        small: bool,
        slack_ns in prop_oneof![Just(0), 0..100_000_000u64, any::<u64>()],
        idled: Option<bool>,
        entered: Option<bool>,
        stopped: bool,
    ) {
        let [queued_ns, ran_ns, throttled_ns] = if small { short } else { known };
        let deadline = since + asked_ns;
        let seen = Evidence {
            kind,
            asked_ns,
            deadline,
            end: deadline + late,
            slack_ns,
            stopped,
            seen: Seen {
                since,
                until: deadline + late + after,
                switches: switches.as_deref(),
                queued_ns,
                ran_ns,
                throttled_ns,
                idle: idled.map(|idled| idled.then_some(&IDLED)),
                entered,
                ..Seen::default()
            },
        };
        let mut floors = Floors::default();
        for _ in 0..2 {
            let parts = split(&seen, &mut floors);
            prop_assert_eq!(parts.sum(), late);
            prop_assert!(parts.list().iter().all(|part| part.ns > 0));
            prop_assert_eq!(Parts::from_list(&parts.list()), parts);
            // With the thread's switches, it is known when it was ready.
            let spans = ready_spans(&seen, &parts);
            let ready = [Cause::RunQueue, Cause::Preempted, Cause::Throttled];
            let ready = ready.map(|it| parts.of(it));
            let known = if switches.is_some() { ready.iter().sum() } else { 0 };
            prop_assert_eq!(spans.iter().map(|it| it.to - it.from).sum::<u64>(), known);
            prop_assert!(spans.is_sorted_by(|a, b| a.to <= b.from));
        }
    }
}
