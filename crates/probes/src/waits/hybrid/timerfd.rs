use crate::waits::entry::{Asked, Code, DURATION};
use crate::waits::then_spin::{MARGIN, then_spin};
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;

/// `timerfd`, then a spin
pub(crate) const ENTRY: Entry = Entry {
    id: "hybrid/timerfd",
    call: "timerfd_settime(fd, 0, &spec, NULL); read(fd, &expirations, 8); \
           do clock_gettime(CLOCK_MONOTONIC, &t); \
           while (t.tv_sec * 1000000000LL + t.tv_nsec < end);",
    language: Language::C,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: true,
    home: "Linux",
    about: "Sleeps on a timer behind a file descriptor until 125 us before the deadline, and spins \
            for the rest. A shorter wait only spins. Timer slack should make no difference to the \
            sleep.",
    references: &["timerfd_create(2)", "spin_sleep, the defaults of SpinSleeper"],
    code: Code::Lines(lines),
    opener: on!(target_os = "linux", portable open),
};

fn lines(wait: Asked) -> String {
    let pause = match wait.ns.saturating_sub(MARGIN) {
        0 => String::new(),
        ns => format!(
            "int fd = timerfd_create(CLOCK_MONOTONIC, 0);\n\
             uint64_t expirations;\n\
             struct itimerspec spec = {{ {{ 0, 0 }}, {{ {}, {} }} }};\n\
             timerfd_settime(fd, 0, &spec, NULL);\n\
             read(fd, &expirations, 8);\n",
            ns / 1_000_000_000,
            ns % 1_000_000_000
        ),
    };
    snippet::spin(wait.ns, "").after(&pause)
}

fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
    then_spin("linux/timerfd", || MARGIN, setting)
}
