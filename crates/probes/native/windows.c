/* The clocks of Windows. Those that old versions of Windows lack are looked up by name before main,
 * so that the tool also starts there and a read is still one indirect call, as through an import
 * table. All names are in Microsoft's documentation of kernel32, kernelbase and ntdll. */
#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601
#include "reader.h"

#include <windows.h>

#include <mmsystem.h>

typedef BOOL(WINAPI *query_counter)(LARGE_INTEGER *);
typedef void(WINAPI *query_filetime)(FILETIME *);
typedef void(WINAPI *query_interrupt)(ULONGLONG *);
typedef BOOL(WINAPI *query_unbiased)(ULONGLONG *);
typedef LONG(WINAPI *query_resolution)(ULONG *coarsest, ULONG *finest, ULONG *current);

static query_counter cs_RtlQueryPerformanceCounter;
static query_filetime cs_GetSystemTimePreciseAsFileTime;
static query_interrupt cs_QueryInterruptTime;
static query_interrupt cs_QueryInterruptTimePrecise;
static query_unbiased cs_QueryUnbiasedInterruptTime;
static query_resolution cs_NtQueryTimerResolution;

/* Through void *, because GetProcAddress returns the same type for all functions. */
static void *look_up(const wchar_t *library, const char *function) {
    HMODULE module = GetModuleHandleW(library);
    return module ? (void *)(uintptr_t)GetProcAddress(module, function) : NULL;
}

__attribute__((constructor)) static void cs_windows_look_up(void) {
    cs_RtlQueryPerformanceCounter = look_up(L"ntdll.dll", "RtlQueryPerformanceCounter");
    cs_NtQueryTimerResolution = look_up(L"ntdll.dll", "NtQueryTimerResolution");
    cs_GetSystemTimePreciseAsFileTime = look_up(L"kernel32.dll", "GetSystemTimePreciseAsFileTime");
    cs_QueryUnbiasedInterruptTime = look_up(L"kernel32.dll", "QueryUnbiasedInterruptTime");
    cs_QueryInterruptTime = look_up(L"kernelbase.dll", "QueryInterruptTime");
    cs_QueryInterruptTimePrecise = look_up(L"kernelbase.dll", "QueryInterruptTimePrecise");
}

#define CS_FOUND(function) ((function) ? 0 : ENOSYS)

static double qpf(void) {
    LARGE_INTEGER hz;
    return QueryPerformanceFrequency(&hz) && hz.QuadPart > 0 ? (double)hz.QuadPart : -1.0;
}

static double qpc_tick_ns(void) {
    double hz = qpf();
    return hz > 0 ? 1e9 / hz : -1.0;
}

static int qpc_check(void) {
    LARGE_INTEGER t;
    return QueryPerformanceCounter(&t) && qpf() > 0 ? 0 : ENOSYS;
}

/* The amount that one clock interrupt adds to the tick count, in ns. */
static double tick_count_ns(void) {
    DWORD adjustment, increment;
    BOOL disabled;
    return GetSystemTimeAdjustment(&adjustment, &increment, &disabled) && increment
               ? 100.0 * increment
               : -1.0;
}

/* The current period of clock interrupts in ns, which is how often the kernel updates the times
 * that it publishes. NtQueryTimerResolution is undocumented, but has not changed since Windows NT. */
static double interrupt_ns(void) {
    ULONG coarsest, finest, current;
    if (cs_NtQueryTimerResolution && cs_NtQueryTimerResolution(&coarsest, &finest, &current) >= 0 &&
        current)
        return 100.0 * current;
    return tick_count_ns();
}

static inline uint64_t quad(FILETIME t) {
    return (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime;
}

/* A clock that writes to where its argument points: the object is sunk in memory. */
#define CS_OUT(name, check, type, call, as_u64, hz, nominal)                                  \
    static inline uint64_t name##_value(void) {                                               \
        type t;                                                                               \
        call(&t);                                                                             \
        return as_u64;                                                                        \
    }                                                                                         \
    CS_READER(name, check, type t; call(&t); CS_SINK_MEM(t), name##_value(), hz, nominal)

CS_OUT(windows_qpc, qpc_check(), LARGE_INTEGER, QueryPerformanceCounter, (uint64_t)t.QuadPart,
       qpf(), qpc_tick_ns());
CS_OUT(windows_rtl_qpc, cs_RtlQueryPerformanceCounter ? qpc_check() : ENOSYS, LARGE_INTEGER,
       cs_RtlQueryPerformanceCounter, (uint64_t)t.QuadPart, qpf(), qpc_tick_ns());
CS_OUT(windows_getsystemtimeasfiletime, 0, FILETIME, GetSystemTimeAsFileTime, quad(t), 1e7,
       interrupt_ns());
CS_OUT(windows_getsystemtimepreciseasfiletime, CS_FOUND(cs_GetSystemTimePreciseAsFileTime),
       FILETIME, cs_GetSystemTimePreciseAsFileTime, quad(t), 1e7, 100.0);
CS_OUT(windows_queryinterrupttime, CS_FOUND(cs_QueryInterruptTime), ULONGLONG,
       cs_QueryInterruptTime, (uint64_t)t, 1e7, interrupt_ns());
CS_OUT(windows_queryinterrupttimeprecise, CS_FOUND(cs_QueryInterruptTimePrecise), ULONGLONG,
       cs_QueryInterruptTimePrecise, (uint64_t)t, 1e7, 100.0);
CS_OUT(windows_queryunbiasedinterrupttime, CS_FOUND(cs_QueryUnbiasedInterruptTime), ULONGLONG,
       cs_QueryUnbiasedInterruptTime, (uint64_t)t, 1e7, interrupt_ns());

static inline BOOL thread_cycles(ULONG64 *t) {
    return QueryThreadCycleTime(GetCurrentThread(), t);
}

/* Wine has the function, but there it does nothing, so this also requires that the value changes. */
static int thread_cycles_check(void) {
    ULONG64 before = 0, after = 0;
    if (!thread_cycles(&before)) return ENOSYS;
    for (int i = 0; i < 1000 && after <= before; i++)
        if (!thread_cycles(&after)) return ENOSYS;
    return after > before ? 0 : ENOSYS;
}

CS_OUT(windows_querythreadcycletime, thread_cycles_check(), ULONG64, thread_cycles, (uint64_t)t,
       -1.0, -1.0);

CS_READER(windows_gettickcount64, 0, CS_SINK(GetTickCount64()), GetTickCount64(), 1000.0,
          tick_count_ns());
CS_READER(windows_timegettime, 0, CS_SINK(timeGetTime()), timeGetTime(), 1000.0, interrupt_ns());
