//! This thread's context switches, as the kernel records them for a performance event that counts
//! nothing: `PERF_RECORD_SWITCH` (perf_event_open(2); Linux include/uapi/linux/perf_event.h). A
//! thread may record its own without privilege if perf_event_paranoid is at most 2 (kernel commit
//! 45ac1403f564).

use super::super::{Switch, Turn};
use std::fs::File;
use std::io;
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
}

const SOFTWARE: u32 = 1;
const DUMMY: u64 = 9;
/// Each record ends with the thread, the time and the CPU, in this order.
const SAMPLE: u64 = TID | TIME | CPU;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const CPU: u64 = 1 << 7;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HV: u64 = 1 << 6;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const USE_CLOCK: u64 = 1 << 25;
const CONTEXT_SWITCH: u64 = 1 << 26;
const CLOSE_ON_EXEC: libc::c_ulong = 8;

const RECORD_LOST: u32 = 2;
const RECORD_SWITCH: u32 = 14;
const SWITCH_OUT: u16 = 1 << 13;
const SWITCH_OUT_PREEMPT: u16 = 1 << 14;

/// Where `struct perf_event_mmap_page` has `data_head` and `data_tail`, in bytes.
const HEAD: usize = 1024;
const TAIL: usize = 1032;
/// Pages of records, a power of two: some 800 records, which a thread that is read after each wait
/// fills only if it switches all the time.
const PAGES: usize = 8;
/// The most switches that are kept for one wait.
const MOST: usize = 4096;

/// Opens an event of the calling thread.
pub(super) fn open_event(attributes: &Attributes) -> Result<File, String> {
    if cfg!(target_endian = "big") {
        return Err("records are read on little-endian machines only".into());
    }
    // SAFETY: the attributes are as long as they say and outlive the call, which stores nothing; 0
    // and -1 are the calling thread on any CPU.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            std::ptr::from_ref(attributes),
            0 as libc::pid_t,
            -1 as libc::c_int,
            -1 as libc::c_int,
            CLOSE_ON_EXEC,
        )
    };
    match i32::try_from(fd) {
        // SAFETY: the descriptor is new, and nothing else owns it.
        Ok(fd @ 0..) => Ok(unsafe { File::from_raw_fd(fd) }),
        _ => Err(refused(&io::Error::last_os_error())),
    }
}

