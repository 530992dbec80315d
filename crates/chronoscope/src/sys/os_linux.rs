//! Linux: the kernel's clocks, its view of the counter, and an absolute sleep.
//!
//! Also the rate of the counter as the kernel itself uses it, from the page of a perf event.
//! `perf_event_open(2)`: `time_mult` and `time_shift` convert ticks to nanoseconds, and are valid
//! if `cap_user_time` is set. The call is denied in most containers; nothing depends on it.

use core::ffi::{CStr, c_int, c_long};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering, compiler_fence};

use crate::machine::{Hint, Inquiry, Kernel};
use libc::{CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME, clockid_t, timespec};

/// Set once a thread is seen to which the counter is forbidden; the vDSO reads the counter, so it
/// is then forbidden too. Never reset: the thread that is seen next may be allowed to, but both may
/// read the same clock.
static BY_SYSTEM_CALL: AtomicBool = AtomicBool::new(false);

/// Set once the kernel has refused to read a clock, so that a sleep cannot be until a moment.
static NO_CLOCK: AtomicBool = AtomicBool::new(false);

/// Set if the user states that no system call ends the process.
static NOTHING_KILLS: AtomicBool = AtomicBool::new(false);

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// Seconds as the C library counts them.
#[cfg_attr(target_env = "musl", allow(deprecated, reason = "libc means its 32-bit targets"))]
type Seconds = libc::time_t;

fn read(clock: clockid_t) -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    let failed = if BY_SYSTEM_CALL.load(Ordering::Relaxed) {
        raw_read(clock, &mut time)
    } else {
        // SAFETY: `time` is a valid place for the answer.
        unsafe { libc::clock_gettime(clock, &mut time) != 0 }
    };
    // Only a filter of system calls makes either fail. The time then stays zero, which a
    // calibration rejects and a wait notices.
    if failed {
        NO_CLOCK.store(true, Ordering::Relaxed);
    }
    nanoseconds(time)
}

/// Reads through a system call instead of the vDSO; returns whether that failed.
fn raw_read(clock: clockid_t, time: &mut timespec) -> bool {
    // SAFETY: `time` is a valid place of the type this number takes.
    let answer =
        unsafe { libc::syscall(libc::SYS_clock_gettime, clock as c_long, time as *mut timespec) };
    answer != 0
}

pub(super) fn nanoseconds(time: timespec) -> u64 {
    (time.tv_sec as u64).wrapping_mul(NANOS_PER_SEC).wrapping_add(time.tv_nsec as u64)
}

/// Whether reading the counter raises a signal in this thread, or did in one that asked before
/// (`prctl(2)`, PR_GET_TSC). x86 only; elsewhere the call fails, which counts as "no". If so, the
/// system's clocks are read by system call from then on.
pub fn counter_forbidden() -> bool {
    let mut state: c_int = libc::PR_TSC_ENABLE;
    // SAFETY: the kernel writes an int to the place given.
    let failed = unsafe { libc::prctl(libc::PR_GET_TSC, &mut state as *mut c_int, 0, 0, 0) } != 0;
    if !failed && state == libc::PR_TSC_SIGSEGV {
        BY_SYSTEM_CALL.store(true, Ordering::Relaxed);
    }
    BY_SYSTEM_CALL.load(Ordering::Relaxed)
}

/// Whether the kernel's clock is read without a system call. In that case the kernel itself keeps
/// time with the counter, as one clock on all CPUs: the vDSO of x86 has no other sources
/// (arch/x86/include/asm/vdso/clocksource.h: the TSC, and the pages by which KVM, Xen and Hyper-V
/// scale it, which they withdraw if the CPUs are not in step), and that of Arm has only the generic
/// timer.
///
/// `None` on other processors.
pub fn reads_directly() -> Option<bool> {
    const READS: u64 = 16;
    const BATCHES: u32 = 4;
    if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "arm")) {
        return None;
    }
    let cheapest = |read: &dyn Fn()| {
        let batch = |_| {
            let start = reference();
            (0..READS).for_each(|_| read());
            reference().saturating_sub(start)
        };
        (0..BATCHES).map(batch).min().unwrap_or(0)
    };
    // Any system call will do, and this one is made anyway.
    let call = cheapest(&|| {
        counter_forbidden();
    });
    let read = cheapest(&|| {
        core::hint::black_box(monotonic());
    });
    Some(read < call)
}

