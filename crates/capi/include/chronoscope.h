/*
 * chronoscope: a clock that reads the counter of the processor and bounds its own error, and waits that end on
 * time for little CPU time.
 *
 *     #include <chronoscope.h>
 *
 *     uint64_t start = chronoscope_now();
 *     ...
 *     printf("%llu ns\n", (unsigned long long)chronoscope_elapsed_ns(start));
 *
 * Every function may be called by any thread at any time, and in a forked child. Functions that
 * read, convert, check or wait may also be called in signal handlers; those that describe a clock,
 * or make or free an object, may not. The description of an object says so if only one thread at a
 * time may use it. Threads may be cancelled during any call, at any instruction
 * (PTHREAD_CANCEL_ASYNCHRONOUS); what is being made then is lost. Times are in nanoseconds.
 *
 * On Linux a filter of system calls may kill for any call but these: prctl, mmap, madvise, munmap
 * and clock_gettime; clock_nanosleep and poll (or ppoll) to wait; what malloc takes to describe a
 * clock and to make or free an object; and what a thread takes for chronoscope_keep. A thread that
 * disables the counter for itself (PR_SET_TSC) must do so before the process reads a clock.
 *
 * This file is made from the library's source by `cargo xtask generate`; make changes there.
 */

#ifndef CHRONOSCOPE_H
#define CHRONOSCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 The counter if it can be trusted, otherwise the system's clock.
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
 The system's clock is read in the counter's place, after the counter did something that a clock
 must not do.
 */
#define CHRONOSCOPE_SOURCE_OS_INSTEAD 2

/*
 The system's clock is read, and there is nothing to calibrate; `value` is zero.
 */
#define CHRONOSCOPE_SYNC_NOT_NEEDED 0

/*
 Nothing has changed; `value` is the bound of the rate in parts per million.
 */
#define CHRONOSCOPE_SYNC_AGREES 1

/*
 What was observed was impossible but did not persist; nothing was changed, and `value` is zero.
 */
#define CHRONOSCOPE_SYNC_REJECTED 2

/*
 The clocks drift apart; `value` is the bound that covers it, in parts per million.
 */
#define CHRONOSCOPE_SYNC_DRIFTED 3

/*
 The counter jumped ahead; `value` is the jump in nanoseconds.
 */
#define CHRONOSCOPE_SYNC_JUMPED 4

/*
 The counter runs at another rate; `value` is the change in parts per million.
 */
#define CHRONOSCOPE_SYNC_RATE_CHANGED 5

/*
 The counter went back or stands still, and the system's clock is read from now on; `value` is
 zero.
 */
#define CHRONOSCOPE_SYNC_GIVEN_UP 6

/*
 The counter jumped slightly or its rate changed slightly, and the next check will show which;
 `value` is the bound that covers both until then, in parts per million.
 */
#define CHRONOSCOPE_SYNC_UNSURE 7

/*
 Another thread published the result of its own check at the same moment; `value` is zero.
 */
#define CHRONOSCOPE_SYNC_BUSY 8

/*
 The system's clock went back and has stayed there for three checks, at least a millisecond
 apart, so it counts again from the first of them on; `value` is by how many nanoseconds.
 */
#define CHRONOSCOPE_SYNC_REFERENCE_MOVED 9

/*
 The hypervisor reports that it has disrupted the clock, by a migration for example, and nothing
 else shows it; `value` is zero.
 */
#define CHRONOSCOPE_SYNC_DISRUPTED 10

/*
 As little CPU time as possible: half of the waits end as late as the system wakes them.
 */
#define CHRONOSCOPE_ECONOMY 0

/*
 Wakes early enough for 99 % of the thread's own wakes, or later if spinning for that would take
 more than 14 us on average (Linux; 46 us on macOS, 112 us on Windows).
 */
#define CHRONOSCOPE_BALANCED 1

/*
 Wakes early enough for 99.9 % of the thread's own wakes, at most 150 us early (Linux).
 */
#define CHRONOSCOPE_PRECISE 2

/*
 The wait was late by at most 100 us.
 */
#define CHRONOSCOPE_CAUSE_NONE 0

