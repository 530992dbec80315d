//! What of the state is shown, and what keys do.

use crate::state::State;
use chronoscope_model::waits::Load;
use chronoscope_report::text::Style;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What of the state is shown, and how.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The row whose waits are drawn.
    pub selected: usize,
    /// The number of the late wake-up that is marked; none: the last one.
    pub marked: Option<u64>,
    /// Whether the marked wake-up is shown with all that is known of it.
    pub open: bool,
    /// Whether help is shown.
    pub help: bool,
    /// Whether the deltas of the clock are drawn instead of the waits.
    pub deltas: bool,
    /// Whether nothing is measured, or a replay stands still.
    pub paused: bool,
    /// How fast a recording is replayed; none for waits that happen now.
    pub speed: Option<f64>,
    /// Whether a replay is at its end.
    pub ended: bool,
    /// What the last key did, if that is not to be seen otherwise. The next key removes it.
    pub message: Option<String>,
    /// What the terminal can show. Its width is that of each picture.
    pub style: Style,
}

/// What a key asks for beyond another look at the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// End.
    Quit,
    /// End, as on Ctrl-C.
    Interrupt,
    /// Give the terminal back to the shell for a while.
    Suspend,
    /// Forget all figures.
    Reset,
    /// Run under this load from now on.
    Load(Load),
    /// Watch the deltas of the next clock.
    Clock,
    /// Measure nothing until `Resume`, or let a replay stand still.
    Pause,
    /// Go on.
    Resume,
    /// Replay one second.
    Step,
    /// Replay this fast.
    Speed(f64),
    /// Write what is kept to a file.
    Save,
}

/// The loads that `l` goes through: those of the processor, as the others need a disk or a
/// terminal.
const LOADS: [Load; 4] = [Load::None, Load::Low, Load::Normal, Load::High];
/// How fast a replay can be.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.125..=1_024.0;

impl View {
    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent, state: &State) -> Option<Command> {
        // Windows also reports when a key is released.
        if key.kind == KeyEventKind::Release {
            return None;
        }
        self.message = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Some(Command::Interrupt),
                KeyCode::Char('z') if cfg!(unix) => Some(Command::Suspend),
                _ => None,
            };
        }
        match key.code {
            KeyCode::Char('q') => return Some(Command::Quit),
            KeyCode::Char('?' | 'h') => self.help = !self.help,
            KeyCode::Esc => match self {
                Self { help: true, .. } => self.help = false,
                Self { open: true, .. } => self.open = false,
                _ => self.marked = None,
            },
            KeyCode::Enter => {
                self.help = false;
                self.open = !self.open && !state.late_numbers().is_empty();
                if self.open {
                    // What is read must not change because another one comes.
                    self.marked = Some(self.marked(state));
                }
            }
            KeyCode::Left if self.open => self.mark(state, -1),
            KeyCode::Right if self.open => self.mark(state, 1),
            KeyCode::Down if self.open => self.mark(state, -1),
            KeyCode::Up if self.open => self.mark(state, 1),
            // The list has the last one first.
            KeyCode::Right => self.mark(state, -1),
            KeyCode::Left => self.mark(state, 1),
            KeyCode::Down => {
                self.selected = (self.selected + 1).min(state.rows.len().saturating_sub(1));
            }
            KeyCode::Up => self.selected = self.selected.saturating_sub(1),
            KeyCode::Char('d') => match &state.start.clock {
                Some(_) => self.deltas = !self.deltas,
                None if self.speed.is_some() => {
                    self.message = Some("the recording has no deltas of a clock".into());
                }
                None => {
                    self.deltas = true;
                    return Some(Command::Clock);
                }
            },
            KeyCode::Char('c') if self.speed.is_none() => return Some(Command::Clock),
            KeyCode::Char('r') => return Some(Command::Reset),
            KeyCode::Char(' ') if self.paused => return Some(Command::Resume),
            KeyCode::Char(' ') => return Some(Command::Pause),
            KeyCode::Char('l') if self.speed.is_none() => {
                let at = LOADS.iter().position(|load| *load == state.load);
                let next = at.map_or(Load::None, |at| LOADS[(at + 1) % LOADS.len()]);
                return Some(Command::Load(next));
            }
            KeyCode::Char('s') if self.speed.is_none() => return Some(Command::Save),
            KeyCode::Char('.') if self.speed.is_some() => return Some(Command::Step),
            KeyCode::Char('+' | '=') => return self.faster(2.0),
            KeyCode::Char('-') => return self.faster(0.5),
            _ => {}
        }
        None
    }

    fn faster(&self, factor: f64) -> Option<Command> {
        let speed = self.speed? * factor;
        SPEEDS.contains(&speed).then_some(Command::Speed(speed))
    }

    /// The number of the late wake-up that is marked, or that of the last one.
    pub fn marked(&self, state: &State) -> u64 {
        let kept = state.late_numbers();
        let marked = self.marked.unwrap_or(*kept.end());
        marked.max(*kept.start()).min(*kept.end())
    }

    fn mark(&mut self, state: &State, by: i64) {
        let kept = state.late_numbers();
        if !kept.is_empty() {
            let next = self.marked(state).saturating_add_signed(by);
            self.marked = Some(next.max(*kept.start()).min(*kept.end()));
        }
    }
}
