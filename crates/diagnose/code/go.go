//: time-since for interval, micro
t0 := time.Now()
fmt.Println(time.Since(t0))
//: time-since for coarse, trace
start := time.Now()  // once
fmt.Println(time.Since(start))  // reads the monotonic clock only
//: time-now for timestamp
t := time.Now()
//: clock-gettime-cpu for cpu on Linux, Mac, Other
var ts unix.Timespec  // golang.org/x/sys/unix
unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts)
//: get-process-times for cpu on Windows
var made, ended, kernel, user windows.Filetime
windows.GetProcessTimes(windows.CurrentProcess(),
    &made, &ended, &kernel, &user)
//: clock-gettime-monotonic for cross-process on Linux, Mac, Other
var ts unix.Timespec  // golang.org/x/sys/unix
unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
//: query-performance-counter for cross-process on Windows
var ticks int64  // golang.org/x/sys/windows
qpc := windows.NewLazySystemDLL("kernel32.dll").NewProc(
    "QueryPerformanceCounter")
qpc.Call(uintptr(unsafe.Pointer(&ticks)))
//: clock-gettime-boottime for boot on Linux
var ts unix.Timespec  // golang.org/x/sys/unix
unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