/*
 The moment had passed before the wait began.
 */
#define CHRONOSCOPE_CAUSE_PASSED 1

/*
 The thread was woken, but other threads had its CPU, or the CPU quota of its control group was
 used up.
 */
#define CHRONOSCOPE_CAUSE_QUEUE 2

/*
 The thread was woken late, and no other thread was in its way: the timer, a CPU that slept
 deeply, interrupts, the hypervisor, or a stop of the process.
 */
#define CHRONOSCOPE_CAUSE_WAKE 3

/*
 Other threads took its CPU while it spun for the end of the wait, or the CPU quota of its
 control group was used up.
 */
#define CHRONOSCOPE_CAUSE_PREEMPTED 4

/*
 Its CPU did not run it while it spun, and no other thread was in its way: interrupts, a signal
 handler, the hypervisor, firmware, or a stop of the process.
 */
#define CHRONOSCOPE_CAUSE_INTERRUPTED 5

/*
 The clock that it waited by stopped, was reset, or ran ahead of the system's clock.
 */
#define CHRONOSCOPE_CAUSE_CLOCK 6

/*
 This cannot be told apart here.
 */
#define CHRONOSCOPE_CAUSE_UNKNOWN 7

/*
 Nothing states a bound, so the interval contains the time of the system's clock only.
 */
#define CHRONOSCOPE_WALL_UNKNOWN 0

/*
 Something keeps the clock and states a bound, so the interval contains UTC.
 */
#define CHRONOSCOPE_WALL_SYNCHRONISED 1

/*
 As above, but nothing has renewed the bound for half an hour, or ClockBound's for a minute, so
 it grows.
 */
#define CHRONOSCOPE_WALL_FREE_RUNNING 2

/*
 A pause, a restored snapshot, a step or a changed rate was noticed since the bound was stated:
 the interval contains every time until another one is stated.
 */
#define CHRONOSCOPE_WALL_DISRUPTED 3

/*
 The daemon of ClockBound 3, by its shared segment, usually `/var/run/clockbound/shm1`.
 */
#define CHRONOSCOPE_BOUND_BY_CLOCKBOUND 1

/*
 The hypervisor, by its page, usually `/dev/vmclock0` (Linux 6.13).
 */
#define CHRONOSCOPE_BOUND_BY_VMCLOCK 2

/*
 Look whether the thread lost its CPU, was moved or handled a signal: a few nanoseconds.
 */
#define CHRONOSCOPE_MARKS 0

/*
 Look for interrupts and faults, too.
 */
#define CHRONOSCOPE_ENTRIES 1

/*
 Look also whether the core was shared or changed its frequency, and how long the thread did not
 run: microseconds.
 */
#define CHRONOSCOPE_GAUGES 2

/*
 The thread lost its CPU, because it waited, another one ran or it was moved, or it handled a
 signal.
 */
#define CHRONOSCOPE_PREEMPTED 1

/*
 The thread ended on another CPU than it began on.
 */
#define CHRONOSCOPE_MOVED 2

/*
 An interrupt or a fault entered the kernel.
 */
#define CHRONOSCOPE_INTERRUPTED_BY_KERNEL 4

/*
 Something else used the core's execution units, just before or just after.
 */
#define CHRONOSCOPE_CORE_SHARED 8

/*
 The core's frequency changed.
 */
#define CHRONOSCOPE_FREQUENCY_CHANGED 16

/*
 Time passed that neither the kernel nor another thread took: the hypervisor did, and said so.
 */
#define CHRONOSCOPE_GAP_BELOW_KERNEL 32

/*
 A clock with its own source and calibration. Any number of threads may use it at the same time.
 */
typedef struct chronoscope_clock chronoscope_clock;

/*
 A thread that calibrates the global clock periodically.
 */
typedef struct chronoscope_keeper chronoscope_keeper;

/*
 Returns at every point of a grid, however late one of them was. One thread at a time may use it.
 */
typedef struct chronoscope_ticker chronoscope_ticker;

/*
 Waits, and learns from its waits how early to wake. One thread at a time may use it.
 */
typedef struct chronoscope_waiter chronoscope_waiter;

