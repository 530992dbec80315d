/* Every wrong call has its status, and none of them ends the program. */
#include <stdio.h>
#include <string.h>

#include <chronoscope.h>

static int faults;

#define IS(expression, expected)                                                          \
    do {                                                                                  \
        long long found_ = (long long)(expression), expected_ = (long long)(expected);    \
        if (found_ != expected_) {                                                        \
            faults++;                                                                     \
            printf("line %d: %s is %lld\n", __LINE__, #expression, found_);               \
        }                                                                                 \
    } while (0)

int main(void) {
    chronoscope_clock *clock = NULL;
    chronoscope_waiter *waiter = NULL;
    chronoscope_ticker *ticker = NULL;
    chronoscope_witness *witness = NULL;
    chronoscope_verdict verdict = {0, 0, 0};
    chronoscope_keeper *keeper = NULL;
    chronoscope_description description;
    chronoscope_synced synced;
    chronoscope_instant moment = 1;
    char text[8];
    size_t whole;

    /* Before the first read the source can be chosen, once. */
    IS(chronoscope_choose(17), CHRONOSCOPE_INVALID);
    IS(chronoscope_choose(CHRONOSCOPE_WANT_OS), CHRONOSCOPE_OK);
    IS(chronoscope_choose(CHRONOSCOPE_WANT_OS), CHRONOSCOPE_ALREADY_CHOSEN);
    IS(chronoscope_clock_description(NULL, &description), CHRONOSCOPE_OK);
    IS(description.source, CHRONOSCOPE_SOURCE_OS);
    IS(chronoscope_sync(NULL, &synced), CHRONOSCOPE_OK);
    IS(synced.outcome, CHRONOSCOPE_SYNC_NOT_NEEDED);
    IS(chronoscope_sync(NULL, NULL), CHRONOSCOPE_OK);

    IS(chronoscope_clock_description(NULL, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_elapsed_bounded(0, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_elapsed_bounded_within(0, 0, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_wall_bounded(NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_wall_checked(NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_wall_bound_by(CHRONOSCOPE_BOUND_BY_VMCLOCK, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_wall_bound_by(0, "/dev/null"), CHRONOSCOPE_INVALID);
    IS(chronoscope_wall_bound_by(CHRONOSCOPE_BOUND_BY_CLOCKBOUND, "\xff"), CHRONOSCOPE_INVALID);
    IS(chronoscope_wall_bound_by(CHRONOSCOPE_BOUND_BY_CLOCKBOUND, "/dev/null"),
       CHRONOSCOPE_UNSUPPORTED);
    IS(chronoscope_after(0, 0, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_before(UINT64_MAX, 0, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_after(UINT64_MAX, 1, &moment), CHRONOSCOPE_OUT_OF_RANGE);
    IS(chronoscope_before(0, 1, &moment), CHRONOSCOPE_OUT_OF_RANGE);
    IS(moment, 1);
    IS(chronoscope_after(5, 0, &moment), CHRONOSCOPE_OK);
    IS(moment, 5);

    IS(chronoscope_clock_new(17, &clock), CHRONOSCOPE_INVALID);
    IS(chronoscope_clock_new(CHRONOSCOPE_WANT_AUTO, NULL), CHRONOSCOPE_NULL);
    IS(clock == NULL, 1);
    IS(chronoscope_clock_new(CHRONOSCOPE_WANT_OS, &clock), CHRONOSCOPE_OK);
    moment = chronoscope_clock_now(clock);
    IS(chronoscope_clock_now(clock) >= moment, 1);
    IS(chronoscope_clock_ns_between(clock, moment, moment + 5), 5);
    IS(chronoscope_clock_ns_between(clock, moment + 5, moment), 0);
    chronoscope_clock_free(clock);
    chronoscope_clock_free(NULL);

    IS(chronoscope_waiter_new(17, &waiter), CHRONOSCOPE_INVALID);
    IS(chronoscope_waiter_new(CHRONOSCOPE_PRECISE, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_waiter_sleep_ns(NULL, 1, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_waiter_sleep_until(NULL, 1, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_waiter_new(CHRONOSCOPE_ECONOMY, &waiter), CHRONOSCOPE_OK);
    IS(chronoscope_waiter_sleep_ns(waiter, 1000, NULL), CHRONOSCOPE_OK);
    IS(chronoscope_waiter_sleep_until(waiter, 0, NULL), CHRONOSCOPE_OK);
    IS(chronoscope_waiter_set_budget_ns(NULL, 25000), CHRONOSCOPE_NULL);
    IS(chronoscope_waiter_set_budget_ns(waiter, UINT64_MAX), CHRONOSCOPE_OK);
    IS(chronoscope_waiter_shorten_slice(NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_waiter_restore_slice(NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_waiter_restore_slice(waiter), CHRONOSCOPE_OK);
    chronoscope_waiter_shorten_slice(waiter);
    IS(chronoscope_waiter_sleep_ns(waiter, 1000, NULL), CHRONOSCOPE_OK);
    chronoscope_waiter_free(waiter);
    chronoscope_waiter_free(NULL);
    IS(chronoscope_sleep_ns(0, NULL), CHRONOSCOPE_OK);
    IS(chronoscope_sleep_until(0, NULL), CHRONOSCOPE_OK);

    IS(chronoscope_ticker_new(0, CHRONOSCOPE_BALANCED, &ticker), CHRONOSCOPE_INVALID);
    IS(chronoscope_ticker_new(1000, 17, &ticker), CHRONOSCOPE_INVALID);
    IS(chronoscope_ticker_new(1000, CHRONOSCOPE_BALANCED, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_ticker_tick(NULL, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_ticker_new(1000, CHRONOSCOPE_BALANCED, &ticker), CHRONOSCOPE_OK);
    IS(chronoscope_ticker_tick(ticker, NULL), CHRONOSCOPE_OK);
    chronoscope_ticker_free(ticker);
    chronoscope_ticker_free(NULL);
    IS(chronoscope_witness_new(17, &witness), CHRONOSCOPE_INVALID);
    IS(chronoscope_witness_new(CHRONOSCOPE_MARKS, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_witness_end(NULL, &verdict), CHRONOSCOPE_NULL);
    chronoscope_witness_begin(NULL);
    IS(chronoscope_witness_new(CHRONOSCOPE_ENTRIES, &witness), CHRONOSCOPE_OK);
    IS(chronoscope_witness_end(witness, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_witness_end(witness, &verdict), CHRONOSCOPE_OK);
    IS(verdict.found, 0);
    IS(verdict.unknown, CHRONOSCOPE_PREEMPTED | CHRONOSCOPE_MOVED | CHRONOSCOPE_INTERRUPTED_BY_KERNEL);
    chronoscope_witness_free(witness);
    chronoscope_witness_free(NULL);

    IS(chronoscope_keep(0, &keeper), CHRONOSCOPE_INVALID);
    IS(chronoscope_keep(1, NULL), CHRONOSCOPE_NULL);
    IS(chronoscope_keep(1000000, &keeper), CHRONOSCOPE_OK);
    chronoscope_keeper_free(keeper);
    chronoscope_keeper_free(NULL);

    /* As with snprintf: truncated, terminated, and the whole length returned. */
    whole = chronoscope_describe(NULL, NULL, 0);
    IS(whole > sizeof text, 1);
    memset(text, '#', sizeof text);
    IS(chronoscope_describe(NULL, text, sizeof text) > sizeof text, 1);
    IS(strlen(text), sizeof text - 1);
    text[0] = '#';
    chronoscope_describe(NULL, text, 0);
    IS(text[0], '#');
    chronoscope_describe(NULL, text, 1);
    IS(text[0], '\0');

    IS(strlen(chronoscope_status_text(CHRONOSCOPE_INTERNAL)) > 5, 1);
    IS(strlen(chronoscope_status_text(-1)) > 5, 1);
    IS(strcmp(chronoscope_status_text(CHRONOSCOPE_NULL), chronoscope_status_text(-1)) != 0, 1);
    IS(strlen(chronoscope_version()) >= 5, 1);
    return faults != 0;
}
