/*
 * chronoscope: a clock at the cost of one instruction, which says how far it can be off, and a wait
 * that wakes on time for little CPU time.
 *
 *     #include <chronoscope.h>
 *
 *     uint64_t start = chronoscope_now();
 *     ...
 *     printf("%llu ns\n", (unsigned long long)chronoscope_elapsed_ns(start));
 *
 * Every function may be called by any thread at any time, except in signal handlers; where an
 * object belongs to one thread at a time, its description says so. Times are in nanoseconds.
 *
 * This file is made from the library's source by `cargo xtask generate`: changes belong there.
 */

#ifndef CHRONOSCOPE_H
#define CHRONOSCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 The counter if it can be trusted, else the system's clock.
 */
#define CHRONOSCOPE_WANT_AUTO 0

/*
 The counter, unless reading it would kill the process or it does not count.
 */
#define CHRONOSCOPE_WANT_COUNTER 1

/*
 The system's clock.
 */
#define CHRONOSCOPE_WANT_OS 2

/*
 The processor's counter is read.
 */
#define CHRONOSCOPE_SOURCE_COUNTER 0

/*
 The system's monotonic clock is read.
 */
#define CHRONOSCOPE_SOURCE_OS 1

/*
 The system's clock is read in the counter's place, since that was caught at something that a
 clock does not do.
 */
#define CHRONOSCOPE_SOURCE_OS_INSTEAD 2

/*
 The system's clock is read, and there is nothing to calibrate; `value` is zero.
 */
#define CHRONOSCOPE_SYNC_NOT_NEEDED 0

/*
 All is as it was; `value` is the bound of the rate in parts per million.
 */
#define CHRONOSCOPE_SYNC_AGREES 1

/*
 What was seen was impossible and did not last; nothing was changed, and `value` is zero.
 */
#define CHRONOSCOPE_SYNC_REJECTED 2

/*
 The clocks drift apart; `value` is the bound that covers it, in parts per million.
 */
#define CHRONOSCOPE_SYNC_DRIFTED 3

/*
 The counter jumped ahead; `value` is by how many nanoseconds.
 */
#define CHRONOSCOPE_SYNC_JUMPED 4

/*
 The counter runs at another rate; `value` is the change in parts per million.
 */
#define CHRONOSCOPE_SYNC_RATE_CHANGED 5

/*
 The counter went back or stands, and the system's clock is read from now on; `value` is zero.
 */
#define CHRONOSCOPE_SYNC_GIVEN_UP 6

/*
 The counter jumped a little or changed its rate a little; `value` is the bound that covers both
 until the next look tells which, in parts per million.
 */
#define CHRONOSCOPE_SYNC_UNSURE 7

/*
 As little CPU time as possible: half of the waits are on time, the others as late as the system
 wakes them.
 */
#define CHRONOSCOPE_ECONOMY 0

/*
 Nearly all waits are on time, for up to 14 us of spinning on average
 (Linux; 46 us on macOS, 112 us on Windows).
 */
#define CHRONOSCOPE_BALANCED 1

/*
 All but one in a thousand are on time, for up to 150 us of spinning a wait (Linux).
 */
#define CHRONOSCOPE_PRECISE 2

/*
 A clock with its own source and calibration. Any number of threads may use one at once.
 */
typedef struct chronoscope_clock chronoscope_clock;

/*
 A thread that calibrates the global clock now and then.
 */
typedef struct chronoscope_keeper chronoscope_keeper;

/*
 Returns at every point of a grid, however late one of them was. One thread at a time may use it.
 */
typedef struct chronoscope_ticker chronoscope_ticker;

/*
 Waits, and learns from it how early to wake. One thread at a time may use it.
 */
typedef struct chronoscope_waiter chronoscope_waiter;

/*
 Zero when all went well, else one of the numbers below.
 */
typedef int32_t chronoscope_status;

/*
 A moment, in ticks of the global clock since no particular time. Moments of one process compare
 by `<`; what lies between two is a matter of `chronoscope_ns_between`.
 */
typedef uint64_t chronoscope_instant;

/*
 What came of a look at the reference.
 */
