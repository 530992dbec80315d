use crate::waits::entry::{Code, DURATION};
use crate::waits::spin::spin_counter;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};

/// Spinning on the time-stamp counter and nothing else
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/tsc-bare",
    call: "while (__rdtsc() - start < ticks) {}",
    language: Language::C,
    kind: Kind::Busy,
    facts: DURATION,
    slack: false,
    home: "x86",
    about: "Reads the counter back to back: the finest wait possible, at the expense of the core's \
            other thread.",
    references: &["Intel SDM volume 2B, RDTSC"],
    code: Code::Before(|wait| match wait.ticks() {
        ticks if ticks.is_empty() => ticks,
        ticks => ticks + "uint64_t start = __rdtsc();",
    }),
    opener: on!(target_arch = "x86_64", portable open),
};

fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Bare(setting.counter_hz))
}

struct Bare(f64);

impl Method for Bare {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        spin_counter(ns, self.0, || {})
    }
}
