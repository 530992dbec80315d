use super::spin::spin_counter;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};

/// Spinning on the time-stamp counter and nothing else
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/tsc-bare",
    call: "while (__rdtsc() - start < ticks) {}",
    language: Language::C,
    kind: Kind::Busy,
    slack: false,
    home: "x86",
    about: "Reads the counter back to back: the finest grain there is, at the cost of the core's other thread.",
    references: &["Intel SDM volume 2B, RDTSC"],
    open: on!(target_arch = "x86_64", "x86", portable open),
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