/// Why an event was refused, in words that a user can act on.
fn refused(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
            let paranoid = paranoid.map_or(String::new(), |it| format!(" (it is {})", it.trim()));
            format!(
                "perf_event_open is not permitted: lower /proc/sys/kernel/perf_event_paranoid\
                 {paranoid}, or give the process CAP_PERFMON; a container's seccomp profile may \
                 also forbid it"
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

/// The memory that the kernel writes records to.
#[derive(Debug)]
struct Ring {
    base: *mut u8,
    page: usize,
}

// SAFETY: the memory belongs to the process, not to a thread; only its owner reads it.
unsafe impl Send for Ring {}

impl Ring {
    fn map(file: &File) -> Result<Self, String> {
        // SAFETY: has no preconditions.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) })
            .map_err(|_| "the size of a page is not known")?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: new memory wherever the kernel likes.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                (1 + PAGES) * page,
                access,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            let error = io::Error::last_os_error();
            return Err(format!(
                "the memory for records of context switches cannot be mapped: {error}; raise \
                 /proc/sys/kernel/perf_event_mlock_kb or `ulimit -l`"
            ));
        }
        Ok(Self { base: base.cast(), page })
    }

    fn at(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: both offsets lie within the first page, are multiples of 8, and the kernel
        // accesses them as whole words.
        unsafe { &*self.base.add(offset).cast::<AtomicU64>() }
    }

    /// A byte of the records, which wrap around.
    fn byte(&self, at: u64) -> u8 {
        let size = (PAGES * self.page) as u64;
        // SAFETY: the records follow the first page and have this size.
        unsafe { self.base.add(self.page + (at % size) as usize).read_volatile() }
    }

    fn bytes<const N: usize>(&self, at: u64) -> [u8; N] {
        std::array::from_fn(|nth| self.byte(at.wrapping_add(nth as u64)))
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this size, and nothing refers to it any more.
        unsafe { libc::munmap(self.base.cast(), (1 + PAGES) * self.page) };
    }
}

#[derive(Debug)]
pub(super) struct Switches {
    ring: Ring,
    _event: File,
    seen: Vec<Switch>,
}

impl Switches {
    pub(super) fn open() -> Result<Self, String> {
        let event = open_event(&Attributes {
            sample: SAMPLE,
            flags: EXCLUDE_KERNEL | EXCLUDE_HV | SAMPLE_ID_ALL | USE_CLOCK | CONTEXT_SWITCH,
            clock: libc::CLOCK_MONOTONIC,
            ..Attributes::of(SOFTWARE, DUMMY)
        })?;
        Ok(Self { ring: Ring::map(&event)?, _event: event, seen: Vec::with_capacity(64) })
    }

    /// What was recorded since the last call, and how many records are missing; no switches if some
    /// are.
    pub(super) fn look(&mut self) -> (Option<&[Switch]>, u64) {
        self.seen.clear();
        let mut lost = 0;
        let ring = &self.ring;
        let tail = ring.at(TAIL).load(Ordering::Relaxed);
        let head = ring.at(HEAD).load(Ordering::Acquire);
        let record = |at| Record::parse(|offset| ring.bytes(at + offset));
        let mut at = tail;
        while at < head {
            let (size, record) = record(at);
            match record {
                Record::Switch(_) if self.seen.len() == MOST => lost += 1,
                Record::Switch(switch) => self.seen.push(switch),
                Record::Lost(n) => lost += n.max(1),
                Record::Other => {}
            }
            // A size of zero would not be a record.
            if size == 0 {
                lost += 1;
                break;
            }
            at += u64::from(size);
        }
        ring.at(TAIL).store(head, Ordering::Release);
        ((lost == 0).then_some(&self.seen), lost)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Record {
    Switch(Switch),
    Lost(u64),
    Other,
}

impl Record {
    /// A record and its size, from eight bytes at each offset: `u32 type, u16 misc, u16 size`, and
    /// for a switch `u32 pid, tid; u64 time; u32 cpu, reserved`.
    fn parse(bytes: impl Fn(u64) -> [u8; 8]) -> (u16, Self) {
        let [a, b, c, d, e, f, g, h] = bytes(0);
        let kind = u32::from_le_bytes([a, b, c, d]);
        let misc = u16::from_le_bytes([e, f]);
        let size = u16::from_le_bytes([g, h]);
        let record = match (kind, size) {
            (RECORD_SWITCH, 32..) => {
                let [a, b, c, d, ..] = bytes(24);
                Self::Switch(Switch {
                    at: u64::from_le_bytes(bytes(16)),
                    cpu: u32::from_le_bytes([a, b, c, d]),
                    turn: match (misc & SWITCH_OUT, misc & SWITCH_OUT_PREEMPT) {
                        (0, _) => Turn::In,
                        (_, 0) => Turn::Out,
                        _ => Turn::Preempted,
                    },
                })
            }
            (RECORD_LOST, 24..) => Self::Lost(u64::from_le_bytes(bytes(16))),
            _ => Self::Other,
        };
        (size, record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[u64]) -> (u16, Record) {
        Record::parse(|offset| {
            let word = words.get(offset as usize / 8).copied();
            word.unwrap_or_default().to_le_bytes()
        })
    }

    fn header(kind: u32, misc: u16, size: u16) -> u64 {
        u64::from(kind) | u64::from(misc) << 32 | u64::from(size) << 48
    }

    #[test]
    fn records_are_read_as_the_kernel_writes_them() {
        let of = |misc| parse(&[header(RECORD_SWITCH, misc, 32), 7, 123_456, 3]);
        let switch = |turn| {
            let (at, cpu) = (123_456, 3);
            (32, Record::Switch(Switch { at, cpu, turn }))
        };
        assert_eq!(of(0), switch(Turn::In));
        assert_eq!(of(SWITCH_OUT), switch(Turn::Out));
        assert_eq!(of(SWITCH_OUT | SWITCH_OUT_PREEMPT), switch(Turn::Preempted));
        assert_eq!(parse(&[header(RECORD_LOST, 0, 48), 1, 17]), (48, Record::Lost(17)));
        assert_eq!(parse(&[header(RECORD_SWITCH, 0, 16)]), (16, Record::Other));
        assert_eq!(parse(&[0]), (0, Record::Other));
    }

    #[test]
    fn a_full_ring_reports_that_records_were_lost() {
        let Ok(mut switches) = Switches::open() else {
            return;
        };
        switches.look();
        let mut lost = 0;
        // Each sleep has two records of 32 bytes, and pages have at most 64 KiB. If an interrupt
        // comes at the right moment, a sleep ends before it has begun and has no record.
        for _ in 0..PAGES * switches.ring.page / 64 * 4 {
            std::thread::sleep(std::time::Duration::from_micros(1));
        }
        for _ in 0..3 {
            lost += switches.look().1;
            std::thread::sleep(std::time::Duration::from_micros(1));
        }
        assert!(lost > 0, "nothing was lost");
        assert!(switches.look().0.is_some_and(|seen| !seen.is_empty()));
    }
}
