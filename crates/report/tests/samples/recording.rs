//! Events of a recording.

use chronoscope_model::Note;
use chronoscope_model::recording::{
    Deltas, Dropped, Event, Late, LoadSince, Machine, NoteAt, Pause, Row, SCHEMA, Start, Waits,
    WhySince,
};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::why::{Cause, Culprit, Later, Part, Why, Worst};

pub const MS: u64 = 1_000_000;

pub fn start() -> Event {
    let row = |id: &str| Row {
        id: id.into(),
        requested_ns: MS,
        tolerance_ns: 100,
        wait: Box::new(Wait { period_ns: Some(MS), available: true, ..Wait::default() }),
        ..Row::default()
    };
    let rows = vec![row("some/sleep"), row("some/wait")];
    let (schema, wall_ns) = (SCHEMA.into(), 1_790_000_000_000_000_000);
    Event::Start(Box::new(Start { schema, wall_ns, rows, ..Start::default() }))
}

/// Waits of a row, one each millisecond.
pub fn waits(row: usize, at_ms: u64, late_ns: &[i64]) -> Event {
    let after_ns = (0..late_ns.len()).map(|n| if n == 0 { 0 } else { MS }).collect();
    Event::Waits(Waits { row, at_ns: at_ms * MS, after_ns, late_ns: late_ns.to_vec() })
}

pub fn late(row: usize, at_ms: u64, late_ns: u64) -> Event {
    let culprit = |pid, other_user| Culprit {
        name: Some(format!("task {pid}\u{1b}[2J")),
        pid,
        tid: pid,
        other_user,
        ns: late_ns,
        wake_ups: 1,
        ..Culprit::default()
    };
    let wake = Worst {
        at_s: at_ms as f64 / 1e3,
        late_ns,
        parts: vec![Part { cause: Cause::RunQueue, ns: late_ns }],
        culprits: vec![culprit(1, false), culprit(2, true)],
        ..Worst::default()
    };
    Event::Late(Late { row, at_ns: at_ms * MS, hz: Some(3e9), wake })
}

pub fn why(row: usize, at_ms: u64, waits: u64, late_ns: u64) -> Event {
    let parts = vec![Part { cause: Cause::RunQueue, ns: late_ns }];
    let later = vec![Later { than_ns: 0, waits, late_ns, parts }];
    let why = Why { later, examined: waits, ..Why::default() };
    Event::Why(WhySince { row, at_ns: at_ms * MS, why })
}

/// An event of each kind.
pub fn events() -> Vec<Event> {
    let note = Note { id: "x".into(), ..Note::default() };
    vec![
        start(),
        Event::Load(LoadSince::default()),
        waits(0, 1, &[70_000, 60_000, -500]),
        waits(1, 2, &[400, 2_500_000]),
        late(0, 1, 70_000),
        why(0, 3, 3, 130_000),
        Event::Machine(Machine {
            at_ns: 4 * MS,
            drift_ppm: Some(0.25),
            cpu: vec![Some(0.25), None],
            ..Machine::default()
        }),
        Event::Deltas(Deltas {
            at_ns: 4 * MS,
            clock: "some/clock".into(),
            counts: vec![(20, 7), (30, 1)],
            ns_per_tick: 10.0,
            backwards: 2,
        }),
        Event::Pause(Pause { at_ns: 5 * MS, until_ns: 6 * MS, is_gap: true }),
        Event::Note(NoteAt { at_ns: 6 * MS, note }),
        Event::Dropped(Dropped { at_ns: 7 * MS, row: 1, waits: 9 }),
        Event::Load(LoadSince { at_ns: 8 * MS, load: Load::Normal }),
        waits(0, 9, &[90_000]),
    ]
}
