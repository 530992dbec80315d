//! The wait calls that only Linux has, or that have a form of their own there.

waits! {
    nanosleep,
    clock_nanosleep_abs,
    timerfd,
    epoll_pwait2,
    ppoll,
    select,
    futex,
    io_uring_timeout,
    sigtimedwait,
}

#[cfg(target_os = "linux")]
pub(crate) mod time;
