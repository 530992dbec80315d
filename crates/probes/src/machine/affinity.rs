//! Which processors a thread may use, and holding it on one.

use std::fmt;
use std::io;
use std::marker::PhantomData;

use super::os;

/// The processors that the calling thread may run on, ascending; none where the system does
/// not tell.
pub fn allowed() -> Vec<usize> {
    os::allowed()
}

/// Binds the calling thread to processor `cpu` until the guard is dropped.
pub fn pin(cpu: usize) -> Result<PinGuard, PinError> {
    match os::pin(cpu) {
        Ok(before) => Ok(PinGuard {
            before,
            cpu,
            thread: PhantomData,
        }),
        Err(error) => Err(PinError {
            cpu,
            allowed: allowed(),
            error,
        }),
    }
}

/// Holds the thread that made it on one processor; gives it its old set back when dropped.
#[derive(Debug)]
pub struct PinGuard {
    before: os::Mask,
    cpu: usize,
    // Dropped on another thread it would restore the wrong one.
    thread: PhantomData<*const ()>,
}

impl PinGuard {
    /// The processor.
    pub fn cpu(&self) -> usize {
        self.cpu
    }
}

impl Drop for PinGuard {
    fn drop(&mut self) {
        // The set was this thread's own; if it shrank meanwhile (a processor went off line, a
        // cpuset changed) the kernel has already moved the thread, and nothing is owed.
        let _ = os::restore(&self.before);
    }
}

/// Why a thread could not be bound.
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
        write!(
            f,
            "CPU {} is not among those this process may use: ",
            self.cpu
        )?;
        for (nth, cpu) in self.allowed.iter().enumerate() {
            match nth {
                0 => write!(f, "{cpu}")?,
                1..=15 => write!(f, ", {cpu}")?,
                _ => return write!(f, ", … up to {}", self.allowed[self.allowed.len() - 1]),
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
    fn a_guard_gives_the_old_set_back() {
        // A thread of its own: affinity belongs to threads, and tests share the others.
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
    fn a_processor_that_is_not_there_is_named() {
        for cpu in [1023, 65_000, 1 << 16, usize::MAX] {
            let error = pin(cpu).expect_err("no such CPU").to_string();
            assert!(error.contains(&format!("CPU {cpu} ")), "{error}");
        }
    }
}
