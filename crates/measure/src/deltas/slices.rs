//! The differences between successive reads of a clock, in short slices, for `watch`.

use crate::engine::{Offer, Ruler};
use chronoscope_model::deltas::Counts;
use chronoscope_model::recording::Deltas;
use chronoscope_probes::clocks::{Entry, Reader, Unavailable};
use chronoscope_probes::time::Instant;
use std::time::Duration;

/// The longest time for a slice: ten of them a second take at most 1 % of a CPU.
const SLICE: Duration = Duration::from_millis(1);
/// The fewest reads of a slice, and the most.
const FEWEST: usize = 16;
const MOST: usize = 1 << 14;

/// Reads a clock.
pub struct Slices {
    id: &'static str,
    reader: Reader,
    ns_per_tick: f64,
    values: Vec<u64>,
    /// How many of `values` are read at a time.
    reads: usize,
    counts: Counts,
    backwards: u64,
}

impl Slices {
    /// Opens the clock.
    ///
    /// # Errors
    /// It cannot be read here, or its unit has no fixed length.
    pub fn open(entry: &Entry, ruler: &Ruler) -> Result<Self, String> {
        let Offer { spec, reader } = Offer::clock(entry).map_err(|why: Unavailable| why.0)?;
        let reader = reader.ok_or("it cannot be read again and again")?;
        let unit = spec.ns_per_unit(ruler.hz()).ok_or("its unit has no fixed length")?;
        let (values, reads) = (vec![1; MOST], FEWEST);
        let counts = Counts::default();
        let id = entry.id;
        Ok(Self { id, reader, ns_per_tick: unit, values, reads, counts, backwards: 0 })
    }

    /// Reads for a slice of time.
    pub fn read(&mut self) {
        let values = &mut self.values[..self.reads];
        let began = Instant::now();
        self.reader.fill(values);
        let took = began.elapsed();
        for pair in values.windows(2) {
            let delta = pair[1].wrapping_sub(pair[0]).cast_signed();
            match u64::try_from(delta) {
                Ok(ticks) => {
                    self.counts.add((ticks as f64 * self.ns_per_tick).round() as u64, 1);
                }
                Err(_) => self.backwards += 1,
            }
        }
        self.reads = if took > SLICE {
            (self.reads / 2).max(FEWEST)
        } else if took < SLICE / 2 {
            (self.reads * 2).min(MOST)
        } else {
            self.reads
        };
    }

    /// Takes away what was read; `None` if that is nothing. `at_ns` is now.
    pub fn take(&mut self, at_ns: u64) -> Option<Deltas> {
        let counts = std::mem::take(&mut self.counts);
        let backwards = std::mem::take(&mut self.backwards);
        let any = !counts.is_empty() || backwards > 0;
        any.then(|| Deltas {
            at_ns,
            clock: self.id.into(),
            counts: counts.iter().collect(),
            ns_per_tick: self.ns_per_tick,
            backwards,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_probes::clocks::find;

    #[test]
    fn slices_count_every_difference_and_are_taken_once() {
        let ruler = Ruler::new(None, Duration::from_millis(5));
        let entry = find("rust/instant").expect("everywhere");
        let mut slices = Slices::open(entry, &ruler).expect("everywhere");
        slices.read();
        let seen = slices.take(7).expect("it was read");
        let count: u64 = seen.counts.iter().map(|(_, n)| n).sum();
        assert_eq!((count + seen.backwards, seen.at_ns), (FEWEST as u64 - 1, 7));
        assert_eq!(seen.clock, "rust/instant");
        assert!(seen.counts.is_sorted_by(|a, b| a.0 < b.0) && slices.take(7).is_none());
        (0..40).for_each(|_| slices.read());
        assert!(slices.reads <= MOST);
    }
}
