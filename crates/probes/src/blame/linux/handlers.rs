//! The interrupts that a CPU handles, as the kernel's tracepoints report them (`events/irq` of
//! tracefs: Linux Documentation/trace/events.rst). Their records lie between those of switches.
//! They need tracefs, and CAP_PERFMON or a perf_event_paranoid of -1.

use super::super::{Span, trace};
use super::read;
use super::ring::{Attributes, Of, Record, Ring, disable};
use chronoscope_model::why::Interrupts;
use std::cmp::Reverse;
use std::fs::File;
use std::path::Path;

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
const MOST: u64 = 10_000;
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
        let folders = trace::folders().into_iter();
        let found = folders.map(|folder| points(&folder)).find(|it| !it.is_empty());
        let points = found.unwrap_or_default();
        let open = |it: &Point| ring.also(&Attributes::tracepoint(it.id), Of::Cpu(cpu)).ok();
        let Some(events) = points.iter().map(open).collect() else {
            return Self::default();
        };
        Self { points, events, ..Self::default() }
    }

    /// Takes over a record; handlers that ended before `from` are not kept.
    pub(super) fn hear(&mut self, record: &Record, from: u64) {
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
            if self.heard.saturating_mul(SECOND) / passed > MOST {
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
fn text(record: &Record, at: u16) -> String {
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
        all.hear(&Record::of(&word), 0);
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
        all.hear(&Record::of(&|_| 0), 0);
        assert_eq!(all.inside.len(), DEEPEST);
        assert!(within(&mut all, 0, u64::MAX).iter().all(|it| it.1.len() < 200));
    }

    #[test]
    fn a_storm_ends_the_records() {
        let storm = |pause: u64| {
            let mut all = known();
            (0..=3 * MOST).for_each(|n| hear(&mut all, SECOND * 9 + n * pause, 225, 24, &[]));
            all.points.len()
        };
        assert_eq!((storm(SECOND / MOST * 2), storm(SECOND / MOST / 2)), (6, 0));
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
        let Ok(mut record) = super::super::Record::open(cpu) else {
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
