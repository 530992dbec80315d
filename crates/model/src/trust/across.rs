//! The processor's counter on every CPU.

use crate::ordering::Handed;

/// The pairs of CPUs whose counters were compared.
#[record]
pub struct Matrix {
    /// What was read: the counter, or the clock that takes its place if it cannot be trusted.
    #[absent]
    pub id: String,
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// How many pairs the CPUs of this process form.
    pub possible: u64,
    /// Why no pair, or not every pair, was compared.
    pub left_out: Option<String>,
}

/// Two CPUs.
#[record]
pub struct Pair {
    /// What the two handed to each other.
    pub handed: Handed,
    /// The time that the hand-overs took, in seconds.
    pub handed_s: f64,
    /// By how much the counter of the second CPU is ahead of that of the first, one entry for each
    /// home of the page of memory through which they exchanged values.
    pub offsets: Vec<Offset>,
    /// Why the pair was not compared.
    pub left_out: Option<String>,
}

/// By how much the counter of the second CPU is ahead of that of the first.
#[record(Copy)]
pub struct Offset {
    /// The NUMA node that the page of memory belongs to, if it is known.
    pub node: Option<usize>,
    /// The offset, in nanoseconds: half the difference of the two one-way delays at the smallest
    /// round trip.
    pub offset_ns: f64,
    /// Its uncertainty, plus or minus, in nanoseconds: half that round trip.
    pub uncertainty_ns: f64,
    /// The smallest round trip, in nanoseconds.
    pub round_trip_ns: f64,
    /// How many exchanges were made.
    pub exchanges: u64,
}

impl Offset {
    /// Whether the two counters differ by more than the uncertainty explains.
    pub fn differs(&self) -> bool {
        self.offset_ns.abs() > self.uncertainty_ns
    }
}

impl Pair {
    /// The offset with the least uncertainty.
    pub fn best(&self) -> Option<&Offset> {
        let by = |a: &&Offset, b: &&Offset| a.uncertainty_ns.total_cmp(&b.uncertainty_ns);
        self.offsets.iter().min_by(by)
    }

    /// Whether anything shows that the two differ; `None` if they were not compared.
    pub fn in_step(&self) -> Option<bool> {
        let tested = !self.offsets.is_empty() || self.handed.turns > 0;
        tested.then(|| self.handed.backwards == 0 && !self.offsets.iter().any(Offset::differs))
    }

    /// Hand-overs per second.
    pub fn per_second(&self) -> Option<f64> {
        (self.handed_s > 0.0).then(|| self.handed.turns as f64 / self.handed_s)
    }
}

impl Matrix {
    /// The pairs that differ.
    pub fn out_of_step(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| pair.in_step() == Some(false))
    }

    /// Whether all that were compared are in step; `None` if none were.
    pub fn in_step(&self) -> Option<bool> {
        let mut seen = self.pairs.iter().filter_map(Pair::in_step).peekable();
        seen.peek()?;
        Some(seen.all(|in_step| in_step))
    }

    /// The CPUs in the matrix, ascending.
    pub fn cpus(&self) -> Vec<usize> {
        let mut cpus: Vec<usize> = self.pairs.iter().flat_map(|p| p.handed.cpus).collect();
        cpus.sort_unstable();
        cpus.dedup();
        cpus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(offset_ns: f64, backwards: u64) -> Pair {
        Pair {
            handed: Handed { cpus: [0, 1], turns: 1000, backwards, ..Handed::default() },
            offsets: vec![Offset {
                offset_ns,
                uncertainty_ns: 50.0,
                round_trip_ns: 100.0,
                exchanges: 9,
                ..Offset::default()
            }],
            ..Pair::default()
        }
    }

    #[test]
    fn a_pair_is_out_of_step_only_beyond_its_uncertainty_or_by_a_step_back() {
        assert_eq!(pair(-49.0, 0).in_step(), Some(true));
        assert_eq!(pair(-51.0, 0).in_step(), Some(false));
        assert_eq!(pair(0.0, 1).in_step(), Some(false));
        assert_eq!(Pair::default().in_step(), None);
        assert_eq!(Matrix::default().in_step(), None);
        let matrix = Matrix {
            pairs: vec![pair(1.0, 0), Pair::default(), pair(900.0, 0)],
            ..Matrix::default()
        };
        assert_eq!(matrix.in_step(), Some(false));
        assert_eq!(matrix.out_of_step().count(), 1);
    }
}
