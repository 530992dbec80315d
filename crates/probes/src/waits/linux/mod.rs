//! The wait calls that only Linux has, or that have their own form there.

mod clock_nanosleep_abs;
mod epoll_pwait2;
mod futex;
mod io_uring_timeout;
mod ppoll;
mod select;
mod sigtimedwait;
#[cfg(target_os = "linux")]
pub(crate) mod time;
mod timerfd;

use super::entry::{Code, Entry, LINUX};
use chronoscope_model::snippet;

pub(super) const WAITS: &[Entry] = &[
    Entry {
        id: "linux/nanosleep",
        call: "nanosleep(&duration, NULL)",
        about: "The plain sleep for a duration. It runs on CLOCK_MONOTONIC, whatever POSIX says \
                about CLOCK_REALTIME, and may be late by the thread's timer slack on top of the \
                wake-up itself.",
        references: &["nanosleep(2)", "Linux kernel/time/hrtimer.c, hrtimer_nanosleep"],
        code: Code::Before(|wait| snippet::timespec("duration", wait.ns)),
        opener: on!(target_os = "linux", |_| ByDuration(nanosleep)),
        ..LINUX
    },
    clock_nanosleep_abs::ENTRY,
    timerfd::ENTRY,
    epoll_pwait2::ENTRY,
    ppoll::ENTRY,
    select::ENTRY,
    futex::ENTRY,
    io_uring_timeout::ENTRY,
    sigtimedwait::ENTRY,
];

#[cfg(target_os = "linux")]
use super::{open::ByDuration, unix::nanosleep};
