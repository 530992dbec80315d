//! Counting tests.

use std::ops::AddAssign;

/// How many passed, failed, and were skipped.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Tally {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self { failed: 1.., .. } => "FAILED",
            Self { passed: 0, .. } => "skipped",
            _ => "passed",
        }
    }

    /// Adds what a line of the test harness says, if it is the line that counts.
    ///
    /// The line reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered
    /// out; finished in 0.01s`; a filter is the caller's own wish, so filtered tests count nowhere.
    pub fn add_line(&mut self, line: &str) {
        let Some(counts) = line.trim().strip_prefix("test result: ") else {
            return;
        };
        for part in counts.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let (Some(count), Some(what)) = (words.next(), words.next()) else {
                continue;
            };
            let Ok(count) = count.parse::<u64>() else {
                continue;
            };
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.skipped += count,
                _ => {}
            }
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_is_understood() {
        let mut tally = Tally::default();
        for line in [
            "running 4 tests",
            "test a ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s",
            "test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s",
            "test result: nonsense",
        ] {
            tally.add_line(line);
        }
        assert_eq!(
            tally,
            Tally {
                passed: 13,
                failed: 2,
                skipped: 1
            }
        );
        assert_eq!(tally.word(), "FAILED");
    }
}
