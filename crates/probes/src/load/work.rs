//! What the processes of a load do. All of it runs in a child made by fork(2) beside other
//! threads, so none of it allocates or takes a lock.

use super::compute::compute;
use crate::waits::Unavailable;
use chronoscope_model::waits::Load;
use std::fs::File;

/// Memory that one process walks: beyond the last-level cache's share of a processor, and no
/// more than a small machine can spare.
const MEMORY: usize = 64 << 20;
/// A line of cache.
const LINE: usize = 64;
/// Bytes written at once, and the size of the file that they go round in.
const BLOCK: usize = 1 << 20;
const FILE: usize = 64 << 20;
/// Timers of one process, and the shortest of their periods in nanoseconds; the others are longer
/// by steps that have no small common multiple, so that they do not fall together.
const TIMERS: usize = 16;
const PERIOD: libc::c_long = 200_000;
const STEP: libc::c_long = 7_919;
/// Nanoseconds for which a process that computes blocks after each turn. Only a process that is put
/// to sleep begins to count its real-time anew (kernel/sched/rt.c, `enqueue_task_rt` and
/// `watchdog`): a timer that expires while the call is still on its way there, as one of 1 us does,
/// finds it running. This is what the waiting threads pause for as well.
const PAUSE: libc::c_long = 100_000;

/// What one process is to do.
pub struct Work {
    pub load: Load,
    pub nth: usize,
    pub file: Option<libc::c_int>,
}

/// What it needs for that.
pub enum Ready {
    /// Nothing.
    Compute,
    /// Memory to walk.
    Memory(*mut u8),
    /// A block to write, and where.
    Write(*mut u8, libc::c_int),
    /// The timer to wait for; the others only go off.
    Timer(libc::c_int),
}

/// A file without a name, for the tool's own temporary folder to hold the writes.
pub fn file(notes: &mut Vec<String>) -> Result<File, Unavailable> {
    let folder = std::env::temp_dir();
    let name = folder.join(format!("chronoscope-io-{}", std::process::id()));
    let made = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&name);
    let file = made.map_err(|error| {
        Unavailable(format!(
            "load io: {}: {error}; set TMPDIR to a folder that can be written",
            name.display()
        ))
    })?;
    // From here on it is there for those who have it open, and gone with them.
    std::fs::remove_file(&name)
        .map_err(|error| Unavailable(format!("load io: {}: {error}", name.display())))?;
    if in_memory(&file) {
        notes.push(format!(
            "{} is in memory, so these writes reach no disk; set TMPDIR to a folder on one",
            folder.display()
        ));
    }
    Ok(file)
}

/// Whether a file's system is tmpfs (statfs(2), TMPFS_MAGIC).
#[allow(
    clippy::unnecessary_cast,
    reason = "the number has other types on other architectures"
)]
fn in_memory(file: &File) -> bool {
    use std::os::fd::AsRawFd;
    let mut stat = std::mem::MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: the place is valid, and is read only where the call filled it.
    unsafe {
        libc::fstatfs(file.as_raw_fd(), stat.as_mut_ptr()) == 0
            && stat.assume_init().f_type as i64 == libc::TMPFS_MAGIC as i64
    }
}

fn errno() -> i32 {
    // SAFETY: the address of this thread's errno is always valid.
    unsafe { *libc::__errno_location() }
}

fn map(bytes: usize) -> Result<*mut u8, i32> {
    // SAFETY: a new private mapping at an address of the kernel's choice.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        Err(errno())
    } else {
        Ok(at.cast())
    }
}

/// Gets what the work needs, or the system's number.
pub fn prepare(work: &Work) -> Result<Ready, i32> {
    match (work.load, work.file) {
        (Load::Memory, _) => map(MEMORY).map(Ready::Memory),
        (Load::Io, Some(file)) => map(BLOCK).map(|block| Ready::Write(block, file)),
        (Load::Io, None) => Err(libc::EBADF),
        (Load::Timers, _) => timers().map(Ready::Timer),
        _ => Ok(Ready::Compute),
    }
}

fn timers() -> Result<libc::c_int, i32> {
    let mut first = -1;
    for nth in 0..TIMERS {
        let period = libc::timespec {
            tv_sec: 0,
            tv_nsec: PERIOD + STEP * nth as libc::c_long,
        };
        let spec = libc::itimerspec {
            it_interval: period,
            it_value: period,
        };
        // SAFETY: a new descriptor, and a time that outlives the call.
        unsafe {
            let timer = libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC);
            if timer < 0
                || libc::timerfd_settime(timer, 0, &raw const spec, std::ptr::null_mut()) != 0
            {
                return Err(errno());
            }
            if nth == 0 {
                first = timer;
            }
        }
    }
    Ok(first)
}

/// Works until the process is ended, or its parent is gone.
pub fn run(work: &Work, ready: Ready, parent: libc::pid_t) {
    let mut turn = work.nth as u64;
    // The kernel ends the process with its parent; this is for the case that it does not.
    // SAFETY: getppid cannot fail.
    while unsafe { libc::getppid() } == parent {
        turn = turn.wrapping_add(1);
        match ready {
            Ready::Compute => compute_and_pause(turn),
            Ready::Memory(memory) => walk(memory, turn),
            Ready::Write(block, file) => {
                if write(block, file, turn) != 0 {
                    return;
                }
            }
            Ready::Timer(timer) => {
                let mut expirations = 0u64;
                // SAFETY: eight bytes of a local.
                unsafe { libc::read(timer, (&raw mut expirations).cast(), 8) };
            }
        }
    }
}

/// Computation, then a pause, half a percent of it, which shows a real-time process to be alive
/// (getrlimit(2), RLIMIT_RTTIME).
fn compute_and_pause(turn: u64) {
    compute(turn);
    let pause = libc::timespec {
        tv_sec: 0,
        tv_nsec: PAUSE,
    };
    // SAFETY: the time outlives the call; a null pointer asks for no rest.
    unsafe { libc::nanosleep(&raw const pause, std::ptr::null_mut()) };
}

/// Writes to every line of the memory.
fn walk(memory: *mut u8, turn: u64) {
    for at in (0..MEMORY).step_by(LINE) {
        // SAFETY: within the mapping of `prepare`, which nobody else knows.
        unsafe { memory.add(at).write_volatile(turn as u8) };
    }
}

/// Writes a block and waits until it is on the disk; gives the system's number where it fails.
fn write(block: *mut u8, file: libc::c_int, turn: u64) -> i32 {
    let blocks = (FILE / BLOCK) as u64;
    // Each process begins elsewhere, so that they do not write the same block.
    let at = (turn.wrapping_mul(31) % blocks) * BLOCK as u64;
    // SAFETY: the block is a mapping of that length; the file is open for writing.
    unsafe {
        block.write_volatile(turn as u8);
        if libc::pwrite(file, block.cast(), BLOCK, at as libc::off_t) < 0
            || libc::fdatasync(file) != 0
        {
            return errno();
        }
    }
    0
}
