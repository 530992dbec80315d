//! The wait calls that only Linux has, or that have their own form there.

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
