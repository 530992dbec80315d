/*
 * Every exported function, each in a process of its own: in a thread that is cancelled at any
 * instruction, where the counter is forbidden, and under the filters that the header allows. The
 * argument says which; "list" prints the functions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chronoscope.h>

/* What a call takes of the system: see the header. */
enum { READS, WAITS = 1, MEMORY = 2, THREAD = 4 };

static chronoscope_clock *own;
static chronoscope_waiter *waiter;
static chronoscope_ticker *ticker;
static chronoscope_witness *witness;

#define FUNCTIONS                                                                              \
    X(after, READS, chronoscope_instant m; chronoscope_after(1, 5, &m);)                       \
    X(before, READS, chronoscope_instant m; chronoscope_before(10000, 5, &m);)                 \
    X(choose, READS, chronoscope_choose(CHRONOSCOPE_WANT_AUTO);)                               \
    X(clock_description, MEMORY, chronoscope_description d;                                    \
      chronoscope_clock_description(NULL, &d);)                                                \
    X(clock_free, MEMORY, chronoscope_clock *c = NULL; chronoscope_clock_new(0, &c);           \
      chronoscope_clock_free(c);)                                                              \
    X(clock_new, MEMORY, if (own == NULL) chronoscope_clock_new(0, &own);)                     \
    X(clock_now, READS, chronoscope_clock_now(own);)                                           \
    X(clock_ns_between, READS, chronoscope_clock_ns_between(own, 1, ~0ull);                    \
      chronoscope_clock_ns_between(NULL, 1, 1000);)                                            \
    X(describe, MEMORY, char t[99]; chronoscope_describe(NULL, t, sizeof t);)                  \
    X(elapsed_bounded, READS, chronoscope_bounded b; chronoscope_elapsed_bounded(1, &b);)      \
    X(elapsed_bounded_within, READS, chronoscope_bounded b;                                    \
      chronoscope_elapsed_bounded_within(1, 1000, &b);)                                        \
    X(elapsed_ns, READS, chronoscope_elapsed_ns(1); chronoscope_elapsed_ns(~0ull);)            \
    X(keep, MEMORY | THREAD | WAITS, chronoscope_keeper *k = NULL;                             \
      chronoscope_keep(1000000000, &k); chronoscope_keeper_free(k);)                           \
    X(keeper_free, MEMORY, chronoscope_keeper_free(NULL);)                                     \
    X(mode, READS, chronoscope_mode();)                                                        \
    X(now, READS, (chronoscope_now)(); chronoscope_now();)                                     \
    X(now_ordered, READS, (chronoscope_now_ordered)(); chronoscope_now_ordered();)             \
    X(ns_between, READS, chronoscope_ns_between(1, ~0ull); chronoscope_ns_between(1, 2);)      \
    X(sleep_interruptible_ns, WAITS, uint64_t l; chronoscope_waited w;                         \
      chronoscope_sleep_interruptible_ns(100000, &l, &w);)                                     \
    X(sleep_ns, WAITS, chronoscope_waited w; chronoscope_sleep_ns(100000, &w);                 \
      chronoscope_sleep_ns(7000000, &w);)                                                      \
    X(sleep_until, WAITS, chronoscope_sleep_until(chronoscope_now() + 100000, NULL);)          \
    X(start, READS, (chronoscope_start)(); chronoscope_start();)                               \
    X(status_text, READS, chronoscope_status_text(2);)                                         \
    X(steady_ns, READS, chronoscope_steady_ns();)                                              \
    X(stop, READS, (chronoscope_stop)(); chronoscope_stop();)                                  \
    X(sync, READS, chronoscope_synced s; chronoscope_sync(NULL, &s);)                          \
    X(ticker_free, MEMORY, chronoscope_ticker *t = NULL;                                       \
      chronoscope_ticker_new(100000, 1, &t); chronoscope_ticker_free(t);)                      \
    X(ticker_new, MEMORY, if (ticker == NULL) chronoscope_ticker_new(100000, 1, &ticker);)     \
    X(ticker_tick, WAITS, chronoscope_tick t; chronoscope_ticker_tick(ticker, &t);)            \
    X(version, READS, chronoscope_version();)                                                  \
    X(waiter_free, MEMORY, chronoscope_waiter *w = NULL; chronoscope_waiter_new(1, &w);        \
      chronoscope_waiter_free(w);)                                                             \
    X(waiter_new, MEMORY, if (waiter == NULL) chronoscope_waiter_new(1, &waiter);)             \
    X(waiter_restore_slice, READS, chronoscope_waiter_restore_slice(waiter);)                  \
    X(waiter_set_budget_ns, READS, chronoscope_waiter_set_budget_ns(waiter, 1000);)            \
    X(waiter_shorten_slice, READS, chronoscope_waiter_shorten_slice(waiter);)                  \
    X(waiter_sleep_ns, WAITS, chronoscope_waiter_sleep_ns(waiter, 100000, NULL);)              \
    X(waiter_sleep_until, WAITS,                                                               \
      chronoscope_waiter_sleep_until(waiter, chronoscope_now() + 100000, NULL);)               \
    X(wall_bound_by, MEMORY,                                                                   \
      chronoscope_wall_bound_by(CHRONOSCOPE_BOUND_BY_CLOCKBOUND, "/nonexistent");)             \
    X(wall_bounded, READS, chronoscope_wall_interval i; chronoscope_wall_bounded(&i);)         \
    X(wall_checked, READS, chronoscope_wall_interval i; chronoscope_wall_checked(&i);)         \
    X(wall_ns, READS, chronoscope_wall_ns();)                                                  \
    X(wall_sync, READS, chronoscope_wall_sync();)                                              \
    X(witness_begin, READS, chronoscope_witness_begin(witness);)                               \
    X(witness_end, READS, chronoscope_verdict v; chronoscope_witness_end(witness, &v);)        \
    X(witness_free, MEMORY, chronoscope_witness *w = NULL; chronoscope_witness_new(2, &w);     \
      chronoscope_witness_begin(w); chronoscope_witness_free(w);)                              \
    X(witness_new, MEMORY, if (witness == NULL) chronoscope_witness_new(2, &witness);)