/*
 Watches over the pieces that one thread measures, from which it must not be moved to another.
 A piece within a piece makes the outer one count as preempted.
 */
typedef struct chronoscope_witness chronoscope_witness;

/*
 Zero on success, otherwise one of the numbers below.
 */
typedef int32_t chronoscope_status;

/*
 A moment, in ticks of the global clock since an arbitrary zero. Moments of one process can be
 compared with `<`; those of different threads only if they were read in order, which is in any
 way but by `chronoscope_now`. `chronoscope_ns_between` returns the time between two of them.
 */
typedef uint64_t chronoscope_instant;

/*
 The result of a check against the reference.
 */
typedef struct chronoscope_synced {
    /*
     One of `CHRONOSCOPE_SYNC_…`.
     */
    uint32_t outcome;
    /*
     The figure that belongs to the outcome.
     */
    double value;
} chronoscope_synced;

/*
 What a clock reads, and how accurately.
 */
typedef struct chronoscope_description {
    /*
     One of `CHRONOSCOPE_SOURCE_…`.
     */
    uint32_t source;
    /*
     Ticks per second.
     */
    double hz;
    /*
     How far the rate can be off, in parts per million of the system's undisciplined clock.
     */
    double bound_ppm;
    /*
     The lowest rate that is consistent with everything observed, in ticks per second.
     */
    double hz_low;
    /*
     The highest such rate.
     */
    double hz_high;
    /*
     For how long the rate has been observed.
     */
    uint64_t observed_ns;
    /*
     The time since the last calibration; zero if there is none.
     */
    uint64_t calibrated_ns;
    /*
     How many samples the rate is based on.
     */
    uint32_t samples;
    /*
     How many samples were rejected as impossible.
     */
    uint64_t rejected;
    /*
     How many jumps of the counter were noticed.
     */
    uint64_t jumps;
    /*
     How many changes of the rate were noticed.
     */
    uint64_t rate_changes;
    /*
     How often the system's clock went back for good.
     */
    uint32_t reference_moves;
    /*
     How often the hypervisor reported that it had disrupted the clock.
     */
    uint32_t disruptions;
} chronoscope_description;

/*
 A time in nanoseconds, and how far it can be off.
 */
typedef struct chronoscope_bounded {
    /*
     The time.
     */
    uint64_t ns;
    /*
     The error is at most this many nanoseconds, relative to the clock that is calibrated
     against (on Linux `CLOCK_MONOTONIC_RAW`) or, if the system's clock is read, to that.
     */
    uint64_t bound_ns;
    /*
     Whether the counter jumped, drifted or changed its rate meanwhile, so that the bound does
     not hold.
     */
    bool disturbed;
    /*
     For how long before the later moment there was no check, by this clock. The bound does not
     cover what happened after that check, such as a counter that was set back, which makes this
     too short; nor a change of the rate shortly before it: with checks of 0.1 us, one of 10
     parts per million cannot be noticed until 10 ms after it.
     */
    uint64_t unchecked_ns;
} chronoscope_bounded;

/*
 What happened during a wait. Times are in nanoseconds.
 */
typedef struct chronoscope_waited {
    /*
     How long after the deadline it returned, by its clock. A wait for a duration lasts until
     that has also passed by the system's monotonic clock; if that clock is slewed, lateness
     counts from then.
     */
    uint64_t late_ns;
    /*
     For how long it slept.
     */
    uint64_t slept_ns;
    /*
     For how long it spun.
     */
    uint64_t spun_ns;
    /*
     How often it woke.
     */
    uint32_t wakes;
    /*
     How often something else ran instead.
     */
    uint32_t preempted;
    /*
     Why it ended late, one of `CHRONOSCOPE_CAUSE_*`. Later versions may return more of them.
     */
    uint32_t cause;
} chronoscope_waited;

/*
 One tick of a ticker.
 */
typedef struct chronoscope_tick {
    /*
     The number of this point of the grid; the first is 1.
     */
    uint64_t number;
    /*
     Points of the grid that had passed since the last call and were skipped.
     */
    uint64_t missed;
    /*
     What happened during the wait.
     */
    struct chronoscope_waited waited;
} chronoscope_tick;

