//! How many instructions a read executes in user mode, on systems with a counter for them. A count
//! is exact, so a few batches suffice: the difference between a long and a short batch leaves only
//! the loop, and the empty loop is subtracted as it is from a cost.

use crate::engine::{Batches, Mode, Values};

/// Reads in the short batch, and in the long one. Even a batch of expensive reads takes less than
/// 10 ms.
const READS: [u64; 2] = [64, 1088];
/// How often each batch is tried. An interrupt may add the instructions of a signal handler, so the
/// lowest count is taken.
const TRIES: usize = 3;

/// The instructions of one read of a subject whose empty loop is `empty`; `None` if nothing counts
/// them.
pub fn per_read<H: Batches + Values>(host: &mut H, subject: usize, empty: usize) -> Option<f64> {
    let read = per_iteration(host, subject)?;
    Some(read - per_iteration(host, empty)?)
}

fn per_iteration<H: Batches + Values>(host: &mut H, subject: usize) -> Option<f64> {
    let [short, long] = READS;
    let mut least = |reads: u64| {
        let mut counted = || {
            let before = host.instructions()?;
            host.batch(subject, Mode::Throughput, reads);
            host.instructions()?.checked_sub(before)
        };
        (0..TRIES).filter_map(|_| counted()).min()
    };
    let executed = [least(short)?, least(long)?];
    Some((executed[1] as f64 - executed[0] as f64) / (long - short) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock, READ_INSTRUCTIONS};

    #[test]
    fn the_instructions_of_the_loop_and_of_counting_do_not_count() {
        let mut host = Fake::new(vec![FakeClock::default()], Disturbance::default(), 1);
        host.counts = true;
        assert_eq!(per_read(&mut host, 0, 1), Some(READ_INSTRUCTIONS as f64));
    }

    #[test]
    fn without_a_counter_there_is_no_count() {
        let mut host = Fake::new(vec![FakeClock::default()], Disturbance::default(), 1);
        assert_eq!(per_read(&mut host, 0, 1), None);
    }
}
