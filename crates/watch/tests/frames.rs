//! What is drawn, at the sizes of usual and unusual screens.

mod common;

use chronoscope_watch::{State, View, draw};
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;

fn drawn(state: &State, view: &View, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("in memory");
    terminal.draw(|frame| draw(frame, state, view)).expect("in memory");
    terminal.backend().to_string()
}

fn state() -> State {
    let mut state = State::default();
    common::events().into_iter().for_each(|event| state.apply(event));
    state
}

#[test]
fn screens_of_all_sizes() {
    let (state, view) = (state(), View::default());
    for size in [(120, 40), (80, 24), (40, 10), (20, 5)] {
        let name = format!("{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, drawn(&state, &view, size));
    }
    insta::assert_snapshot!("empty", drawn(&State::default(), &view, (80, 24)));
}
