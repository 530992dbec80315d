//: rust/instant for interval
let t0 = std::time::Instant::now();
let d = t0.elapsed();
//: rust/instant for micro
let t0 = std::time::Instant::now();
let ns = t0.elapsed().as_nanos();
//: x86/lfence-rdtsc, x86/rdtscp, x86/lfence-rdtsc-lfence, x86/serialize-rdtsc, arm/isb-cntvct, arm/cntvctss for micro
use chronoscope::Clock;
let clock = Clock::global();
clock.calibrate();  // once
let empty = |_| {
    let t0 = clock.start();
    clock.ns_between(t0, clock.stop())
};
let empty = (0..1000).map(empty).filter(|&ns| ns < 1000);
let empty: Vec<u64> = empty.collect();  // not interrupted
let mean = empty.iter().sum::<u64>() as f64 / empty.len() as f64;
let t0 = clock.start();
// the code to be timed
let ns = clock.ns_between(t0, clock.stop()) as f64 - mean;
//: rust/instant for coarse, trace
let t = std::time::Instant::now();
//: rust/system_time for timestamp
let t = std::time::SystemTime::now();
//: linux/monotonic-coarse for coarse
let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
unsafe {
    libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &mut t)
};
//: posix/monotonic for cross-process
let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
//: windows/qpc for cross-process
use windows_sys::Win32::System::Performance::*;
let mut ticks = 0;
unsafe { QueryPerformanceCounter(&mut ticks) };
//: windows/gettickcount64 for coarse, boot
use windows_sys::Win32::System::SystemInformation::*;
let ms = unsafe { GetTickCount64() };
//: windows/queryinterrupttimeprecise for boot
use windows_sys::Win32::System::WindowsProgramming::*;
let mut t = 0;  // 100 ns
unsafe { QueryInterruptTimePrecise(&mut t) };
//: posix/process-cputime for cpu
let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
unsafe {
    libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t)
};
//: windows/querythreadcycletime for cpu
use windows_sys::Win32::System::{Threading, WindowsProgramming};
let mut cycles = 0;
let thread = unsafe { Threading::GetCurrentThread() };
unsafe {
    WindowsProgramming::QueryThreadCycleTime(thread, &mut cycles)
};
//: linux/boottime for boot
let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut t) };
//: x86/rdtsc-intrinsic, x86/rdtsc-builtin, x86/rdtsc-asm for trace
let ticks = unsafe { std::arch::x86_64::_rdtsc() };
//: arm/cntvct for trace
let ticks: u64;
unsafe {
    std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks)
};
//: slack for setting
unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, {value}) };
//: slice for setting
// The slice (Linux 6.12). chronoscope has it as an option:
// chronoscope::wait::Waiter::shorten_slice
let mut attr: libc::sched_attr = unsafe { std::mem::zeroed() };
unsafe {
    let (at, size) = (&raw mut attr, size_of_val(&attr));
    libc::syscall(libc::SYS_sched_getattr, 0, at, size, 0);
    (*at).sched_runtime = {value};
    libc::syscall(libc::SYS_sched_setattr, 0, at, 0);
}
//: timer-period for setting
unsafe { windows_sys::Win32::Media::timeBeginPeriod({value}) };