/// Whether no filter of system calls is active, so that none can end the process (`prctl(2)`,
/// PR_GET_SECCOMP), or the user states so.
pub fn nothing_kills() -> bool {
    // SAFETY: only returns a number.
    NOTHING_KILLS.load(Ordering::Relaxed)
        || unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) } == 0
}

/// States that no system call ends the process.
pub fn assume_that_nothing_kills() {
    NOTHING_KILLS.store(true, Ordering::Relaxed);
}

/// The name of the clock that [`reference`] reads.
pub const REFERENCE: &str = "CLOCK_MONOTONIC_RAW";

/// The name of the clock that [`monotonic`] reads.
pub const MONOTONIC: &str = "CLOCK_MONOTONIC";

/// CLOCK_MONOTONIC_RAW: the hardware's rate, which no discipline of the clock changes.
pub fn reference() -> u64 {
    read(CLOCK_MONOTONIC_RAW)
}

/// The kernel's clocks count nanoseconds; coarser hardware shows in the brackets.
pub fn reference_step() -> u64 {
    1
}

/// CLOCK_MONOTONIC, which std's `Instant` reads too.
pub fn monotonic() -> u64 {
    read(CLOCK_MONOTONIC)
}

/// As for [`reference_step`].
pub fn monotonic_step() -> u64 {
    1
}

/// `CLOCK_REALTIME` is in nanoseconds.
pub const WALL_STEP: u64 = 1;

/// CLOCK_REALTIME.
///
/// If `time_t` has 32 bits, the C library's call fails from 2038 on; std uses a 64-bit call there.
pub fn wall() -> u64 {
    const WIDE: bool = size_of::<Seconds>() >= 8;
    if WIDE || BY_SYSTEM_CALL.load(Ordering::Relaxed) {
        return read(CLOCK_REALTIME);
    }
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// `maxerror` of `adjtimex(2)`. `None` if the kernel's clock is not synchronised, so that the value
/// means nothing; and if a filter of system calls is active, which might end the process.
pub fn wall_error() -> Option<u64> {
    if !nothing_kills() {
        return None;
    }
    // SAFETY: all-zero is a valid timex; modes = 0 reads without setting anything.
    let mut answer: libc::timex = unsafe { core::mem::zeroed() };
    // SAFETY: `answer` is a valid place, and the call only writes to it.
    let state = unsafe { libc::adjtimex(&mut answer) };
    believed(state, &answer)
}

fn believed(state: c_int, answer: &libc::timex) -> Option<u64> {
    let synchronised =
        state >= 0 && state != libc::TIME_ERROR && answer.status & libc::STA_UNSYNC == 0;
    synchronised.then(|| (answer.maxerror.max(0) as u64).saturating_mul(1000))
}

/// Opens a file for reading, without a point at which the thread can be cancelled.
pub(super) fn open_file(path: &CStr) -> Option<c_long> {
    // SAFETY: a terminated path, and flags that take no further argument.
    let file = unsafe {
        libc::syscall(
            libc::SYS_openat,
            libc::AT_FDCWD,
            path.as_ptr(),
            // A named pipe without a writer would wait for one.
            libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK,
        )
    };
    if file < 0 {
        return None;
    }
    Some(file)
}

/// Reads a short file without allocating, and without a point at which the thread can be cancelled.
pub(super) fn read_file<'b>(path: &CStr, buffer: &'b mut [u8]) -> Option<&'b str> {
    let file = open_file(path)?;
    // SAFETY: the descriptor opened above, and a buffer of the length given.
    let read = unsafe { libc::syscall(libc::SYS_read, file, buffer.as_mut_ptr(), buffer.len()) };
    // SAFETY: the descriptor opened above.
    unsafe { libc::syscall(libc::SYS_close, file) };
    let read = usize::try_from(read).ok()?;
    core::str::from_utf8(buffer.get(..read)?).ok()
}

