//! What is known at a moment: a function of the events until then.
//!
//! What of the state is shown, and what keys do.

use chronoscope_model::histogram::Decoded;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::recording::{Deltas, Event, Late, Machine, NoteAt, Start, Waits};
use chronoscope_model::waits::{Load, Overshoots};
use chronoscope_report::text::Style;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::collections::{BTreeMap, VecDeque};

/// Late wake-ups that are kept.
const LATE: usize = 200;
/// Rows that are kept. A view has fewer lines, and the rows of a recording may be without end.
const ROWS: usize = 32;
/// Notes that are kept, each once.
const NOTES: usize = 20;

/// What is shown.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// What is measured, and where.
    pub start: Start,
    /// The time of the last event, and that of the last reset, in nanoseconds since the start.
    pub now_ns: u64,
    /// See `now_ns`.
    pub since_ns: u64,
    /// The rows, in the order of the start.
    pub rows: Vec<Figures>,
    /// The load, of the last event that said so.
    pub load: Load,
    /// What the machine did since the reset, all together, with the last known rate of the wall
    /// clock.
    pub machine: Machine,
    /// Time of the pauses that were asked for, in nanoseconds.
    pub paused_ns: u64,
    /// How many notes came after the start.
    pub noted: usize,
    /// Reads of the watched clock, one after the other.
    pub deltas: Distribution,
    /// Reads of it that were earlier than the one before.
    pub backwards: u64,
    /// In the order of their ends.
    late: VecDeque<Late>,
    /// How many of them were kept since the start, for some time at least.
    late_seen: u64,
}

/// What is known of a row.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Overshoots; early waits count as 0.
    pub overshoot: Distribution,
    /// Waits that were measured and could not be kept.
    pub dropped: u64,
    /// The share of a CPU that it took lately, 0 to 1.
    pub cpu: Option<f64>,
    /// The waits of each second.
    pub seconds: Seconds,
}

/// Overshoots, or differences between reads, with their percentiles.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    /// None before the first of them, because a histogram takes a quarter of a megabyte.
    all: Option<Overshoots>,
    /// How many there are of each class.
    pub classes: [u64; CLASSES],
    percentiles: [Option<u64>; Percentile::ALL.len()],
}

impl Distribution {
    /// Finds the percentiles, after all was added that has happened.
    fn settle(&mut self) {
        let Some(all) = &self.all else { return };
        self.percentiles = Percentile::ALL.map(|percentile| all.percentile(percentile));
    }

    fn add(&mut self, ns: i64, tolerance_ns: u64, times: u64) {
        self.all.get_or_insert_default().add(ns, tolerance_ns, times);
        let of_class = &mut self.classes[class(u64::try_from(ns).unwrap_or(0))];
        // The count saturates: a recording may claim any number.
        *of_class = of_class.saturating_add(times);
    }

    fn histogram(&self) -> Option<&Decoded> {
        self.all.as_ref().map(|all| &all.histogram)
    }

    /// How many of them were early.
    pub fn early(&self) -> u64 {
        self.all.as_ref().map_or(0, |all| all.spread.early)
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.histogram().map_or(0, Decoded::len)
    }

    /// How many there are from one duration up to, but not including, another, as far as three
    /// digits tell.
    pub fn between(&self, low_ns: u64, end_ns: u64) -> u64 {
        self.histogram().map_or(0, |all| all.count_between(low_ns, end_ns - 1))
    }

    /// The smallest; none if there is none.
    pub fn least(&self) -> Option<u64> {
        self.histogram().map(Decoded::min)
    }

    /// A percentile; none if there are too few values for it.
    pub fn percentile(&self, percentile: Percentile) -> Option<u64> {
        self.percentiles[percentile as usize]
    }

    /// The largest; none if there is none.
    pub fn worst(&self) -> Option<u64> {
        self.all.as_ref().filter(|all| all.spread.samples > 0).map(Overshoots::largest_ns)
    }
}

