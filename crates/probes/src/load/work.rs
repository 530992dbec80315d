//! What the processes of a load do. All of it runs in a child that was forked from a process with
//! several threads (fork(2)), so none of it allocates or takes a lock.

use super::common::{self, BLOCK, FILE, LINE, MEMORY, PRINTED, TIMERS, compute};
use super::imp::errno;
use crate::memory::Mapped;
use crate::waits::Unavailable;
use chronoscope_model::units::short_ns;
use chronoscope_model::waits::Load;
use rustix::fs::fstatfs;
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::IntoRawFd;

/// The shortest period of the timers in nanoseconds. The other periods are longer by steps without
/// a small common multiple, so that the timers do not expire together.
const PERIOD: i64 = 200_000;
const STEP: i64 = 7_919;
/// The nanoseconds for which a computing process blocks after each iteration. The kernel restarts
/// its count of real-time CPU time only for a process that is put to sleep (kernel/sched/rt.c,
/// `enqueue_task_rt` and `watchdog`). A timer that expires while the call is still on its way to
/// sleep, as one of 1 us does, finds the process running. The waiting threads pause for the same
/// time.
const PAUSE: i64 = 100_000;

pub fn about(load: Load) -> String {
    let us = |ns: i64| short_ns(ns as f64);
    let longest = PERIOD + STEP * (TIMERS as i64 - 1);
    let (from, to, pause) = (us(PERIOD), us(longest), us(PAUSE));
    common::about(
        load,
        "fdatasync",
        &format!("interval timers of {from} to {to}, and reads them when the first expires"),
        "to a pseudo-terminal of its own, one write each, and reads them back",
        &format!("then sleeps for {pause}, over and over"),
    )
}

pub struct Work {
    pub load: Load,
    pub nth: usize,
    pub file: Option<libc::c_int>,
}

pub enum Ready {
    Compute,
    Memory(*mut u8),
    /// A block to write, and the file to write it to.
    Write(*mut u8, libc::c_int),
    /// The timers. The first is waited for, the others never block.
    Timers([libc::c_int; TIMERS]),
    /// The two sides of a pseudo-terminal, neither of which blocks: the one that a program prints
    /// to, and the one that shows it.
    Print([libc::c_int; 2]),
}

/// A file without a name in the folder for temporary files, which the load writes to.
pub fn file(notes: &mut Vec<String>) -> Result<File, Unavailable> {
    let folder = std::env::temp_dir();
    let name = folder.join(format!("chronoscope-io-{}", std::process::id()));
    let made = File::options().read(true).write(true).create_new(true).open(&name);
    let file = made.map_err(|error| {
        Unavailable(format!(
            "load io: {}: {error}; set TMPDIR to a writable folder",
            name.display()
        ))
    })?;
    // From here on it exists only for the processes that have it open.
    std::fs::remove_file(&name)
        .map_err(|error| Unavailable(format!("load io: {}: {error}", name.display())))?;
    if in_memory(&file) {
        notes.push(format!(
            "{} is in memory, so these writes reach no disk; set TMPDIR to a folder on a disk",
            folder.display()
        ));
    }
    Ok(file)
}

/// Whether a file is on a tmpfs (statfs(2), TMPFS_MAGIC).
#[allow(clippy::unnecessary_cast, reason = "the type of this field depends on the architecture")]
fn in_memory(file: &File) -> bool {
    fstatfs(file).is_ok_and(|stat| stat.f_type as i64 == libc::TMPFS_MAGIC as i64)
}

/// Memory that the process keeps until it ends.
fn map(bytes: usize) -> Result<*mut u8, i32> {
    let memory = Mapped::new(bytes).map_err(|_| errno())?;
    Ok(ManuallyDrop::new(memory).at.as_ptr())
}

/// Gets what the work needs, or returns the system's error number.
pub fn prepare(work: &Work) -> Result<Ready, i32> {
    match (work.load, work.file) {
        (Load::Memory, _) => map(MEMORY).map(Ready::Memory),
        (Load::Io, Some(file)) => map(BLOCK).map(|block| Ready::Write(block, file)),
        (Load::Io, None) => Err(libc::EBADF),
        (Load::Timers, _) => timers().map(Ready::Timers).map_err(Errno::raw_os_error),
        (Load::Print, _) => terminal().map(Ready::Print),
        _ => Ok(Ready::Compute),
    }
}

fn timers() -> rustix::io::Result<[libc::c_int; TIMERS]> {
    let mut timers = [-1; TIMERS];
    for (nth, made) in timers.iter_mut().enumerate() {
        let period = Timespec { tv_sec: 0, tv_nsec: PERIOD + STEP * nth as i64 };
        let blocks = if nth == 0 { TimerfdFlags::empty() } else { TimerfdFlags::NONBLOCK };
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | blocks)?;
        let spec = Itimerspec { it_interval: period, it_value: period };
        timerfd_settime(&timer, TimerfdTimerFlags::empty(), &spec)?;
        *made = timer.into_raw_fd();
    }
    Ok(timers)
}

