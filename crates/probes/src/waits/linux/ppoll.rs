use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Facts, Kind, Language, TimerSlack};
use chronoscope_model::snippet;

/// `ppoll` without descriptors
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/ppoll",
    call: "ppoll(NULL, 0, &timeout, NULL)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: Facts { timer_slack: TimerSlack::Share, ..DURATION },
    slack: true,
    home: "Linux",
    about: "The timeout of poll, in nanoseconds. Its slack is the larger of the thread's slack and \
            0.1 % of the timeout, up to 100 ms.",
    references: &["poll(2)", "Linux fs/select.c, select_estimate_accuracy"],
    code: Code::Before(|wait| snippet::timespec("timeout", wait.ns)),
    opener: on!(target_os = "linux", imp::open),
};

#[cfg(target_os = "linux")]
mod imp {
    use crate::waits::linux::time::{Outcome, repeat, timespec};
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Poll)
    }

    struct Poll;

    impl Method for Poll {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            repeat(ns, |ns| {
                let timeout = timespec(ns);
                // SAFETY: neither descriptors nor a mask are passed, and the time outlives the
                // call.
                let ready = unsafe {
                    libc::ppoll(std::ptr::null_mut(), 0, &raw const timeout, std::ptr::null())
                };
                Outcome::of(ready == 0)
            })
        }
    }
}