impl State {
    /// Takes in what happened next. Whatever does not fit, such as a row that does not exist, is
    /// ignored: an event may come from any file.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Start(start) => {
                let rows = vec![Figures::default(); start.rows.len().min(ROWS)];
                *self = Self { start: *start, rows, ..Self::default() };
            }
            Event::Load(since) => {
                self.at(since.at_ns);
                self.load = since.load;
            }
            Event::Waits(waits) => self.waits(&waits),
            Event::Late(late) => self.late(late),
            Event::Machine(machine) => self.machine(&machine),
            Event::Deltas(deltas) => self.deltas(&deltas),
            Event::Pause(pause) => {
                self.at(pause.until_ns);
                // What nobody asked for is part of what the machine did.
                if !pause.is_gap {
                    let length = pause.until_ns.saturating_sub(pause.at_ns);
                    self.paused_ns = self.paused_ns.saturating_add(length);
                }
            }
            // The view has the late wake-ups themselves.
            Event::Why(why) => self.at(why.at_ns),
            Event::Note(NoteAt { at_ns, note }) => {
                self.at(at_ns);
                if self.start.notes.len() < NOTES && !self.start.notes.contains(&note) {
                    self.start.notes.push(note);
                    self.noted += 1;
                }
            }
            Event::Dropped(dropped) => {
                self.at(dropped.at_ns);
                if let Some(row) = self.rows.get_mut(dropped.row) {
                    row.dropped = row.dropped.saturating_add(dropped.waits);
                }
            }
        }
    }

    /// Forgets all figures. The rows, the load and the time stay.
    pub fn reset(&mut self) {
        let rows = vec![Figures::default(); self.rows.len()];
        let start = std::mem::take(&mut self.start);
        let Self { load, now_ns, late_seen, noted, .. } = *self;
        let since_ns = now_ns;
        *self = Self { start, rows, load, now_ns, since_ns, late_seen, noted, ..Self::default() };
    }

    /// Whether the first event was there.
    pub fn has_started(&self) -> bool {
        !self.start.schema.is_empty()
    }

    /// The numbers of the late wake-ups that are kept, of which each keeps its own: the first is 1.
    pub fn late_numbers(&self) -> std::ops::RangeInclusive<u64> {
        self.late_seen - self.late.len() as u64 + 1..=self.late_seen
    }

    /// A late wake-up by its number.
    pub fn late_wake_up(&self, number: u64) -> Option<&Late> {
        let at = number.checked_sub(*self.late_numbers().start())?;
        self.late.get(usize::try_from(at).ok()?)
    }

    /// The wall clock at a time since the start, in nanoseconds since 1970.
    pub fn wall_ns(&self, at_ns: u64) -> u64 {
        self.start.wall_ns.saturating_add(at_ns)
    }

    /// Keeps a late wake-up if it is among the latest of its row: there is one in any moment.
    fn late(&mut self, late: Late) {
        self.at(late.at_ns);
        let Some(row) = self.rows.get(late.row) else { return };
        // A wake-up that is less late than this is not among the latest.
        let of = |percentile| row.overshoot.percentile(percentile);
        let least = of(Percentile::P999).or_else(|| of(Percentile::P99)).unwrap_or(0);
        if late.wake.late_ns < least {
            return;
        }
        if self.late.len() == LATE {
            self.late.pop_front();
        }
        // Those of a moment come one row after the other.
        let place = self.late.iter().rposition(|other| other.at_ns <= late.at_ns);
        self.late.insert(place.map_or(0, |place| place + 1), late);
        self.late_seen += 1;
    }

    fn at(&mut self, ns: u64) {
        self.now_ns = self.now_ns.max(ns);
    }

    fn waits(&mut self, waits: &Waits) {
        let Some(row) = self.rows.get_mut(waits.row) else { return };
        let tolerance_ns = self.start.rows.get(waits.row).map_or(0, |row| row.tolerance_ns);
        let mut last = waits.at_ns;
        for (at_ns, late) in waits.ends() {
            row.overshoot.add(late, tolerance_ns, 1);
            row.seconds.add(at_ns / 1_000_000_000, class(u64::try_from(late).unwrap_or(0)));
            last = at_ns;
        }
        row.overshoot.settle();
        self.at(last);
    }

    fn machine(&mut self, seen: &Machine) {
        self.at(seen.at_ns);
        let all = &mut self.machine;
        all.drift_ppm = seen.drift_ppm.filter(|ppm| ppm.is_finite()).or(all.drift_ppm);
        all.steps = all.steps.saturating_add(seen.steps);
        all.moved = all.moved.saturating_add(seen.moved);
        all.paused_ns = all.paused_ns.saturating_add(seen.paused_ns);
        if let Some(ns) = seen.steal_ns {
            all.steal_ns = Some(all.steal_ns.unwrap_or(0).saturating_add(ns));
        }
        for (row, cpu) in self.rows.iter_mut().zip(&seen.cpu) {
            row.cpu = cpu.filter(|cpu| cpu.is_finite());
        }
    }

    fn deltas(&mut self, seen: &Deltas) {
        self.at(seen.at_ns);
        if self.start.clock.as_ref() != Some(&seen.clock) {
            self.start.clock = Some(seen.clock.clone());
            (self.deltas, self.backwards) = Default::default();
        }
        self.backwards = self.backwards.saturating_add(seen.backwards);
        for (ns, times) in &seen.counts {
            self.deltas.add(i64::try_from(*ns).unwrap_or(i64::MAX), 0, *times);
        }
        self.deltas.settle();
    }
}

