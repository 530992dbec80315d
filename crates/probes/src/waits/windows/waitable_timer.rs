use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Facts, Kind, Language};
use chronoscope_model::snippet;

/// A waitable timer
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/waitable-timer",
    call: "SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE); WaitForSingleObject(timer, \
           INFINITE)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: Facts { unit_ns: 100, ..DURATION },
    slack: true,
    home: "Windows",
    about: "A timer object, set in units of 100 ns and accurate to the tick of the system's timer.",
    references: &["Microsoft Learn, SetWaitableTimer"],
    code: Code::Lines(|wait| snippet::waitable_timer("0", wait.ns)),
    opener: on!(windows, imp::open),
};

#[cfg(windows)]
mod imp {
    use crate::waits::windows_timer::Timer;
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Timer::new(0)
    }
}
