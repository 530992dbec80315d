//! The wait of Mach.

use super::entry::{Code, DEADLINE, Entry, PLAIN};

pub(super) const WAITS: &[Entry] = &[Entry {
    id: "mach/wait_until",
    call: "mach_wait_until(deadline)",
    facts: DEADLINE,
    slack: false,
    home: "macOS",
    about: "Sleeps until mach_absolute_time reaches a value. The kernel may coalesce it with other \
            timers unless the thread is a real-time one.",
    references: &["Apple Technical Note TN2169, High Precision Timers in iOS / OS X"],
    code: Code::Before(|wait| {
        format!(
            "mach_timebase_info_data_t unit;\n\
             mach_timebase_info(&unit);\n\
             uint64_t deadline = mach_absolute_time()\n    \
             + {} * (uint64_t)unit.denom / unit.numer;",
            wait.ns
        )
    }),
    opener: on!(target_os = "macos", |_| {
        let ticks_per_ns = imp::ticks_per_ns()?;
        super::open::ByDuration(move |ns| imp::wait(ns, ticks_per_ns))
    }),
    ..PLAIN
}];

#[cfg(target_os = "macos")]
mod imp {
    use crate::waits::Unavailable;

    /// mach/mach_time.h
    #[repr(C)]
    struct Timebase {
        numer: u32,
        denom: u32,
    }

    unsafe extern "C" {
        fn mach_timebase_info(info: *mut Timebase) -> i32;
        safe fn mach_absolute_time() -> u64;
        safe fn mach_wait_until(deadline: u64) -> i32;
    }

    pub(super) fn ticks_per_ns() -> Result<f64, Unavailable> {
        let mut base = Timebase { numer: 0, denom: 0 };
        // SAFETY: `base` is a valid place for what the call stores.
        if unsafe { mach_timebase_info(&raw mut base) } != 0 || base.numer == 0 {
            return Err(Unavailable("mach_timebase_info returns no rate".into()));
        }
        Ok(f64::from(base.denom) / f64::from(base.numer))
    }

    pub(super) fn wait(ns: u64, ticks_per_ns: f64) -> Result<(), i32> {
        // KERN_ABORTED is an interruption: the deadline is unchanged, so the call is repeated.
        const ABORTED: i32 = 14;
        let deadline =
            mach_absolute_time().saturating_add((ns as f64 * ticks_per_ns).ceil() as u64);
        loop {
            match mach_wait_until(deadline) {
                0 => return Ok(()),
                ABORTED => {}
                error => return Err(error),
            }
        }
    }
}
