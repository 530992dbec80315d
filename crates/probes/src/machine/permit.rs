//! Whether the time-stamp counter may be read at all.
//!
//! A process can forbid it to itself (prctl(2), PR_SET_TSC), and is then killed by SIGSEGV at
//! its first `rdtsc`, so this is to be asked before the first one.

use super::os;

/// Whether this process may read the time-stamp counter; `None` where the system knows no such
/// permission, and reading is as free as any instruction.
pub fn tsc() -> Option<bool> {
    os::tsc_permitted()
}
