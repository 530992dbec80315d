use crate::waits::entry::{Code, DURATION, LINUX};
use crate::waits::{Entry, Facts, TimerSlack};
use chronoscope_model::snippet;

pub(crate) const ENTRY: Entry = Entry {
    id: "linux/ppoll",
    call: "ppoll(NULL, 0, &timeout, NULL)",
    facts: Facts { timer_slack: TimerSlack::Share, ..DURATION },
    about: "The timeout of poll, in nanoseconds. Its slack is the larger of the thread's slack and \
            0.1 % of the timeout, up to 100 ms.",
    references: &["poll(2)", "Linux fs/select.c, select_estimate_accuracy"],
    code: Code::Before(|wait| snippet::timespec("timeout", wait.ns)),
    opener: on!(target_os = "linux", |_| crate::waits::open::ByDuration(poll)),
    ..LINUX
};

#[cfg(target_os = "linux")]
fn poll(ns: u64) -> Result<(), i32> {
    use super::time::{Outcome, repeat};
    repeat(ns, |ns| {
        let timeout = crate::waits::unix::timespec(ns);
        // SAFETY: neither descriptors nor a mask are passed, and the time outlives the call.
        let ready =
            unsafe { libc::ppoll(std::ptr::null_mut(), 0, &raw const timeout, std::ptr::null()) };
        Outcome::of(ready == 0)
    })
}