/*
 An interval that contains the time, in nanoseconds since 1970-01-01 00:00 UTC, unless the
 system's clock was stepped within the last `age_ns`.
 */
typedef struct chronoscope_wall_interval {
    /*
     The time is not earlier than this.
     */
    uint64_t earliest;
    /*
     The best guess.
     */
    uint64_t now;
    /*
     The time is not later than this.
     */
    uint64_t latest;
    /*
     The part of the error that is due to this library: how far `now` can be from the system's
     clock.
     */
    uint64_t tracking_ns;
    /*
     The part that the kernel states for its own clock, or whoever is asked in its place, if
     `kernel_known`.
     */
    uint64_t kernel_ns;
    /*
     Whether an error is stated; if not, the interval contains the time of the system's clock.
     */
    bool kernel_known;
    /*
     How long ago the system's clock was looked at: at most 100 ms.
     */
    uint64_t age_ns;
    /*
     Whether the interval contains UTC: `CHRONOSCOPE_WALL_…`.
     */
    uint32_t state;
} chronoscope_wall_interval;

/*
 What happened during a measured piece. It was clean if both sets are empty.
 */
typedef struct chronoscope_verdict {
    /*
     What happened: a set of the numbers above.
     */
    uint32_t found;
    /*
     What was looked for and cannot be seen here: a set of the same numbers.
     */
    uint32_t unknown;
    /*
     For how long the thread did not run, in nanoseconds, to about a microsecond; only with
     `CHRONOSCOPE_GAUGES`, otherwise zero.
     */
    uint64_t taken_ns;
} chronoscope_verdict;

/*
 Success.
 */
#define CHRONOSCOPE_OK 0

/*
 A pointer is null although something has to be read from it or written to it.
 */
#define CHRONOSCOPE_NULL 1

/*
 A number has no meaning here, or is out of range.
 */
#define CHRONOSCOPE_INVALID 2

/*
 The clock has been read before, so its source is fixed, or that of the bound was chosen before.
 */
#define CHRONOSCOPE_ALREADY_CHOSEN 3

/*
 The result is before the first or after the last moment that can be represented.
 */
#define CHRONOSCOPE_OUT_OF_RANGE 4

/*
 The operating system refused (a thread could not be started).
 */
#define CHRONOSCOPE_SYSTEM 5

/*
 An internal error of this library, which was caught; please report it.
 */
#define CHRONOSCOPE_INTERNAL 6

/*
 A handler of a signal ran during the wait.
 */
#define CHRONOSCOPE_INTERRUPTED 7

/*
 The system does not have what was asked for.
 */
#define CHRONOSCOPE_UNSUPPORTED 8

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/*
 Chooses the source of the global clock, one of `CHRONOSCOPE_WANT_…`, and overrides the
 environment variable `CHRONOSCOPE_SOURCE`. Returns `CHRONOSCOPE_ALREADY_CHOSEN` if the clock has
 been read before, and `CHRONOSCOPE_INVALID` for any other number.
 */
chronoscope_status chronoscope_choose(uint32_t wanted);

/*
 Makes a clock with the wanted source, one of `CHRONOSCOPE_WANT_…`. Free it with
 `chronoscope_clock_free`. Returns `CHRONOSCOPE_INVALID` for any other number.

 Pointers:
 `new_clock` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_clock_new(uint32_t wanted, struct chronoscope_clock **new_clock);

/*
 Frees a clock; does nothing for null.

 Pointers:
 `clock` is null, or came from `chronoscope_clock_new` and is not used any more.
 */
void chronoscope_clock_free(struct chronoscope_clock *clock);

/*
 Reads a clock; null is the global one. Moments of different clocks cannot be compared.

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
 Checks a clock against the system's clock, and improves the
 calibration: the longer since the first read, the smaller the bound. Null is the global clock.

 Pointers:
 `clock` is null or came from `chronoscope_clock_new`; `synced` is null if the result is not
 wanted, or points to memory for it.
 */
chronoscope_status chronoscope_sync(const struct chronoscope_clock *clock,
                                    struct chronoscope_synced *synced);

