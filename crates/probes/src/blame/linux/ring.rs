//! Performance events that count nothing, and the records that the kernel writes for them
//! (perf_event_open(2); Linux include/uapi/linux/perf_event.h).

use super::super::{Switch, Turn};
use super::Counter;
use crate::memory::{Mapped, page_size};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicU64, Ordering};

/// `struct perf_event_attr` up to PERF_ATTR_SIZE_VER4; `flags` is its bit field, from the lowest
/// bit on as compilers lay it out on little-endian machines.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sample: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    config1: u64,
    config2: u64,
    branch: u64,
    registers: u64,
    stack: u32,
    clock: i32,
    interrupted: u64,
}

impl Attributes {
    /// The attributes of an event of this type, which only counts.
    pub(super) fn of(kind: u32, config: u64) -> Self {
        Self { kind, size: size_of::<Self>() as u32, config, ..Self::default() }
    }

    /// An event that counts nothing and records context switches, by the clock that timers run on,
    /// and what `flags` adds. Each record ends with the thread, the time and the CPU.
    pub(super) fn switches(flags: u64) -> Self {
        Self {
            sample: TID | TIME | CPU,
            flags: EXCLUDE_KERNEL | EXCLUDE_HV | SAMPLE_ID_ALL | USE_CLOCK | CONTEXT_SWITCH | flags,
            clock: libc::CLOCK_MONOTONIC,
            ..Self::of(SOFTWARE, DUMMY)
        }
    }

    /// The tracepoint with this number: a record of each time that it is passed, with the time and
    /// the tracepoint's own fields.
    pub(super) fn tracepoint(id: u16) -> Self {
        Self {
            period: 1,
            sample: TIME | RAW,
            flags: USE_CLOCK,
            clock: libc::CLOCK_MONOTONIC,
            ..Self::of(TRACEPOINT, id.into())
        }
    }
}

const SOFTWARE: u32 = 1;
const TRACEPOINT: u32 = 2;
const DUMMY: u64 = 9;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const CPU: u64 = 1 << 7;
const RAW: u64 = 1 << 10;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HV: u64 = 1 << 6;
/// Records of names, when a program sets or changes them.
pub(super) const COMM: u64 = 1 << 9;
/// Records of threads that begin and end.
pub(super) const TASK: u64 = 1 << 13;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const USE_CLOCK: u64 = 1 << 25;
const CONTEXT_SWITCH: u64 = 1 << 26;
const CLOSE_ON_EXEC: libc::c_ulong = 8;
const DISABLE: libc::Ioctl = libc::_IO(b'$' as u32, 1);
const SET_OUTPUT: libc::Ioctl = libc::_IO(b'$' as u32, 5);

/// A record that says how many others could not be stored.
pub(super) const LOST: u32 = 2;
/// In the `misc` of a record of a switch: the thread gave up its CPU.
pub(super) const SWITCH_OUT: u16 = 1 << 13;

/// Where `struct perf_event_mmap_page` has `data_head` and `data_tail`, in bytes.
const HEAD: usize = 1024;
const TAIL: usize = 1032;

/// Whose events are recorded.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    ThisThread,
    /// A thread of another process, with this number.
    Thread(u32),
    Cpu(usize),
}

/// Opens an event.
pub(super) fn open_event(attributes: &Attributes, of: Of) -> Result<File, String> {
    if cfg!(target_endian = "big") {
        return Err("records are read on little-endian machines only".into());
    }
    let (thread, cpu): (libc::pid_t, libc::c_int) = match of {
        Of::ThisThread => (0, -1),
        Of::Thread(tid) => (tid.try_into().map_err(|_| "there is no such thread")?, -1),
        Of::Cpu(cpu) => (-1, cpu.try_into().map_err(|_| "there is no such CPU")?),
    };
    // SAFETY: the attributes are as long as they say and outlive the call, which stores nothing.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            std::ptr::from_ref(attributes),
            thread,
            cpu,
            -1 as libc::c_int,
            CLOSE_ON_EXEC,
        )
    };
    match i32::try_from(fd) {
        // SAFETY: the descriptor is new, and nothing else owns it.
        Ok(fd @ 0..) => Ok(unsafe { File::from_raw_fd(fd) }),
        _ => Err(refused(&io::Error::last_os_error(), of)),
    }
}

