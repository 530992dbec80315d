//! Waits in every language, as [`code`](crate::advise::code::code) reads them. The names in braces
//! stand for the duration, each in its own unit.

/// The lines that set the calling thread's timer slack (prctl(2), PR_SET_TIMERSLACK is 29). Java
/// and Go do not say which thread they sleep on, and JavaScript cannot call it.
pub(super) const SLACK: &str = r#"
=== C, C++
prctl(PR_SET_TIMERSLACK, {value});
=== Rust
unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, {value}) };
=== C#
[System.Runtime.InteropServices.DllImport("libc")]
static extern int prctl(int what, nuint ns);
prctl(29, {value});  // PR_SET_TIMERSLACK
=== Python
import ctypes
ctypes.CDLL(None).prctl(29, {value})  # PR_SET_TIMERSLACK
"#;

/// The lines that ask for a slice for the calling thread (sched_setattr(2), Linux 6.12), and leave
/// its policy and its nice value as they are.
pub(super) const SLICE: &str = "
=== C, C++
struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
} attributes = {};
syscall(SYS_sched_getattr, 0, &attributes,
    sizeof attributes, 0);
attributes.runtime = {value};  // the slice (Linux 6.12)
syscall(SYS_sched_setattr, 0, &attributes, 0);
=== Rust
// The slice (Linux 6.12). chronoscope has it as an option:
// chronoscope::wait::Waiter::shorten_slice
let mut attr: libc::sched_attr = unsafe { std::mem::zeroed() };
unsafe {
    let (at, size) = (&raw mut attr, size_of_val(&attr));
    libc::syscall(libc::SYS_sched_getattr, 0, at, size, 0);
    (*at).sched_runtime = {value};
    libc::syscall(libc::SYS_sched_setattr, 0, at, 0);
}
";

/// The lines that ask Windows for a timer period, for the whole process; they need winmm.lib. Where
/// there are none, the period cannot be asked for.
pub(super) const PERIOD: &str = r#"
=== C, C++
timeBeginPeriod({value});
=== Rust
unsafe { windows_sys::Win32::Media::timeBeginPeriod({value}) };
=== C#
[System.Runtime.InteropServices.DllImport("winmm")]
static extern uint timeBeginPeriod(uint ms);
timeBeginPeriod({value});
=== Python
import ctypes
ctypes.windll.winmm.timeBeginPeriod({value})
"#;

/// A sleep in every language. Python's is exact below a millisecond since 3.11, which calls
/// clock_nanosleep, or a timer of high resolution on Windows; Rust's since 1.75 on Windows.
pub(super) const SLEEP: &str = r#"
=== C
{duration}
nanosleep(&duration, NULL);
=== C++
std::this_thread::sleep_for(
    std::chrono::nanoseconds({ns}));
