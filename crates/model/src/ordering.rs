//! Whether a read of a clock takes place when it stands in the code: tested, not quoted.

/// What precedes a read in a test of its order.
#[record(Hash)]
pub enum Work {
    /// A load that misses every cache.
    #[default]
    Load,
    /// The same, with a branch that depends on it.
    LoadAndBranch,
    /// A chain of dependent divisions, short enough for the scheduler.
    Chain,
}

impl Work {
    /// In words, as the object of "after".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Load => "a load that misses the cache",
            Self::LoadAndBranch => "a load that misses, and a branch on it",
            Self::Chain => "a short arithmetic chain",
        }
    }
}

/// How reads of one clock behave on this machine, each compared with reads that are fenced.
#[record]
pub struct Ordering {
    /// How often the read was made after each kind of work, with a fence and without one each.
    pub tries: u64,
    /// One entry for each kind of work.
    pub after: Vec<After>,
    /// What two threads on two CPUs saw that handed their values to each other.
    pub handed: Option<Handed>,
    /// Why no values were handed over.
    pub not_handed: Option<String>,
    /// Whether the manuals promise that it waits for earlier instructions, on this processor.
    pub promised: Option<bool>,
    /// The result in a few words: the worst that was seen, next to the promise.
    #[absent]
    pub text: String,
}

/// Reads after one kind of work.
#[record(Copy)]
pub struct After {
    /// What came before the read.
    pub work: Work,
    /// How long that takes, in nanoseconds: as far as a read can be early.
    pub takes_ns: f64,
    /// How much earlier the read was taken than a fenced one, in nanoseconds: in all groups of
    /// reads but one at least by this.
    pub early_ns: f64,
    /// By how much instructions after the read were ahead of it, in nanoseconds, in all groups but
    /// one; absent if the clock does not allow that to be seen.
    pub overtaken_ns: Option<f64>,
    /// What these figures scatter by, in nanoseconds.
    pub scatter_ns: f64,
}

/// A read that overtakes more than this share of the work was not held back by it: such a read
/// overtakes all of it. What is below can be what a call does before it reads the clock, which runs
/// during the work unless a fence separates the two.
const OVERTAKES: f64 = 0.5;

impl After {
    /// By how much the read was early, in nanoseconds; `None` if it was not.
    pub fn early(&self) -> Option<f64> {
        self.seen(self.early_ns)
    }

    /// By how much later instructions were ahead of the read; `None` if they were not.
    pub fn overtaken(&self) -> Option<f64> {
        self.seen(self.overtaken_ns?)
    }

    /// Whether the work took long enough for a test.
    pub fn tests(&self) -> bool {
        self.takes_ns > 2.0 && self.takes_ns > 4.0 * self.scatter_ns
    }

    fn seen(&self, ns: f64) -> Option<f64> {
        let enough = ns > OVERTAKES * self.takes_ns && ns > 4.0 * self.scatter_ns;
        (self.tests() && enough).then_some(ns)
    }
}

impl Ordering {
    /// By how much the read was early in the worst case, in nanoseconds; `None` if it never was.
    pub fn early(&self) -> Option<f64> {
        worst(self.after.iter().filter_map(After::early))
    }

    /// By how much later instructions were ahead of the read in the worst case, in nanoseconds;
    /// `None` if they never were.
    pub fn overtaken(&self) -> Option<f64> {
        worst(self.after.iter().filter_map(After::overtaken))
    }

    /// What was handed over, if any value was smaller than the one before.
    pub fn backwards(&self) -> Option<&Handed> {
        self.handed.as_ref().filter(|handed| handed.backwards > 0)
    }

    /// Whether any test was made that could have failed.
    pub fn was_tested(&self) -> bool {
        self.after.iter().any(After::tests) || self.handed.is_some()
    }
}

fn worst(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.max_by(f64::total_cmp)
}