typedef struct chronoscope_synced {
    /*
     One of `CHRONOSCOPE_SYNC_…`.
     */
    uint32_t outcome;
    /*
     What goes with it.
     */
    double value;
} chronoscope_synced;

/*
 How a clock is read and how well.
 */
typedef struct chronoscope_description {
    /*
     One of `CHRONOSCOPE_SOURCE_…`.
     */
    uint32_t source;
    /*
     Ticks a second.
     */
    double hz;
    /*
     How far the rate can be off, in parts per million of the system's undisciplined clock.
     */
    double bound_ppm;
    /*
     How long the rate has been observed.
     */
    uint64_t observed_ns;
    /*
     Time since the last calibration; zero where there is none.
     */
    uint64_t calibrated_ns;
    /*
     Samples that went into the rate.
     */
    uint32_t samples;
    /*
     Samples that were refused as absurd.
     */
    uint64_t rejected;
    /*
     Jumps of the counter that were noticed.
     */
    uint64_t jumps;
    /*
     Changes of the rate that were noticed.
     */
    uint64_t rate_changes;
} chronoscope_description;

/*
 A time in nanoseconds and how far it can be off.
 */
typedef struct chronoscope_bounded {
    /*
     The time.
     */
    uint64_t ns;
    /*
     The error is at most so much, held against the system's clock.
     */
    uint64_t bound_ns;
} chronoscope_bounded;

/*
 What a wait was like. Times are in nanoseconds.
 */
typedef struct chronoscope_waited {
    /*
     How long after the deadline it returned, by its clock. A wait for a time lasts until that
     has passed by the system's monotonic clock, too: where that is slewed, it is late from then
     on.
     */
    uint64_t late_ns;
    /*
     How long it was asleep.
     */
    uint64_t slept_ns;
    /*
     How long it spun.
     */
    uint64_t spun_ns;
    /*
     How often it was woken.
     */
    uint32_t wakes;
    /*
     How often something else ran instead.
     */
    uint32_t preempted;
} chronoscope_waited;

/*
 One tick of a ticker.
 */
typedef struct chronoscope_tick {
    /*
     Which point of the grid this is; the first is 1.
     */
    uint64_t number;
    /*
     Points of the grid that had passed since the last call, and were left out.
     */
    uint64_t missed;
    /*
     What the wait was like.
     */
    struct chronoscope_waited waited;
} chronoscope_tick;

/*
 An interval in which the time is, in nanoseconds since 1970-01-01 00:00 UTC.
 */
typedef struct chronoscope_wall_interval {
    /*
     It is not earlier than this.
     */
    uint64_t earliest;
    /*
     The best guess.
     */
    uint64_t now;
    /*
     It is not later than this.
     */
    uint64_t latest;
    /*
     The part of the error that is this library's: how far `now` can be from the system's clock.
     */
    uint64_t tracking_ns;
    /*
     The part that the kernel states for its own clock, if `kernel_known`.
     */
    uint64_t kernel_ns;
    /*
     Whether the kernel states an error; if not, the interval is one around the system's clock.
     */
    bool kernel_known;
} chronoscope_wall_interval;

/*
 All went well.
 */
#define CHRONOSCOPE_OK 0

/*
 A pointer was null where something has to be read or written.
 */
#define CHRONOSCOPE_NULL 1

/*
 A number stands for nothing, or is out of its range.
 */
#define CHRONOSCOPE_INVALID 2

/*
 The clock has been read before, so its source stands.
 */
#define CHRONOSCOPE_ALREADY_CHOSEN 3

/*
 The result is before the first or after the last moment that can be counted.
 */
#define CHRONOSCOPE_OUT_OF_RANGE 4

/*
 The operating system refused (a thread could not be started).
 */
#define CHRONOSCOPE_SYSTEM 5

/*
 A fault of this library, which was caught; please report it.
 */
#define CHRONOSCOPE_INTERNAL 6

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Chooses the source of the global clock, one of `CHRONOSCOPE_WANT_…`, instead of the environment
 variable `CHRONOSCOPE_SOURCE`. `CHRONOSCOPE_ALREADY_CHOSEN` when the clock has been read before,
 `CHRONOSCOPE_INVALID` for any other number.
 */
