/* A handler is installed for the duration of one attempt, and there is one attempt at a time,
 * because all threads of a process share one handler per signal. */
#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction illegal_before, segment_before;
static __thread volatile sig_atomic_t attempting;
static __thread sigjmp_buf back;

static void caught(int signal_number) {
    if (attempting) {
        attempting = 0;
        siglongjmp(back, 1);
    }
    /* The signal is another thread's and not ours: it is raised again, and the previous handler
     * gets it. */
    sigaction(signal_number, signal_number == SIGILL ? &illegal_before : &segment_before, NULL);
}

int cs_guarded(void (*attempt)(void)) {
    struct sigaction handler = {.sa_handler = caught};
    volatile int result = ENOSYS;
    sigemptyset(&handler.sa_mask);
    pthread_mutex_lock(&one_at_a_time);
    if (sigaction(SIGILL, &handler, &illegal_before) == 0) {
        if (sigaction(SIGSEGV, &handler, &segment_before) == 0) {
            if (sigsetjmp(back, 1)) {
                result = EPERM;
            } else {
                attempting = 1;
                attempt();
                attempting = 0;
                result = 0;
            }
            sigaction(SIGSEGV, &segment_before, NULL);
        }
        sigaction(SIGILL, &illegal_before, NULL);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return result;
}
