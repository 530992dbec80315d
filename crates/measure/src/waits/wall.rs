//! Steps of the wall clock while waits are measured.

use crate::engine::notes;
use chronoscope_model::Note;

/// The most steps that a run notes.
const MOST: usize = 20;
/// How far the system's clocks may differ without a step: what an NTP client may slew in a second
/// (adjtimex(2), 500 ppm), and the uncertainty of the reads.
const SLEW: f64 = 500e-6;
const READS_NS: f64 = 1e6;

/// What happened to the wall clock. A step affects no wait here, because none runs on that clock,
/// but it matters to anyone who looks for the cause of an overshoot.
pub(super) struct Wall {
    offset: u64,
    at_s: f64,
    /// How many steps there were.
    pub(super) steps: u64,
    pub(super) notes: Vec<Note>,
}

impl Wall {
    /// Starts with the current offset of the clocks.
    pub(super) fn new(offset: u64) -> Self {
        Self { offset, at_s: 0.0, steps: 0, notes: Vec::new() }
    }

    /// Checks the offset again, `at_s` seconds into the run.
    pub(super) fn look(&mut self, offset: u64, at_s: f64) {
        let moved = offset.wrapping_sub(self.offset) as i64 as f64;
        let slewed = (at_s - self.at_s).max(0.0) * SLEW * 1e9 + READS_NS;
        if moved.abs() > slewed {
            self.steps += 1;
            if self.notes.len() < MOST {
                self.notes.push(notes::stepped(moved / 1e9, at_s.ceil()));
            }
        }
        self.forget(offset, at_s);
    }

    /// Begins again with this offset, whatever happened before.
    pub(super) fn forget(&mut self, offset: u64, at_s: f64) {
        (self.offset, self.at_s) = (offset, at_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_noted_once_and_a_slew_is_not() {
        let mut wall = Wall::new(u64::MAX - 5);
        let mut offset = u64::MAX - 5;
        for second in 1..=100u32 {
            // A clock that is slewed as fast as the kernel allows, across the end of the numbers.
            offset = offset.wrapping_add(500_000);
            match second {
                40 => offset = offset.wrapping_add(3_600_000_000_000),
                70 => offset = offset.wrapping_sub(2_000_000_000),
                _ => {}
            }
            wall.look(offset, f64::from(second));
        }
        let [forth, back] = wall.notes.as_slice() else { panic!("{:?}", wall.notes) };
        assert!(
            forth.text.contains("+3600.00") && forth.text.contains("before second 40 "),
            "{forth:?}"
        );
        let two = ["-1.99", "-2.0"].iter().any(|s| back.text.contains(s));
        assert!(two, "{back:?}");
    }

    #[test]
    fn a_clock_that_steps_endlessly_does_not_fill_the_report() {
        let mut wall = Wall::new(0);
        for second in 1..=1000u32 {
            wall.look(u64::from(second) * 1_000_000_000_000, f64::from(second));
        }
        assert_eq!((wall.notes.len(), wall.steps), (MOST, 1000));
    }
}
