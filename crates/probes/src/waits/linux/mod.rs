//! The wait calls that only Linux has, or that have a form of their own there.

pub(crate) mod clock_nanosleep_abs;
pub(crate) mod epoll_pwait2;
pub(crate) mod futex;
pub(crate) mod io_uring_timeout;
pub(crate) mod nanosleep;
pub(crate) mod ppoll;
pub(crate) mod select;
pub(crate) mod sigtimedwait;
#[cfg(target_os = "linux")]
pub(crate) mod time;
pub(crate) mod timerfd;
