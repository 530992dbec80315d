//! The privileges that a run may use beyond those of an ordinary thread, and the rules for them.

use super::{Unavailable, os};
use crate::machine::Root;
use chronoscope_model::waits::{Class, Policy};
use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;

/// The highest real-time priority, unless a higher one is allowed: below 50, at which Linux runs
/// its interrupt threads (kernel/irq/manage.c, `sched_set_fifo` of the handlers), so that a runaway
/// thread cannot lock them out.
pub const HIGHEST_FIFO: u32 = 49;
/// The highest real-time priority that there is (sched(7)).
const MOST_FIFO: u32 = 99;

/// Checks that SCHED_FIFO can be used without the risk of losing the machine. `high`: whether
/// priorities from 50 to 99 are allowed.
///
/// # Errors
/// The priority is not in the range 1 to [`HIGHEST_FIFO`], or 1 to 99 if those are allowed;
/// real-time throttling is switched off, so that a spinning real-time thread would never give up
/// its CPU; or there are fewer than two CPUs.
pub fn check_fifo(root: &Root, priority: u32, high: bool, cpus: usize) -> Result<(), Unavailable> {
    let most = if high { MOST_FIFO } else { HIGHEST_FIFO };
    if !(1..=most).contains(&priority) {
        return Err(Unavailable(if high {
            format!("a real-time priority must be from 1 to {most}")
        } else {
            format!(
                "a real-time priority must be from 1 to {most}: the kernel's interrupt threads run \
                 at 50 and above; --allow-high-priority allows up to {MOST_FIFO}"
            )
        }));
    }
    if cpus < 2 {
        return Err(Unavailable("SCHED_FIFO needs a second CPU that is left free".into()));
    }
    if root.is_host() && !os::HAS_FIFO {
        return Err(Unavailable(
            "a number is a priority of SCHED_FIFO, which exists on Linux only; on Windows, name \
             normal, above, high or realtime"
                .into(),
        ));
    }
    let read = |name: &str| {
        let path = format!("/proc/sys/kernel/sched_rt_{name}_us");
        let text = root.text(&path).map_err(|why| {
            format!("SCHED_FIFO is refused because its throttling is unknown: {path}: {why}")
        })?;
        let value = text.parse::<i64>();
        value.map_err(|_| format!("{path}: '{text}' is not a number"))
    };
    let limits = read("runtime").and_then(|runtime| Ok((runtime, read("period")?)));
    throttled(limits.map_err(Unavailable)?)
}

/// Checks whether this process may have a thread with that priority, by trying it in a thread that
/// ends at once.
///
/// # Errors
/// The system's error, and what is needed.
pub fn try_fifo(priority: u32) -> Result<(), Unavailable> {
    let tried = std::thread::spawn(move || os::set_fifo(priority)).join();
    tried.unwrap_or_else(|_| Err(Unavailable("the thread that tried SCHED_FIFO failed".into())))
}

/// Checks whether this process may have a thread that is scheduled so, by trying it in a thread
/// that ends at once. Returns the name of the scheduler, if that is a program.
///
/// # Errors
/// The system's error, and what is needed.
pub fn try_policy(root: &Root, asked: os::Scheduling) -> Result<Option<String>, Unavailable> {
    let named = match asked.policy {
        Policy::Ext => Some(scheduler_in_bpf(root)?),
        Policy::Deadline if !DEADLINES_NS.contains(&asked.wait_ns) => {
            return Err(Unavailable("the kernel takes periods of 100 us to 4 s".into()));
        }
        _ => None,
    };
    let tried = std::thread::spawn(move || os::set_policy(asked)).join();
    tried.unwrap_or_else(|_| Err(Unavailable("the thread that tried it failed".into())))?;
    Ok(named)
}

/// The periods of SCHED_DEADLINE (kernel/sched/deadline.c, `sysctl_sched_dl_period_min` and
/// `_max`).
const DEADLINES_NS: std::ops::RangeInclusive<u64> = 100_000..=4_000_000_000;

/// The name of the scheduler in BPF that runs (Documentation/scheduler/sched-ext.rst).
///
/// # Errors
/// None runs, or the kernel has none.
pub fn scheduler_in_bpf(root: &Root) -> Result<String, Unavailable> {
    const FOLDER: &str = "/sys/kernel/sched_ext";
    match root.text(&format!("{FOLDER}/state")) {
        Ok(state) if state.trim() == "enabled" => {
            let name = root.text(&format!("{FOLDER}/root/ops"));
            Ok(name.map_or("unnamed".into(), |name| name.trim().into()))
        }
        Ok(state) => Err(Unavailable(format!(
            "no sched_ext scheduler runs ({FOLDER}/state: {})",
            state.trim()
        ))),
        Err(why) => {
            Err(Unavailable(format!("no sched_ext scheduler runs ({FOLDER}/state: {why})")))
        }
    }
}

/// The kernel lets real-time threads run for `runtime` microseconds of each `period`; with -1, or
/// with the whole period, they may run forever (Documentation/scheduler/sched-rt-group.rst, 2.1).
fn throttled((runtime, period): (i64, i64)) -> Result<(), Unavailable> {
    if runtime < 0 || runtime >= period {
        return Err(Unavailable(format!(
            "SCHED_FIFO is refused because real-time throttling is off (kernel.sched_rt_runtime_us \
             = {runtime}): a spinning thread could lock up the machine. Switch throttling on with: \
             sysctl kernel.sched_rt_runtime_us=950000"
        )));
    }
    Ok(())
}

