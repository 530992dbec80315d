use crate::waits::entry::{Code, DURATION, LINUX};
use crate::waits::{Entry, Facts, TimerSlack};

pub(crate) const ENTRY: Entry = Entry {
    id: "linux/timerfd",
    call: "timerfd_settime(fd, 0, &spec, NULL); read(fd, &expirations, 8)",
    facts: Facts { timer_slack: TimerSlack::Unused, ..DURATION },
    about: "A timer behind a file descriptor, for event loops: it is set, then read until it has \
            expired. The kernel arms it without the thread's timer slack, so slack should make no \
            difference; the two rows show whether it does.",
    references: &["timerfd_create(2)", "Linux fs/timerfd.c, timerfd_setup"],
    code: Code::Before(|wait| {
        format!(
            "int fd = timerfd_create(CLOCK_MONOTONIC, 0);\n\
             uint64_t expirations;\n\
             struct itimerspec spec = {{ {{ 0, 0 }}, {{ {}, {} }} }};",
            wait.ns / 1_000_000_000,
            wait.ns % 1_000_000_000
        )
    }),
    opener: on!(target_os = "linux", |_| imp::open()?),
    ..LINUX
};

#[cfg(target_os = "linux")]
mod imp {
    use crate::waits::unix::{errno, timespec};
    use crate::waits::{Method, Unavailable};
    use std::fs::File;
    use std::io::{ErrorKind, Read};
    use std::os::fd::{AsRawFd, FromRawFd};

    pub(super) fn open() -> Result<Timer, Unavailable> {
        // SAFETY: no pointers are passed; the descriptor is checked before it is owned.
        let fd = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC) };
        if fd < 0 {
            return Err(Unavailable::os("timerfd_create", errno()));
        }
        // SAFETY: the descriptor is new, and nothing else owns it.
        Ok(Timer(unsafe { File::from_raw_fd(fd) }))
    }

    pub(super) struct Timer(File);

    impl Timer {
        fn run(&mut self, flags: libc::c_int, ns: u64) -> Result<(), i32> {
            let spec = libc::itimerspec {
                it_interval: timespec(0),
                // Zero would disarm the timer, and the read would never return.
                it_value: timespec(ns.max(1)),
            };
            // SAFETY: `spec` outlives the call; a null pointer asks for no previous setting.
            let set = unsafe {
                libc::timerfd_settime(
                    self.0.as_raw_fd(),
                    flags,
                    &raw const spec,
                    std::ptr::null_mut(),
                )
            };
            if set != 0 {
                return Err(errno());
            }
            let mut expirations = [0; 8];
            loop {
                match self.0.read(&mut expirations) {
                    Ok(_) => return Ok(()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
                }
            }
        }
    }

    impl Method for Timer {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            self.run(0, ns)
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            self.run(libc::TFD_TIMER_ABSTIME, deadline)
        }
    }
}
