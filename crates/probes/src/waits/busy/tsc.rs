use crate::waits::entry::{Code, DURATION};
use crate::waits::spin::spin_counter;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};

/// Spinning on the time-stamp counter with `pause`
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/tsc",
    call: "while (__rdtsc() - start < ticks) _mm_pause();",
    language: Language::C,
    kind: Kind::Busy,
    facts: DURATION,
    slack: false,
    home: "x86",
    about: "Reads the counter until the deadline, with the hint that this is a spin loop. On Intel \
            since Skylake, a pause takes 40 to 140 cycles. The wait cannot be finer than that, but \
            the core's other thread gets more room.",
    references: &[
        "Intel SDM volume 2B, PAUSE",
        "Intel Optimization Manual, PAUSE latency in Skylake",
    ],
    code: Code::Before(|wait| match wait.ticks() {
        ticks if ticks.is_empty() => ticks,
        ticks => ticks + "uint64_t start = __rdtsc();",
    }),
    opener: on!(target_arch = "x86_64", portable open),
};

fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Tsc(setting.counter_hz))
}

struct Tsc(f64);

impl Method for Tsc {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        spin_counter(ns, self.0, std::hint::spin_loop)
    }
}
