use crate::waits::{Entry, Kind, Language};

/// A waitable timer
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/waitable-timer",
    call: "SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE); WaitForSingleObject(timer, INFINITE)",
    language: Language::C,
    kind: Kind::Sleep,
    slack: true,
    home: "Windows",
    about: "A timer object, set in units of 100 ns and good to the tick of the system's timer.",
    references: &["Microsoft Learn, SetWaitableTimer"],
    open: on!(windows, "Windows", imp::open),
};

#[cfg(windows)]
mod imp {
    use crate::waits::windows::timer::Timer;
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Timer::new(0)
    }
}