/*
 Returns what a clock reads, and how accurately; null is the global one.

 Pointers:
 `clock` is null or came from `chronoscope_clock_new`; `description` is null (`CHRONOSCOPE_NULL`)
 or points to memory for the result.
 */
chronoscope_status chronoscope_clock_description(const struct chronoscope_clock *clock,
                                                 struct chronoscope_description *description);

/*
 Describes what a clock reads, why, and how accurately, in a few lines of text; null is the
 global clock.

 Like `snprintf`, it writes as much as fits into `size` bytes, including a terminating zero, and
 returns the number of bytes of the whole text without that zero. Returns zero after an internal
 error of this library.

 Pointers:
 `clock` is null or came from `chronoscope_clock_new`; `text` is null if only the length is
 wanted, or points to `size` bytes.
 */
size_t chronoscope_describe(const struct chronoscope_clock *clock, char *text, size_t size);

/*
 Starts a thread that calibrates the global clock every `period_ns` nanoseconds until
 `chronoscope_keeper_free`; a period below a millisecond is raised to one. Returns
 `CHRONOSCOPE_INVALID` for zero, and `CHRONOSCOPE_SYSTEM` if no thread could be started.

 Pointers:
 `keeper` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_keep(uint64_t period_ns, struct chronoscope_keeper **keeper);

/*
 Ends the thread, and waits until it has ended; does nothing for null.

 Pointers:
 `keeper` is null, or came from `chronoscope_keep` and is not used any more.
 */
void chronoscope_keeper_free(struct chronoscope_keeper *keeper);

/*
 The byte by which the inline reads below decide. It is always valid, and must be read with
 acquire order.
 */
const uint8_t *chronoscope_mode(void);

/*
 Returns the present moment, not ordered with the surrounding instructions. This is the cheapest
 read.

 The first read in a process chooses the source.
 */
chronoscope_instant chronoscope_now(void);

/*
 Returns the present moment, after all earlier instructions of this thread.
 */
chronoscope_instant chronoscope_now_ordered(void);

/*
 Returns the start of a timed region: no instruction of the region begins before it.
 */
chronoscope_instant chronoscope_start(void);

/*
 Returns the end of a timed region: the whole region has completed before it.
 */
chronoscope_instant chronoscope_stop(void);

/*
 Returns the nanoseconds from one moment to a later one; zero if it is not later.
 */
uint64_t chronoscope_ns_between(chronoscope_instant earlier, chronoscope_instant later);

/*
 Returns the nanoseconds since a moment; zero if it is in the future.
 */
uint64_t chronoscope_elapsed_ns(chronoscope_instant since);

/*
 Returns the nanoseconds since a moment, with a bound on the error, after a check of the counter
 against the system's clock, in about a third of a microsecond.

 If the moment was read by another thread, it must be an ordered read: any but `chronoscope_now`.

 Pointers:
 `elapsed` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_elapsed_bounded(chronoscope_instant since,
                                               struct chronoscope_bounded *elapsed);

/*
 As `chronoscope_elapsed_bounded`, but without a check if the last one is at most `age_ns` old;
 it then costs an ordered read and some ten nanoseconds.

 Pointers:
 `elapsed` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_elapsed_bounded_within(chronoscope_instant since,
                                                      uint64_t age_ns,
                                                      struct chronoscope_bounded *elapsed);

/*
 Returns the moment `ns` nanoseconds after another, rounded up to a tick, so that the time has
 always passed at the moment returned; `CHRONOSCOPE_OUT_OF_RANGE` if it cannot be represented.

 Pointers:
 `later` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_after(chronoscope_instant moment,
                                     uint64_t ns,
                                     chronoscope_instant *later);

/*
 Returns the moment `ns` nanoseconds before another; `CHRONOSCOPE_OUT_OF_RANGE` before the first
 tick.

 Pointers:
 `earlier` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_before(chronoscope_instant moment,
                                      uint64_t ns,
                                      chronoscope_instant *earlier);

/*
 Returns nanoseconds since the zero of the system's monotonic clock, which never go back, also
 between threads, as long as the counters of their CPUs differ by less than a hand-over takes: a
 better rate bends their line without moving it. Suitable as a clock for `std::chrono`. It costs
 about as much as `chronoscope_now_ordered` and a conversion, because the counter is read after
 all earlier instructions of this thread.

 If the counter itself is set back, it stands still until a check has found that out; nothing
 notices a counter that is set back by less than a microsecond.
 */