/// Limits how long the real-time threads of this process may run without blocking, until it is
/// dropped.
#[derive(Debug)]
pub struct RealtimeFence(u64);

impl RealtimeFence {
    /// Sets the limit, in microseconds.
    pub fn new(us: u64) -> Result<Self, Unavailable> {
        os::limit_realtime(us).map(Self)
    }
}

impl Drop for RealtimeFence {
    fn drop(&mut self) {
        // This was the process's own limit, and the hard limit has not been touched.
        let _ = os::limit_realtime(self.0);
    }
}

/// Schedules the calling thread with SCHED_FIFO, until this is dropped on the same thread.
#[derive(Debug)]
pub struct Raised(PhantomData<*const ()>);

impl Raised {
    /// Raises the priority of the calling thread.
    ///
    /// # Errors
    /// The system's error, and what is needed.
    pub fn to(priority: u32) -> Result<Self, Unavailable> {
        os::set_fifo(priority).map(|()| Self(PhantomData))
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        os::end_fifo();
    }
}

pub use os::HAS_CLASSES;

/// Runs this process at another priority class, until it is dropped.
#[derive(Debug)]
pub struct OfClass(u32);

impl OfClass {
    /// Sets the class.
    ///
    /// # Errors
    /// The system has no such classes, or gave a lower one.
    pub fn new(class: Class) -> Result<Self, Unavailable> {
        os::set_class(class).map(Self)
    }
}

impl Drop for OfClass {
    fn drop(&mut self) {
        os::restore_class(self.0);
    }
}

/// Keeps every CPU out of the idle states that take a long time to leave, until it is dropped.
#[derive(Debug)]
pub struct KeepAwake {
    _held: File,
}

/// The file to which the request is written: a number of microseconds, which is in force as long as
/// the file is open (Documentation/power/pm_qos_interface.rst).
const LATENCY: &str = "/dev/cpu_dma_latency";

/// Asks for wake-ups without delay.
///
/// # Errors
/// The file does not exist, or this user may not write to it.
pub fn keep_awake() -> Result<KeepAwake, Unavailable> {
    let open = || {
        let mut file = File::options().write(true).open(LATENCY)?;
        file.write_all(&0u32.to_ne_bytes())?;
        Ok(KeepAwake { _held: file })
    };
    open().map_err(|error: std::io::Error| {
        Unavailable(format!(
            "{LATENCY}: {error}; only root may write to it to keep the CPUs out of deep idle states"
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
            assert!(error.contains("throttling") && error.contains("sysctl"), "{error}");
        }
        assert_eq!(throttled((950_000, 1_000_000)), Ok(()));
    }

    /// A machine whose kernel reports these limits.
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
    fn the_kernels_throttling_decides() {
        let check = |limits| {
            let folder = tempfile::tempdir().expect("a folder");
            let machine = machine(folder.path(), limits);
            let low = check_fifo(&machine, 10, false, 2).map_err(|why| why.0);
            assert_eq!(check_fifo(&machine, 99, true, 2).map_err(|why| why.0), low);
            low
        };
        assert_eq!(check(Some(("950000\n", "1000000\n"))), Ok(()));
        let error = check(Some(("-1\n", "1000000\n"))).expect_err("throttling is off");
        assert!(error.contains("throttling is off") && error.contains("= -1"), "{error}");
        for limits in [None, Some(("", "")), Some(("much", "1000000"))] {
            let error = check(limits).expect_err("throttling is unknown");
            assert!(error.contains("sched_rt_runtime_us") && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn the_scheduler_in_bpf_is_named_where_one_runs() {
        let of = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir().expect("a folder");
            for (name, text) in files {
                let path = folder.path().join("root/sys/kernel/sched_ext").join(name);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("room");
                std::fs::write(path, text).expect("room");
            }
            std::fs::create_dir_all(folder.path().join("root")).expect("room");
            scheduler_in_bpf(&Root::recorded(folder.path()).expect("a folder")).map_err(|why| why.0)
        };
        let enabled = of(&[("state", "enabled\n"), ("root/ops", "lavd_1.0.10\n")]);
        assert_eq!(enabled, Ok("lavd_1.0.10".into()));
        for files in [&[("state", "disabled\n")][..], &[]] {
            let error = of(files).expect_err("none runs");
            assert!(error.contains("no sched_ext scheduler runs"), "{error}");
        }
    }

    #[test]
    fn a_deadline_has_room_for_the_work_and_less_than_the_period() {
        let of = |wait_ns, work_ns| {
            let asked = os::Scheduling { wait_ns, work_ns, ..os::Scheduling::default() };
            asked.budget()
        };
        assert_eq!(of(1_000_000, 0), (100_000, 1_000_000));
        assert_eq!(of(100_000, 0), (20_000, 100_000));
        assert_eq!(of(16_666_667, 4_000_000).0, 5_666_666);
        assert_eq!(of(1_000_000, 999_999).0, 950_000);
    }

    #[test]
    fn bad_priorities_and_a_single_cpu_are_refused() {
        for priority in [0, 50, 99, u32::MAX] {
            let error = check_fifo(&Root::host(), priority, false, 8).expect_err("none").0;
            assert!(error.contains("1 to 49"), "{error}");
        }
        for priority in [0, 100, u32::MAX] {
            let error = check_fifo(&Root::host(), priority, true, 8).expect_err("none").0;
            assert!(error.contains("1 to 99"), "{error}");
        }
        for (priority, high) in [(10, false), (99, true)] {
            let alone = check_fifo(&Root::host(), priority, high, 1).expect_err("one CPU").0;
            assert!(alone.contains("second"), "{alone}");
        }
    }
}
