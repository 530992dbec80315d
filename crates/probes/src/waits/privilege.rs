//! What a run may be given beyond an ordinary thread's rights, and under which rules.

use super::{Unavailable, os};
use crate::machine::Root;
use std::fs::File;
use std::io::Write;

/// The highest real-time priority that is given: below 50, where Linux runs its interrupt threads
/// (kernel/irq/manage.c, `sched_set_fifo` of the handlers), so that a runaway cannot shut them out.
pub const HIGHEST_FIFO: u32 = 49;

/// Checks that SCHED_FIFO can be used without the risk of losing the machine.
///
/// # Errors
/// A priority outside of 1 to [`HIGHEST_FIFO`]; real-time throttling switched off, so that a
/// real-time thread that spins would never let go of its processor; fewer than two processors.
pub fn check_fifo(root: &Root, priority: u32, cpus: usize) -> Result<(), Unavailable> {
    if !(1..=HIGHEST_FIFO).contains(&priority) {
        return Err(Unavailable(format!(
            "a real-time priority must be from 1 to {HIGHEST_FIFO}: at 50 and above are the kernel's interrupt threads"
        )));
    }
    if cpus < 2 {
        return Err(Unavailable(
            "SCHED_FIFO needs a second processor that is left free".into(),
        ));
    }
    if root.is_host() && !os::HAS_FIFO {
        return Err(Unavailable("SCHED_FIFO exists on Linux only".into()));
    }
    let read = |name: &str| {
        let path = format!("/proc/sys/kernel/sched_rt_{name}_us");
        let text = root.text(&path).map_err(|why| {
            format!("SCHED_FIFO is refused because its throttling is not known: {path}: {why}")
        })?;
        let value = text.parse::<i64>();
        value.map_err(|_| format!("{path}: '{text}' is no number"))
    };
    let limits = read("runtime").and_then(|runtime| Ok((runtime, read("period")?)));
    throttled(limits.map_err(Unavailable)?)
}

/// Whether this process may have a thread of that priority, by trying in one that ends at once.
///
/// # Errors
/// What the system says, and what it would take.
pub fn try_fifo(priority: u32) -> Result<(), Unavailable> {
    let tried = std::thread::spawn(move || os::set_fifo(priority)).join();
    tried.unwrap_or_else(|_| Err(Unavailable("no thread to try SCHED_FIFO in".into())))
}

/// The kernel lets real-time threads run for `runtime` microseconds of each `period`; -1, or the
/// whole of it, lets them run for ever (Documentation/scheduler/sched-rt-group.rst, 2.1).
fn throttled((runtime, period): (i64, i64)) -> Result<(), Unavailable> {
    if runtime < 0 || runtime >= period {
        return Err(Unavailable(format!(
            "SCHED_FIFO is refused because real-time throttling is off (kernel.sched_rt_runtime_us = {runtime}): a \
             thread that spins could lock the machine up. Switch it on with: sysctl kernel.sched_rt_runtime_us=950000"
        )));
    }
    Ok(())
}

/// Limits the real-time threads of this process, until it is dropped, to so many microseconds
/// without blocking.
#[derive(Debug)]
pub struct RealtimeFence(u64);

impl RealtimeFence {
    /// Sets it up.
    pub fn new(us: u64) -> Result<Self, Unavailable> {
        os::limit_realtime(us).map(Self)
    }
}

impl Drop for RealtimeFence {
    fn drop(&mut self) {
        // It was the process's own limit, and the hard one has not been touched.
        let _ = os::limit_realtime(self.0);
    }
}

/// Keeps every processor out of the idle states that take long to leave, until it is dropped.
#[derive(Debug)]
pub struct KeepAwake {
    _held: File,
}

/// Where the wish is written: a number of microseconds, held as long as the file is open
/// (Documentation/power/pm_qos_interface.rst).
const LATENCY: &str = "/dev/cpu_dma_latency";

/// Asks for wake-ups at once.
///
/// # Errors
/// The file is not there, or not for this user.
pub fn keep_awake() -> Result<KeepAwake, Unavailable> {
    let open = || {
        let mut file = File::options().write(true).open(LATENCY)?;
        file.write_all(&0u32.to_ne_bytes())?;
        Ok(KeepAwake { _held: file })
    };
    open().map_err(|error: std::io::Error| {
        Unavailable(format!(
            "{LATENCY}: {error}; writing it needs root, and keeps the processors from deep idle states"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn real_time_without_throttling_is_refused() {
        for limits in [(-1, 1_000_000), (1_000_000, 1_000_000), (0, 0)] {
            let error = throttled(limits).expect_err("no throttling").0;
            assert!(
                error.contains("throttling") && error.contains("sysctl"),
                "{error}"
            );
        }
        assert_eq!(throttled((950_000, 1_000_000)), Ok(()));
    }

    /// A machine whose kernel tells these limits.
    fn machine(folder: &Path, limits: Option<(&str, &str)>) -> Root {
        let kernel = folder.join("root/proc/sys/kernel");
        std::fs::create_dir_all(&kernel).expect("room");
        if let Some((runtime, period)) = limits {
            std::fs::write(kernel.join("sched_rt_runtime_us"), runtime).expect("room");
            std::fs::write(kernel.join("sched_rt_period_us"), period).expect("room");
        }
        Root::recorded(folder).expect("a folder")
    }

    #[test]
    fn what_the_kernel_tells_of_its_throttling_decides() {
        let check = |limits| {
            let folder = tempfile::tempdir().expect("a folder");
            check_fifo(&machine(folder.path(), limits), 10, 2).map_err(|why| why.0)
        };
        assert_eq!(check(Some(("950000\n", "1000000\n"))), Ok(()));
        let error = check(Some(("-1\n", "1000000\n"))).expect_err("it is off");
        assert!(
            error.contains("throttling is off") && error.contains("= -1"),
            "{error}"
        );
        for limits in [None, Some(("", "")), Some(("much", "1000000"))] {
            let error = check(limits).expect_err("it is not known");
            assert!(
                error.contains("sched_rt_runtime_us") && !error.contains('\n'),
                "{error}"
            );
        }
    }

    #[test]
    fn priorities_and_lone_processors_are_refused() {
        for priority in [0, 50, 99, u32::MAX] {
            let error = check_fifo(&Root::host(), priority, 8)
                .expect_err("no such priority")
                .0;
            assert!(error.contains("1 to 49"), "{error}");
        }
        let alone = check_fifo(&Root::host(), 10, 1).expect_err("alone").0;
        assert!(alone.contains("second"), "{alone}");
    }
}
