//! Which CPUs a thread may use, and how to pin it to one.

use std::fmt;
use std::io;
use std::marker::PhantomData;

use super::os;

/// The CPUs on which the calling thread may run, ascending; empty if the system does not report
/// them.
pub use os::allowed;

/// Pins the calling thread to CPU `cpu` until the guard is dropped.
pub fn pin(cpu: usize) -> Result<PinGuard, PinError> {
    let before = os::pin(cpu).map_err(|error| PinError { cpu, allowed: allowed(), error })?;
    Ok(PinGuard { before, cpu, thread: PhantomData })
}

/// Keeps the thread that created it on one CPU; restores the previous set of CPUs when dropped.
#[derive(Debug)]
pub struct PinGuard {
    before: os::Mask,
    cpu: usize,
    // If it were dropped on another thread, it would restore the set of the wrong thread.
    thread: PhantomData<*const ()>,
}

impl PinGuard {
    pub fn cpu(&self) -> usize {
        self.cpu
    }
}

impl Drop for PinGuard {
    fn drop(&mut self) {
        // The set was this thread's own. If it has shrunk since (a CPU went offline, a cpuset
        // changed), the kernel has already moved the thread, and there is nothing left to do.
        let _ = os::restore(&self.before);
    }
}

#[derive(Debug)]
pub struct PinError {
    cpu: usize,
    allowed: Vec<usize>,
    error: io::Error,
}

impl fmt::Display for PinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.allowed.is_empty() || self.allowed.contains(&self.cpu) {
            return write!(f, "cannot run on CPU {} only: {}", self.cpu, self.error);
        }
        write!(f, "CPU {} is not among those that this process may use: ", self.cpu)?;
        for (nth, cpu) in self.allowed.iter().enumerate() {
            match nth {
                0 => write!(f, "{cpu}")?,
                1..=15 => write!(f, ", {cpu}")?,
                _ => return write!(f, ", ... up to {}", self.allowed[self.allowed.len() - 1]),
            }
        }
        Ok(())
    }
}

impl std::error::Error for PinError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_guard_restores_the_previous_set() {
        // Affinity belongs to a thread, and tests share the other threads, so this test uses its
        // own.
        std::thread::spawn(|| {
            let before = allowed();
            assert!(!before.is_empty());
            for &cpu in &before {
                let guard = pin(cpu).expect("an allowed CPU");
                assert_eq!(guard.cpu(), cpu);
                assert_eq!(allowed(), [cpu]);
                assert_eq!(super::super::noise::current_cpu(), Some(cpu));
                drop(guard);
                assert_eq!(allowed(), before);
            }
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn the_error_names_a_cpu_that_does_not_exist() {
        for cpu in [1023, 65_000, 1 << 16, usize::MAX] {
            let error = pin(cpu).expect_err("no such CPU").to_string();
            assert!(error.contains(&format!("CPU {cpu} ")), "{error}");
        }
    }
}