/// What the kernel does with a counter that it knows under one of `names`. Opens two files, unless
/// a filter of system calls is active, which might end the process.
pub fn kernel_view(names: &[&str]) -> Kernel {
    if !nothing_kills() {
        return Kernel::Unasked;
    }
    let (mut current, mut available) = ([0; 64], [0; 512]);
    let current = read_file(
        c"/sys/devices/system/clocksource/clocksource0/current_clocksource",
        &mut current,
    );
    let available = read_file(
        c"/sys/devices/system/clocksource/clocksource0/available_clocksource",
        &mut available,
    );
    match (current, available) {
        (Some(current), Some(available)) => view(current.trim(), available, names),
        _ => Kernel::Silent,
    }
}

/// What can be asked before the first read without opening a file.
pub fn first_view(_names: &[&str]) -> Kernel {
    Kernel::Unasked
}

/// What needs files: the kernel's view, the page of the hypervisor, and the rate from the page of a
/// perf event if `deeply`.
pub fn inquire(names: &[&str], deeply: bool) -> Inquiry {
    if nothing_kills() {
        super::shared::open();
    }
    Inquiry {
        kernel: kernel_view(names),
        hint: (deeply && nothing_kills()).then(rate_of_perf_page).flatten(),
    }
}

/// The hypervisor's disruption marker, once [`inquire`] has found one.
pub fn disruption() -> Option<u64> {
    super::shared::marker()
}

fn view(current: &str, available: &str, names: &[&str]) -> Kernel {
    if current.is_empty() {
        Kernel::Silent
    } else if names.contains(&current) {
        Kernel::Uses(current.into())
    } else if available.split_whitespace().any(|source| names.contains(&source)) {
        Kernel::Offers(current.into())
    } else {
        Kernel::Dropped(current.into())
    }
}

/// Moves this thread to each allowed CPU in turn by its affinity, and restores the affinity.
pub fn on_each_cpu(visit: &mut dyn FnMut(usize) -> bool) -> bool {
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: all-zero is the empty set.
    let mut allowed: libc::cpu_set_t = unsafe { core::mem::zeroed() };
    // SAFETY: a valid place of the size given; 0 is this thread.
    if unsafe { libc::sched_getaffinity(0, size, &mut allowed) } != 0 {
        return false;
    }
    let mut went = true;
    for cpu in 0..libc::CPU_SETSIZE as usize {
        // SAFETY: `cpu` is below CPU_SETSIZE.
        if !unsafe { libc::CPU_ISSET(cpu, &allowed) } {
            continue;
        }
        // SAFETY: as above.
        let mut only: libc::cpu_set_t = unsafe { core::mem::zeroed() };
        // SAFETY: `cpu` is below CPU_SETSIZE.
        unsafe { libc::CPU_SET(cpu, &mut only) };
        // SAFETY: a valid set of the size given. When the call returns the thread runs there.
        if unsafe { libc::sched_setaffinity(0, size, &only) } != 0 {
            went = false;
            break;
        }
        if !visit(cpu) {
            break;
        }
    }
    // SAFETY: as above. It can fail only if the set was changed from outside in the meantime.
    went & (unsafe { libc::sched_setaffinity(0, size, &allowed) } == 0)
}

/// Reduces this thread's timer slack to a nanosecond as long as this exists.
///
/// A sleep may be longer by the slack, 50 us by default (`prctl(2)`, PR_SET_TIMERSLACK).
struct TightTimers(Option<c_long>);

impl TightTimers {
    fn new() -> Self {
        let slack = timer_slack();
        // A system call that fails returns -1.
        if matches!(slack, -1..=1) {
            return Self(None);
        }
        // SAFETY: affects only the timers of this thread.
        let set = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as c_long) } == 0;
        Self(set.then_some(slack))
    }
}

/// This thread's timer slack: a number of the kernel's `unsigned long`, of which the C library's
/// `prctl` returns the lower 32 bits.
fn timer_slack() -> c_long {
    // SAFETY: only returns a number.
    unsafe { libc::syscall(libc::SYS_prctl, libc::PR_GET_TIMERSLACK as c_long) }
}

impl Drop for TightTimers {
    fn drop(&mut self) {
        if let Some(slack) = self.0 {
            // SAFETY: restores the previous value.
            unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack) };
        }
    }
}

/// Sleeps until [`monotonic`] is at `deadline`, by its own reading, or until a signal arrives. If
/// the kernel refuses to read clocks, it sleeps for `remaining` nanoseconds, signals or not.
pub fn sleep_until(deadline: u64, remaining: u64) {
    let _tight = TightTimers::new();
    if NO_CLOCK.load(Ordering::Relaxed) {
        sleep_for(remaining);
        return;
    }
    nanosleep(libc::TIMER_ABSTIME, &time(deadline), ptr::null_mut());
}

