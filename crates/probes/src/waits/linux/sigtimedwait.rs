use crate::waits::Entry;
use crate::waits::entry::{Code, LINUX};
use chronoscope_model::snippet;

pub(crate) const ENTRY: Entry = Entry {
    id: "linux/sigtimedwait",
    call: "sigtimedwait(&empty_set, NULL, &timeout)",
    about: "Waits for signals with a timeout; here for no signal, so that only the timeout ends \
            it.",
    references: &["sigtimedwait(2)", "Linux kernel/signal.c, do_sigtimedwait"],
    code: Code::Before(|wait| {
        format!(
            "sigset_t empty_set;\nsigemptyset(&empty_set);\n{}",
            snippet::timespec("timeout", wait.ns)
        )
    }),
    opener: on!(target_os = "linux", |_| {
        let empty = no_signal();
        crate::waits::open::ByDuration(move |ns| wait(&empty, ns))
    }),
    ..LINUX
};

#[cfg(target_os = "linux")]
fn no_signal() -> libc::sigset_t {
    // SAFETY: sigemptyset makes the set valid.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        set
    }
}

#[cfg(target_os = "linux")]
fn wait(set: &libc::sigset_t, ns: u64) -> Result<(), i32> {
    use super::time::{Outcome, repeat};
    use crate::waits::unix::{errno, timespec};
    repeat(ns, |ns| {
        let timeout = timespec(ns);
        // SAFETY: the set and the time outlive the call; a null pointer asks for no details.
        unsafe { libc::sigtimedwait(set, std::ptr::null_mut(), &raw const timeout) };
        match errno() {
            libc::EAGAIN => Outcome::Over,
            libc::EINTR => Outcome::Interrupted,
            other => Outcome::Failed(other),
        }
    })
}
