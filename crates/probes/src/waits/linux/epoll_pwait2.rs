use crate::waits::entry::{Code, DURATION, LINUX};
use crate::waits::{Entry, Facts, TimerSlack};
use chronoscope_model::snippet;

pub(crate) const ENTRY: Entry = Entry {
    id: "linux/epoll_pwait2",
    call: "syscall(SYS_epoll_pwait2, fd, events, 1, &timeout, NULL, 0)",
    facts: Facts { timer_slack: TimerSlack::Share, ..DURATION },
    home: "Linux 5.11 and later",
    about: "The timeout of an event loop, in nanoseconds; epoll_wait takes milliseconds. Its slack \
            is the larger of the thread's slack and 0.1 % of the timeout, up to 100 ms. It is \
            called by its number, because glibc has a function for it only since 2.35.",
    references: &["epoll_wait(2)", "Linux fs/select.c, select_estimate_accuracy"],
    code: Code::Before(|wait| {
        format!(
            "int fd = epoll_create1(0);\nstruct epoll_event events[1];\n{}",
            snippet::timespec("timeout", wait.ns)
        )
    }),
    opener: on!(target_os = "linux", |_| imp::open()?),
    ..LINUX
};

#[cfg(target_os = "linux")]
mod imp {
    use crate::waits::linux::time::{Outcome, repeat};
    use crate::waits::unix::errno;
    use crate::waits::{Method, Unavailable};
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    pub(super) fn open() -> Result<Epoll, Unavailable> {
        // SAFETY: no pointers are passed; the descriptor is checked before it is owned.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(Unavailable::os("epoll_create1", errno()));
        }
        // SAFETY: the descriptor is new, and nothing else owns it.
        let epoll = Epoll(unsafe { OwnedFd::from_raw_fd(fd) });
        match epoll.call(0) {
            Outcome::Failed(libc::ENOSYS) => {
                Err(Unavailable("this kernel has no epoll_pwait2 (it came with Linux 5.11)".into()))
            }
            Outcome::Failed(errno) => Err(Unavailable::os("epoll_pwait2", errno)),
            _ => Ok(epoll),
        }
    }

    pub(super) struct Epoll(OwnedFd);

    impl Epoll {
        fn call(&self, ns: u64) -> Outcome {
            // `struct __kernel_timespec`: 64 bits each on every architecture.
            let timeout = [(ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64];
            let mut event = libc::epoll_event { events: 0, u64: 0 };
            // SAFETY: there is room for the one event that is asked for, the time outlives the
            // call, and without a signal mask the kernel ignores its size.
            let ready = unsafe {
                libc::syscall(
                    libc::SYS_epoll_pwait2,
                    self.0.as_raw_fd(),
                    &raw mut event,
                    1,
                    timeout.as_ptr(),
                    std::ptr::null::<libc::sigset_t>(),
                    0usize,
                )
            };
            Outcome::of(ready == 0)
        }
    }

    impl Method for Epoll {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            repeat(ns, |ns| self.call(ns))
        }
    }
}
