//! The wait calls of macOS: those of Mach and of Darwin.

use super::entry::{Code, DEADLINE, Entry, PLAIN};
use chronoscope_model::snippet;

const DARWIN: Entry = Entry { slack: false, home: "macOS", ..PLAIN };

table! {
    WAITS: &[Entry];
    like DARWIN;
    "mach/wait_until" => "mach_wait_until(deadline)",
        facts: DEADLINE,
        code: Code::BeforeCall,
        opener: on!(target_os = "macos", |_| {
            let ticks_per_ns = mach::ticks_per_ns()?;
            super::entry::ByDuration(move |ns| mach::wait(ns, ticks_per_ns))
        });
    "darwin/nanosleep" => "nanosleep(&duration, NULL)",
        code: Code::Before(|wait| snippet::timespec("duration", wait.ns)),
        opener: on!(target_os = "macos", |_| super::entry::ByDuration(super::unix::nanosleep));
    "darwin/kevent" => "kevent(queue, &timer, 1, &event, 1, NULL)",
        code: Code::BeforeCall,
        opener: on!(target_os = "macos", |_| imp::open()?);
}

#[cfg(target_os = "macos")]
mod imp {
    use crate::waits::{Method, Unavailable};
    use std::io;
    use std::os::fd::{AsRawFd, OwnedFd};

    pub(super) fn open() -> Result<Queue, Unavailable> {
        let queue = rustix::event::kqueue::kqueue();
        queue.map(Queue).map_err(|errno| Unavailable::os("kqueue", errno.raw_os_error()))
    }

    pub(super) struct Queue(OwnedFd);

    impl Method for Queue {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            let timer = libc::kevent {
                ident: 1,
                filter: libc::EVFILT_TIMER,
                flags: libc::EV_ADD | libc::EV_ONESHOT,
                fflags: libc::NOTE_NSECONDS | libc::NOTE_CRITICAL,
                data: isize::try_from(ns).unwrap_or(isize::MAX),
                udata: std::ptr::null_mut(),
            };
            let mut event = timer;
            let mut changes = 1;
            loop {
                // SAFETY: there is room for one change and one event, and both outlive the call.
                let ready = unsafe {
                    libc::kevent(
                        self.0.as_raw_fd(),
                        &raw const timer,
                        changes,
                        &raw mut event,
                        1,
                        std::ptr::null(),
                    )
                };
                if ready > 0 {
                    return Ok(());
                }
                match io::Error::last_os_error().raw_os_error() {
                    // The timer has been added already, so only wait for its end.
                    Some(libc::EINTR) => changes = 0,
                    other => return Err(other.unwrap_or(libc::EIO)),
                }
            }
        }
    }
}

#[cfg(target_os = "macos")]
mod mach {
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
