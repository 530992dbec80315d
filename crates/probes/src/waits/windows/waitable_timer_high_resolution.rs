use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Facts, Kind, Language};
use chronoscope_model::snippet;

/// A waitable timer with high resolution
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/waitable-timer-high-resolution",
    call: "SetWaitableTimer(high_resolution, &due, 0, NULL, NULL, FALSE); \
           WaitForSingleObject(high_resolution, INFINITE)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: Facts { unit_ns: 100, ..DURATION },
    slack: true,
    home: "Windows",
    about: "The same timer object, created for high resolution: it does not wait for the tick of \
            the system's timer. Windows 10 1803 and later.",
    references: &["Microsoft Learn, CreateWaitableTimerExW"],
    code: Code::Lines(|wait| snippet::waitable_timer(snippet::HIGH_RESOLUTION, wait.ns)),
    opener: on!(windows, imp::open),
};

#[cfg(windows)]
mod imp {
    use crate::waits::windows_timer::Timer;
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Timer::high_resolution()
    }
}
