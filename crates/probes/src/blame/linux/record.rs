//! All context switches of a CPU, as the kernel records them for a performance event of that CPU:
//! `PERF_RECORD_SWITCH_CPU_WIDE`, with the tasks on both sides (perf_event_open(2)). That needs
//! CAP_PERFMON, or perf_event_paranoid of at most 0.

use super::super::{Change, Found, Heard, Span, Task, ran};
use super::handlers::Handlers;
use super::ring::{Attributes, COMM, Of, Record as Entry, Ring, SWITCH_OUT, TASK};

const RECORD_COMM: u32 = 3;
const RECORD_FORK: u32 = 7;
const RECORD_SAMPLE: u32 = 9;
const RECORD_SWITCH_CPU_WIDE: u32 = 15;

/// Some 26,000 records, two of which are made by each switch; fewer if this user may not lock as
/// much memory (perf_event_mlock_kb is 516 for each CPU by default).
const PAGES: [usize; 3] = [256, 64, 16];
/// The most names that are kept until they are asked for.
const MOST_HEARD: usize = 4096;
/// The bytes of the thread, the time and the CPU at the end of each record.
const SAMPLE: u16 = 24;

/// The record of a CPU. Whoever has it reads it after each wait.
#[derive(Debug)]
pub struct Record {
    ring: Ring,
    /// Who had the CPU before the changes, if that is known.
    before: Option<Task>,
    changes: Vec<Change>,
    heard: Vec<Heard>,
    pub(super) handlers: Handlers,
}

impl Record {
    /// Begins to record the switches of this CPU, the names of tasks that begin on it, and, if the
    /// kernel's tracepoints may be used, its interrupts.
    ///
    /// # Errors
    /// The reason why they cannot be recorded, in words that a user can act on.
    pub fn open(cpu: usize) -> Result<Self, String> {
        let attributes = Attributes::switches(COMM | TASK);
        let mut opened = Err(String::new());
        for pages in PAGES {
            opened = Ring::open(&attributes, Of::Cpu(cpu), pages);
            if opened.is_ok() {
                break;
            }
        }
        let ring = opened?;
        let (changes, heard) = (Vec::with_capacity(256), Vec::new());
        let handlers = Handlers::open(&ring, cpu);
        Ok(Self { ring, before: None, changes, heard, handlers })
    }

    /// Makes room, if most of it is used.
    pub fn look(&mut self) {
        if self.ring.unread() > self.ring.size() / 4 {
            self.read(u64::MAX);
        }
    }

    /// Who had the CPU during these spans, as [`ran()`] finds it, and the interrupts that it
    /// handled during `late`, the longest first. Both belong to the time since the last call of
    /// any of these functions.
    ///
    /// # Errors
    /// This many records are missing.
    pub fn ran(&mut self, own: Task, spans: &[Span], late: Option<Span>) -> Result<Found, u64> {
        let first = spans.first().into_iter().chain(&late).map(|span| span.from).min();
        let lost = self.read(first.unwrap_or(u64::MAX));
        let found = Found {
            ran: ran(self.before, &self.changes, own, spans),
            interrupts: self.handlers.within(late.unwrap_or(Span { from: 0, to: 0 })),
        };
        self.before = self.changes.last().map_or(self.before, |last| Some(last.to));
        self.changes.clear();
        if lost == 0 { Ok(found) } else { Err(lost) }
    }

    /// What was heard of tasks since the last call.
    pub fn heard(&mut self) -> Vec<Heard> {
        self.read(u64::MAX);
        std::mem::take(&mut self.heard)
    }

    /// Reads all records, and keeps the changes after this time. Returns how many are missing.
    fn read(&mut self, from: u64) -> u64 {
        let Self { ring, before, changes, heard, handlers } = self;
        let lost = ring.read(|entry| match entry.kind {
            RECORD_SWITCH_CPU_WIDE if entry.size >= 16 + SAMPLE => {
                let change = change(&entry);
                handlers.switched(change.at, from);
                if change.at < from {
                    *before = Some(change.to);
                } else {
                    changes.push(change);
                }
            }
            RECORD_SAMPLE => handlers.hear(&entry, from),
            RECORD_COMM | RECORD_FORK if heard.len() < MOST_HEARD => heard.extend(about(&entry)),
            _ => {}
        });
        if lost > 0 {
            // Who had the CPU at any time is not known.
            self.before = None;
            self.changes.clear();
            // Those of switches matter more.
            self.handlers.stop();
        }
        lost
    }
}

fn task((pid, tid): (u32, u32)) -> Task {
    Task { pid, tid }
}

/// `u32 next_prev_pid, next_prev_tid; u32 pid, tid; u64 time`: the other task and this one.
fn change(entry: &Entry) -> Change {
    let out = entry.misc & SWITCH_OUT != 0;
    let to = task(entry.halves(if out { 8 } else { 16 }));
    Change { at: entry.word(24), to, began: !out }
}

/// A name, `u32 pid, tid; char comm[]`, or a new thread, `u32 pid, ppid; u32 tid, ptid`.
fn about(entry: &Entry) -> Option<Heard> {
    if entry.kind == RECORD_FORK {
        let ((pid, parent), (tid, by)) = (entry.halves(8), entry.halves(16));
        return Some(Heard::Forked { task: task((pid, tid)), parent: task((parent, by)) });
    }
    let end = entry.size.checked_sub(SAMPLE)?;
    Some(Heard::Named { task: task(entry.halves(8)), name: entry.text(16, end) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of this kind, of these words.
    fn with<T>(kind: u32, misc: u16, words: &[u64], then: impl FnOnce(&Entry) -> T) -> T {
        let size = 8 + 8 * words.len() as u64;
        let head = u64::from(kind) | u64::from(misc) << 32 | size << 48;
        let all: Vec<u64> = [&[head], words].concat();
        then(&Entry::of(&|at| all[usize::from(at) / 8]))
    }

    fn two(low: u32, high: u32) -> u64 {
        u64::from(low) | u64::from(high) << 32
    }

    #[test]
    fn records_are_read_as_the_kernel_writes_them() {
        let words = [two(5, 6), two(7, 8), 123, 1];
        let of = |misc| with(RECORD_SWITCH_CPU_WIDE, misc, &words, change);
        let (next, this) = (task((5, 6)), task((7, 8)));
        assert_eq!(of(SWITCH_OUT), Change { at: 123, to: next, began: false });
        assert_eq!(of(0), Change { at: 123, to: this, began: true });
        let words = [two(30, 20), two(31, 21), 99, 0, 0, 0];
        let forked = Heard::Forked { task: task((30, 31)), parent: task((20, 21)) };
        assert_eq!(with(RECORD_FORK, 0, &words, about), Some(forked));
    }

    #[test]
    fn names_may_be_anything() {
        for (bytes, name) in [
            (b"rustc\0\0\0", "rustc"),
            (b"\x1b[1m\n\"<\0", "\u{1b}[1m\n\"<"),
            (b"\xff\xfea\0\0\0\0\0", "\u{fffd}\u{fffd}a"),
            (b"12345678", "12345678"),
        ] {
            let words = [two(3, 4), u64::from_le_bytes(*bytes), 0, 0, 0];
            let named = Heard::Named { task: task((3, 4)), name: name.into() };
            assert_eq!(with(RECORD_COMM, 0, &words, about), Some(named));
        }
        // Shorter than a record can be.
        assert!(with(RECORD_COMM, 0, &[], about).is_none());
    }
}