uint64_t chronoscope_steady_ns(void);

/*
 Returns a description of a status, which is always valid; for an unknown number, a text that
 says so.
 */
const char *chronoscope_status_text(chronoscope_status status);

/*
 Returns the version of the library in use, such as "0.1.0"; always valid.
 */
const char *chronoscope_version(void);

/*
 Makes a ticker whose grid begins now, with waits of the given effort (see
 `chronoscope_waiter_new`). Free it with `chronoscope_ticker_free`. Returns `CHRONOSCOPE_INVALID`
 for a period of zero.

 Pointers:
 `ticker` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_ticker_new(uint64_t period_ns,
                                          uint32_t effort,
                                          struct chronoscope_ticker **ticker);

/*
 Waits for the next point of the grid that has not passed. If the thread is cancelled, it ends
 after that.

 Pointers:
 `ticker` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_ticker_new` and is used only by
 this thread; `tick` is null if the result is not wanted, or points to memory for it.
 */
chronoscope_status chronoscope_ticker_tick(struct chronoscope_ticker *ticker,
                                           struct chronoscope_tick *tick);

/*
 Frees a ticker; does nothing for null.

 Pointers:
 `ticker` is null, or came from `chronoscope_ticker_new` and is not used any more.
 */
void chronoscope_ticker_free(struct chronoscope_ticker *ticker);

/*
 Waits for at least this many nanoseconds, with balanced effort. A signal does not end it.

 The thread can be cancelled (`pthread_cancel`) during all but the last 5 ms.

 Pointers:
 `waited` is null if the result is not wanted, or points to memory for it.
 */
chronoscope_status chronoscope_sleep_ns(uint64_t ns, struct chronoscope_waited *waited);

/*
 Waits as `chronoscope_sleep_ns` does, but returns `CHRONOSCOPE_INTERRUPTED` if a handler of a
 signal has run, except during the last 5 ms. `left_ns` then receives the nanoseconds that are
 left, and zero otherwise.

 Interpreters run their own handlers between two calls, so this is the function to wait with
 there, in a loop over what is left.

 Pointers:
 `left_ns` and `waited` are each null if the result is not wanted, or point to memory for it;
 `waited` is not written to if the wait was interrupted.
 */
chronoscope_status chronoscope_sleep_interruptible_ns(uint64_t ns,
                                                      uint64_t *left_ns,
                                                      struct chronoscope_waited *waited);

/*
 Waits until a moment, with balanced effort; returns at once if it has passed. The thread can be
 cancelled as in `chronoscope_sleep_ns`.

 Pointers:
 `waited` is null if the result is not wanted, or points to memory for it.
 */
chronoscope_status chronoscope_sleep_until(chronoscope_instant deadline,
                                           struct chronoscope_waited *waited);

/*
 Makes a waiter of the given effort, one of `CHRONOSCOPE_ECONOMY`, `CHRONOSCOPE_BALANCED`,
 `CHRONOSCOPE_PRECISE` (`CHRONOSCOPE_INVALID` for any other). Free it with
 `chronoscope_waiter_free`.

 Pointers:
 `waiter` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_waiter_new(uint32_t effort, struct chronoscope_waiter **waiter);

/*
 As `chronoscope_sleep_ns`, with this waiter.

 Pointers:
 `waiter` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_waiter_new` and is used only by
 this thread; `waited` is null or points to memory for the result.
 */
chronoscope_status chronoscope_waiter_sleep_ns(struct chronoscope_waiter *waiter,
                                               uint64_t ns,
                                               struct chronoscope_waited *waited);

/*
 As `chronoscope_sleep_until`, with this waiter.

 Pointers:
 As for `chronoscope_waiter_sleep_ns`.
 */
chronoscope_status chronoscope_waiter_sleep_until(struct chronoscope_waiter *waiter,
                                                  chronoscope_instant deadline,
                                                  struct chronoscope_waited *waited);

