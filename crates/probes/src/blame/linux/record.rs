//! All context switches of a CPU, as the kernel records them for a performance event of that CPU:
//! `PERF_RECORD_SWITCH_CPU_WIDE`, with the tasks on both sides (perf_event_open(2)). That needs
//! CAP_PERFMON, or perf_event_paranoid of at most 0.

use super::super::{Change, Found, Heard, Span, Task, folders, ran};
use super::read;
use super::ring::{Attributes, COMM, Entry, Of, Ring, SWITCH_OUT, TASK, disable};
use chronoscope_model::why::Interrupts;
use std::cmp::Reverse;
use std::fs::File;
use std::path::Path;

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

/// Tracepoints without their endings `_entry` and `_exit`, the field that distinguishes handlers,
/// and the names of these, by that number, in `/proc/softirqs` and `/proc/interrupts`.
type Kind = (&'static str, Option<&'static str>, &'static [&'static str], &'static str);
const KINDS: [Kind; 5] = [
    ("irq/irq_handler", Some("irq"), &[], ""),
    ("irq/softirq", Some("vec"), &SOFTIRQS, "soft interrupt"),
    // Only x86 has these. Its timer is left out: the records would make each wake-up later.
    ("irq_vectors/reschedule", None, &["RES"], "Rescheduling interrupts"),
    ("irq_vectors/call_function", None, &["CAL"], "Function call interrupts"),
    ("irq_vectors/call_function_single", None, &["CAL"], "Function call interrupts"),
];
/// Linux include/linux/interrupt.h.
const SOFTIRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// Where a record has the tracepoint's own bytes: after `u64 time; u32 size`. The first two of
/// them are its number.
const TIME: u16 = 8;
const RAW: u16 = 20;
/// The longest name that is kept of a device.
const NAME: u16 = 64;
/// Handlers interrupt each other no deeper than this.
const DEEPEST: usize = 8;
/// More records a second than this take too much time: no more are made.
const MOST_SECOND: u64 = 10_000;
const SECOND: u64 = 1_000_000_000;

/// A tracepoint, and where its records have the number and the name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Point {
    id: u16,
    kind: usize,
    begins: bool,
    number: Option<u16>,
    name: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Handler {
    kind: usize,
    number: u32,
    name: String,
    /// Whether no time of it is in `ran` yet.
    new: bool,
}

/// What a CPU handles now, and has handled since it was last asked.
#[derive(Debug, Default)]
pub(super) struct Handlers {
    points: Vec<Point>,
    events: Vec<File>,
    /// Those that run, each of which interrupted the one before it, and since when the last does.
    inside: Vec<Handler>,
    since: u64,
    ran: Vec<(Handler, Span)>,
    /// How many records there were since a time.
    heard: u64,
    began: u64,
}

impl Handlers {
    /// Begins to record them with the switches; does nothing where that is not possible.
    pub(super) fn open(ring: &Ring, cpu: usize) -> Self {
        let folders = folders().into_iter();
        let found = folders.map(|folder| points(&folder)).find(|it| !it.is_empty());
        let points = found.unwrap_or_default();
        let open = |it: &Point| ring.also(&Attributes::tracepoint(it.id), Of::Cpu(cpu)).ok();
        let Some(events) = points.iter().map(open).collect() else {
            return Self::default();
        };
        Self { points, events, ..Self::default() }
    }

    /// Takes over a record; handlers that ended before `from` are not kept.
    pub(super) fn hear(&mut self, record: &Entry, from: u64) {
        let (at, id) = (record.word(TIME), record.half(RAW) as u16);
        let Some(point) = self.points.iter().find(|point| point.id == id) else {
            return;
        };
        let (kind, begins) = (point.kind, point.begins);
        let number = point.number.map_or(0, |at| record.half(at));
        let name = point.name.map_or(String::new(), |at| text(record, at));
        self.until(at, from);
        if begins {
            self.inside.truncate(DEEPEST - 1);
            self.inside.push(Handler { kind, number, name, new: true });
        } else if let Some(nth) =
            self.inside.iter().rposition(|it| (it.kind, it.number) == (kind, number))
        {
            self.inside.truncate(nth);
        }
        self.heard += 1;
        let passed = at.saturating_sub(self.began);
        if passed >= SECOND {
            if self.heard.saturating_mul(SECOND) / passed > MOST_SECOND {
                self.stop();
            }
            (self.heard, self.began) = (0, at);
        }
    }

