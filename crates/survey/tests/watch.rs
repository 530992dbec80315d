//! Waits that go on, on this machine. This test runs alone, because it counts the threads of its
//! process and stops it.

use chronoscope_model::recording::{Event, Row, SCHEMA, Start, Waits};
use chronoscope_model::waits::Load;
use chronoscope_survey::watch::{Live, Watch};
use chronoscope_survey::{Error, start_up};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn main() {
    let unprepared = Live::start(&Watch::default());
    assert!(matches!(unprepared.err(), Some(Error::NotStarted)));
    // A process of a load on Windows also comes here.
    start_up();
    let threads = threads();
    what_is_impossible_is_an_error();
    everything_arrives_and_nothing_is_left(threads);
    #[cfg(target_os = "linux")]
    a_stopped_process_has_a_gap();
    println!("all checks of watching passed");
}

/// The threads of this process, if the system shows them.
fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

fn what_is_impossible_is_an_error() {
    let refused = |watch: Watch| Live::start(&watch).err().expect("refused").to_string();
    let ids = vec!["no/such".into()];
    assert!(refused(Watch { ids, ..Watch::default() }).contains("no/such"));
    let clock = Some("no/such".into());
    assert!(refused(Watch { clock, ..Watch::default() }).contains("no/such"));
    let period = Duration::from_nanos(10);
    assert!(refused(Watch { period, ..Watch::default() }).contains("1us"));
    assert!(refused(Watch { cpu: Some(123_456), ..Watch::default() }).contains("123456"));
    // A recording goes on with the waits that it has, or not at all.
    let row = |id: &str| Row { id: id.into(), requested_ns: 5_000_000, ..Row::default() };
    let again = |ids: [&str; 2]| {
        let start = Start { rows: ids.map(row).into(), ..Start::default() };
        Watch::again(&start, Load::Low).map_err(|error| error.to_string())
    };
    let watch = again(["rust/thread-sleep", "chronoscope/wait"]).expect("they exist");
    assert_eq!((watch.period, watch.load), (Duration::from_millis(5), Load::Low));
    let other = again(["chronoscope/wait", "rust/thread-sleep"]).expect_err("in another order");
    assert!(other.contains("cannot be resumed"), "{other}");
    assert!(again(["chronoscope/wait", "no/such"]).is_err());
}

/// Drains until this holds for all events so far.
fn drain_until(live: &mut Live, events: &mut Vec<Event>, holds: impl Fn(&[Event]) -> bool) {
    let began = Instant::now();
    while !holds(events) {
        assert!(began.elapsed() < Duration::from_mins(1), "{:?}", events.last());
        sleep(Duration::from_millis(50));
        events.extend(live.drain());
    }
}

fn waits(events: &[Event]) -> impl Iterator<Item = &Waits> {
    events.iter().filter_map(|event| match event {
        Event::Waits(waits) => Some(waits),
        _ => None,
    })
}

fn rows(events: &[Event]) -> Vec<usize> {
    (0..2)
        .map(|row| waits(events).filter(|it| it.row == row).map(|it| it.late_ns.len()).sum())
        .collect()
}

