//! The time that this thread was ready to run and did not
//! (`/proc/thread-self/schedstat`: Linux Documentation/scheduler/sched-stats.rst).

use super::{Counter, read};
use std::fs::File;

/// `/proc/self` is the leader's, whichever thread asks.
const FILE: &str = "/proc/thread-self/schedstat";

#[derive(Debug)]
pub(super) struct Queue {
    file: File,
    waited: Counter,
}

impl Queue {
    pub(super) fn open() -> Result<Self, String> {
        let file = File::open(FILE).map_err(|error| format!("{FILE}: {error}"))?;
        let mut queue = Self { file, waited: Counter::default() };
        queue.look();
        let built = "the kernel was built without CONFIG_SCHED_INFO";
        queue.waited.0.ok_or_else(|| format!("{FILE} holds no figures: {built}"))?;
        Ok(queue)
    }

    pub(super) fn look(&mut self) -> Option<u64> {
        let mut text = [0; 128];
        self.waited.look(read(&self.file, &mut text).and_then(run_delay))
    }
}

/// The second of `time on the CPU`, `time in the run queue` and `time slices`, in nanoseconds. A
/// kernel that does not count reports zeros, among them no time slice.
fn run_delay(text: &str) -> Option<u64> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let _ran = numbers.next()?.ok()?;
    let waited = numbers.next()?.ok()?;
    let slices = numbers.next()?.ok()?;
    (slices > 0).then_some(waited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_queue_is_the_second_figure_of_a_kernel_that_counts() {
        // A new thread has run, though no tick has counted its time yet.
        assert_eq!(run_delay("0 2270981 1\n"), Some(2_270_981));
        for nothing in ["0 0 0\n", "", "12", "1 x 3", "1 2", "1 99999999999999999999 1"] {
            assert_eq!(run_delay(nothing), None, "{nothing}");
        }
    }
}
