//! What is drawn: a function of the events, the view and the size of the screen.

mod common;

use chronoscope_model::recording::{Deltas, Event, Late, LoadSince, Machine, NoteAt, Pause, Waits};
use chronoscope_model::recording::{Dropped, Start};
use chronoscope_model::why::Cause;
use chronoscope_model::{Environment, Note};
use chronoscope_report::text::Style;
use chronoscope_watch::{Replay, State, View, draw};
use proptest::prelude::*;

const ASCII: Style = Style { width: 80, color: false, unicode: false };

fn drawn(state: &State, view: &View, (width, height): (u16, u16)) -> String {
    let lines = draw(state, view, width.into(), height.into());
    assert_eq!(lines.len(), usize::from(height));
    lines.iter().map(|line| format!("\"{line}\"\n")).collect()
}

fn state(events: impl IntoIterator<Item = Event>) -> State {
    let mut state = State::default();
    events.into_iter().for_each(|event| state.apply(event));
    state
}

#[test]
fn screens_of_all_sizes() {
    let (state, view) = (state(common::events()), View::default());
    for size in [(120, 40), (80, 24), (40, 10), (20, 5)] {
        let name = format!("{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, drawn(&state, &view, size));
    }
    insta::assert_snapshot!("empty", drawn(&State::default(), &view, (80, 24)));
}

#[test]
fn a_late_wake_up_help_and_deltas_have_screens_of_their_own() {
    let state = state(common::events());
    let open = View { open: true, marked: Some(2), ..View::default() };
    insta::assert_snapshot!("open", drawn(&state, &open, (80, 24)));
    let help = View { help: true, ..View::default() };
    insta::assert_snapshot!("help", drawn(&state, &help, (80, 24)));
    let deltas = View { deltas: true, style: ASCII, selected: 1, ..View::default() };
    let deltas = drawn(&state, &deltas, (80, 24));
    assert!(deltas.is_ascii(), "{deltas}");
    insta::assert_snapshot!("deltas", deltas);
}

#[test]
fn what_could_not_be_kept_or_done_is_shown() {
    let mut events = common::events();
    let note = Note { id: "causes".into(), text: "no causes here".into(), ..Note::default() };
    events.extend([
        Event::Dropped(Dropped { at_ns: 0, row: 0, waits: 12 }),
        Event::Note(NoteAt { at_ns: 0, note: note.clone() }),
        Event::Note(NoteAt { at_ns: 1, note }),
        Event::Pause(Pause { at_ns: 1_000_000_000, until_ns: 4_000_000_000, is_gap: false }),
    ]);
    let Event::Start(start) = &mut events[0] else { panic!("the start") };
    start.environment.allowed_cpus = vec![0];
    let state = state(events);
    let help = View { help: true, ..View::default() };
    assert_eq!(drawn(&state, &help, (100, 40)).matches("no causes here").count(), 1);
    let all = drawn(&state, &View::default(), (100, 24));
    for text in ["12 dropped", "paused 3 s", "There is one CPU", "(1 more: ?)"] {
        assert_eq!(all.matches(text).count(), 1, "{text} in\n{all}");
    }
}

#[test]
fn names_cannot_move_the_cursor_or_hide() {
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\r\n\u{202e}e\u{301}\u{9b}1m\u{0}时 \u{fffd}";
    let mut events = common::events();
    if let Event::Start(start) = &mut events[0] {
        start.rows[0].id = evil.into();
        start.rows[1].unavailable_reason = Some(evil.into());
        start.clock = Some(evil.into());
        let text = evil.to_owned();
        start.notes.push(Note { id: "x".into(), text, fix: evil.into(), ..Note::default() });
    }
    events.push(common::late(0, 132_000_000_000, &[(Cause::RunQueue, 9_000_000)], &[evil, evil]));
    let mut state = state(events);
    for (open, help, ascii) in
        [(false, false, false), (true, false, false), (false, true, true), (true, false, true)]
    {
        let style = if ascii { ASCII } else { Style::default() };
        let message = Some(evil.to_owned());
        let view = View { open, help, style, message, deltas: true, ..View::default() };
        for size in [(120, 40), (80, 24), (30, 12)] {
            let all = drawn(&state, &view, size);
            let bad =
                |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
            assert!(!all.contains(bad), "{all:?}");
            assert!(!ascii || all.is_ascii(), "{all}");
        }
    }
    state.reset();
    assert!(state.late_numbers().is_empty() && state.has_started());
}

#[test]
fn a_replay_gives_the_frames_of_its_run() {
    let events = common::events();
    let (mut played, mut live) = (State::default(), State::default());
    let mut left = events.iter().cloned();
    let mut replay = Replay::new(|| Ok(left.next()), 10.0, || false);
    let mut lines = 0;
    for tenth in (0..1_400).step_by(7) {
        let now = tenth * 100_000_000;
        // A run has them in as many pieces as there were looks.
        let new = replay.until(now).expect("in memory");
        for event in &events[lines..lines + new.len()] {
            live.apply(event.clone());
        }
        lines += new.len();
        new.into_iter().for_each(|event| played.apply(event));
        let view = View::default();
        for size in [(80, 24), (120, 40)] {
            assert_eq!(drawn(&played, &view, size), drawn(&live, &view, size));
        }
    }
    assert_eq!(lines, events.len());
}

#[test]
fn an_hour_of_four_methods_is_not_kept_as_a_whole() {
    let mut start = common::start();
    start.rows = vec![start.rows[0].clone(); 4];
    let mut state = state([Event::Start(Box::new(start))]);
    for second in 0..4_000 {
        for row in 0..4 {
            let at_ns = second * 1_000_000_000;
            let late_ns = (0..100).map(|nth| 100 << (nth % 24)).collect();
            let after_ns = vec![10_000_000; 100];
            state.apply(Event::Waits(Waits { row, at_ns, after_ns, late_ns }));
        }
        state.apply(common::late(0, second, &[(Cause::Steal, 100 << 24)], &["a"]));
    }
    assert_eq!(state.late_numbers(), 3_801..=4_000);
    assert!(state.rows.iter().all(|row| row.seconds.of(2_999).is_none()));
    assert!(state.rows.iter().all(|row| row.seconds.of(3_500).is_some()));
}

fn event() -> impl Strategy<Value = Event> {
    let time = prop_oneof![Just(0), Just(u64::MAX), 0..200_000_000_000u64];
    let ns = prop_oneof![any::<u64>(), 0..10_000_000u64];
    let row = 0..6usize;
    let lists = (
        proptest::collection::vec(ns.clone(), 0..40),
        proptest::collection::vec(any::<i64>(), 0..40),
    );
    prop_oneof![
        (row.clone(), time.clone(), lists).prop_map(|(row, at_ns, (after_ns, late_ns))| {
            Event::Waits(Waits { row, at_ns, after_ns, late_ns })
        }),
        (row.clone(), time.clone(), ns.clone(), any::<u8>(), ".{0,40}").prop_map(
            |(row, at_ns, ns, n, name)| {
                let cause = Cause::ALL[usize::from(n) % Cause::ALL.len()];
                let parts = [(cause, ns / 2), (Cause::Preempted, ns / 2)];
                let mut late = common::late(row, at_ns, &parts, &[&name, ""]);
                if let Event::Late(Late { hz, wake, .. }) = &mut late {
                    *hz = Some(f64::NAN);
                    wake.parts.truncate(usize::from(n % 3));
                    wake.smis = u64::from(n);
                }
                late
            }
        ),
        (time.clone(), any::<f64>(), ns.clone()).prop_map(|(at_ns, x, ns)| {
            let cpu = vec![Some(x), None, Some(f64::INFINITY)];
            let (drift_ppm, steal_ns) = (Some(x), Some(ns));
            Event::Machine(Machine {
                at_ns,
                drift_ppm,
                steal_ns,
                cpu,
                steps: ns,
                moved: ns,
                paused_ns: ns,
            })
        }),
        (time.clone(), ns.clone(), ns.clone()).prop_map(|(at_ns, ns, times)| {
            let (clock, counts) = (format!("a/clock-{}", ns % 2), vec![(ns, times), (0, 1)]);
            Event::Deltas(Deltas { at_ns, clock, counts, ns_per_tick: 10.0, backwards: times })
        }),
        (time.clone(), time.clone()).prop_map(|(at_ns, until_ns)| Event::Pause(Pause {
            at_ns,
            until_ns,
            is_gap: at_ns % 2 == 0
        })),
        (time.clone(), row, ns).prop_map(|(at_ns, row, waits)| Event::Dropped(Dropped {
            at_ns,
            row,
            waits
        })),
        (time.clone(), ".{0,200}").prop_map(|(at_ns, text)| {
            let note = Note { text, ..Note::default() };
            Event::Note(NoteAt { at_ns, note })
        }),
        (time.clone(), Just(chronoscope_model::waits::Load::High))
            .prop_map(|(at_ns, load)| Event::Load(LoadSince { at_ns, load })),
        (time, 0..40usize).prop_map(|(wall_ns, rows)| {
            let mut start = Start { rows: vec![Default::default(); rows], ..common::start() };
            start.environment = Environment::default();
            start.wall_ns = wall_ns;
            Event::Start(Box::new(start))
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_on_a_screen_of_any_size(
        events in proptest::collection::vec(event(), 0..20),
        size in (1..=300u16, 1..=100u16),
        selected in 0..40usize,
        marked in proptest::option::of(any::<u64>()),
        bits in any::<u8>(),
    ) {
        let bit = |n: u8| bits >> n & 1 == 1;
        let mut state = state([Event::Start(Box::new(common::start()))]);
        let view = View {
            selected,
            marked,
            open: bit(0),
            help: bit(1),
            deltas: bit(2),
            style: Style { unicode: !bit(3), color: bit(4), ..Style::default() },
            speed: bit(5).then_some(2.0),
            paused: bit(6),
            ..View::default()
        };
        for event in events {
            state.apply(event);
        }
        for size in [size, (1, 1), (size.0, 1), (1, size.1), (size.0.min(30), size.1.min(12))] {
            drawn(&state, &view, size);
        }
        if bit(7) {
            state.reset();
            drawn(&state, &view, size);
        }
    }
}
