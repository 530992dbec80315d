//: posix/monotonic for interval, micro
struct timespec t0, t1;
clock_gettime(CLOCK_MONOTONIC, &t0);
clock_gettime(CLOCK_MONOTONIC, &t1);
long long ns = (t1.tv_sec - t0.tv_sec) * 1000000000LL
             + t1.tv_nsec - t0.tv_nsec;
//: posix/monotonic for coarse, cross-process, trace
struct timespec t;
clock_gettime(CLOCK_MONOTONIC, &t);
//: windows/qpc for interval, micro
LARGE_INTEGER hz, t0, t1;
QueryPerformanceFrequency(&hz);  // once
QueryPerformanceCounter(&t0);
QueryPerformanceCounter(&t1);
double ns = (t1.QuadPart - t0.QuadPart) * 1e9 / hz.QuadPart;
//: windows/qpc for coarse, cross-process, trace
LARGE_INTEGER t;
QueryPerformanceCounter(&t);
//: darwin/clock_gettime_nsec_np-uptime-raw for interval, micro
uint64_t t0 = clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
uint64_t ns = clock_gettime_nsec_np(CLOCK_UPTIME_RAW) - t0;
//: darwin/clock_gettime_nsec_np-uptime-raw for coarse, cross-process, trace
uint64_t ns = clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
//: mach/absolute_time for interval, micro
mach_timebase_info_data_t rate;
mach_timebase_info(&rate);  // once
uint64_t t0 = mach_absolute_time();
uint64_t ns = (mach_absolute_time() - t0)
            * rate.numer / rate.denom;
//: mach/absolute_time for coarse, cross-process, trace
uint64_t t = mach_absolute_time();
//: x86/lfence-rdtsc, x86/rdtscp, x86/lfence-rdtsc-lfence, x86/serialize-rdtsc for micro on Linux, Mac, Other in C, C++
#define START (_mm_lfence(), t = __rdtsc(), _mm_lfence(), t)
#define STOP (t = __rdtscp(&aux), _mm_lfence(), t)
unsigned aux;
uint64_t t, t0;
double ns, sum = 0, n = 0;
struct timespec a, b;
clock_gettime(CLOCK_MONOTONIC_RAW, &a);  // once: the rate
t0 = START;
do {
    clock_gettime(CLOCK_MONOTONIC_RAW, &b);
    ns = (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
} while (ns < 1e8);
double rate = ns / (STOP - t0);  // ns per tick
for (int i = 0; i < 1000; i++) {  // once: empty intervals
    t0 = START;
    double empty = (STOP - t0) * rate;
    if (empty < 1000) sum += empty, n++;
}
t0 = START;
// the code to be timed
ns = (STOP - t0) * rate - sum / n;
//: x86/lfence-rdtsc, x86/rdtscp, x86/lfence-rdtsc-lfence, x86/serialize-rdtsc for micro on Windows in C, C++
#define START (_mm_lfence(), t = __rdtsc(), _mm_lfence(), t)
#define STOP (t = __rdtscp(&aux), _mm_lfence(), t)
unsigned aux;
uint64_t t, t0;
double ns, sum = 0, n = 0;
LARGE_INTEGER hz, a, b;
QueryPerformanceFrequency(&hz);
QueryPerformanceCounter(&a);  // once: the rate
t0 = START;
do {
    QueryPerformanceCounter(&b);
    ns = (b.QuadPart - a.QuadPart) * 1e9 / hz.QuadPart;
} while (ns < 1e8);
double rate = ns / (STOP - t0);  // ns per tick
for (int i = 0; i < 1000; i++) {  // once: empty intervals
    t0 = START;
    double empty = (STOP - t0) * rate;
    if (empty < 1000) sum += empty, n++;
}
t0 = START;
// the code to be timed
ns = (STOP - t0) * rate - sum / n;
//: arm/isb-cntvct, arm/cntvctss for micro in C, C++
#define START ({ __asm__ volatile( \
    "isb\n\tmrs %0, cntvct_el0\n\tisb" \
    : "=r"(t) :: "memory"); t; })
#define STOP START
uint64_t hz;
__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
uint64_t t, t0;
double ns, sum = 0, n = 0;
double rate = 1e9 / hz;  // ns per tick
for (int i = 0; i < 1000; i++) {  // once: empty intervals
    t0 = START;
    double empty = (STOP - t0) * rate;
    if (empty < 1000) sum += empty, n++;
}
t0 = START;
// the code to be timed
ns = (STOP - t0) * rate - sum / n;
//: posix/realtime for timestamp
struct timespec t;
clock_gettime(CLOCK_REALTIME, &t);
//: c/timespec_get for timestamp on Linux, Mac, Other
struct timespec t;
timespec_get(&t, TIME_UTC);
//: c/gettimeofday for timestamp
struct timeval t;
gettimeofday(&t, NULL);
//: windows/getsystemtimepreciseasfiletime for timestamp
FILETIME t;
GetSystemTimePreciseAsFileTime(&t);
//: windows/getsystemtimeasfiletime for timestamp
FILETIME t;
GetSystemTimeAsFileTime(&t);
//: mach/clock_get_time-calendar for timestamp
clock_serv_t clock;
host_get_clock_service(mach_host_self(), CALENDAR_CLOCK,
                       &clock);  // once
mach_timespec_t t;
clock_get_time(clock, &t);
//: linux/monotonic-coarse for coarse in C, C++
struct timespec t;
clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
//: windows/gettickcount64 for coarse, boot in C, C++
ULONGLONG ms = GetTickCount64();
//: windows/queryinterrupttime for coarse, boot in C, C++
ULONGLONG t;  // 100 ns
QueryInterruptTime(&t);
//: mach/approximate_time for coarse in C, C++
uint64_t t = mach_approximate_time();
//: posix/process-cputime for cpu in C, C++
struct timespec t;
clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
//: posix/thread-cputime for cpu in C, C++
struct timespec t;
clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
//: c/clock for cpu in C, C++
clock_t t = clock();  // CLOCKS_PER_SEC in a second
//: c/getrusage for cpu on Linux, Mac, Other in C, C++
struct rusage used;
getrusage(RUSAGE_SELF, &used);
//: c/times for cpu on Linux, Mac, Other in C, C++
struct tms used;
times(&used);
//: windows/querythreadcycletime for cpu in C, C++
ULONG64 cycles;
QueryThreadCycleTime(GetCurrentThread(), &cycles);
//: linux/boottime for boot in C, C++
struct timespec t;
clock_gettime(CLOCK_BOOTTIME, &t);
//: windows/queryinterrupttimeprecise for boot in C, C++
ULONGLONG t;  // 100 ns
QueryInterruptTimePrecise(&t);
//: mach/continuous_time for boot in C, C++
uint64_t t = mach_continuous_time();
//: x86/rdtsc-intrinsic, x86/rdtsc-builtin, x86/rdtsc-asm for trace in C, C++
uint64_t ticks = __rdtsc();
//: arm/cntvct for trace in C, C++
uint64_t ticks;
__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
//: slack for setting in C, C++
prctl(PR_SET_TIMERSLACK, {value});
//: slice for setting in C, C++
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
//: timer-period for setting in C, C++
timeBeginPeriod({value});  // once; link with winmm
