use crate::waits::entry::{Code, DURATION};
use crate::waits::spin::spin_until;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable, os};
use chronoscope_model::snippet;

/// Spinning on `CLOCK_MONOTONIC`
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/monotonic",
    call: "do clock_gettime(CLOCK_MONOTONIC, &t); \
           while (t.tv_sec * 1000000000LL + t.tv_nsec < end);",
    language: Language::C,
    kind: Kind::Busy,
    facts: DURATION,
    slack: false,
    home: "Linux",
    about: "Reads the clock of the system's own timers until the deadline, so it is never early by \
            that clock. If the vDSO serves the clock, this is as cheap as spinning on the counter.",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    code: Code::Lines(|wait| snippet::spin(wait.ns, "").alone()),
    opener: on!(target_os = "linux", portable open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Monotonic)
}

struct Monotonic;

impl Method for Monotonic {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        spin_until(os::monotonic().saturating_add(ns), || {})
    }

    fn until(&mut self, deadline: u64) -> Result<(), i32> {
        spin_until(deadline, || {})
    }
}
