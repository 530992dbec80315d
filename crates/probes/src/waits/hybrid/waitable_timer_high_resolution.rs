use crate::waits::entry::{Asked, Code, DURATION};
use crate::waits::then_spin::{MARGIN, then_spin};
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;

/// A waitable timer with high resolution, then a spin
pub(crate) const ENTRY: Entry = Entry {
    id: "hybrid/waitable-timer-high-resolution",
    call: "SetWaitableTimer(high_resolution, &due, 0, NULL, NULL, FALSE); \
           WaitForSingleObject(high_resolution, INFINITE); \
           do { QueryPerformanceCounter(&now); } while (now.QuadPart < end.QuadPart);",
    language: Language::C,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: true,
    home: "Windows",
    about: "Waits for a timer object of high resolution until 1 ms before the deadline, and spins \
            for the rest. A shorter wait only spins. Windows 10 1803 and later.",
    references: &[
        "Microsoft Learn, CreateWaitableTimerExW",
        "Microsoft Learn, QueryPerformanceCounter",
    ],
    code: Code::Lines(lines),
    opener: on!(windows, portable open),
};

fn lines(wait: Asked) -> String {
    let pause = match wait.ns.saturating_sub(MARGIN) {
        0 => String::new(),
        ns => snippet::waitable_timer(snippet::HIGH_RESOLUTION, ns) + "\n",
    };
    snippet::qpc_spin(wait.ns).after(&pause)
}

fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
    then_spin("windows/waitable-timer-high-resolution", || MARGIN, setting)
}