/*
 Sets how long each wait may spin on average, in nanoseconds, in place of what the effort allows.

 Pointers:
 `waiter` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_waiter_new` and is used only by
 this thread.
 */
chronoscope_status chronoscope_waiter_set_budget_ns(struct chronoscope_waiter *waiter,
                                                    uint64_t spin_ns);

/*
 Asks the scheduler for a slice of 100 us for the calling thread (Linux 6.12 and later;
 `CHRONOSCOPE_UNSUPPORTED` elsewhere, and for a thread that is not scheduled under SCHED_OTHER;
 `CHRONOSCOPE_SYSTEM` if the system refuses). Waits work all the same if this fails.

 Next to busy threads of the same priority, the thread then runs more often as soon as it wakes.
 It gets no larger share of the CPU. Others are interrupted more often, and so is this thread if
 it computes between its waits; threads and processes that it starts inherit the slice.

 The previous slice is restored by `chronoscope_waiter_restore_slice` and
 `chronoscope_waiter_free`, in this thread only: called in another one, they leave this thread's
 slice short until it ends. Do not call this in a signal handler.

 Pointers:
 As for `chronoscope_waiter_set_budget_ns`.
 */
chronoscope_status chronoscope_waiter_shorten_slice(struct chronoscope_waiter *waiter);

/*
 Restores the slice that the thread had before `chronoscope_waiter_shorten_slice`; does nothing
 if that was not called, or in another thread.

 Pointers:
 As for `chronoscope_waiter_set_budget_ns`.
 */
chronoscope_status chronoscope_waiter_restore_slice(struct chronoscope_waiter *waiter);

/*
 Frees a waiter; does nothing for null. If this thread has a short slice because of it, the
 previous one is restored.

 Pointers:
 `waiter` is null, or came from `chronoscope_waiter_new` and is not used any more.
 */
void chronoscope_waiter_free(struct chronoscope_waiter *waiter);

/*
 Returns nanoseconds since 1970-01-01 00:00 UTC, by the system's clock, at the cost of the
 counter.

 It steps when the system's clock steps. For durations, use moments.
 */
uint64_t chronoscope_wall_ns(void);

/*
 Returns the interval that contains the time, unless the system's clock was stepped since the
 last check of it, at most 100 ms ago; `chronoscope_wall_checked` covers steps.

 Pointers:
 `interval` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_wall_bounded(struct chronoscope_wall_interval *interval);

/*
 Returns the interval that contains the time, after a look at the system's clock, which takes
 two reads of that clock.

 Pointers:
 `interval` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_wall_checked(struct chronoscope_wall_interval *interval);

/*
 Lets `chronoscope_wall_bounded` and `chronoscope_wall_checked` return what another than the
 kernel states from now on: one of `CHRONOSCOPE_BOUND_BY_…`, by the page at this path, which is
 read each time. If its counter cannot be read here, the state is unknown. Opens a file, so it
 may not be called in a signal handler. Returns `CHRONOSCOPE_INVALID` for any other number,
 `CHRONOSCOPE_ALREADY_CHOSEN` if one was asked for before, and `CHRONOSCOPE_UNSUPPORTED` if there
 is no such page or a filter of system calls is active.

 Pointers:
 `path` is null (`CHRONOSCOPE_NULL`) or points to a string that ends with a zero.
 */
chronoscope_status chronoscope_wall_bound_by(uint32_t by, const char *path);

/*
 Checks the system's clock now, even if the last check is less than 100 ms old.
 */
chronoscope_status chronoscope_wall_sync(void);

/*
 Makes a witness for pieces of this thread, which looks for `CHRONOSCOPE_MARKS`,
 `CHRONOSCOPE_ENTRIES` or `CHRONOSCOPE_GAUGES`. Free it with `chronoscope_witness_free`. Returns
 `CHRONOSCOPE_INVALID` for another number.

 Pointers:
 `witness` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_witness_new(uint32_t level, struct chronoscope_witness **witness);

/*
 A piece begins. Does nothing for null.

 Pointers:
 `witness` is null, or came from `chronoscope_witness_new` in this thread.
 */
