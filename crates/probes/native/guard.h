/* Tries an instruction that the kernel may forbid to user code. */
#ifndef CHRONOSCOPE_GUARD_H
#define CHRONOSCOPE_GUARD_H

/* Returns 0 if `attempt` returns, EPERM if it raises SIGILL or SIGSEGV, and ENOSYS if the attempt
 * cannot be made safely. Signals of other threads go to their previous handlers. */
int cs_guarded(void (*attempt)(void));

#endif