fn sleep_for(nanos: u64) {
    let mut left = time(nanos);
    loop {
        let asked = left;
        if !nanosleep(0, &asked, &mut left) {
            return;
        }
    }
}

/// `clock_nanosleep(2)` on the monotonic clock; whether a signal ended it. `left` is null or valid.
///
/// glibc's function is a cancellation point: in it, a signal of `pthread_cancel` that was sent just
/// before the thread disabled cancellation would unwind the stack all the same.
fn nanosleep(flags: c_int, time: &timespec, left: *mut timespec) -> bool {
    #[cfg(target_pointer_width = "64")]
    // SAFETY: a valid timespec of the kernel's layout; the remainder is written if it has a place.
    let interrupted = unsafe {
        libc::syscall(libc::SYS_clock_nanosleep, CLOCK_MONOTONIC, flags, time, left) != 0
            && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
    };
    // On 32 bits, the C library knows which layout its `timespec` has.
    #[cfg(not(target_pointer_width = "64"))]
    // SAFETY: a valid timespec; the remainder is written if there is a place.
    let interrupted =
        unsafe { libc::clock_nanosleep(CLOCK_MONOTONIC, flags, time, left) } == libc::EINTR;
    interrupted
}

pub(super) fn time(nanos: u64) -> timespec {
    timespec {
        // What 32 bits of seconds cannot represent is 68 years after the machine has started.
        tv_sec: Seconds::try_from(nanos / NANOS_PER_SEC).unwrap_or(Seconds::MAX),
        tv_nsec: (nanos % NANOS_PER_SEC) as _,
    }
}

/// The longest time before a deadline at which waking is worthwhile, in nanoseconds; a longer delay
/// was not caused by the timer.
pub const MARGIN_CAP: u64 = 150_000;

/// The first 64 bytes of `struct perf_event_attr` (PERF_ATTR_SIZE_VER0,
/// include/uapi/linux/perf_event.h), which is all that a counting event needs.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    breakpoint_address: u64,
}

const PERF_TYPE_SOFTWARE: u32 = 1;
const PERF_COUNT_SW_DUMMY: u64 = 9;
const EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = (1 << 5) | (1 << 6);
const PERF_FLAG_FD_CLOEXEC: c_long = 1 << 3;

/// Offsets into `struct perf_event_mmap_page`, in the same file.
const LOCK: usize = 8;
const CAPABILITIES: usize = 40;
const TIME_SHIFT: usize = 50;
const TIME_MULT: usize = 52;
const CAP_USER_TIME: u64 = 1 << 3;

/// Number of bytes to map; a page may be larger, and the kernel rounds up to it.
const LENGTH: usize = 4096;

fn rate_of_perf_page() -> Option<Hint> {
    let attributes = Attributes {
        kind: PERF_TYPE_SOFTWARE,
        size: size_of::<Attributes>() as u32,
        config: PERF_COUNT_SW_DUMMY,
        flags: EXCLUDE_KERNEL_AND_HYPERVISOR,
        ..Attributes::default()
    };
    // SAFETY: a valid attribute block of the size it states; this thread, any CPU, no group.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &attributes as *const Attributes,
            0 as c_long,
            -1 as c_long,
            -1 as c_long,
            PERF_FLAG_FD_CLOEXEC,
        )
    } as c_int;
    if fd < 0 {
        return None;
    }
    // SAFETY: a new read-only mapping of the event's first page, at an address the kernel chooses.
    let page =
        unsafe { libc::mmap(ptr::null_mut(), LENGTH, libc::PROT_READ, libc::MAP_SHARED, fd, 0) };
    let mut found = None;
    if page != libc::MAP_FAILED {
        found = read_page(page.cast());
        // SAFETY: the mapping made above, from which nothing is borrowed any more.
        unsafe { libc::munmap(page, LENGTH) };
    }
    // SAFETY: the descriptor opened above. The C library's function would be a point at which the
    // thread can be cancelled.
    unsafe { libc::syscall(libc::SYS_close, fd) };
    let (mult, shift) = found?;
    Some(Hint {
        hz: 1e9 / (f64::from(mult) / (1u64 << shift) as f64),
        // The clock source has its own multiplier of some 23 bits for the same rate in kHz
        // (kernel/time/clocksource.c, clocks_calc_mult_shift), which differs by up to 0.1 ppm.
        bound_ppm: 0.2,
        from: "the kernel's perf page",
    })
}