chronoscope_status chronoscope_choose(uint32_t wanted);

/*
 Makes a clock with the source that is wanted, one of `CHRONOSCOPE_WANT_…`; to be ended by
 `chronoscope_clock_free`. `CHRONOSCOPE_INVALID` for any other number.

 Pointers:
 `new_clock` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
 */
chronoscope_status chronoscope_clock_new(uint32_t wanted, struct chronoscope_clock **new_clock);

/*
 Ends a clock; nothing for null.

 Pointers:
 `clock` is null, or came from `chronoscope_clock_new` and is not used any more.
 */
void chronoscope_clock_free(struct chronoscope_clock *clock);

/*
 Reads a clock; null is the global one. Moments of different clocks do not compare.

 Pointers:
 `clock` is null or came from `chronoscope_clock_new`.
 */
chronoscope_instant chronoscope_clock_now(const struct chronoscope_clock *clock);

/*
 As `chronoscope_ns_between`, for moments of that clock; null is the global one.

 Pointers:
 `clock` is null or came from `chronoscope_clock_new`.
 */
uint64_t chronoscope_clock_ns_between(const struct chronoscope_clock *clock,
                                      chronoscope_instant earlier,
                                      chronoscope_instant later);

/*
 Looks at the system's clock, in about a microsecond, and makes the calibration better: the
 longer since the first read, the smaller the bound. Null is the global clock.

 Pointers:
 `clock` is null or came from `chronoscope_clock_new`; `synced` is null, where what came of it is
 not wanted, or points to a place for the answer.
 */
chronoscope_status chronoscope_sync(const struct chronoscope_clock *clock,
                                    struct chronoscope_synced *synced);

/*
 How a clock is read and how well; null is the global one.

 Pointers:
 `clock` is null or came from `chronoscope_clock_new`; `description` is null (`CHRONOSCOPE_NULL`)
 or points to a place for the answer.
 */
chronoscope_status chronoscope_clock_description(const struct chronoscope_clock *clock,
                                                 struct chronoscope_description *description);

/*
 What a clock reads, why, and how well, in some lines of text; null is the global clock.

 As `snprintf`: writes as much as fits into `size` bytes, with a zero at the end, and returns how
 many bytes all of it takes without that zero. Zero in case of a fault of this library.

 Pointers:
 `clock` is null or came from `chronoscope_clock_new`; `text` is null, where only the length is
 wanted, or points to `size` bytes.
 */
size_t chronoscope_describe(const struct chronoscope_clock *clock, char *text, size_t size);

/*
 Starts a thread that calibrates the global clock every `period_ns` nanoseconds until
 `chronoscope_keeper_free`; less than a millisecond is taken for one. `CHRONOSCOPE_INVALID` for
 zero, `CHRONOSCOPE_SYSTEM` when no thread could be started.

 Pointers:
 `keeper` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
 */
chronoscope_status chronoscope_keep(uint64_t period_ns, struct chronoscope_keeper **keeper);

/*
 Ends the thread, and waits until it has ended; nothing for null.

 Pointers:
 `keeper` is null, or came from `chronoscope_keep` and is not used any more.
 */
void chronoscope_keeper_free(struct chronoscope_keeper *keeper);

/*
 The byte by which the inline reads below decide. Valid for ever; to be read with acquire order.
 */
const uint8_t *chronoscope_mode(void);

/*
 The present moment, unordered with the instructions around it: the cheapest read there is.

 The first read of a process chooses the source, in under a millisecond.
 */
chronoscope_instant chronoscope_now(void);

/*
 The present moment, after all earlier instructions of this thread.
 */
chronoscope_instant chronoscope_now_ordered(void);

/*
 The start of a timed region, of which nothing begins before.
 */
chronoscope_instant chronoscope_start(void);

/*
 The end of a timed region, all of which is done before.
 */
chronoscope_instant chronoscope_stop(void);

/*
 Nanoseconds from one moment to a later one; zero if it is not later.
 */
uint64_t chronoscope_ns_between(chronoscope_instant earlier, chronoscope_instant later);

/*
 Nanoseconds since a moment; zero if it is yet to come.
 */
