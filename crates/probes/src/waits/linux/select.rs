use crate::waits::entry::{Code, DURATION, LINUX};
use crate::waits::{Entry, Facts, TimerSlack};

pub(crate) const ENTRY: Entry = Entry {
    id: "linux/select",
    call: "select(0, NULL, NULL, NULL, &timeout)",
    facts: Facts { unit_ns: 1_000, timer_slack: TimerSlack::Share, ..DURATION },
    about: "The oldest sleep of less than a second, in microseconds. A fraction of a microsecond \
            is rounded up here, so that the wait is not early. Its slack is the larger of the \
            thread's slack and 0.1 % of the timeout, up to 100 ms.",
    references: &["select(2)", "Linux fs/select.c, select_estimate_accuracy"],
    code: Code::Before(|wait| {
        format!(
            "struct timeval timeout = {{ {}, {} }};",
            wait.ns / 1_000_000_000,
            (wait.ns % 1_000_000_000).div_ceil(1000)
        )
    }),
    opener: on!(target_os = "linux", |_| crate::waits::open::ByDuration(select)),
    ..LINUX
};

#[cfg(target_os = "linux")]
fn select(ns: u64) -> Result<(), i32> {
    use super::time::{Outcome, repeat};
    repeat(ns, |ns| {
        let whole = crate::waits::unix::timespec(ns.div_ceil(1000).saturating_mul(1000));
        let mut timeout =
            libc::timeval { tv_sec: whole.tv_sec, tv_usec: (whole.tv_nsec / 1000) as _ };
        let none = std::ptr::null_mut();
        // SAFETY: no sets of descriptors, and a time that outlives the call.
        let ready = unsafe { libc::select(0, none, none, none, &raw mut timeout) };
        Outcome::of(ready == 0)
    })
}
