use crate::waits::entry::{Code, DURATION, LINUX};
use crate::waits::{Entry, Facts, Language, TimerSlack};

pub(crate) const ENTRY: Entry = Entry {
    id: "linux/io_uring-timeout",
    call: "unsafe { ring.submission().push(&timeout) }?; ring.submit_and_wait(1)?; \
           ring.completion().next()",
    language: Language::Rust,
    facts: Facts { timer_slack: TimerSlack::Unused, ..DURATION },
    home: "64-bit Linux 5.4 and later",
    about: "A timeout as a request in a ring, for programs whose event loop is io_uring. The \
            kernel arms it without the thread's timer slack, so slack should make no difference; \
            the two rows show whether it does. The call is that of Rust's io-uring; liburing's \
            io_uring_submit_and_wait() makes the same system call.",
    references: &["io_uring_enter(2)", "docs.rs/io-uring", "Linux io_uring/timeout.c, io_timeout"],
    code: Code::Before(|wait| {
        format!(
            "use io_uring::{{IoUring, opcode, types::Timespec}};\n\
             let mut ring = IoUring::new(2)?;\n\
             let time = Timespec::new().sec({}).nsec({});\n\
             let timeout = opcode::Timeout::new(&time).build();",
            wait.ns / 1_000_000_000,
            wait.ns % 1_000_000_000
        )
    }),
    opener: on!(all(target_os = "linux", target_pointer_width = "64"), |_| imp::open()?),
    ..LINUX
};

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod imp {
    use crate::waits::{Method, Unavailable};
    use io_uring::{IoUring, opcode, types};

    pub(super) fn open() -> Result<Ring, Unavailable> {
        IoUring::new(2).map(Ring).map_err(|error| {
            Unavailable(format!(
                "io_uring_setup: {error}; see the sysctl kernel.io_uring_disabled and the \
                 container's seccomp filter"
            ))
        })
    }

    pub(super) struct Ring(IoUring);

    impl Ring {
        fn run(&mut self, ns: u64, flags: types::TimeoutFlags) -> Result<(), i32> {
            let time =
                types::Timespec::new().sec(ns / 1_000_000_000).nsec((ns % 1_000_000_000) as u32);
            let request = opcode::Timeout::new(&raw const time).flags(flags).build();
            // SAFETY: the time that the request points to lives until the completion is taken
            // below; the kernel also copies it at submission.
            unsafe { self.0.submission().push(&request) }.map_err(|_| libc::EBUSY)?;
            loop {
                match self.0.submit_and_wait(1) {
                    Ok(_) => {}
                    Err(error) if error.raw_os_error() == Some(libc::EINTR) => continue,
                    Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
                }
                if let Some(entry) = self.0.completion().next() {
                    return match -entry.result() {
                        0 | libc::ETIME => Ok(()),
                        errno => Err(errno),
                    };
                }
            }
        }
    }

    impl Method for Ring {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            self.run(ns, types::TimeoutFlags::empty())
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            self.run(deadline, types::TimeoutFlags::ABS)
        }
    }
}