/// Ends the records of an event. To close it takes longer.
pub(super) fn disable(event: &File) {
    // An event that goes on only costs time.
    control(event, DISABLE, 0);
}

fn control(event: &File, request: libc::Ioctl, argument: libc::c_int) -> bool {
    // SAFETY: the requests of this file take a number, and touch no memory of the process.
    unsafe { libc::ioctl(event.as_raw_fd(), request, argument) == 0 }
}

/// Why an event was refused, in words that a user can act on.
fn refused(error: &io::Error, of: Of) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            let paranoid = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
            let paranoid = paranoid.map_or(String::new(), |it| format!(" (it is {})", it.trim()));
            // A whole CPU needs 0 or less (Documentation/admin-guide/sysctl/kernel.rst).
            let lower = match of {
                Of::ThisThread | Of::Thread(_) => "lower /proc/sys/kernel/perf_event_paranoid",
                Of::Cpu(_) => "lower /proc/sys/kernel/perf_event_paranoid to 0",
            };
            format!(
                "perf_event_open is not permitted: {lower}{paranoid}, or give the process \
                 CAP_PERFMON; a container's seccomp profile may also forbid it"
            )
        }
        Some(libc::ENOSYS) => "this kernel has no perf_event_open (CONFIG_PERF_EVENTS is off, or \
                               a sandbox hides it)"
            .into(),
        Some(libc::E2BIG | libc::EINVAL) => {
            "this kernel cannot record context switches for a thread: that needs Linux 4.3".into()
        }
        _ => format!("perf_event_open: {error}"),
    }
}

/// An event and the memory that the kernel writes its records to.
#[derive(Debug)]
pub(super) struct Ring {
    memory: Mapped,
    page: usize,
    /// Pages of records, a power of two.
    pages: usize,
    event: File,
}

// SAFETY: the memory belongs to the process, not to a thread; only its owner reads it.
unsafe impl Send for Ring {}

/// A record, as far as all have the same form: `u32 type, u16 misc, u16 size`.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) kind: u32,
    pub(super) misc: u16,
    pub(super) size: u16,
    word: &'a dyn Fn(u16) -> u64,
}

impl<'a> Entry<'a> {
    /// The record whose words these are, by their offset in bytes.
    pub(super) fn of(word: &'a dyn Fn(u16) -> u64) -> Self {
        let head = word(0);
        Self { kind: head as u32, misc: (head >> 32) as u16, size: (head >> 48) as u16, word }
    }

    /// The eight bytes at this offset; zeros after the end.
    pub(super) fn word(&self, at: u16) -> u64 {
        if at < self.size { (self.word)(at) } else { 0 }
    }

    /// The two halves of the eight bytes at this offset, the first one first.
    pub(super) fn halves(&self, at: u16) -> (u32, u32) {
        let word = self.word(at);
        (word as u32, (word >> 32) as u32)
    }

    /// The four bytes at this offset, a multiple of 4; zeros after the end.
    pub(super) fn half(&self, at: u16) -> u32 {
        let (low, high) = self.halves(at & !7);
        if at & 4 == 0 { low } else { high }
    }