/// Values that two threads, each on its own CPU, handed to each other in turn.
#[record(Copy)]
pub struct Handed {
    /// The CPUs.
    pub cpus: [usize; 2],
    /// How many values were handed over.
    pub turns: u64,
    /// How often the receiver then read a smaller value itself.
    pub backwards: u64,
    /// The furthest step back, in nanoseconds.
    pub worst_ns: f64,
}

impl Handed {
    /// One in how many hand-overs ran backwards.
    pub fn one_in(&self) -> u64 {
        (self.turns as f64 / self.backwards.max(1) as f64).round() as u64
    }
}

/// Whether the processor's counter agrees on several CPUs, read with fences on both sides.
#[record]
pub struct AcrossCpus {
    /// The pairs of CPUs that were compared.
    pub pairs: Vec<Pair>,
    /// Why no pair, or not every CPU, was compared.
    pub left_out: Option<String>,
}

/// Two CPUs.
#[record(Copy)]
pub struct Pair {
    /// What was handed to and fro.
    pub handed: Handed,
    /// Exchanges in which a value of the second CPU was read between two values of the first.
    pub exchanges: u64,
    /// The second CPU is ahead of the first by at least this, in nanoseconds: the tightest bound of
    /// all exchanges. Below 0 if it may be behind.
    pub low_ns: f64,
    /// The second CPU is ahead of the first by at most this, in nanoseconds.
    pub high_ns: f64,
}

impl Pair {
    /// Whether nothing shows that the two differ: no hand-over ran backwards, and a difference of 0
    /// fits every exchange.
    pub fn in_step(&self) -> bool {
        let tested = self.exchanges > 0 && self.handed.turns > 0;
        tested && self.handed.backwards == 0 && self.low_ns <= 0.0 && self.high_ns >= 0.0
    }

    /// The most by which the two can differ, in nanoseconds.
    pub fn bound_ns(&self) -> f64 {
        self.low_ns.abs().max(self.high_ns.abs()).max(self.handed.worst_ns)
    }
}

impl AcrossCpus {
    /// Whether all that were compared are in step; `None` if none were.
    pub fn in_step(&self) -> Option<bool> {
        (!self.pairs.is_empty()).then(|| self.pairs.iter().all(Pair::in_step))
    }

    /// The pair that differs most.
    pub fn worst(&self) -> Option<&Pair> {
        let by = |a: &&Pair, b: &&Pair| {
            b.in_step().cmp(&a.in_step()).then(a.bound_ns().total_cmp(&b.bound_ns()))
        };
        self.pairs.iter().max_by(by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_early_only_by_more_than_fences_and_scatter_explain() {
        let after = |takes_ns, early_ns, scatter_ns| After {
            takes_ns,
            early_ns,
            scatter_ns,
            ..After::default()
        };
        assert_eq!(after(120.0, 118.0, 1.0).early(), Some(118.0));
        assert_eq!(after(120.0, 9.0, 1.0).early(), None);
        assert_eq!(after(120.0, 60.0, 20.0).early(), None);
        // What takes no time cannot be overtaken.
        assert!(!after(1.0, 1.0, 0.1).tests() && after(1.0, 1.0, 0.1).early().is_none());
    }

    #[test]
    fn cpus_are_in_step_if_no_exchange_and_no_hand_over_says_otherwise() {
        let pair = |low_ns, high_ns, backwards| Pair {
            handed: Handed { turns: 1000, backwards, ..Handed::default() },
            exchanges: 1000,
            low_ns,
            high_ns,
        };
        let across = |pairs: &[Pair]| AcrossCpus { pairs: pairs.to_vec(), left_out: None };
        let good = pair(-40.0, 50.0, 0);
        assert_eq!(across(&[]).in_step(), None);
        assert_eq!(across(&[good]).in_step(), Some(true));
        for bad in [pair(900.0, 990.0, 0), pair(-40.0, 50.0, 1), Pair::default()] {
            assert_eq!(across(&[good, bad]).in_step(), Some(false));
            assert_eq!(across(&[good, bad, good]).worst(), Some(&bad));
        }
    }
}
