//! System calls, and all unsafe code of this crate.

#[inline(always)]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the result.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// CPU time of this thread, in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// `CLOCK_REALTIME`, in nanoseconds since 1970.
pub fn realtime_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// Whether the kernel says that `CLOCK_REALTIME` is synchronised (`adjtimex(2)`).
pub fn realtime_is_synchronised() -> bool {
    // SAFETY: all-zero is a valid timex; modes = 0 reads without setting anything.
    let mut answer: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: a valid place for the answer.
    let state = unsafe { libc::adjtimex(&raw mut answer) };
    state >= 0 && state != libc::TIME_ERROR && answer.status & libc::STA_UNSYNC == 0
}

/// `CLOCK_MONOTONIC`, in nanoseconds: what std's `Instant` reads, but without code of std, which is
/// warm after a wait that spins on it and cold after any other.
#[inline(always)]
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// The CPUs that this thread may run on.
pub fn cpus() -> Vec<usize> {
    // SAFETY: a set is an array of integers, for which zero is valid.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a valid place of the given size.
    let done = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
    if done != 0 {
        return Vec::new();
    }
    (0..libc::CPU_SETSIZE as usize)
        // SAFETY: below CPU_SETSIZE, and so within the set.
        .filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) })
        .collect()
}

/// Pins this thread to one CPU; if that is refused, the thread stays where it is.
pub fn pin(cpu: usize) {
    // SAFETY: a set is an array of integers, for which zero is valid.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `cpus` named it, so it is within the set; the set is valid and of its own size.
    unsafe {
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set);
    }
}

/// Makes this process end with its parent, and sets its niceness.
///
/// # Errors
/// The niceness is not allowed.
pub fn follow_parent(nice: i32) -> std::io::Result<()> {
    // SAFETY: both calls affect only this process.
    let set = unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setpriority(libc::PRIO_PROCESS, 0, nice)
    };
    match set {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// How often its timer has interrupted a CPU (`/proc/interrupts`); 0 if that is not listed.
pub fn ticks(cpu: usize) -> u64 {
    interrupts(cpu, |name| name == "LOC:")
}

/// How often what has such a name has interrupted a CPU.
pub fn interrupts(cpu: usize, named: fn(&str) -> bool) -> u64 {
    let text = std::fs::read_to_string("/proc/interrupts").unwrap_or_default();
    let mut rows = text.lines().map(str::split_whitespace);
    let column = rows.next().and_then(|mut names| names.position(|it| it == format!("CPU{cpu}")));
    let count = |mut row: std::str::SplitWhitespace<'_>| -> Option<u64> {
        row.next().filter(|name| named(name))?;
        row.nth(column?)?.parse().ok()
    };
    rows.filter_map(count).sum()
}

/// How often the calling thread has given up its CPU or lost it.
pub fn switches() -> u64 {
    // SAFETY: zero is a valid content of the structure, which the call fills.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &raw mut used);
        used
    };
    (used.ru_nvcsw + used.ru_nivcsw) as u64
}

/// Sends the calling thread a signal, whose handler does nothing.
pub fn signal_self() {
    extern "C" fn handle(_: libc::c_int) {}
    // SAFETY: the handler does nothing, so it may run anywhere.
    unsafe {
        libc::signal(libc::SIGURG, handle as extern "C" fn(libc::c_int) as usize);
        libc::raise(libc::SIGURG);
    }
}
