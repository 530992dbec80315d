use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};
use chronoscope_model::snippet;

/// `sigtimedwait` for no signal
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/sigtimedwait",
    call: "sigtimedwait(&empty_set, NULL, &timeout)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: DURATION,
    slack: true,
    home: "Linux",
    about: "Waits for signals with a timeout; here for no signal, so that only the timeout ends \
            it.",
    references: &["sigtimedwait(2)", "Linux kernel/signal.c, do_sigtimedwait"],
    code: Code::Before(|wait| {
        format!(
            "sigset_t empty_set;\nsigemptyset(&empty_set);\n{}",
            snippet::timespec("timeout", wait.ns)
        )
    }),
    opener: on!(target_os = "linux", imp::open),
};

#[cfg(target_os = "linux")]
mod imp {
    use crate::waits::linux::time::{Outcome, errno, repeat, timespec};
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        // SAFETY: sigemptyset makes the set valid.
        let empty = unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            set
        };
        Ok(Signal(empty))
    }

    struct Signal(libc::sigset_t);

    impl Method for Signal {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            repeat(ns, |ns| {
                let timeout = timespec(ns);
                // SAFETY: the set and the time outlive the call; a null pointer asks for no
                // details.
                unsafe {
                    libc::sigtimedwait(&raw const self.0, std::ptr::null_mut(), &raw const timeout)
                };
                match errno() {
                    libc::EAGAIN => Outcome::Over,
                    libc::EINTR => Outcome::Interrupted,
                    other => Outcome::Failed(other),
                }
            })
        }
    }
}
