/* Waits that are cancelled, and waits that a signal interrupts. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <chronoscope.h>

static int faults, cleaned;

#define IS(expression)                                                \
    do {                                                              \
        if (!(expression)) {                                          \
            faults++;                                                 \
            printf("line %d: not %s\n", __LINE__, #expression);       \
        }                                                             \
    } while (0)

static void clean(void *argument) {
    (void)argument;
    cleaned++;
}

static void *sleep_long(void *argument) {
    uint64_t left;
    chronoscope_waiter *waiter = NULL;
    int way = *(int *)argument;
    pthread_cleanup_push(clean, NULL);
    switch (way) {
        case 0:
            chronoscope_sleep_ns(20000000000u, NULL);
            break;
        case 1:
            chronoscope_sleep_until(chronoscope_now() + 1000000000000u, NULL);
            break;
        case 2:
            while (chronoscope_sleep_interruptible_ns(20000000000u, &left, NULL)) {
            }
            break;
        case 3:
            chronoscope_waiter_new(CHRONOSCOPE_PRECISE, &waiter);
            chronoscope_waiter_sleep_ns(waiter, 20000000000u, NULL);
            break;
        case 4:
            for (;;) {
                chronoscope_sleep_ns(1000000, NULL);
            }
        default:
            for (;;) {
                chronoscope_sync(NULL, NULL);
                chronoscope_describe(NULL, NULL, 0);
                pthread_testcancel();
            }
    }
    pthread_cleanup_pop(1);
    return NULL;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void handler(int number) {
    (void)number;
}

int main(void) {
    int way;
    double start;
    uint64_t left = 0;
    struct sigaction action;
    struct itimerval timer;

    for (way = 0; way < 6; way++) {
        pthread_t thread;
        void *result = NULL;
        struct timespec pause = {0, 50000000};
        start = seconds();
        IS(pthread_create(&thread, NULL, sleep_long, &way) == 0);
        nanosleep(&pause, NULL);
        IS(pthread_cancel(thread) == 0);
        IS(pthread_join(thread, &result) == 0);
        IS(result == PTHREAD_CANCELED);
        IS(cleaned == way + 1);
        IS(seconds() - start < 10);
    }

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    memset(&timer, 0, sizeof timer);
    timer.it_value.tv_usec = 50000;

    /* Interrupted soon, with most of the time left. */
    setitimer(ITIMER_REAL, &timer, NULL);
    start = seconds();
    IS(chronoscope_sleep_interruptible_ns(20000000000u, &left, NULL) == CHRONOSCOPE_INTERRUPTED);
    IS(seconds() - start < 10);
    IS(left > 5000000000u && left < 19951000000u);
    IS(chronoscope_sleep_interruptible_ns(1000, &left, NULL) == CHRONOSCOPE_OK);
    IS(left == 0);

    /* Not interrupted, and not early. */
    setitimer(ITIMER_REAL, &timer, NULL);
    start = seconds();
    IS(chronoscope_sleep_ns(200000000, NULL) == CHRONOSCOPE_OK);
    IS(seconds() - start >= 0.2);
    return faults != 0;
}
