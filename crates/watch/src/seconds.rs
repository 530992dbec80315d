//! How many waits ended how late, second by second.

use std::collections::VecDeque;

/// Classes of overshoot per decade: from 1, from 2 and from 5.
pub const PER_DECADE: usize = 3;
/// The decades, each with its lower end in nanoseconds. What is shorter than the first, or early,
/// counts in it, and what is longer than the last counts there.
pub const DECADES: [u64; 7] = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
/// All classes: three in each decade but the last.
pub const CLASSES: usize = (DECADES.len() - 1) * PER_DECADE + 1;
/// Seconds that are kept: more than a terminal has columns, in 76 kB.
pub const KEPT: usize = 1_000;

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

/// The counts of the last seconds.
#[derive(Clone, Debug, Default)]
pub struct Seconds {
    counts: VecDeque<Counts>,
    /// The second after the last of them, since the start.
    end: u64,
}

impl Seconds {
    /// Counts a wait that ended in this second, if that is still kept.
    pub fn add(&mut self, second: u64, class: usize) {
        self.extend(second);
        let back = self.end - 1 - second.min(self.end - 1);
        let at =
            usize::try_from(back).ok().and_then(|back| self.counts.len().checked_sub(back + 1));
        let count = at.and_then(|at| self.counts.get_mut(at)?.get_mut(class));
        if let Some(count) = count {
            *count = count.saturating_add(1);
        }
    }

    /// Makes this second the last, if it is later.
    fn extend(&mut self, second: u64) {
        let end = second.saturating_add(1);
        let first = self.counts.is_empty();
        let new = if first { 1 } else { end.saturating_sub(self.end) };
        if new as usize >= KEPT {
            self.counts.clear();
        }
        for _ in 0..new.min(KEPT as u64) {
            if self.counts.len() == KEPT {
                self.counts.pop_front();
            }
            self.counts.push_back([0; CLASSES]);
        }
        self.end = if first { end } else { self.end.max(end) };
    }

    /// The counts of a second; none if nothing is kept of it.
    pub fn of(&self, second: u64) -> Option<&Counts> {
        let back = usize::try_from(self.end.checked_sub(second.checked_add(1)?)?).ok()?;
        self.counts.get(self.counts.len().checked_sub(back + 1)?)
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.counts.capacity() * size_of::<Counts>()
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
        assert!(seconds.bytes() < 90_000, "{}", seconds.bytes());
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
        // Before the first of all: not kept.
        seconds.add(99, 2);
        assert_eq!(seconds.of(99), None);
        assert_eq!(seconds.of(101).map(|counts| counts[2]), Some(1));
        assert_eq!(seconds.of(102), Some(&[0; CLASSES]));
        for second in [u64::MAX, 0, u64::MAX - 1, 1 << 40] {
            seconds.add(second, 0);
        }
        assert!(seconds.bytes() < 90_000);
    }
}