void chronoscope_witness_begin(struct chronoscope_witness *witness);

/*
 The piece ends. Everything is unknown if none has begun.

 Pointers:
 `witness` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_witness_new` in this thread;
 `verdict` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
 */
chronoscope_status chronoscope_witness_end(struct chronoscope_witness *witness,
                                           struct chronoscope_verdict *verdict);

/*
 Frees a witness; does nothing for null.

 Pointers:
 `witness` is null, or came from `chronoscope_witness_new` in this thread and is not used any
 more.
 */
void chronoscope_witness_free(struct chronoscope_witness *witness);

#ifdef __cplusplus
}  // extern "C"
#endif  /* __cplusplus */

#endif  /* CHRONOSCOPE_H */


/*
 * The inline reads: chronoscope_now and similar functions without a call, if the compiler supports
 * GNU C and the processor has a counter for programs. They check the same byte as the library
 * itself, so a counter that may not be read, or that is given up later, is not read here either. In
 * that case, and at the first read, they call the function.
 *
 * A macro masks each function, as in the C library: (chronoscope_now)() calls the function, and if
 * CHRONOSCOPE_NO_INLINE is defined there are no macros.
 */
#if !defined(CHRONOSCOPE_NO_INLINE) && defined(__GNUC__) && \
    (defined(__x86_64__) || defined(__aarch64__))

/* Bits of the byte: the counter may be read; the instruction for the end of a region may be used. */
#define CHRONOSCOPE_READS_COUNTER_ 1
#define CHRONOSCOPE_READS_STOP_ 2

static __inline__ int chronoscope_reads_(int how) {
    static const uint8_t *known;
    const uint8_t *mode = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (__builtin_expect(!mode, 0)) {
        mode = chronoscope_mode();
        __atomic_store_n(&known, mode, __ATOMIC_RELAXED);
    }
    return __builtin_expect((__atomic_load_n(mode, __ATOMIC_ACQUIRE) & how) != 0, 1) != 0;
}

#if defined(__x86_64__)

/*
 * Intel SDM volume 2B, RDTSC and RDTSCP: rdtsc is not ordered with anything, lfence before it waits
 * for earlier instructions, lfence after it keeps later ones from starting, and rdtscp itself waits.
 */
#include <x86intrin.h>

static __inline__ uint64_t chronoscope_counter_now_(void) {
    return __rdtsc();
}

static __inline__ uint64_t chronoscope_counter_now_ordered_(void) {
    _mm_lfence();
    return __rdtsc();
}

static __inline__ uint64_t chronoscope_counter_start_(void) {
    uint64_t ticks;
    _mm_lfence();
    ticks = __rdtsc();
    _mm_lfence();
    return ticks;
}

static __inline__ uint64_t chronoscope_counter_stop_(void) {
    unsigned int processor;
    uint64_t ticks = __rdtscp(&processor);
    _mm_lfence();
    return ticks;
}

#else

/* Arm ARM, D12.2.2: without isb the counter may be read early. */

static __inline__ uint64_t chronoscope_counter_now_(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static __inline__ uint64_t chronoscope_counter_now_ordered_(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

static __inline__ uint64_t chronoscope_counter_start_(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

static __inline__ uint64_t chronoscope_counter_stop_(void) {
    return chronoscope_counter_start_();
}

#endif

static __inline__ chronoscope_instant chronoscope_now_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_now_()
                                                          : chronoscope_now();
}

static __inline__ chronoscope_instant chronoscope_now_ordered_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_now_ordered_()
                                                          : chronoscope_now_ordered();
}

static __inline__ chronoscope_instant chronoscope_start_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_start_()
                                                          : chronoscope_start();
}

static __inline__ chronoscope_instant chronoscope_stop_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_STOP_) ? chronoscope_counter_stop_()
                                                       : chronoscope_stop();
}

#define chronoscope_now() chronoscope_now_inline()
#define chronoscope_now_ordered() chronoscope_now_ordered_inline()
#define chronoscope_start() chronoscope_start_inline()
#define chronoscope_stop() chronoscope_stop_inline()

#endif
