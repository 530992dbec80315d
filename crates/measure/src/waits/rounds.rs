//! The order in which the rows of one CPU are measured: rounds of all of them, each in random
//! order.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) row: usize,
    /// Whether this is the only row left to measure.
    pub(super) alone: bool,
}

pub(super) struct Rounds {
    random: fastrand::Rng,
    rows: usize,
    /// The rest of the current round, in reverse order.
    left: Vec<usize>,
    alone: bool,
}

impl Rounds {
    pub(super) fn new(rows: usize, seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), rows, left: Vec::new(), alone: false }
    }

    /// Returns the next turn, of a row that still needs one; `None` if none does.
    pub(super) fn next(&mut self, needs_one: impl Fn(usize) -> bool) -> Option<Turn> {
        loop {
            while let Some(row) = self.left.pop() {
                if needs_one(row) {
                    let alone = self.alone;
                    return Some(Turn { row, alone });
                }
            }
            self.left = (0..self.rows).filter(|&row| needs_one(row)).collect();
            if self.left.is_empty() {
                return None;
            }
            self.alone = self.left.len() == 1;
            self.random.shuffle(&mut self.left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_has_every_row_that_needs_a_turn_once() {
        let mut rounds = Rounds::new(5, 3);
        let mut orders = Vec::new();
        for _ in 0..20 {
            let order: Vec<usize> =
                (0..5).map(|_| rounds.next(|_| true).expect("all need one").row).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
            orders.push(order);
        }
        orders.dedup();
        assert!(orders.len() > 1, "the order is random");
    }

    #[test]
    fn the_last_row_is_alone_and_then_the_rounds_are_over() {
        let mut rounds = Rounds::new(3, 1);
        let turns: Vec<Turn> = (0..6).filter_map(|_| rounds.next(|_| true)).collect();
        assert!(turns.len() == 6 && !turns.iter().any(|turn| turn.alone));
        let last = Turn { row: 1, alone: true };
        assert_eq!(rounds.next(|row| row == 1), Some(last));
        assert_eq!(rounds.next(|_| false), None);
        assert_eq!(Rounds::new(0, 1).next(|_| true), None);
    }
}