    /// The CPU changed hands: only a handler in a thread can run at that time, and goes on later.
    pub(super) fn switched(&mut self, at: u64, from: u64) {
        self.until(at, from);
        self.inside.clear();
    }

    /// The time until `at` was that of the innermost handler.
    fn until(&mut self, at: u64, from: u64) {
        if let Some(last) = self.inside.last_mut()
            && at >= from
        {
            self.ran.push((last.clone(), Span { from: self.since, to: at }));
            last.new = false;
        }
        self.since = self.since.max(at);
    }

    /// What ran in this span, the longest first. All that is known so far is forgotten.
    pub(super) fn within(&mut self, span: Span) -> Vec<Interrupts> {
        let mut all: Vec<Interrupts> = Vec::new();
        for (handler, it) in self.ran.drain(..) {
            let ns = it.to.min(span.to).saturating_sub(it.from.max(span.from));
            if ns == 0 {
                continue;
            }
            let (_, _, ids, name) = KINDS[handler.kind];
            let id = ids.get(handler.number as usize);
            let id = id.map_or_else(|| handler.number.to_string(), |id| (*id).to_owned());
            let name = if handler.name.is_empty() { name.to_owned() } else { handler.name };
            if let Some(one) = all.iter_mut().find(|one| (&one.id, &one.name) == (&id, &name)) {
                one.count += u64::from(handler.new);
                one.ns = one.ns.map(|sum| sum.saturating_add(ns));
            } else {
                all.push(Interrupts { id, name, count: 1, ns: Some(ns) });
            }
        }
        all.sort_by_key(|it| Reverse(it.ns));
        all
    }

    /// Makes no more records, and forgets what is known.
    pub(super) fn stop(&mut self) {
        self.events.iter().for_each(disable);
        self.points.clear();
        self.inside.clear();
        self.ran.clear();
    }
}

/// The text that `u16 offset, length` at this place of a record refer to.
fn text(record: &Entry, at: u16) -> String {
    let place = record.half(at);
    let (from, length) = (RAW.saturating_add(place as u16), (place >> 16) as u16);
    record.text(from, from.saturating_add(length.min(NAME)))
}

/// The tracepoints that this tracefs has, each with the one that ends it.
fn points(tracefs: &Path) -> Vec<Point> {
    let pairs = KINDS.iter().enumerate().filter_map(|(kind, (path, field, ..))| {
        let of = |ending, begins| -> Option<Point> {
            let folder = tracefs.join(format!("events/{path}_{ending}"));
            let (mut id, mut format) = ([0; 32], [0; 4096]);
            let id = read(&File::open(folder.join("id")).ok()?, &mut id)?.trim().parse().ok()?;
            let format = read(&File::open(folder.join("format")).ok()?, &mut format)?;
            let number = match field {
                Some(field) => Some(offset(format, field)?),
                None => None,
            };
            Some(Point { id, kind, begins, number, name: offset(format, "name") })
        };
        Some([of("entry", true)?, of("exit", false)?])
    });
    pairs.flatten().collect()
}