// How many waits ended how late, second by second.

/// Classes of overshoot per decade: from 1, from 2 and from 5.
pub const PER_DECADE: usize = 3;
/// The decades, each with its lower end in nanoseconds. What is shorter than the first, or early,
/// counts in it, and what is longer than the last counts there.
pub const DECADES: [u64; 7] = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
/// All classes: three in each decade but the last.
pub const CLASSES: usize = (DECADES.len() - 1) * PER_DECADE + 1;
/// Seconds that are kept: more than a terminal has columns, in some 100 kB.
const KEPT: u64 = 1_000;

/// The waits of each class.
pub type Counts = [u32; CLASSES];

/// The class of an overshoot in nanoseconds.
pub fn class(ns: u64) -> usize {
    let decade = DECADES.iter().rposition(|low| ns >= *low);
    let Some(decade) = decade else { return 0 };
    let multiple = match ns / DECADES[decade] {
        0 | 1 => 0,
        2..=4 => 1,
        _ => 2,
    };
    (decade * PER_DECADE + multiple).min(CLASSES - 1)
}

/// The lower end of a class, in nanoseconds.
pub fn least(class: usize) -> u64 {
    DECADES[(class / PER_DECADE).min(DECADES.len() - 1)] * [1, 2, 5][class % PER_DECADE]
}

/// The counts of the last seconds since the start, as far as a wait ended in them.
#[derive(Clone, Debug, Default)]
pub struct Seconds(BTreeMap<u64, Counts>);

impl Seconds {
    /// Counts a wait that ended in this second, if that is still kept.
    pub fn add(&mut self, second: u64, class: usize) {
        let last = self.0.last_key_value().map_or(second, |(last, _)| second.max(*last));
        let first = last.saturating_sub(KEPT - 1);
        if second >= first {
            let count = &mut self.0.entry(second).or_default()[class];
            *count = count.saturating_add(1);
        }
        while self.0.first_key_value().is_some_and(|(second, _)| *second < first) {
            self.0.pop_first();
        }
    }
    /// The counts of a second; none if nothing is kept of it.
    pub fn of(&self, second: u64) -> Option<&Counts> {
        self.0.get(&second)
    }
}

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
            KeyCode::Left | KeyCode::Down if self.open => self.mark(state, -1),
            KeyCode::Right | KeyCode::Up if self.open => self.mark(state, 1),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_begin_at_1_2_and_5() {
        for at in 0..CLASSES {
            assert_eq!(class(least(at)), at);
            assert_eq!(class(least(at) - 1), at.saturating_sub(1));
        }
        assert_eq!((class(0), class(199), class(u64::MAX)), (0, 0, CLASSES - 1));
        assert_eq!((least(3), least(4), least(CLASSES - 1)), (1_000, 2_000, 100_000_000));
    }

    #[test]
    fn only_so_many_seconds_are_kept() {
        let mut seconds = Seconds::default();
        for second in 5..10_000 {
            seconds.add(second, 3);
        }
        assert_eq!(seconds.0.len(), 1_000);
        assert_eq!(seconds.of(9_999).map(|counts| counts[3]), Some(1));
        assert_eq!(seconds.of(9_999 - 999).map(|counts| counts[3]), Some(1));
        assert_eq!((seconds.of(9_999 - 1_000), seconds.of(10_000)), (None, None));
    }

    #[test]
    fn time_may_jump_and_waits_may_be_late_to_be_counted() {
        let mut seconds = Seconds::default();
        seconds.add(100, 0);
        seconds.add(103, 1);
        seconds.add(101, 2);
        assert_eq!(seconds.of(101).map(|counts| counts[2]), Some(1));
        assert_eq!(seconds.of(102), None);
        for second in [u64::MAX, 0, u64::MAX - 1, 1 << 40] {
            seconds.add(second, 0);
        }
        assert_eq!(seconds.0.keys().collect::<Vec<_>>(), [&(u64::MAX - 1), &u64::MAX]);
    }
}
