/* What the probes of C and C++ have in common: the requests of PROTOCOL.md. A probe defines
 * RUNTIME_NAME, SLEEP_ID and SLEEP_CALL, includes this, and defines its clocks, each with its own
 * loops, and the functions declared below. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

/* The compiler must take it that the value is used, and that it may have changed. */
#if defined(__GNUC__) || defined(__clang__)
#define KEEP(value) __asm__ volatile("" : "+r"(value))
#define OWN_LOOP __attribute__((noinline))
#else
#define KEEP(value) (sink = (int64_t)(value))
#define OWN_LOOP __declspec(noinline)
#endif

/* The ids of the waits of a library, in quotation marks; the tool makes those of C itself. */
#ifdef WAITS
#define HAS_WAITS
#else
#define WAITS ""
#endif
/* Whether the stopwatch is the clock that the tool reads. */
#ifdef __linux__
#define MONOTONIC "true"
#else
#define MONOTONIC "false"
#endif

/* Keeps values where KEEP cannot, and a zero that the compiler does not know. */
static volatile int64_t sink;
static volatile int64_t unknown_zero = 0;

typedef int64_t (*Loop)(uint64_t reads);
typedef int64_t (*Reader)(void);

typedef struct {
    const char *id, *call, *kind;
    double hz;
    /* What the interface claims, in nanoseconds; 0 if nothing. */
    double claimed_ns;
    const char *claims;
    Reader read;
    Loop throughput, latency;
} Clock;

/* Repeats a statement so often that counting does not hide what it costs. Without optimisation a
 * step of the counter is stored and loaded again, which takes longer than a cheap read and overlaps
 * with it. */
#define TIMES(reads, statement)                                                                   \
    for (at = 0; at + 8 <= (reads); at += 8) {                                                    \
        statement statement statement statement statement statement statement statement           \
    }                                                                                             \
    for (; at < (reads); at++) {                                                                  \
        statement                                                                                 \
    }

/* The loops of one clock. `read` is an expression, and `ordered` the same with the argument or the
 * place of the result depending on `zero`, which is computed from the value before. */
#define CLOCK_LOOPS(name, read, ordered)                                                          \
    static int64_t name##_read(void) {                                                            \
        int64_t value = (int64_t)(read);                                                          \
        return value;                                                                             \
    }                                                                                             \
    OWN_LOOP static int64_t name##_throughput(uint64_t reads) {                                   \
        int64_t value = 0;                                                                        \
        uint64_t at;                                                                              \
        TIMES(reads, value = (int64_t)(read); KEEP(value);)                                       \
        return value;                                                                             \
    }                                                                                             \
    OWN_LOOP static int64_t name##_latency(uint64_t reads) {                                      \
        int64_t value = 0, zero, mask = unknown_zero;                                             \
        uint64_t at;                                                                              \
        TIMES(reads, zero = value & mask; value = (int64_t)(ordered); KEEP(value);)               \
        return value;                                                                             \
    }

/* The probe's clocks; the first is the stopwatch, in nanoseconds or the units of its `hz`. */
static Clock *clocks(void);
static int clock_count(void);
/* The unit of the sleep's argument, and a sleep of at least that many nanoseconds. */
static double sleep_unit_ns(void);
static void sleep_ns(int64_t ns);
static const char *runtime_version(void);
static const char *runtime_build(void);

CLOCK_LOOPS(empty, 1, zero)

static Clock EMPTY = {"empty", "", "", 1, 0, "", empty_read, empty_throughput, empty_latency};

static Clock *found(const char *id) {
    int at;
    for (at = 0; at < clock_count(); at++)
        if (!strcmp(clocks()[at].id, id))
            return &clocks()[at];
    return strcmp(id, "empty") ? NULL : &EMPTY;
}

static void quoted(const char *name, const char *text) {
    printf("\"%s\":\"", name);
    for (; *text; text++)
        if ((unsigned char)*text >= ' ' && *text != '"' && *text != '\\')
            putchar(*text);
    printf("\"");
}

static void hello(void) {
    int at;
    printf("{\"protocol\":2,");
    quoted("runtime", RUNTIME_NAME);
    printf(",");
    quoted("version", runtime_version());
    printf(",");
    quoted("build", runtime_build());
    printf(",\"stopwatch\":{");
    quoted("call", clocks()[0].call);
    printf(",\"hz\":%.17g},\"clocks\":[", clocks()[0].hz);
    for (at = 0; at < clock_count(); at++) {
        Clock *clock = &clocks()[at];
        printf("%s{", at ? "," : "");
        quoted("id", clock->id);
        printf(",");
        quoted("call", clock->call);
        printf(",");
        quoted("kind", clock->kind);
        printf(",");
        quoted("claims", clock->claims);
        if (clock->claimed_ns > 0)
            printf(",\"claimed_ns\":%.17g", clock->claimed_ns);
        printf(",\"hz\":%.17g,\"modes\":[\"throughput\",\"latency\"]}", clock->hz);
    }
    printf("],\"sleeps\":[{");
    quoted("id", SLEEP_ID);
    printf(",");
    quoted("call", SLEEP_CALL);
    printf(",\"unit_ns\":%.17g}],\"allocations\":false,\"waits\":[%s],\"monotonic\":%s}\n",
           sleep_unit_ns(), WAITS, MONOTONIC);
}

