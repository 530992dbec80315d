/* The clocks that Linux adds to POSIX, through the C library; and all clocks through the system
 * call, which bypasses the vDSO: by the C library's function for any call, and by the instruction
 * alone. */
#define _GNU_SOURCE
#include "kernel_clock.h"

CS_CLOCK_GETTIME(linux_monotonic_raw, CLOCK_MONOTONIC_RAW);
CS_CLOCK_GETTIME(linux_boottime, CLOCK_BOOTTIME);
CS_CLOCK_GETTIME(linux_tai, CLOCK_TAI);
CS_CLOCK_GETTIME(linux_realtime_coarse, CLOCK_REALTIME_COARSE);
CS_CLOCK_GETTIME(linux_monotonic_coarse, CLOCK_MONOTONIC_COARSE);

#define CS_SYSCALL(name, id) CS_KERNEL_CLOCK(name, cs_libc_gettime, id)

CS_SYSCALL(linux_realtime_syscall, CLOCK_REALTIME);
CS_SYSCALL(linux_monotonic_syscall, CLOCK_MONOTONIC);
CS_SYSCALL(linux_monotonic_raw_syscall, CLOCK_MONOTONIC_RAW);
CS_SYSCALL(linux_boottime_syscall, CLOCK_BOOTTIME);
CS_SYSCALL(linux_tai_syscall, CLOCK_TAI);
CS_SYSCALL(linux_realtime_coarse_syscall, CLOCK_REALTIME_COARSE);
CS_SYSCALL(linux_monotonic_coarse_syscall, CLOCK_MONOTONIC_COARSE);
CS_SYSCALL(linux_process_cputime_syscall, CLOCK_PROCESS_CPUTIME_ID);
CS_SYSCALL(linux_thread_cputime_syscall, CLOCK_THREAD_CPUTIME_ID);

#ifdef CS_BARE_SYSCALL
#define CS_BARE(name, id) CS_KERNEL_CLOCK(name, cs_bare_gettime, id)

CS_BARE(linux_realtime_bare, CLOCK_REALTIME);
CS_BARE(linux_monotonic_bare, CLOCK_MONOTONIC);
CS_BARE(linux_monotonic_raw_bare, CLOCK_MONOTONIC_RAW);
CS_BARE(linux_boottime_bare, CLOCK_BOOTTIME);
CS_BARE(linux_tai_bare, CLOCK_TAI);
CS_BARE(linux_realtime_coarse_bare, CLOCK_REALTIME_COARSE);
CS_BARE(linux_monotonic_coarse_bare, CLOCK_MONOTONIC_COARSE);
CS_BARE(linux_process_cputime_bare, CLOCK_PROCESS_CPUTIME_ID);
CS_BARE(linux_thread_cputime_bare, CLOCK_THREAD_CPUTIME_ID);
#endif

/* The vDSO's function, which src/clocks/linux.rs finds; its address is the state. */
typedef int (*cs_vdso_gettime)(clockid_t, struct cs_kernel_timespec *);

CS_KERNEL_CLOCK(linux_monotonic_vdso, ((cs_vdso_gettime)state), CLOCK_MONOTONIC);