uint64_t chronoscope_elapsed_ns(chronoscope_instant since);

/*
 Nanoseconds since a moment, with a bound of the error.

 Pointers:
 `elapsed` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
 */
chronoscope_status chronoscope_elapsed_bounded(chronoscope_instant since,
                                               struct chronoscope_bounded *elapsed);

/*
 The moment so many nanoseconds after another, rounded up to a tick, so that it never is before
 the time has passed; `CHRONOSCOPE_OUT_OF_RANGE` beyond what can be counted.

 Pointers:
 `later` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
 */
chronoscope_status chronoscope_after(chronoscope_instant moment,
                                     uint64_t ns,
                                     chronoscope_instant *later);

/*
 The moment so many nanoseconds before another; `CHRONOSCOPE_OUT_OF_RANGE` before the first tick.

 Pointers:
 `earlier` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
 */
chronoscope_status chronoscope_before(chronoscope_instant moment,
                                      uint64_t ns,
                                      chronoscope_instant *earlier);

/*
 Nanoseconds since the system's monotonic clock began to count, which never go back: a better
 rate bends the line they are on, and does not move it. What `std::chrono` takes for a clock.
 */
uint64_t chronoscope_steady_ns(void);

/*
 A status in words, for ever valid; for a number that is no status, words that say so.
 */
const char *chronoscope_status_text(chronoscope_status status);

/*
 The version of the library that runs, such as "0.1.0"; for ever valid.
 */
const char *chronoscope_version(void);

/*
 Makes a ticker whose grid begins now, by waits of that effort (see `chronoscope_waiter_new`); to
 be ended by `chronoscope_ticker_free`. `CHRONOSCOPE_INVALID` for a period of zero.

 Pointers:
 `ticker` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
 */
chronoscope_status chronoscope_ticker_new(uint64_t period_ns,
                                          uint32_t effort,
                                          struct chronoscope_ticker **ticker);

/*
 Waits for the next point of the grid that is yet to come.

 Pointers:
 `ticker` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_ticker_new` and is used by this
 thread alone; `tick` is null, where what it was like is not wanted, or points to a place for the
 answer.
 */
chronoscope_status chronoscope_ticker_tick(struct chronoscope_ticker *ticker,
                                           struct chronoscope_tick *tick);

/*
 Ends a ticker; nothing for null.

 Pointers:
 `ticker` is null, or came from `chronoscope_ticker_new` and is not used any more.
 */
void chronoscope_ticker_free(struct chronoscope_ticker *ticker);

/*
 Waits for at least so many nanoseconds, balanced.

 Pointers:
 `waited` is null, where what it was like is not wanted, or points to a place for the answer.
 */
chronoscope_status chronoscope_sleep_ns(uint64_t ns, struct chronoscope_waited *waited);

/*
 Waits until a moment, balanced; returns at once if it has passed.

 Pointers:
 `waited` is null, where what it was like is not wanted, or points to a place for the answer.
 */
chronoscope_status chronoscope_sleep_until(chronoscope_instant deadline,
                                           struct chronoscope_waited *waited);

/*
 Makes a waiter of that effort, one of `CHRONOSCOPE_ECONOMY`, `CHRONOSCOPE_BALANCED`,
 `CHRONOSCOPE_PRECISE` (`CHRONOSCOPE_INVALID` for any other); to be ended by
 `chronoscope_waiter_free`.

 Pointers:
 `waiter` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
 */
chronoscope_status chronoscope_waiter_new(uint32_t effort, struct chronoscope_waiter **waiter);

/*
 As `chronoscope_sleep_ns`, by that waiter.

 Pointers:
 `waiter` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_waiter_new` and is used by this
 thread alone; `waited` is null or points to a place for the answer.
 */
chronoscope_status chronoscope_waiter_sleep_ns(struct chronoscope_waiter *waiter,
                                               uint64_t ns,
                                               struct chronoscope_waited *waited);

/*
 As `chronoscope_sleep_until`, by that waiter.

 Pointers:
 As for `chronoscope_waiter_sleep_ns`.
 */