static int64_t stopwatch(void) { return clocks()[0].read(); }

static int64_t units(double seconds) { return (int64_t)(seconds * clocks()[0].hz); }

static void batch(const Clock *clock, const char *mode, uint64_t reads, uint64_t warm) {
    Loop loop = strcmp(mode, "latency") ? clock->throughput : clock->latency;
    int64_t start, stop;
    sink = loop(warm);
    start = stopwatch();
    sink = loop(reads);
    stop = stopwatch();
    printf("{\"start\":%lld,\"ticks\":%lld}\n", (long long)start, (long long)(stop - start));
}

/* The reads of the last `deltas`. */
#define MOST_READS 1000000
static int64_t kept[MOST_READS];
static uint64_t kept_count;

static void more(uint64_t from) {
    uint64_t at;
    printf("{\"values\":[");
    for (at = from; at < kept_count && at - from < 20000; at++)
        printf("%s%lld", at == from ? "" : ",", (long long)(kept[at] - kept[0]));
    printf("]}\n");
}

static void deltas(const Clock *clock, uint64_t count) {
    uint64_t at;
    if (count > MOST_READS)
        count = MOST_READS;
    for (at = 0; at < count; at++)
        kept[at] = 1;
    for (at = 0; at < count; at++)
        kept[at] = clock->read();
    kept_count = count;
    more(0);
}

/* Sums the integers in `kept`, which the compiler must take to be others each time. */
static inline int64_t sum_of(uint64_t count) {
    const int64_t *values = kept;
    int64_t sum = 0;
    uint64_t at;
    KEEP(values);
    for (at = 0; at < count; at++)
        sum += values[at];
    return sum;
}

OWN_LOOP static int64_t sums(uint64_t turns, uint64_t count) {
    int64_t all = 0;
    for (; turns; turns--) {
        all += sum_of(count);
        KEEP(all);
    }
    return all;
}

OWN_LOOP static int64_t timed_sums(Reader read, uint64_t turns, uint64_t count) {
    int64_t all = 0, start, elapsed;
    for (; turns; turns--) {
        start = read();
        all += sum_of(count);
        KEEP(all);
        elapsed = read() - start;
        KEEP(elapsed);
    }
    return all;
}

static void around(const Clock *clock, uint64_t turns, uint64_t count) {
    int64_t start, stop;
    uint64_t at;
    if (count > MOST_READS)
        count = MOST_READS;
    for (at = 0; at < count; at++)
        kept[at] = (int64_t)at;
    kept_count = 0;
    start = stopwatch();
    sink = clock == &EMPTY ? sums(turns, count) : timed_sums(clock->read, turns, count);
    stop = stopwatch();
    printf("{\"start\":%lld,\"ticks\":%lld}\n", (long long)start, (long long)(stop - start));
}

static void spins(const Clock *clock, uint64_t count) {
    static int64_t steps[2000], reads[2000];
    int64_t limit = stopwatch() + units(0.5), last = clock->read(), now, tries = 0;
    uint64_t seen = 0, at;
    int first = 1;
    if (count > 2000)
        count = 2000;
    while (seen < count) {
        now = clock->read();
        tries++;
        if (now != last) {
            if (!first) {
                steps[seen] = now - last;
                reads[seen++] = tries;
            }
            first = 0;
            last = now;
            tries = 0;
        } else if (tries % 100 == 0 && stopwatch() > limit)
            break;
    }
    printf("{\"steps\":[");
    for (at = 0; at < seen; at++)
        printf("%s%lld", at ? "," : "", (long long)steps[at]);
    printf("],\"reads\":[");
    for (at = 0; at < seen; at++)
        printf("%s%lld", at ? "," : "", (long long)reads[at]);
    printf("]}\n");
}

static void watch(const Clock *clock, uint64_t count) {
    int64_t limit = stopwatch() + units(2), last = clock->read(), now, step;
    int64_t same = 0, smallest = 0, longest = 0, backwards = 0, worst = 0;
    uint64_t done = 0;
    while (done < count) {
        now = clock->read();
        step = now - last;
        last = now;
        done++;
        if (step > longest)
            longest = step;
        if (step > 0 && (step < smallest || !smallest))
            smallest = step;
        if (step == 0)
            same++;
        if (step < 0) {
            backwards++;
            if (-step > worst)
                worst = -step;
        }
        if (done % 1024 == 0 && stopwatch() > limit)
            break;
    }
    printf("{\"reads\":%llu,\"same\":%lld,\"smallest\":%lld,\"longest\":%lld,\"backwards\":%lld,"
           "\"worst\":%lld}\n",
           (unsigned long long)done, (long long)same, (long long)smallest, (long long)longest,
           (long long)backwards, (long long)worst);
}

