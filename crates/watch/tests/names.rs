//! A program chooses its name. On no screen can it be taken for two names, move the cursor or be
//! longer than the kernel's longest.

mod common;

use chronoscope_model::recording::{Event, WhySince};
use chronoscope_model::why::{Cause, Why};
use chronoscope_report::block::Tone;
use chronoscope_report::recording::{Reader, Writer, report};
use chronoscope_report::section::{self, Detail};
use chronoscope_report::text::{self, Style};
use chronoscope_report::{csv, page};
use chronoscope_watch::{State, View, draw};
use std::path::Path;

/// Each with what is to be seen of it.
const NAMES: [(&str, &str); 5] = [
    ("rustc, sh", "\"rustc, sh\""),
    ("\u{1b}]0;x\u{7}\u{1b}[31m", "\"\\u{1b}]0;x\\u{7}\\u{1b}[31m\""),
    ("a\u{202e}b", "\"a\\u{202e}b\""),
    ("\r\n\u{9b}2J", "\"\\r\\n\\u{9b}2J\""),
    ("likely ", "\"likely \""),
];

/// A run in which a task of this name ran instead of a thread.
fn events(name: &str) -> Vec<Event> {
    let mut events = common::events();
    let parts = [(Cause::RunQueue, 9_000_000)];
    events.push(common::late(0, 132_000_000_000, &parts, &[name]));
    let Some(Event::Late(late)) = events.last_mut() else { panic!("a late wake-up") };
    let first = late.wake.interrupts.first_mut().expect("an interrupt");
    first.name = name.into();
    let culprits = late.wake.culprits.clone();
    let why = Why { culprits, examined: 1, ..Why::default() };
    events.push(Event::Why(WhySince { row: 0, at_ns: 132_000_000_000, why }));
    events
}

/// Every screen and file that shows names, each with what it is.
fn screens(name: &str) -> Vec<(String, String)> {
    let events = events(name);
    let mut bytes = Vec::new();
    Writer::new(&mut bytes, Path::new("x"), u64::MAX).names(true).write(&events);
    let mut all = Vec::new();
    let mut state = State::default();
    let mut reader = Reader::new(&bytes[..]).expect("its own");
    state.apply(Event::Start(Box::new(reader.start.clone())));
    while let Some(event) = reader.next().expect("memory") {
        state.apply(event);
    }
    for (open, what) in [(false, "watch"), (true, "watch, open")] {
        for color in [false, true] {
            let style = Style { color, ..Style::default() };
            let lines = draw(&state, &View { open, style, ..View::default() }, 300, 24);
            all.push((what.into(), lines.join("\n")));
        }
    }
    let report = report(Reader::new(&bytes[..]).expect("its own")).expect("memory");
    for detail in [Detail::Full, Detail::Everything] {
        let style = Style { width: 400, ..Style::default() };
        let screen = text::section(&section::waits::SECTION, &report, detail, &style);
        all.push((format!("report, {detail:?}"), screen));
    }
    let mut bytes = Vec::new();
    csv::write(&report, &mut bytes).expect("memory");
    // Where a quote is two.
    all.push(("csv".into(), String::from_utf8(bytes).expect("text").replace("\"\"", "\"")));
    let mut bytes = Vec::new();
    page::write(&[page::Input { name: "x", report: &report }], &mut bytes).expect("memory");
    let html = String::from_utf8(bytes).expect("text").replace("&quot;", "\"");
    all.push(("page".into(), html));
    assert!(!text::brief(&report, &Style::default()).contains(name), "{name:?}");
    all
}

#[test]
fn a_name_is_quoted_and_harmless_on_every_screen() {
    for (name, shown) in NAMES {
        for (what, screen) in screens(name) {
            // Its column has 20 cells.
            let shown = if what == "watch, open" { &shown[..shown.len().min(18)] } else { shown };
            assert!(screen.contains(shown), "{what}: no {shown} in\n{:.3000}", screen);
            // The tool's own colours are these alone.
            let style = Style { color: true, ..Style::default() };
            let own = [Tone::Bad, Tone::Strong, Tone::Dim]
                .map(|tone| style.filled(&style.paint(tone, "x")));
            let own = own.iter().flat_map(|text| text.trim_end().split('x'));
            let rest = own.fold(screen.clone(), |screen, own| screen.replace(own, ""));
            let bad =
                |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
            assert!(what == "page" || !rest.contains(bad), "{what}: {rest:?}");
            assert!(!rest.contains('\u{202e}') && !rest.contains('\u{1b}'), "{what}: {name:?}");
        }
    }
}

#[test]
fn a_long_name_is_cut_on_every_screen() {
    let name = "ab".repeat(5_000);
    for (what, screen) in screens(&name) {
        let longest = screen.split(|c| c != 'a' && c != 'b').map(str::len).max();
        assert!(
            what == "csv" || longest.is_some_and(|n| (1..=64).contains(&n)),
            "{what}: {longest:?}"
        );
        assert!(!screen.contains(&name[..65]), "{what}");
    }
}

/// A recording may hold anything in their place.
#[test]
fn the_idle_state_and_the_policy_of_a_wake_up_are_quoted_and_cut() {
    let long = "ab".repeat(5_000);
    let cut = format!("{}…", &long[..64]);
    for (name, shown) in NAMES.into_iter().chain([(&*long, &*cut)]) {
        let mut state = State::default();
        for mut event in events("rustc") {
            if let Event::Late(late) = &mut event {
                late.wake.idle = Some(name.into());
                late.wake.culprits.iter_mut().for_each(|it| it.policy = Some(name.into()));
            }
            state.apply(event);
        }
        let view = View { open: true, ..View::default() };
        let screen = draw(&state, &view, 300, 24).join("\n");
        assert_eq!(screen.matches(shown).count(), 2, "no {shown} in\n{screen}");
    }
}
