use crate::waits::entry::{Asked, Code, DURATION};
use crate::waits::then_spin::{MARGIN, then_spin};
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;

/// `nanosleep`, then a spin
pub(crate) const ENTRY: Entry = Entry {
    id: "hybrid/nanosleep",
    call: "nanosleep(&most, NULL); \
           do clock_gettime(CLOCK_MONOTONIC, &t); \
           while (t.tv_sec * 1000000000LL + t.tv_nsec < end);",
    language: Language::C,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: true,
    home: "Linux",
    about: "Sleeps with nanosleep until 125 us before the deadline, and spins for the rest. A \
            shorter wait only spins.",
    references: &["nanosleep(2)", "spin_sleep, the defaults of SpinSleeper"],
    code: Code::Lines(lines),
    opener: on!(target_os = "linux", portable open),
};

fn lines(wait: Asked) -> String {
    let pause = match wait.ns.saturating_sub(MARGIN) {
        0 => String::new(),
        ns => format!("{}\nnanosleep(&most, NULL);\n", snippet::timespec("most", ns)),
    };
    snippet::spin(wait.ns, "").after(&pause)
}

fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
    then_spin("linux/nanosleep", || MARGIN, setting)
}
