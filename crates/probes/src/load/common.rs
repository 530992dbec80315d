//! What the processes of a load do on every system.

use chronoscope_model::waits::Load;
use std::hint::black_box;

/// The memory that one process walks: more than a CPU's share of the last-level cache, and not more
/// than a small machine can spare.
pub const MEMORY: usize = 64 << 20;
/// A cache line.
pub const LINE: usize = 64;
/// The bytes written at once, and the size of the file in which the writes wrap around.
pub const BLOCK: usize = 1 << 20;
pub const FILE: usize = 64 << 20;
/// The number of timers of one process.
pub const TIMERS: usize = 16;
/// What is printed: a line as long as a terminal is wide.
pub const PRINTED: [u8; 80] = {
    let mut line = [b'.'; 80];
    line[79] = b'\n';
    line
};

/// What a process does, in words. `sync` is the call that it waits for after a write, `timers` what
/// its timers are, `print` where it prints, and `after` what follows computation.
pub fn about(load: Load, sync: &str, timers: &str, print: &str, after: &str) -> String {
    let [memory, block, file] = [MEMORY, BLOCK, FILE].map(|bytes| bytes >> 20);
    match load {
        Load::Memory => {
            format!("writes to every line of {LINE} bytes in {memory} MiB, over and over")
        }
        Load::Io => format!(
            "writes {block} MiB within a file of {file} MiB and waits for {sync}, over and over"
        ),
        Load::Timers => format!("has {TIMERS} {timers}"),
        Load::Print => {
            let bytes = PRINTED.len();
            format!("prints lines of {bytes} bytes {print}, over and over")
        }
        _ => {
            format!("computes for about 20 ms (10 million steps of additions and shifts), {after}")
        }
    }
}

/// About 20 ms of additions and shifts (a xorshift generator, Marsaglia 2003). It calls nothing, so
/// a child made by fork(2) may run it.
pub fn compute(turn: u64) {
    let mut state = turn | 1;
    for _ in 0..10_000_000u32 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}