fn everything_arrives_and_nothing_is_left(threads_before: Option<usize>) {
    let clock = Some("rust/instant".into());
    let watch = Watch { clock, ..Watch::default() };
    let (mut live, mut events) = (Live::start(&watch).expect("waits"), Vec::new());
    let is = |kind: fn(&Event) -> bool| move |events: &[Event]| events.iter().any(kind);
    drain_until(&mut live, &mut events, |events| rows(events).iter().all(|n| *n > 20));
    drain_until(&mut live, &mut events, is(|event| matches!(event, Event::Machine(_))));
    drain_until(&mut live, &mut events, is(|event| matches!(event, Event::Deltas(_))));
    drain_until(&mut live, &mut events, is(|event| matches!(event, Event::Why(_))));
    let Event::Start(start) = &events[0] else { panic!("{:?}", events[0]) };
    let Start { schema, rows: known, ruler, .. } = &**start;
    assert_eq!((&**schema, known.len(), ruler.is_some()), (SCHEMA, 2, true));
    assert!(known.iter().all(|row| row.cpu == live.cpu() && row.wait.id == row.id));
    // The waits of a row follow each other, also from one drain to the next.
    for row in 0..2 {
        let ends = waits(&events).filter(|waits| waits.row == row).flat_map(Waits::ends);
        let ends: Vec<u64> = ends.map(|(end, _)| end).collect();
        assert!(ends.is_sorted() && ends[0] > 0, "row {row}");
    }

    live.pause();
    sleep(Duration::from_millis(500));
    live.drain();
    sleep(Duration::from_millis(300));
    let paused = live.drain();
    assert_eq!(waits(&paused).count(), 0, "{paused:?}");
    live.resume();
    let mut resumed = Vec::new();
    drain_until(&mut live, &mut resumed, |events| rows(events).iter().all(|n| *n > 0));
    drain_until(&mut live, &mut resumed, is(|event| matches!(event, Event::Pause(_))));
    let pause = resumed.iter().find_map(|event| match event {
        Event::Pause(pause) => Some(*pause),
        _ => None,
    });
    let pause = pause.expect("it is there");
    assert!(!pause.is_gap && pause.until_ns - pause.at_ns > 300_000_000, "{pause:?}");
    for (end, _) in waits(&resumed).flat_map(Waits::ends) {
        assert!(end >= pause.at_ns, "{end}");
    }

    live.set_load(Load::Normal);
    let mut loaded = Vec::new();
    let answered = |event: &Event| match event {
        Event::Load(since) => since.load == Load::Normal,
        // Other systems have no load.
        Event::Note(at) => at.note.id == "load-refused",
        _ => false,
    };
    drain_until(&mut live, &mut loaded, |events| events.iter().any(answered));
    live.set_clock(None).expect("no clock");
    assert!(live.set_clock(Some("no/such")).is_err());
    let last = live.stop();
    assert!(last.iter().any(|event| matches!(event, Event::Machine(_))), "{last:?}");
    if let Some(before) = threads_before {
        let began = Instant::now();
        // The kernel removes a thread a moment after it has ended.
        while threads() != Some(before) {
            assert!(began.elapsed() < Duration::from_secs(20), "{:?} of {before}", threads());
            sleep(Duration::from_millis(10));
        }
    }
}

/// Another process stops this one and lets it go on.
#[cfg(target_os = "linux")]
fn a_stopped_process_has_a_gap() {
    // A single row is always in a wait.
    let watch = Watch { ids: vec!["rust/thread-sleep".into()], ..Watch::default() };
    let (mut live, mut events) = (Live::start(&watch).expect("waits"), Vec::new());
    drain_until(&mut live, &mut events, |events| rows(events)[0] > 0);
    let own = std::process::id();
    let script = format!("kill -STOP {own}; sleep 0.4; kill -CONT {own}");
    let mut other =
        std::process::Command::new("sh").args(["-c", &script]).spawn().expect("a shell");
    other.wait().expect("it ends");
    let gap = |event: &Event| matches!(event, Event::Pause(pause) if pause.is_gap);
    drain_until(&mut live, &mut events, |events| events.iter().any(gap));
    events.extend(live.stop());
    let gap = events.iter().find_map(|event| match event {
        Event::Pause(pause) if pause.is_gap => Some(*pause),
        _ => None,
    });
    let gap = gap.expect("it is there");
    assert!(gap.until_ns - gap.at_ns > 200_000_000, "{gap:?}");
    // No wait is a sample that ended in it, nor one that began before and ended after it.
    for (end, late) in waits(&events).flat_map(Waits::ends) {
        let began = end.saturating_sub(u64::try_from(late).unwrap_or(0));
        let (inside, across) = (gap.at_ns + 100_000_000, gap.until_ns - 100_000_000);
        assert!(end < inside || began > across, "{end} {late} {gap:?}");
    }
}