=== C, C++ on Windows
{timer}
=== Rust
std::thread::sleep(std::time::Duration::from_nanos({ns}));
=== C#
Thread.Sleep({whole_ms});  // ms
=== C# on Windows
{timer C#}
=== Java
Thread.sleep({whole_ms});  // ms
=== Java on Windows
{timer Java}
=== Go
time.Sleep({ns} * time.Nanosecond)
=== Python
import time
time.sleep({s})
=== JavaScript
await new Promise(done => setTimeout(done, {whole_ms}));
"#;

/// The sleeps for a time that is not a number of milliseconds, in the languages in which these
/// differ.
///
/// Thread.Sleep of C# takes whole milliseconds and drops the rest of a TimeSpan (Microsoft,
/// "Thread.Sleep Method"); so does setTimeout (HTML, "Timers"). Thread.sleep of Java is exact since
/// version 21 (JDK-8305092); parkNanos always was, but may return early. On Linux, Go's timers wait
/// in epoll_wait, whose shortest time-out is a millisecond, if nothing else can run (golang/go,
/// issue 53824).
pub(super) const SHORT_SLEEP: &str = r#"
=== C#
[System.Runtime.InteropServices.DllImport("libc")]
static extern int usleep(uint us);
usleep({whole_us});
=== C# on Windows
{timer C#}
=== Java
long end = System.nanoTime() + {ns}L;
for (long left; (left = end - System.nanoTime()) > 0; )
    java.util.concurrent.locks.LockSupport.parkNanos(left);
=== Java on Windows
{timer Java}
=== Go on Linux
syscall.Nanosleep(&syscall.Timespec{{timespec}}, nil)
=== JavaScript
const cell = new Int32Array(new SharedArrayBuffer(4));
Atomics.wait(cell, 0, 0, {ms});  // ms
"#;

/// A wait for a timer of high resolution. 2 is CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, 0x1F0003 is
/// TIMER_ALL_ACCESS; a negative time is relative, in units of 100 ns. Each call of Java needs the
/// foreign functions of version 22.
pub(super) const TIMER: &str = r#"
=== C#
[System.Runtime.InteropServices.DllImport("kernel32")]
static extern nint CreateWaitableTimerExW(
    nint attributes, nint name, uint flags, uint access);
[System.Runtime.InteropServices.DllImport("kernel32")]
static extern bool SetWaitableTimer(nint timer, in long due,
    int period, nint routine, nint argument, bool resume);
[System.Runtime.InteropServices.DllImport("kernel32")]
static extern uint WaitForSingleObject(nint timer, uint ms);
// CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS
nint timer = CreateWaitableTimerExW(0, 0, 2, 0x1F0003);
SetWaitableTimer(timer, -{units}, 0, 0, 0, false);
WaitForSingleObject(timer, uint.MaxValue);
=== Java
// import java.lang.foreign.*; (Java 22)
var dll = SymbolLookup.libraryLookup("kernel32", Arena.global());
var linker = Linker.nativeLinker();
MemoryLayout p = ValueLayout.ADDRESS, i = ValueLayout.JAVA_INT;
MemorySegment none = MemorySegment.NULL;
// CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS
var timer = (MemorySegment) linker.downcallHandle(
    dll.find("CreateWaitableTimerExW").get(),
    FunctionDescriptor.of(p, p, p, i, i)
).invoke(none, none, 2, 0x1F0003);
var due = Arena.ofAuto().allocateFrom(
    ValueLayout.JAVA_LONG, -{units}L);
linker.downcallHandle(dll.find("SetWaitableTimer").get(),
    FunctionDescriptor.ofVoid(p, p, i, p, p, i)
).invoke(timer, due, 0, none, none, 0);
linker.downcallHandle(dll.find("WaitForSingleObject").get(),
    FunctionDescriptor.ofVoid(p, i)
).invoke(timer, -1);
"#;

/// A spin in every language. The deadline is taken first, then comes the sleep of a hybrid wait.
pub(super) const SPIN: &str = "
=== C++
auto end = std::chrono::steady_clock::now()
    + std::chrono::nanoseconds({ns});
{pause}while (std::chrono::steady_clock::now() < end) {}
=== C#
long end = System.Diagnostics.Stopwatch.GetTimestamp()
    + (long)({s} * System.Diagnostics.Stopwatch.Frequency);
{pause}while (System.Diagnostics.Stopwatch.GetTimestamp() < end)
    Thread.SpinWait(1);
=== Java
long end = System.nanoTime() + {ns}L;
{pause}while (System.nanoTime() - end < 0) Thread.onSpinWait();
=== Go
t0 := time.Now()
{pause}for time.Since(t0) < {ns}*time.Nanosecond {
}
=== Python
import time
end = time.perf_counter_ns() + {ns}
{pause}while time.perf_counter_ns() < end:
    pass
=== JavaScript
const end = performance.now() + {ms};
{pause}while (performance.now() < end);
";

/// The sleep of a hybrid wait, which ends a margin before the deadline. Where it differs from a
/// sleep for that long, an early end does no harm.
pub(super) const PAUSE: &str = "
=== C
{most}
nanosleep(&most, NULL);
=== C++
std::this_thread::sleep_until(
    end - std::chrono::nanoseconds({margin}));
=== C, C++ on Windows
{timer}
=== Java
java.util.concurrent.locks.LockSupport.parkNanos({ns}L);
=== Java on Windows
{timer Java}
=== Python
time.sleep({s})
=== JavaScript on Windows
";

/// The languages whose sleep is not the one that others make.
pub(super) const REMARK: &str = "
=== JavaScript on Windows
// ends at a tick of the system, up to 15.6 ms late: Node.js
// cannot call CreateWaitableTimerExW
";