/// Reads `time_mult` and `time_shift` as the comment in perf_event.h requires: again until the
/// sequence number stays the same.
fn read_page(page: *const u8) -> Option<(u32, u16)> {
    for _ in 0..100 {
        // SAFETY: the page has at least LENGTH bytes, with these fields at their natural
        // alignment; the kernel may write at any time, so the reads are volatile.
        let (before, capabilities, shift, mult, after) = unsafe {
            let lock = page.add(LOCK).cast::<u32>();
            let before = lock.read_volatile();
            compiler_fence(Ordering::SeqCst);
            let capabilities = page.add(CAPABILITIES).cast::<u64>().read_volatile();
            let shift = page.add(TIME_SHIFT).cast::<u16>().read_volatile();
            let mult = page.add(TIME_MULT).cast::<u32>().read_volatile();
            compiler_fence(Ordering::SeqCst);
            (before, capabilities, shift, mult, lock.read_volatile())
        };
        if before == after {
            let usable = capabilities & CAP_USER_TIME != 0 && mult != 0 && shift < 64;
            return usable.then_some((mult, shift));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_sources_are_whole_words() {
        let see = |current, available| view(current, available, &["tsc"]);
        assert_eq!(see("tsc", "tsc hpet\n"), Kernel::Uses("tsc".into()));
        assert_eq!(see("kvm-clock", "tsc kvm-clock"), Kernel::Offers("kvm-clock".into()));
        assert_eq!(see("hpet", "hpet acpi_pm"), Kernel::Dropped("hpet".into()));
        assert_eq!(
            see("hyperv_clocksource_tsc_page", "hyperv_clocksource_tsc_page"),
            Kernel::Dropped("hyperv_clocksource_tsc_page".into())
        );
        assert_eq!(see("tsc-early", "tsc-early"), Kernel::Dropped("tsc-early".into()));
        assert_eq!(see("", "tsc"), Kernel::Silent);
    }

    /// systemd-timesyncd sets `maxerror` to zero, and NTP clients that stop leave theirs behind.
    #[test]
    fn an_error_is_believed_only_if_the_clock_is_synchronised() {
        // SAFETY: all-zero is a valid timex.
        let mut answer: libc::timex = unsafe { core::mem::zeroed() };
        answer.maxerror = 7;
        assert_eq!(believed(libc::TIME_OK, &answer), Some(7_000));
        assert_eq!(believed(libc::TIME_INS, &answer), Some(7_000));
        assert_eq!(believed(libc::TIME_ERROR, &answer), None);
        assert_eq!(believed(-1, &answer), None);
        answer.status = libc::STA_UNSYNC;
        assert_eq!(believed(libc::TIME_OK, &answer), None);
    }

    #[test]
    fn slack_of_any_size_is_put_back() {
        let sizes = [50_000, i32::MAX as u64, i32::MAX as u64 + 1, 3_000_000_000, 4_295_017_296];
        std::thread::scope(|scope| {
            // A thread of its own, whose slack nothing else needs.
            scope.spawn(|| {
                for size in sizes.into_iter().filter_map(|size| c_long::try_from(size).ok()) {
                    // SAFETY: affects only the timers of this thread.
                    assert_eq!(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, size) }, 0);
                    // QEMU returns the lower 32 bits.
                    if timer_slack() != size {
                        continue;
                    }
                    {
                        let _tight = TightTimers::new();
                        assert_eq!(timer_slack(), 1, "{size}");
                    }
                    assert_eq!(timer_slack(), size);
                }
            });
        });
    }

    #[test]
    fn every_allowed_cpu_is_visited_and_left() {
        let mut seen = Vec::new();
        let went = on_each_cpu(&mut |cpu| {
            seen.push(cpu);
            true
        });
        assert!(!went || !seen.is_empty());
        let mut again = Vec::new();
        on_each_cpu(&mut |cpu| {
            again.push(cpu);
            true
        });
        assert_eq!(seen, again);
    }
}