    /// The text between these offsets, up to the first zero.
    pub(super) fn text(&self, from: u16, to: u16) -> String {
        let byte = |at: u16| self.word(at & !7).to_le_bytes()[usize::from(at & 7)];
        let bytes: Vec<u8> = (from..to).map(byte).take_while(|byte| *byte != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Ring {
    /// Opens an event, with memory of this many pages for its records.
    pub(super) fn open(attributes: &Attributes, of: Of, pages: usize) -> Result<Self, String> {
        let event = open_event(attributes, of)?;
        let page = page_size().ok_or("the size of a page is not known")?;
        let memory = Mapped::of(&event, (1 + pages) * page).map_err(|error| {
            format!(
                "the memory for records of context switches cannot be mapped: {error}; raise \
                 /proc/sys/kernel/perf_event_mlock_kb or `ulimit -l`"
            )
        })?;
        Ok(Self { memory, page, pages, event })
    }

    /// Opens another event whose records go to the same memory, in the order of time.
    pub(super) fn also(&self, attributes: &Attributes, of: Of) -> Result<File, String> {
        let event = open_event(attributes, of)?;
        let joined = control(&event, SET_OUTPUT, self.event.as_raw_fd());
        joined.then_some(event).ok_or_else(|| "its records cannot be redirected".into())
    }

    /// The size of the memory for records, in bytes.
    pub(super) fn size(&self) -> u64 {
        (self.pages * self.page) as u64
    }

    fn at(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: both offsets lie within the first page, are multiples of 8, and the kernel
        // accesses them as whole words.
        unsafe { self.memory.at.add(offset).cast::<AtomicU64>().as_ref() }
    }

    /// Eight bytes of the records, which wrap around. Records begin at multiples of 8 and have
    /// such sizes (Linux kernel/events/core.c, `perf_event_header__init_id` and its callers).
    fn word(&self, at: u64) -> u64 {
        let place = (at & (self.size() - 1) & !7) as usize;
        // SAFETY: the records follow the first page and have this size, which is a power of two;
        // the place is a multiple of 8 within it.
        u64::from_le(unsafe { self.memory.at.add(self.page + place).cast::<u64>().read_volatile() })
    }

    /// How many bytes of records have not been read yet.
    pub(super) fn unread(&self) -> u64 {
        let head = self.at(HEAD).load(Ordering::Acquire);
        head.wrapping_sub(self.at(TAIL).load(Ordering::Relaxed))
    }

    /// Passes on every record since the last call, the oldest first, and returns how many are
    /// missing.
    pub(super) fn read(&self, mut each: impl FnMut(Entry)) -> u64 {
        let mut lost = 0u64;
        let mut at = self.at(TAIL).load(Ordering::Relaxed);
        let head = self.at(HEAD).load(Ordering::Acquire);
        while at < head {
            let word = |offset: u16| self.word(at + u64::from(offset));
            let record = Entry::of(&word);
            if record.kind == LOST && record.size >= 24 {
                lost = lost.saturating_add(record.word(16).max(1));
            } else {
                each(record);
            }
            // A size of zero would not be a record.
            if record.size == 0 {
                lost += 1;
                break;
            }
            at += u64::from(record.size);
        }
        self.at(TAIL).store(head, Ordering::Release);
        lost
    }
}

const RECORD_SWITCH: u32 = 14;
const SWITCH_OUT_PREEMPT: u16 = 1 << 14;

/// Some 800 records, which a thread that is read after each wait fills only if it switches all the
/// time.
const PAGES: usize = 8;
/// The most switches that are kept for one wait.
const MOST: usize = 4096;

#[derive(Debug)]
pub(super) struct Switches {
    ring: Ring,
    seen: Vec<Switch>,
}

impl Switches {
    pub(super) fn open(of: Of) -> Result<Self, String> {
        let ring = Ring::open(&Attributes::switches(0), of, PAGES)?;
        Ok(Self { ring, seen: Vec::with_capacity(64) })
    }

    /// What was recorded since the last call, and how many records are missing; no switches if some
    /// are.
    pub(super) fn look(&mut self) -> (Option<&[Switch]>, u64) {
        self.seen.clear();
        let (seen, mut more) = (&mut self.seen, 0);
        let lost = self.ring.read(|record| match switch(&record) {
            Some(_) if seen.len() == MOST => more += 1,
            Some(switch) => seen.push(switch),
            None => {}
        });
        let lost = lost.saturating_add(more);
        ((lost == 0).then_some(&self.seen), lost)
    }
}

/// The switch that a record is about: `u32 pid, tid; u64 time; u32 cpu, reserved`.
fn switch(record: &Entry) -> Option<Switch> {
    if record.kind != RECORD_SWITCH || record.size < 32 {
        return None;
    }
    Some(Switch {
        at: record.word(16),
        cpu: record.halves(24).0,
        turn: match (record.misc & SWITCH_OUT, record.misc & SWITCH_OUT_PREEMPT) {
            (0, _) => Turn::In,
            (_, 0) => Turn::Out,
            _ => Turn::Preempted,
        },
    })
}

const SMI_TYPE: &str = "/sys/bus/event_source/devices/msr/type";
const SMI_EVENT: &str = "/sys/bus/event_source/devices/msr/events/smi";

#[derive(Debug)]
pub(super) struct Smi {
    file: File,
    count: Counter,
}

impl Smi {
    pub(super) fn open() -> Result<Self, String> {
        let text = |path| fs::read_to_string(path).ok();
        let kind = text(SMI_TYPE).and_then(|text| text.trim().parse().ok());
        let smi_config = text(SMI_EVENT).and_then(|text| smi_config(&text));
        let known = kind.zip(smi_config);
        let (kind, smi_config) =
            known.ok_or("the kernel has no event msr/smi/: only Intel's processors count them")?;
        let file = open_event(&Attributes::of(kind, smi_config), Of::ThisThread)?;
        let mut smi = Self { file, count: Counter::default() };
        smi.look();
        smi.count.0.ok_or("the event msr/smi/ cannot be read")?;
        Ok(smi)
    }

    pub(super) fn look(&mut self) -> Option<u64> {
        let mut value = [0; 8];
        let read = self.file.read_exact(&mut value);
        self.count.look(read.ok().map(|()| u64::from_ne_bytes(value)))
    }
}

/// The number in `event=0x04`.
fn smi_config(event: &str) -> Option<u64> {
    let value = event.trim().strip_prefix("event=")?;
    u64::from_str_radix(value.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_the_kernel_writes_them() {
        let of = |misc: u16, size: u16| {
            let head = u64::from(RECORD_SWITCH) | u64::from(misc) << 32 | u64::from(size) << 48;
            let words = [head, 7, 123_456, 3];
            switch(&Entry::of(&|at| words[usize::from(at) / 8]))
        };
        let expected = |turn| Some(Switch { at: 123_456, cpu: 3, turn });
        assert_eq!(of(0, 32), expected(Turn::In));
        assert_eq!(of(SWITCH_OUT, 32), expected(Turn::Out));
        assert_eq!(of(SWITCH_OUT | SWITCH_OUT_PREEMPT, 32), expected(Turn::Preempted));
        assert_eq!(of(0, 16), None);
        assert_eq!(switch(&Entry::of(&|_| 0)), None);
    }

    #[test]
    fn a_full_ring_reports_that_records_were_lost() {
        let Ok(mut switches) = Switches::open(Of::ThisThread) else {
            return;
        };
        switches.look();
        let mut lost = 0;
        // Each sleep has two records of 32 bytes, and pages have at most 64 KiB. If an interrupt
        // comes at the right moment, a sleep ends before it has begun and has no record.
        for _ in 0..switches.ring.size() / 64 * 4 {
            std::thread::sleep(std::time::Duration::from_micros(1));
        }
        for _ in 0..3 {
            lost += switches.look().1;
            std::thread::sleep(std::time::Duration::from_micros(1));
        }
        assert!(lost > 0, "nothing was lost");
        assert!(switches.look().0.is_some_and(|seen| !seen.is_empty()));
    }

    #[test]
    fn the_events_number_is_read_as_the_kernel_writes_it() {
        assert_eq!(smi_config("event=0x04\n"), Some(4));
        assert_eq!(smi_config("event=4"), None);
        assert_eq!(smi_config(""), None);
    }
}
