use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};

/// A timer of `kqueue`
pub(crate) const ENTRY: Entry = Entry {
    id: "darwin/kevent",
    call: "kevent(queue, &timer, 1, &event, 1, NULL)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: DURATION,
    slack: false,
    home: "macOS",
    about: "A one-shot timer of the event queue, set in nanoseconds and marked critical, so that \
            the kernel does not coalesce it with others.",
    references: &["kqueue(2) of macOS, EVFILT_TIMER and NOTE_CRITICAL"],
    code: Code::Before(|wait| {
        format!(
            "int queue = kqueue();\n\
             struct kevent timer, event;\n\
             EV_SET(&timer, 1, EVFILT_TIMER, EV_ADD | EV_ONESHOT,\n       \
             NOTE_NSECONDS | NOTE_CRITICAL, {}, NULL);",
            wait.ns
        )
    }),
    opener: on!(target_os = "macos", imp::open),
};

#[cfg(target_os = "macos")]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};
    use std::io;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        // SAFETY: kqueue takes no arguments; the descriptor is checked before it is owned.
        let fd = unsafe { libc::kqueue() };
        if fd < 0 {
            return Err(Unavailable(format!("kqueue: {}", io::Error::last_os_error())));
        }
        // SAFETY: the descriptor is new, and nothing else owns it.
        Ok(Queue(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    struct Queue(OwnedFd);

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