/// A new pseudo-terminal, which nobody sees and which controls no process (pty(7), tty_ioctl(4)).
/// What is printed to it passes through the kernel's line discipline and a worker thread of the
/// kernel, as on a screen, and it is gone with the process.
fn terminal() -> Result<[libc::c_int; 2], i32> {
    const FLAGS: libc::c_int = libc::O_RDWR | libc::O_NOCTTY | libc::O_NONBLOCK | libc::O_CLOEXEC;
    let locked: libc::c_int = 0;
    // SAFETY: a path that ends in zero, and an `int` that outlives the call that reads it.
    unsafe {
        let shows = libc::open(c"/dev/ptmx".as_ptr(), FLAGS);
        if shows < 0 || libc::ioctl(shows, libc::TIOCSPTLCK, &raw const locked) != 0 {
            return Err(errno());
        }
        match libc::ioctl(shows, libc::TIOCGPTPEER, FLAGS) {
            prints if prints >= 0 => Ok([prints, shows]),
            _ => Err(errno()),
        }
    }
}

/// Prints a few lines, one write each, as a program whose output is a terminal does (setvbuf(3)),
/// and takes them off the other side. Returns 0, or the system's error number.
fn print([prints, shows]: [libc::c_int; 2]) -> i32 {
    const LINES: usize = 32;
    let mut seen = [0u8; 4096];
    // SAFETY: reads and writes within arrays that outlive the calls.
    unsafe {
        for _ in 0..LINES {
            // A full terminal is emptied below.
            if libc::write(prints, PRINTED.as_ptr().cast(), PRINTED.len()) < 0
                && errno() != libc::EAGAIN
            {
                return errno();
            }
        }
        while libc::read(shows, seen.as_mut_ptr().cast(), seen.len()) > 0 {}
    }
    0
}

/// Waits for the first timer and reads all of them, because an interval timer that is not read
/// expires only once (fs/timerfd.c, `timerfd_tmrproc` and `timerfd_read_iter`). Returns how many
/// had expired.
fn read_timers(timers: &[libc::c_int; TIMERS]) -> usize {
    let expired = |&&timer: &&libc::c_int| {
        let mut expirations = 0u64;
        // SAFETY: eight bytes of a local.
        unsafe { libc::read(timer, (&raw mut expirations).cast(), 8) == 8 }
    };
    timers.iter().filter(expired).count()
}

/// Works until the process is ended, or its parent is gone.
pub fn run(work: &Work, ready: Ready, parent: libc::pid_t) {
    let mut turn = work.nth as u64;
    // The kernel ends the process with its parent; this loop does so if the kernel fails to.
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
            Ready::Timers(timers) => {
                read_timers(&timers);
            }
            Ready::Print(terminal) => {
                if print(terminal) != 0 {
                    return;
                }
            }
        }
    }
}

/// Computes, then pauses for half a percent of that time, which shows the kernel that a real-time
/// process is not a runaway (getrlimit(2), RLIMIT_RTTIME).
fn compute_and_pause(turn: u64) {
    compute(turn);
    let pause = libc::timespec { tv_sec: 0, tv_nsec: PAUSE as libc::c_long };
    // SAFETY: the time outlives the call; a null pointer asks for no remaining time.
    unsafe { libc::nanosleep(&raw const pause, std::ptr::null_mut()) };
}

/// Writes to every line of the memory.
fn walk(memory: *mut u8, turn: u64) {
    for at in (0..MEMORY).step_by(LINE) {
        // SAFETY: the address is within the mapping made by `prepare`, which nothing else uses.
        unsafe { memory.add(at).write_volatile(turn as u8) };
    }
}

/// Writes a block and waits until it is on the disk. Returns 0, or the system's error number.
fn write(block: *mut u8, file: libc::c_int, turn: u64) -> i32 {
    let blocks = (FILE / BLOCK) as u64;
    // Each process begins at a different block, so that they do not write the same one.
    let at = (turn.wrapping_mul(31) % blocks) * BLOCK as u64;
    // SAFETY: the block is a mapping of that length, and the file is open for writing.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing of what is printed goes anywhere else, and a terminal never fills up for good.
    #[test]
    fn what_is_printed_goes_to_a_terminal_of_its_own() {
        let terminal @ [prints, shows] = match terminal() {
            Ok(terminal) => terminal,
            Err(error) => return eprintln!("left out: no pseudo-terminals here ({error})"),
        };
        // SAFETY: asks about open descriptors.
        unsafe { assert_eq!([libc::isatty(prints), libc::isatty(shows)], [1, 1]) };
        for _ in 0..1000 {
            assert_eq!(print(terminal), 0);
        }
        for side in terminal {
            // SAFETY: made above, and closed once.
            unsafe { libc::close(side) };
        }
    }

    /// Timers that expired only once would be counted once each.
    #[test]
    fn every_timer_expires_again_and_again() {
        const TURNS: usize = 60;
        let timers = timers().expect("descriptors");
        let expired: usize = (0..TURNS).map(|_| read_timers(&timers)).sum();
        for timer in timers {
            // SAFETY: made above, and closed once.
            unsafe { libc::close(timer) };
        }
        assert!(expired > TURNS * TIMERS / 3, "{expired}");
        assert!(expired <= TURNS * TIMERS, "{expired}");
    }
}
