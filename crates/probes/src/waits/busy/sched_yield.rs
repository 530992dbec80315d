use crate::waits::entry::{Code, DURATION};
use crate::waits::spin::spin_counter;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;

/// Spinning on the counter with `sched_yield`
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/sched_yield",
    call: "while (now() - start < ticks) sched_yield();",
    language: Language::C,
    kind: Kind::Busy,
    facts: DURATION,
    slack: false,
    home: "every system",
    about: "A spin that offers its CPU to others in each iteration. If another thread can run, it \
            takes the offer, and that costs its whole time slice; if none can, this is a spin with \
            a system call in it.",
    references: &[
        "sched_yield(2)",
        "Linux kernel/sched/syscalls.c, do_sched_yield",
    ],
    code: Code::Lines(|wait| snippet::spin(wait.ns, "sched_yield(), ").alone()),
    opener: on!(all(), open),
};

fn open(setting: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Yield(setting.counter_hz))
}

struct Yield(f64);

impl Method for Yield {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        spin_counter(ns, self.0, std::thread::yield_now)
    }
}
