use crate::waits::entry::{Code, DURATION};
use crate::waits::spin::spin_elapsed;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;
use std::time::Instant;

/// Spinning on `std::time::Instant` with `sched_yield`
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/sched_yield",
    call: "while start.elapsed() < duration { std::thread::yield_now() }",
    language: Language::Rust,
    kind: Kind::Busy,
    facts: DURATION,
    slack: false,
    home: "every system",
    about: "A spin that offers its CPU to others in each iteration. If another thread can run, it \
            takes the offer, and that costs its whole time slice; if none can, this is a spin with \
            a system call in it. yield_now() is sched_yield() on Unix, and SwitchToThread() on \
            Windows.",
    references: &["sched_yield(2)", "Linux kernel/sched/syscalls.c, do_sched_yield"],
    code: Code::Before(|wait| snippet::rust_start(wait.ns)),
    opener: on!(all(), open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Yield)
}

struct Yield;

impl Method for Yield {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        spin_elapsed(Instant::now(), ns, std::thread::yield_now)
    }
}