chronoscope_status chronoscope_waiter_sleep_until(struct chronoscope_waiter *waiter,
                                                  chronoscope_instant deadline,
                                                  struct chronoscope_waited *waited);

/*
 Ends a waiter; nothing for null.

 Pointers:
 `waiter` is null, or came from `chronoscope_waiter_new` and is not used any more.
 */
void chronoscope_waiter_free(struct chronoscope_waiter *waiter);

/*
 Nanoseconds since 1970-01-01 00:00 UTC, by the system's clock, at the cost of the counter.

 It steps when the system's clock steps: for durations, take moments.
 */
uint64_t chronoscope_wall_ns(void);

/*
 The interval in which the time is.

 Pointers:
 `interval` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
 */
chronoscope_status chronoscope_wall_bounded(struct chronoscope_wall_interval *interval);

/*
 Looks at the system's clock now, and not only when the last look is 100 ms old.
 */
chronoscope_status chronoscope_wall_sync(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CHRONOSCOPE_H */


/*
 * The inline reads: chronoscope_now and its like without a call, where the compiler speaks GNU C and
 * the processor has a counter for programs. They look at the byte that the library itself looks at,
 * so that a counter which may not be read, or is given up one day, is not read here either; then,
 * and at the first read, they call the function.
 *
 * A macro masks each function, as the C library has it: (chronoscope_now)() calls the function, and
 * with CHRONOSCOPE_NO_INLINE defined there are no macros.
 */
#if !defined(CHRONOSCOPE_NO_INLINE) && defined(__GNUC__) && \
    (defined(__x86_64__) || defined(__aarch64__))

/* Bits of the byte: the counter may be read; and by the instruction for the end of a region. */
#define CHRONOSCOPE_READS_COUNTER_ 1
#define CHRONOSCOPE_READS_STOP_ 2

static inline int chronoscope_reads_(int how) {
    static const uint8_t *known;
    const uint8_t *mode = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (__builtin_expect(mode == NULL, 0)) {
        mode = chronoscope_mode();
        __atomic_store_n(&known, mode, __ATOMIC_RELAXED);
    }
    return __builtin_expect((__atomic_load_n(mode, __ATOMIC_ACQUIRE) & how) != 0, 1);
}

#if defined(__x86_64__)

/*
 * Intel SDM volume 2B, RDTSC and RDTSCP: rdtsc is ordered with nothing, lfence before it waits for
 * earlier instructions, lfence after it keeps later ones from starting, and rdtscp waits by itself.
 */
#include <x86intrin.h>

static inline uint64_t chronoscope_counter_now_(void) {
    return __rdtsc();
}

static inline uint64_t chronoscope_counter_now_ordered_(void) {
    _mm_lfence();
    return __rdtsc();
}

static inline uint64_t chronoscope_counter_start_(void) {
    uint64_t ticks;
    _mm_lfence();
    ticks = __rdtsc();
    _mm_lfence();
    return ticks;
}

static inline uint64_t chronoscope_counter_stop_(void) {
    unsigned int processor;
    uint64_t ticks = __rdtscp(&processor);
    _mm_lfence();
    return ticks;
}

#else

/* Arm ARM, D12.2.2: without isb the counter may be read early. */

static inline uint64_t chronoscope_counter_now_(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static inline uint64_t chronoscope_counter_now_ordered_(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline uint64_t chronoscope_counter_start_(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline uint64_t chronoscope_counter_stop_(void) {
    return chronoscope_counter_start_();
}

#endif

static inline chronoscope_instant chronoscope_now_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_now_()
                                                          : chronoscope_now();
}

static inline chronoscope_instant chronoscope_now_ordered_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_now_ordered_()
                                                          : chronoscope_now_ordered();
}

static inline chronoscope_instant chronoscope_start_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_start_()
                                                          : chronoscope_start();
}

static inline chronoscope_instant chronoscope_stop_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_STOP_) ? chronoscope_counter_stop_()
                                                       : chronoscope_stop();
}

#define chronoscope_now() chronoscope_now_inline()
#define chronoscope_now_ordered() chronoscope_now_ordered_inline()
#define chronoscope_start() chronoscope_start_inline()
#define chronoscope_stop() chronoscope_stop_inline()

#endif
