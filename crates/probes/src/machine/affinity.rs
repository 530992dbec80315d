//! Which CPUs a thread may use, and how to pin it to one.

use std::io;
use std::marker::PhantomData;

use super::os;

/// The CPUs on which the calling thread may run, ascending; empty if the system does not report
/// them.
pub use os::allowed;

/// Pins the calling thread to CPU `cpu` until the guard is dropped.
///
/// # Errors
/// Why it cannot run there, in words for the user.
pub fn pin(cpu: usize) -> Result<PinGuard, String> {
    let before = os::pin(cpu).map_err(|error| refused(cpu, &allowed(), &error))?;
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

fn refused(cpu: usize, allowed: &[usize], error: &io::Error) -> String {
    /// More are not listed.
    const MOST: usize = 16;
    if allowed.is_empty() || allowed.contains(&cpu) {
        return format!("cannot run on CPU {cpu} only: {error}");
    }
    let mut listed: Vec<String> = allowed.iter().take(MOST).map(ToString::to_string).collect();
    if let Some(last) = allowed.get(MOST..).and_then(<[_]>::last) {
        listed.push(format!("... up to {last}"));
    }
    format!("CPU {cpu} is not among those that this process may use: {}", listed.join(", "))
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
            let error = pin(cpu).expect_err("no such CPU");
            assert!(error.contains(&format!("CPU {cpu} ")), "{error}");
        }
    }
}