/// Where a record has a field of four bytes: `field:int irq; offset:8; size:4; signed:1;`.
fn offset(format: &str, field: &str) -> Option<u16> {
    format.lines().find_map(|line| {
        let mut parts = line.split(';').map(str::trim);
        let named = parts.next()?.strip_prefix("field:")?.rsplit(' ').next()? == field;
        let at: u16 = parts.next()?.strip_prefix("offset:")?.parse().ok()?;
        let usable = named && parts.next()? == "size:4" && at.is_multiple_of(4);
        at.checked_add(RAW).filter(|_| usable)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::affinity;
    use crate::waits::os::monotonic;
    use std::fs;
    use std::net::UdpSocket;
    use std::time::{Duration, Instant};

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

    const NUMBERED: &str = "name: some\nID: 7\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n\
        \tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n\n\
        print fmt: \"irq=%d name=%s\", REC->irq, __get_str(name)\n";
    const RES: u16 = 165;

    /// Devices, softirqs, and what other CPUs want; the number of `_exit` is one more.
    fn known() -> Handlers {
        let place = |numbered: bool| numbered.then_some(RAW + 8);
        let points =
            [(225, 0, true), (223, 1, true), (RES, 2, false)].map(|(id, kind, numbered)| {
                let point = Point { id, kind, begins: true, number: place(numbered), name: None };
                let name = (kind == 0).then_some(RAW + 12);
                let end = Point { id: id + 1, begins: false, ..point.clone() };
                [Point { name, ..point }, end]
            });
        Handlers { points: points.concat(), ..Handlers::default() }
    }

    /// The record of a tracepoint, as the kernel writes it.
    fn hear(all: &mut Handlers, at: u64, id: u16, number: u32, rest: &[u8]) {
        let raw = [&id.to_le_bytes()[..], &[0; 6], &number.to_le_bytes(), rest].concat();
        let mut bytes = [&[9, 0, 0, 0, 0, 0][..], &[0; 2], &at.to_le_bytes()].concat();
        bytes.extend((raw.len() as u32).to_le_bytes());
        bytes.extend(raw);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let size = (bytes.len() as u16).to_le_bytes();
        bytes[6..8].copy_from_slice(&size);
        let word = |at: u16| {
            let at = usize::from(at);
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"))
        };
        all.hear(&Entry::of(&word), 0);
    }

    fn within(all: &mut Handlers, from: u64, to: u64) -> Vec<(String, String, u64, u64)> {
        let found = all.within(Span { from, to }).into_iter();
        found.map(|it| (it.id, it.name, it.count, it.ns.expect("a time"))).collect()
    }

    #[test]
    fn each_handler_has_its_own_time_within_the_span() {
        let mut all = known();
        let run = |all: &mut Handlers| {
            // Another CPU interrupts a softirq, which goes on afterwards; then a device, twice.
            hear(all, 100, 223, 3, &[]);
            hear(all, 140, RES, 0, &[]);
            hear(all, 150, RES + 1, 0, &[]);
            hear(all, 190, 224, 3, &[]);
            for at in [200, 230] {
                hear(all, at, 225, 24, b"\x10\0\x05\0eth0\0");
                hear(all, at + 20, 226, 24, b"\x01\0\0\0");
            }
        };
        let row = |id: &str, name: &str, count, ns| (id.to_owned(), name.to_owned(), count, ns);
        let soft = |ns| row("NET_RX", "soft interrupt", 1, ns);
        let other = |ns| row("RES", "Rescheduling interrupts", 1, ns);
        run(&mut all);
        let whole = within(&mut all, 0, 999);
        assert_eq!(whole, [soft(80), row("24", "eth0", 2, 40), other(10)]);
        assert_eq!(within(&mut all, 0, 999), []);
        all = known();
        run(&mut all);
        assert_eq!(within(&mut all, 145, 210), [soft(40), row("24", "eth0", 1, 10), other(5)]);
    }

    #[test]
    fn records_may_be_missing_or_anything() {
        let mut all = known();
        // An end without a beginning, an unknown softirq that a switch ends, another tracepoint.
        hear(&mut all, 10, RES + 1, 0, &[]);
        hear(&mut all, 20, 223, 77, &[]);
        all.switched(30, 0);
        hear(&mut all, 90, 224, 77, &[]);
        hear(&mut all, 95, 9_999, 1, &[]);
        let unknown = ("77".to_owned(), "soft interrupt".to_owned(), 1, 10);
        assert_eq!(within(&mut all, 0, 999), [unknown]);
        for place in [0xffff_ffff_u32, 0xffff_0000, 0x0040_0030, 0] {
            hear(&mut all, 100, 225, 24, &[&place.to_le_bytes()[..], b"a\xff\x1b["].concat());
        }
        (0..100).for_each(|_| hear(&mut all, 90, RES, 0, &[]));
        all.hear(&Entry::of(&|_| 0), 0);
        assert_eq!(all.inside.len(), DEEPEST);
        assert!(within(&mut all, 0, u64::MAX).iter().all(|it| it.1.len() < 200));
    }

    #[test]
    fn a_storm_ends_the_records() {
        let storm = |pause: u64| {
            let mut all = known();
            (0..=3 * MOST_SECOND)
                .for_each(|n| hear(&mut all, SECOND * 9 + n * pause, 225, 24, &[]));
            all.points.len()
        };
        assert_eq!((storm(SECOND / MOST_SECOND * 2), storm(SECOND / MOST_SECOND / 2)), (6, 0));
    }

    #[test]
    fn a_tracefs_may_lack_anything() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, id: &str, format: &str| {
            let at = folder.path().join("events").join(name);
            fs::create_dir_all(&at).expect("a folder");
            fs::write(at.join("id"), id).expect("room");
            fs::write(at.join("format"), format).expect("room");
        };
        assert_eq!(points(&folder.path().join("none")), []);
        assert_eq!(points(folder.path()), []);
        put("irq/irq_handler_entry", "225\n", NUMBERED);
        assert_eq!(points(folder.path()), [], "no end");
        for garbage in ["", "x", "-1", "99999", "224 1"] {
            put("irq/irq_handler_exit", garbage, NUMBERED);
            assert_eq!(points(folder.path()), [], "{garbage}");
        }
        put("irq/irq_handler_exit", "224\n", "field:int irq;\toffset:65532;\tsize:4;");
        assert_eq!(points(folder.path()), [], "no such place");
        put("irq/irq_handler_exit", "224\n", NUMBERED);
        put("irq_vectors/reschedule_entry", "165\n", &"x".repeat(10_000));
        put("irq_vectors/reschedule_exit", "164\n", "");
        let of = |id, kind, begins, number, name| Point { id, kind, begins, number, name };
        let (number, name) = (Some(RAW + 8), Some(RAW + 12));
        let devices = [of(225, 0, true, number, name), of(224, 0, false, number, name)];
        let other = [of(165, 2, true, None, None), of(164, 2, false, None, None)];
        assert_eq!(points(folder.path()), [devices, other].concat());
    }

    /// A packet to this machine itself makes a softirq.
    #[test]
    fn interrupts_of_this_cpu_are_seen() {
        let cpu = *affinity::allowed().last().expect("a CPU");
        let _pin = affinity::pin(cpu).expect("an allowed CPU");
        let Ok(mut record) = Record::open(cpu) else {
            return eprintln!("not tested: no records of this CPU");
        };
        let socket = UdpSocket::bind("127.0.0.1:0");
        let Some(socket) = socket.ok().filter(|_| !record.handlers.events.is_empty()) else {
            return eprintln!("not tested: no tracepoints, or no network");
        };
        let here = socket.local_addr().expect("an address");
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            record.look();
            let from = monotonic();
            socket.send_to(b"x", here).expect("room");
            let late = Span { from, to: monotonic() };
            let found = record.ran(super::super::this_thread(), &[], Some(late));
            let interrupts = found.map_or(Vec::new(), |found| found.interrupts);
            let sum: u64 = interrupts.iter().filter_map(|it| it.ns).sum();
            assert!(sum <= late.to - late.from, "{interrupts:?}");
            if interrupts.iter().any(|it| it.id == "NET_RX" && it.count > 0) {
                return;
            }
        }
        panic!("none was seen");
    }
}
