//! The throughput of the instruction that reads the counter, as instruction tables are measured.

use serde::{Deserialize, Serialize};

/// Rows of the same instructions, one straight after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Throughput {
    /// The instruction, for example `rdtsc`.
    pub instruction: String,
    /// How many of them each row executes.
    pub times: u32,
    /// The rows, in the order in which they were measured.
    pub rows: Vec<ThroughputRow>,
    /// The ports, or groups of ports, whose operations were counted: `p0`, `p23`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<String>,
    /// How the core cycles are known; empty if they are not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cycles_by: String,
    /// What was not counted, and why; empty if everything was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lacking: String,
}

/// One row, without the cost of timing it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThroughputRow {
    /// Ticks of the counter.
    pub clock: u64,
    /// Core cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_cycles: Option<f64>,
    /// Instructions, if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Micro-operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uops: Option<u64>,
    /// Micro-operations by port, in the order of [`Throughput::ports`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_port: Vec<u64>,
}

impl Throughput {
    /// The median of the rows' ticks, for one instruction.
    pub fn ticks(&self) -> Option<f64> {
        self.each(|row| Some(row.clock as f64))
    }

    /// The median of the rows' core cycles, for one instruction: its reciprocal throughput.
    pub fn core_cycles(&self) -> Option<f64> {
        self.each(|row| row.core_cycles)
    }

    fn each(&self, figure: impl Fn(&ThroughputRow) -> Option<f64>) -> Option<f64> {
        let mut all: Vec<f64> = self.rows.iter().filter_map(figure).collect();
        all.retain(|one| one.is_finite());
        all.sort_by(f64::total_cmp);
        let middle = |at: usize| all.get(at).copied();
        let (low, high) = (middle(all.len().saturating_sub(1) / 2)?, middle(all.len() / 2)?);
        Some((low + high) / 2.0 / f64::from(self.times.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instruction_takes_a_hundredth_of_the_median_row() {
        let row = |clock, core_cycles| ThroughputRow { clock, core_cycles, ..Default::default() };
        let mut it = Throughput {
            times: 100,
            rows: vec![row(1700, Some(2400.0)), row(1600, Some(2300.0)), row(90_000, None)],
            ..Throughput::default()
        };
        assert_eq!((it.ticks(), it.core_cycles()), (Some(17.0), Some(23.5)));
        it.rows.clear();
        assert_eq!((it.ticks(), it.core_cycles()), (None, None));
    }
}
