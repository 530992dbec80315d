/* Plants one fault of time in a process or in a virtual machine, for `cargo research lab`.
 *
 * Some commands change the calling process and then run a program, which inherits the change:
 *
 *   plant notsc COMMAND...         the processor's counter raises SIGSEGV (prctl, PR_SET_TSC)
 *   plant slack NS COMMAND...      timer slack of this many nanoseconds
 *   plant deny CALL,... COMMAND... a seccomp filter answers these system calls with EPERM
 *   plant ordinary COMMAND...      no privilege to use a real-time priority
 *   plant show                     whether the counter may be read, slack, filter, priority limit
 *
 * The others change the clock of the whole system. They run only as the first process's child in a
 * machine that was booted for the lab, which its kernel's command line says:
 *
 *   plant synchronised | unsynchronised | undisciplined | leap-insert | leap-delete | no-tai
 *   plant step SECONDS
 *   plant slew PPM
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define NSEC 1000000000L

static void die(const char *what)
{
    fprintf(stderr, "plant: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void usage(void)
{
    fputs("plant: unknown command or missing argument\n", stderr);
    exit(2);
}

/* The arguments that were not consumed are the command. */
static void run(char **command)
{
    if (!*command)
        usage();
    execvp(*command, command);
    die(*command);
}

/* System calls that can be denied. 32-bit systems have two of each: the one whose seconds have 32
 * bits, and that of linux/uapi/asm-generic/unistd.h with 64, whose numbers start at 403. */
static const struct { const char *name; int number; } CALLS[] = {
    { "clock_gettime", __NR_clock_gettime },
    { "clock_getres", __NR_clock_getres },
    { "clock_nanosleep", __NR_clock_nanosleep },
    { "adjtimex", __NR_adjtimex },
    { "clock_adjtime", __NR_clock_adjtime },
#ifdef __NR_clock_gettime64
    { "clock_gettime64", __NR_clock_gettime64 },
    { "clock_getres_time64", __NR_clock_getres_time64 },
    { "clock_nanosleep_time64", __NR_clock_nanosleep_time64 },
    { "clock_adjtime64", __NR_clock_adjtime64 },
    { "timerfd_settime64", __NR_timerfd_settime64 },
    { "ppoll_time64", __NR_ppoll_time64 },
    { "futex_time64", __NR_futex_time64 },
#endif
};

static int number(const char *name)
{
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++)
        if (!strcmp(CALLS[i].name, name))
            return CALLS[i].number;
    fprintf(stderr, "plant: unknown system call `%s`\n", name);
    exit(2);
}

/* A filter in the manner of docker's old profiles: EPERM, where ENOSYS would let the C library fall
 * back to another call. */
static void deny(char *names)
{
    struct sock_filter code[2 + 2 * 16] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    unsigned short length = 1;
    for (char *name = strtok(names, ","); name && length < 32; name = strtok(NULL, ",")) {
        struct sock_filter is = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number(name), 0, 1);
        struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
        code[length++] = is;
        code[length++] = refuse;
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = { length, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        die("seccomp");
}

/* As an ordinary user is: RLIMIT_RTPRIO 0 and no CAP_SYS_NICE, which exec would give back to root
 * unless the bounding set lacks it. */
static void ordinary(void)
{
    struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_RTPRIO, &none) || prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0))
        die("cannot drop the privilege");
}

/* What a process inherited, by the kernel's own account. */
static void show(void)
{
    int counter = 0;
    struct rlimit priority;
#ifdef PR_GET_TSC
    if (prctl(PR_GET_TSC, &counter, 0, 0, 0))
        die("PR_GET_TSC");
    printf("counter: %s\n", counter == PR_TSC_SIGSEGV ? "SIGSEGV" : "permitted");
#endif
    if (getrlimit(RLIMIT_RTPRIO, &priority))
        die("RLIMIT_RTPRIO");
    printf("slack: %d ns\nseccomp: %d\nreal-time priority: %lu, CAP_SYS_NICE: %d\n",
           prctl(PR_GET_TIMERSLACK), prctl(PR_GET_SECCOMP), (unsigned long)priority.rlim_cur,
           prctl(PR_CAPBSET_READ, CAP_SYS_NICE, 0, 0, 0));
}

/* Only a machine of the lab may have its clock changed. */
static void in_the_lab(void)
{
    char line[4096] = "";
    FILE *file = fopen("/proc/cmdline", "r");
    if (!file || !fgets(line, sizeof line, file) || !strstr(line, " chronoscope_lab=")) {
        fputs("plant: this machine was not booted by `cargo research lab`\n", stderr);
        exit(2);
    }
    fclose(file);
}

static void adjust(struct timex tx)
{
    if (adjtimex(&tx) < 0)
        die("adjtimex");
}

/* What a daemon leaves after it has synchronised the clock to 1 ms. */
static void status(int bits, long maxerror_us)
{
    adjust((struct timex){ .modes = ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR,
                           .status = bits, .maxerror = maxerror_us, .esterror = maxerror_us / 2 });
    adjust((struct timex){ .modes = ADJ_TAI, .constant = 37 });
}

static void step(double seconds)
{
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now))
        die("clock_gettime");
    double whole = (double)(long)seconds;
    now.tv_sec += (time_t)whole;
    now.tv_nsec += (long)((seconds - whole) * NSEC);
    if (now.tv_nsec < 0) {
        now.tv_nsec += NSEC;
        now.tv_sec--;
    } else if (now.tv_nsec >= NSEC) {
        now.tv_nsec -= NSEC;
        now.tv_sec++;
    }
    if (clock_settime(CLOCK_REALTIME, &now))
        die("clock_settime");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char *with = argc > 2 ? argv[2] : NULL;
    if (!strcmp(what, "notsc")) {
#ifdef PR_SET_TSC
        if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
            die("PR_SET_TSC");
#endif
        run(argv + 2);
    } else if (!strcmp(what, "slack") && with) {
        if (prctl(PR_SET_TIMERSLACK, strtoul(with, NULL, 10), 0, 0, 0))
            die("PR_SET_TIMERSLACK");
        run(argv + 3);
    } else if (!strcmp(what, "deny") && with) {
        deny(with);
        run(argv + 3);
    } else if (!strcmp(what, "ordinary")) {
        ordinary();
        run(argv + 2);
    } else if (!strcmp(what, "show")) {
        show();
        return 0;
    }
    in_the_lab();
    if (!strcmp(what, "synchronised"))
        status(0, 1000);
    else if (!strcmp(what, "unsynchronised"))
        status(STA_UNSYNC, 16000000);
    else if (!strcmp(what, "undisciplined"))
        status(STA_UNSYNC, 1000); /* chrony without rtcsync: STA_UNSYNC stays set */
    else if (!strcmp(what, "leap-insert"))
        status(STA_INS, 1000);
    else if (!strcmp(what, "leap-delete"))
        status(STA_DEL, 1000);
    else if (!strcmp(what, "no-tai"))
        adjust((struct timex){ .modes = ADJ_TAI, .constant = 0 });
    else if (!strcmp(what, "step") && with)
        step(strtod(with, NULL));
    else if (!strcmp(what, "slew") && with)
        /* The kernel's unit is 2^-16 ppm: adjtimex(2). */
        adjust((struct timex){ .modes = ADJ_FREQUENCY,
                               .freq = (long)(strtod(with, NULL) * 65536) });
    else
        usage();
    return 0;
}