#define X(name, takes, ...) \
    static void call_##name(void) { __VA_ARGS__ }
FUNCTIONS
#undef X

static const struct {
    const char *name;
    int takes;
    void (*call)(void);
} functions[] = {
#define X(name, takes, ...) {"chronoscope_" #name, takes, call_##name},
    FUNCTIONS
#undef X
};

enum { COUNT = sizeof functions / sizeof functions[0] };

/* What other functions need. */
static void make(void) {
    call_clock_new();
    call_waiter_new();
    call_ticker_new();
}

static void *endless(void *function) {
    void (*call)(void) = *(void (*const *)(void))function;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    while (call != NULL) {
        call();
    }
    return NULL;
}

/* Cancels threads during one function, which must end them and nothing else. */
static int cancelled(int which) {
    int i;
    make();
    functions[which].call();
    for (i = 0; i < 100; i++) {
        struct timespec pause = {0, 100000 + 7919 * i};
        pthread_t thread;
        void *result = NULL;
        if (pthread_create(&thread, NULL, endless, (void *)&functions[which].call) != 0) {
            return 2;
        }
        nanosleep(&pause, NULL);
        pthread_cancel(thread);
        if (pthread_join(thread, &result) != 0 || result != PTHREAD_CANCELED) {
            return 3;
        }
    }
    return 0;
}

static const long reads[] = {SYS_prctl, SYS_mmap, SYS_madvise, SYS_munmap, SYS_clock_gettime,
                             SYS_exit_group, SYS_write};
static const long waits[] = {SYS_clock_nanosleep,
#ifdef SYS_poll
                             SYS_poll,
#endif
                             SYS_ppoll};
static const long memory[] = {SYS_brk, SYS_mremap, SYS_mprotect};
static const long thread[] = {SYS_clone, SYS_clone3, SYS_exit, SYS_futex, SYS_gettid, SYS_rseq,
                              SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_sched_getaffinity,
                              SYS_sched_yield, SYS_set_robust_list, SYS_sigaltstack};

static struct sock_filter program[99];
static unsigned short length;

static void add(unsigned short code, unsigned char otherwise, unsigned k) {
    struct sock_filter it = {0, 0, 0, 0};
    it.code = code;
    it.jf = otherwise;
    it.k = k;
    program[length++] = it;
}

static void allow(const long *calls, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        add(BPF_JMP | BPF_JEQ | BPF_K, 1, (unsigned)calls[i]);
        add(BPF_RET | BPF_K, 0, SECCOMP_RET_ALLOW);
    }
}

#define ALLOW(calls) allow(calls, sizeof calls / sizeof calls[0])

static int filtered(int takes, unsigned otherwise) {
    struct sock_fprog whole;
    add(BPF_LD | BPF_W | BPF_ABS, 0, offsetof(struct seccomp_data, nr));
    ALLOW(reads);
    if (takes & WAITS) {
        ALLOW(waits);
    }
    if (takes & MEMORY) {
        ALLOW(memory);
    }
    if (takes & THREAD) {
        ALLOW(thread);
    }
    add(BPF_RET | BPF_K, 0, otherwise);
    whole.len = length;
    whole.filter = program;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
}

static int restricted(const char *way, int which) {
    void (*call)(void) = functions[which].call;
    if (strcmp(way, "tsc") == 0) {
        /* Before any clock is read. It fails where no processor has such a thing. */
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
        make();
        call();
        return 0;
    }
    make();
    if (strstr(way, "later") != NULL) {
        call();
    }
    if (!filtered(functions[which].takes, strncmp(way, "kill", 4) == 0
                                                     ? SECCOMP_RET_KILL_PROCESS
                                                     : SECCOMP_RET_ERRNO | EPERM)) {
        return 4;
    }
    call();
    return 0;
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "list";
    int which, faults = 0;
    for (which = 0; which < COUNT; which++) {
        const char *name = functions[which].name;
        int status = 0;
        pid_t child;
        if (strcmp(way, "list") == 0) {
            puts(name);
            continue;
        }
        fflush(stdout);
        child = fork();
        if (child == 0) {
            alarm(60);
            _exit(strcmp(way, "cancel") == 0 ? cancelled(which) : restricted(way, which));
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            faults++;
            printf("%s, %s: %s %d\n", name, way, WIFSIGNALED(status) ? "signal" : "exit code",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        }
    }
    return faults != 0;
}
