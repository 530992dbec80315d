//! What runs next to a load.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Calls `what`, next to a spinning thread for each CPU if `load` is set.
pub fn loaded<T>(load: bool, what: impl FnOnce() -> T) -> T {
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let end = &AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..if load { cpus } else { 0 } {
            scope.spawn(|| {
                while !end.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = what();
        end.store(true, Ordering::Relaxed);
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_next_to_a_load_ends() {
        assert_eq!(loaded(true, || 3), 3);
        assert_eq!(loaded(false, || 4), 4);
    }
}
