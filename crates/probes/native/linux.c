/* The clocks that Linux adds to POSIX, through the C library; and all clocks through the system
 * call itself, which bypasses the C library and the vDSO. */
#define _GNU_SOURCE
#include "kernel_clock.h"

CS_CLOCK_GETTIME(linux_monotonic_raw, CLOCK_MONOTONIC_RAW);
CS_CLOCK_GETTIME(linux_boottime, CLOCK_BOOTTIME);
CS_CLOCK_GETTIME(linux_tai, CLOCK_TAI);
CS_CLOCK_GETTIME(linux_realtime_coarse, CLOCK_REALTIME_COARSE);
CS_CLOCK_GETTIME(linux_monotonic_coarse, CLOCK_MONOTONIC_COARSE);

#define CS_SYSCALL(name, id) CS_KERNEL_CLOCK(name, cs_syscall_gettime, id)

CS_SYSCALL(linux_realtime_syscall, CLOCK_REALTIME);
CS_SYSCALL(linux_monotonic_syscall, CLOCK_MONOTONIC);
CS_SYSCALL(linux_monotonic_raw_syscall, CLOCK_MONOTONIC_RAW);
CS_SYSCALL(linux_boottime_syscall, CLOCK_BOOTTIME);
CS_SYSCALL(linux_tai_syscall, CLOCK_TAI);
CS_SYSCALL(linux_realtime_coarse_syscall, CLOCK_REALTIME_COARSE);
CS_SYSCALL(linux_monotonic_coarse_syscall, CLOCK_MONOTONIC_COARSE);
CS_SYSCALL(linux_process_cputime_syscall, CLOCK_PROCESS_CPUTIME_ID);
CS_SYSCALL(linux_thread_cputime_syscall, CLOCK_THREAD_CPUTIME_ID);

/* The vDSO's function, which src/clocks/linux/vdso.rs finds; its address is the state. */
typedef int (*cs_vdso_gettime)(clockid_t, struct cs_kernel_timespec *);

CS_KERNEL_CLOCK(linux_monotonic_vdso, ((cs_vdso_gettime)state), CLOCK_MONOTONIC);
