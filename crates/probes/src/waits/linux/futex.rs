use crate::waits::Entry;
use crate::waits::entry::{Code, LINUX};
use chronoscope_model::snippet;

pub(crate) const ENTRY: Entry = Entry {
    id: "linux/futex",
    call: "syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &timeout)",
    about: "The call below every lock and condition that has a timeout; here it waits for a word \
            that nobody will change. On a grid it is FUTEX_WAIT_BITSET, whose timeout is a \
            deadline.",
    references: &["futex(2)", "Linux kernel/futex/core.c, futex_setup_timer"],
    code: Code::Before(|wait| {
        format!("uint32_t word = 0;\n{}", snippet::timespec("timeout", wait.ns))
    }),
    opener: on!(target_os = "linux", |_| imp::open()?),
    ..LINUX
};

#[cfg(target_os = "linux")]
mod imp {
    use crate::waits::linux::time::{Outcome, repeat};
    use crate::waits::unix::{errno, timespec};
    use crate::waits::{Method, Unavailable};

    pub(super) fn open() -> Result<Futex, Unavailable> {
        let futex = Futex(0);
        match futex.call(libc::FUTEX_WAIT, 1, 0) {
            libc::ETIMEDOUT => Ok(futex),
            errno => Err(Unavailable::os("futex", errno)),
        }
    }

    /// The word that the wait watches; it stays 0.
    pub(super) struct Futex(u32);

    impl Futex {
        /// Returns the error that ended the wait. A wake-up that nobody sent counts as an
        /// interruption.
        fn call(&self, operation: libc::c_int, ns: u64, bits: u32) -> i32 {
            let timeout = timespec(ns);
            // SAFETY: the word and the time outlive the call, and nobody writes to the word. The
            // call takes a timespec of the C library's size (futex(2) on these architectures).
            let done = unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    &raw const self.0,
                    operation | libc::FUTEX_PRIVATE_FLAG,
                    0,
                    &raw const timeout,
                    std::ptr::null::<u32>(),
                    bits,
                )
            };
            if done == 0 { libc::EINTR } else { errno() }
        }
    }

    impl Method for Futex {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            repeat(ns, |ns| match self.call(libc::FUTEX_WAIT, ns, 0) {
                libc::ETIMEDOUT => Outcome::Over,
                libc::EINTR => Outcome::Interrupted,
                other => Outcome::Failed(other),
            })
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            loop {
                match self.call(libc::FUTEX_WAIT_BITSET, deadline, u32::MAX) {
                    libc::ETIMEDOUT => return Ok(()),
                    libc::EINTR => {}
                    other => return Err(other),
                }
            }
        }
    }
}
