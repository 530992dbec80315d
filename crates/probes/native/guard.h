/* Tries an instruction that the kernel may have forbidden to user code. */
#ifndef CHRONOSCOPE_GUARD_H
#define CHRONOSCOPE_GUARD_H

/* 0 where `attempt` returns; EPERM where it raises SIGILL or SIGSEGV instead, ENOSYS where such
 * an attempt cannot be made safely. Other threads' signals go where they went before. */
int cs_guarded(void (*attempt)(void));

#endif
