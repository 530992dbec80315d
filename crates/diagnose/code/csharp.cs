//: stopwatch for interval
var watch = System.Diagnostics.Stopwatch.StartNew();
TimeSpan d = watch.Elapsed;
//: stopwatch for micro
long t0 = System.Diagnostics.Stopwatch.GetTimestamp();
double ns = (System.Diagnostics.Stopwatch.GetTimestamp() - t0)
    * 1e9 / System.Diagnostics.Stopwatch.Frequency;
//: stopwatch for cross-process, trace
long t = System.Diagnostics.Stopwatch.GetTimestamp();
//: utc-now for timestamp
DateTime t = DateTime.UtcNow;
//: tick-count for coarse
// wraps after 49.7 days; TickCount64 (.NET Core 3.0) does not
uint ms = (uint)Environment.TickCount;
//: total-processor-time for cpu
TimeSpan t = System.Diagnostics.Process
    .GetCurrentProcess().TotalProcessorTime;
//: proc-uptime for boot on Linux
var s = double.Parse(  // 10 ms steps
    File.ReadAllText("/proc/uptime").Split(' ')[0],
    System.Globalization.CultureInfo.InvariantCulture);
//: stopwatch for boot on Mac, Windows, Other
long t = System.Diagnostics.Stopwatch.GetTimestamp();
//: slack for setting
[System.Runtime.InteropServices.DllImport("libc")]
static extern int prctl(int what, UIntPtr ns);
prctl(29, (UIntPtr){value});  // PR_SET_TIMERSLACK
//: timer-period for setting
[System.Runtime.InteropServices.DllImport("winmm")]
static extern uint timeBeginPeriod(uint ms);
timeBeginPeriod({value});
