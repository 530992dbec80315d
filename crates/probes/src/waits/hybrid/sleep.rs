use crate::waits::entry::{Asked, Code, DURATION};
use crate::waits::then_spin::{LONGEST_TICK_MARGIN, then_spin, tick_margin};
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;

/// `Sleep`, then a spin
pub(crate) const ENTRY: Entry = Entry {
    id: "hybrid/sleep",
    call: "Sleep(milliseconds); \
           do { QueryPerformanceCounter(&now); } while (now.QuadPart < end.QuadPart);",
    language: Language::C,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: true,
    home: "Windows",
    about: "Sleeps for whole milliseconds, and spins for the rest. The margin is the \
            period of the system's timer, 15.6 ms unless a program has asked for less, and a \
            millisecond: with less, the sleep would often end after the deadline. A shorter wait \
            only spins.",
    references: &[
        "Microsoft Learn, Sleep function (synchapi.h)",
        "Microsoft Learn, QueryPerformanceCounter",
    ],
    code: Code::Lines(lines),
    opener: on!(windows, portable open),
};

fn lines(wait: Asked) -> String {
    let pause = match wait.ns.saturating_sub(LONGEST_TICK_MARGIN) / 1_000_000 {
        0 => String::new(),
        ms => format!("Sleep({ms});  // a tick of 15.625 ms and 1 ms early\n"),
    };
    snippet::qpc_spin(wait.ns).after(&pause)
}

fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
    then_spin("windows/sleep", tick_margin, setting)
}
