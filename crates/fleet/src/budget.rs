//! The CPU time that measuring may take: a share of one CPU, of which some minutes can be saved.

/// The time whose share can be saved, in seconds. What was not used before that is lost, so that an
/// idle hour is not followed by a busy minute.
const SAVED_S: f64 = 120.0;

/// An account of CPU time.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The share of one CPU, 0 to 1.
    share: f64,
    /// What may be spent now, in CPU seconds; negative if more was spent.
    left_s: f64,
    /// When the share was last credited, in seconds.
    at_s: f64,
}

impl Budget {
    /// An account of this share of one CPU that begins at this time, in seconds, with all that can
    /// be saved.
    pub fn new(share: f64, at_s: f64) -> Self {
        Self { share, left_s: share * SAVED_S, at_s }
    }

    /// Credits the share of the time until `at_s`.
    pub fn credit(&mut self, at_s: f64) {
        let passed = (at_s - self.at_s).max(0.0);
        self.left_s = (self.left_s + passed * self.share).min(self.most());
        self.at_s = at_s;
    }

    /// Charges CPU time that was taken, in seconds.
    pub fn charge(&mut self, cpu_s: f64) {
        self.left_s -= cpu_s;
    }

    /// Whether something that is expected to take this CPU time may begin. What takes more than can
    /// be saved may begin when everything is saved; the excess is then a debt.
    pub fn allows(&self, cpu_s: f64) -> bool {
        self.left_s >= cpu_s.min(self.most())
    }

    fn most(&self) -> f64 {
        self.share * SAVED_S
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_has_a_limit_and_a_debt_is_paid_off() {
        let mut budget = Budget::new(0.01, 0.0);
        budget.credit(1e6);
        assert!(budget.allows(1.2));
        budget.charge(1.3);
        assert!(!budget.allows(0.0));
        budget.credit(1e6 + 5.0);
        assert!(!budget.allows(0.0));
        budget.credit(1e6 + 30.0);
        assert!(budget.allows(0.1) && !budget.allows(0.3));
        // A clock that goes back credits nothing.
        budget.credit(0.0);
        assert!(!budget.allows(0.3));
    }

    #[test]
    fn what_costs_more_than_can_be_saved_waits_for_all_of_it() {
        let mut budget = Budget::new(0.01, 0.0);
        assert!(budget.allows(100.0));
        budget.charge(0.1);
        assert!(!budget.allows(100.0));
        budget.credit(11.0);
        assert!(budget.allows(100.0));
    }
}
