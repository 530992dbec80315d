//! How an entry is opened on the systems that have it, and what most methods are: one call. The
//! choice by `cfg` is made here and at the function that waits, and nowhere else.

use super::{Method, os};

/// The opener of a method: `on!(cfg, |setting| method)`, where the [`Setting`](super::Setting) may
/// be used and `?` returns an [`Unavailable`](crate::Unavailable). With `portable` before the
/// condition, what waits exists everywhere and is used under that `cfg` only. Systems that do not
/// match `cfg` do not have the method. With `or reason` behind the condition, every system has the
/// method, but not every build ([`left_out`](crate::left_out)).
macro_rules! on {
    (portable $here:meta, |$setting:pat_param| $method:expr) => {{
        const OPENER: $crate::waits::entry::Opener = |$setting| Ok(Box::new($method));
        if cfg!($here) { Some(OPENER) } else { None }
    }};
    ($here:meta or $reason:path, |$setting:pat_param| $method:expr) => {{
        #[cfg($here)]
        const OPENER: $crate::waits::entry::Opener = |$setting| Ok(Box::new($method));
        #[cfg(not($here))]
        const OPENER: $crate::waits::entry::Opener = |_| Err($reason());
        Some(OPENER)
    }};
    ($here:meta, |$setting:pat_param| $method:expr) => {{
        #[cfg($here)]
        const OPENER: Option<$crate::waits::entry::Opener> = Some(|$setting| Ok(Box::new($method)));
        #[cfg(not($here))]
        const OPENER: Option<$crate::waits::entry::Opener> = None;
        OPENER
    }};
}

/// A method that is one function of a duration in nanoseconds.
pub(crate) struct ByDuration<F>(pub(crate) F);

impl<F: FnMut(u64) -> Result<(), i32>> Method for ByDuration<F> {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        self.0(ns)
    }
}

/// A method that is one function of a deadline, which [`os::monotonic`] shows.
pub(crate) struct ByDeadline<F>(pub(crate) F);

impl<F: FnMut(u64) -> Result<(), i32>> Method for ByDeadline<F> {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        self.0(os::monotonic().saturating_add(ns))
    }

    fn until(&mut self, deadline: u64) -> Result<(), i32> {
        self.0(deadline)
    }
}