static void slept(int64_t ns, uint64_t count) {
    static double seen[1000];
    uint64_t at;
    if (count > 1000)
        count = 1000;
    for (at = 0; at < count; at++) {
        int64_t start = stopwatch();
        sleep_ns(ns);
        seen[at] = (double)(stopwatch() - start) * 1e9 / clocks()[0].hz;
    }
    printf("{\"slept\":[");
    for (at = 0; at < count; at++)
        printf("%s%.0f", at ? "," : "", seen[at]);
    printf("]}\n");
}

/* Some waits: when each began, its deadline and when it had ended, in nanoseconds. */
typedef struct {
    int64_t ns, first, work, deadline, times[3000];
    uint64_t count, at;
} Series;

static int64_t now_ns(void) {
    double hz = clocks()[0].hz;
    return hz == 1e9 ? stopwatch() : (int64_t)((double)stopwatch() * (1e9 / hz));
}

static inline void end(Series *series) {
    int64_t now = now_ns();
    series->times[series->at++] = now;
    while (series->work > 0 && now_ns() < now + series->work) {
    }
    series->deadline += series->ns;
    if (now >= series->deadline)
        series->deadline += series->ns * ((now - series->deadline) / series->ns + 1);
}

/* Begins the next wait, and returns how long it is; 0 after the last. */
static inline int64_t begin(Series *series) {
    int64_t now;
    if (!series->at) {
        now = now_ns();
        series->deadline = series->first > now ? series->first : now + series->ns;
    }
    for (; series->at < 3 * series->count; end(series)) {
        now = now_ns();
        if (!series->first)
            series->deadline = now + series->ns;
        series->times[series->at++] = now;
        series->times[series->at++] = series->deadline;
        if (series->deadline > now)
            return series->deadline - now;
    }
    return 0;
}

/* As `begin`, for a timer with a period of its own: whether there is a wait. */
static inline int tick(Series *series) {
    if (!series->at)
        series->deadline = now_ns() + series->ns;
    if (series->at >= 3 * series->count)
        return 0;
    series->times[series->at++] = now_ns();
    series->times[series->at++] = series->deadline;
    return 1;
}

/* Makes waits of a library; false if it has no such wait. */
static int make_waits(const char *id, Series *series);
#ifndef HAS_WAITS
static int make_waits(const char *id, Series *series) { return (void)id, (void)series, 0; }
#endif

static void waits(const char *id, char word[4][64]) {
    static Series series;
    uint64_t at;
    series.ns = strtoll(word[0], NULL, 10);
    series.count = strtoull(word[1], NULL, 10);
    series.first = strtoll(word[2], NULL, 10);
    series.work = strtoll(word[3], NULL, 10);
    series.at = 0;
    if (series.ns < 1)
        series.ns = 1;
    if (series.count > 1000)
        series.count = 1000;
    if (!make_waits(id, &series)) {
        printf("{\"error\":\"no such wait\"}\n");
        return;
    }
    printf("{\"start\":%lld,\"times\":[", (long long)(series.at ? series.times[0] : now_ns()));
    for (at = 0; at < series.at; at++)
        printf("%s%lld", at ? "," : "", (long long)(series.times[at] - series.times[0]));
    printf("]");
#ifdef __linux__
    printf(",\"thread\":%d", (int)getpid());
#endif
    printf("}\n");
}

static void answer(int words, char word[6][64]) {
    const Clock *clock = words > 1 ? found(word[1]) : NULL;
    uint64_t last = words > 1 ? strtoull(word[words - 1], NULL, 10) : 0;
    if (words == 1 && !strcmp(word[0], "hello"))
        hello();
    else if (words == 5 && !strcmp(word[0], "batch") && clock)
        batch(clock, word[2], strtoull(word[3], NULL, 10), last);
    else if (words == 4 && !strcmp(word[0], "around") && clock)
        around(clock, strtoull(word[2], NULL, 10), last);
    else if (words == 3 && !strcmp(word[0], "deltas") && clock)
        deltas(clock, last);
    else if (words == 2 && !strcmp(word[0], "more"))
        more(last);
    else if (words == 3 && !strcmp(word[0], "spins") && clock)
        spins(clock, last);
    else if (words == 3 && !strcmp(word[0], "watch") && clock)
        watch(clock, last);
    else if (words == 4 && !strcmp(word[0], "sleep") && !strcmp(word[1], SLEEP_ID))
        slept(strtoll(word[2], NULL, 10), last);
    else if (words == 6 && !strcmp(word[0], "waits"))
        waits(word[1], word + 2);
    else
        printf("{\"error\":\"no such request\"}\n");
    fflush(stdout);
}

int main(void) {
    char line[256], word[6][64];
    while (fgets(line, sizeof line, stdin)) {
        int words = sscanf(line, "%63s %63s %63s %63s %63s %63s", word[0], word[1], word[2],
                           word[3], word[4], word[5]);
        if (words < 1)
            continue;
        if (!strcmp(word[0], "quit"))
            break;
        answer(words, word);
    }
    return 0;
}
