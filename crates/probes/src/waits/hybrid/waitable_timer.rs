use crate::waits::entry::{Asked, Code, DURATION};
use crate::waits::then_spin::{LONGEST_TICK_MARGIN, then_spin, tick_margin};
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;

/// A waitable timer, then a spin
pub(crate) const ENTRY: Entry = Entry {
    id: "hybrid/waitable-timer",
    call: "SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE); \
           WaitForSingleObject(timer, INFINITE); \
           do { QueryPerformanceCounter(&now); } while (now.QuadPart < end.QuadPart);",
    language: Language::C,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: true,
    home: "Windows",
    about: "Waits for a timer object, and spins for the rest. The margin is the \
            period of the system's timer, 15.6 ms unless a program has asked for less, and a \
            millisecond: with less, the sleep would often end after the deadline. A shorter wait \
            only spins.",
    references: &["Microsoft Learn, SetWaitableTimer", "Microsoft Learn, QueryPerformanceCounter"],
    code: Code::Lines(lines),
    opener: on!(windows, portable open),
};

fn lines(wait: Asked) -> String {
    let pause = match wait.ns.saturating_sub(LONGEST_TICK_MARGIN) {
        0 => String::new(),
        ns => snippet::waitable_timer("0", ns) + "\n",
    };
    snippet::qpc_spin(wait.ns).after(&pause)
}

fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
    then_spin("windows/waitable-timer", tick_margin, setting)
}
