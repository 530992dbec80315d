//! The wait calls of Linux: those that only Linux has, and those of POSIX in the form that they
//! have there.

#[cfg(target_os = "linux")]
use super::entry::{ByDeadline, ByDuration};
use super::entry::{Code, DEADLINE, DURATION, Entry, Facts, LINUX, Language, TimerSlack};
use chronoscope_model::snippet;

table! {
    WAITS: &[Entry];
    like LINUX;
    "linux/nanosleep" => "nanosleep(&duration, NULL)",
        code: Code::Before(|wait| snippet::timespec("duration", wait.ns)),
        opener: on!(target_os = "linux", |_| ByDuration(crate::waits::unix::nanosleep));
    "linux/clock_nanosleep-abs" =>
        "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL)",
        facts: DEADLINE,
        code: Code::Before(|wait| snippet::deadline(wait.ns)),
        opener: on!(target_os = "linux", |_| ByDeadline(imp::sleep_until));
    "linux/timerfd" => "timerfd_settime(fd, 0, &spec, NULL); read(fd, &expirations, 8)",
        facts: Facts { timer_slack: TimerSlack::Unused, ..DURATION },
        code: Code::BeforeCall,
        opener: on!(target_os = "linux", |_| imp::Timer::open()?);
    "linux/epoll_pwait2" => "syscall(SYS_epoll_pwait2, fd, events, 1, &timeout, NULL, 0)",
        facts: Facts { timer_slack: TimerSlack::Share, ..DURATION },
        home: "Linux 5.11 and later",
        code: Code::BeforeCall,
        opener: on!(target_os = "linux", |_| imp::Epoll::open()?);
    "linux/ppoll" => "ppoll(NULL, 0, &timeout, NULL)",
        facts: Facts { timer_slack: TimerSlack::Share, ..DURATION },
        code: Code::Before(|wait| snippet::timespec("timeout", wait.ns)),
        opener: on!(target_os = "linux", |_| ByDuration(imp::poll));
    "linux/select" => "select(0, NULL, NULL, NULL, &timeout)",
        facts: Facts { unit_ns: 1_000, timer_slack: TimerSlack::Share, ..DURATION },
        code: Code::BeforeCall,
        opener: on!(target_os = "linux", |_| ByDuration(imp::select));
    "linux/futex" => "syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &timeout)",
        code: Code::BeforeCall,
        opener: on!(target_os = "linux", |_| imp::Futex::open()?);
    "linux/io_uring-timeout" =>
        "unsafe { ring.submission().push(&timeout) }?; ring.submit_and_wait(1)?; \
        ring.completion().next()",
        language: Language::Rust,
        facts: Facts { timer_slack: TimerSlack::Unused, ..DURATION },
        home: "64-bit Linux 5.4 and later",
        code: Code::BeforeCall,
        opener: on!(all(target_os = "linux", target_pointer_width = "64"), |_| ring::open()?);
    "linux/io_uring-wait-arg" => "ring.submitter().submit_with_args(1, &arguments).err()",
        language: Language::Rust,
        facts: Facts { timer_slack: TimerSlack::Unused, ..DURATION },
        home: "64-bit Linux 5.11 and later",
        code: Code::BeforeCall,
        opener: on!(all(target_os = "linux", target_pointer_width = "64"), |_| {
            let ring = ring::open()?;
            ByDuration(move |ns| ring.wait_for_any(ns))
        });
    "linux/sigtimedwait" => "sigtimedwait(&empty_set, NULL, &timeout)",
        code: Code::BeforeCall,
        opener: on!(target_os = "linux", |_| {
            let empty = crate::waits::os::signals(&[]);
            ByDuration(move |ns| imp::wait_for_signal(&empty, ns))
        });
    "posix/usleep" => "usleep(microseconds)",
        facts: Facts { unit_ns: 1_000, ..DURATION },
        code: Code::Before(|wait| format!("useconds_t microseconds = {};", wait.ns.div_ceil(1000))),
        opener: on!(target_os = "linux", |_| ByDuration(imp::usleep));
    "posix/cond_timedwait" => "pthread_cond_timedwait(&cond, &mutex, &deadline)",
        facts: DEADLINE,
        code: Code::BeforeCall,
        opener: on!(target_os = "linux", |_| {
            let mut condition = imp::Condition::new()?;
            ByDeadline(move |deadline| condition.until(deadline))
        });
}

#[cfg(target_os = "linux")]
mod imp {
    use crate::waits::unix::{Outcome, errno, repeat, timespec};
    use crate::waits::{Method, Unavailable};
    use rustix::event::epoll;
    use rustix::io::Errno;
    use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
    use std::cell::UnsafeCell;
    use std::fs::File;
    use std::io::{ErrorKind, Read};
    use std::os::fd::{AsRawFd, OwnedFd};

    /// Sleeps until the deadline, however many signals arrive.
    pub(super) fn sleep_until(deadline: u64) -> Result<(), i32> {
        let time = timespec(deadline);
        loop {
            // SAFETY: `time` outlives the call; a null pointer asks for no remaining time.
            let error = unsafe {
                libc::clock_nanosleep(
                    libc::CLOCK_MONOTONIC,
                    libc::TIMER_ABSTIME,
                    &raw const time,
                    std::ptr::null_mut(),
                )
            };
            match error {
                0 => return Ok(()),
                libc::EINTR => {}
                other => return Err(other),
            }
        }
    }

    pub(super) struct Timer(File);

    impl Timer {
        pub(super) fn open() -> Result<Self, Unavailable> {
            match timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC) {
                Ok(timer) => Ok(Self(timer.into())),
                Err(errno) => Err(Unavailable::os("timerfd_create", errno.raw_os_error())),
            }
        }

        fn run(&mut self, flags: libc::c_int, ns: u64) -> Result<(), i32> {
            let spec = libc::itimerspec {
                it_interval: timespec(0),
                // Zero would disarm the timer, and the read would never return.
                it_value: timespec(ns.max(1)),
            };
            // SAFETY: `spec` outlives the call; a null pointer asks for no previous setting.
            let set = unsafe {
                libc::timerfd_settime(
                    self.0.as_raw_fd(),
                    flags,
                    &raw const spec,
                    std::ptr::null_mut(),
                )
            };
            if set != 0 {
                return Err(errno());
            }
            let mut expirations = [0; 8];
            loop {
                match self.0.read(&mut expirations) {
                    Ok(_) => return Ok(()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
                }
            }
        }
    }

    impl Method for Timer {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            self.run(0, ns)
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            self.run(libc::TFD_TIMER_ABSTIME, deadline)
        }
    }

    pub(super) struct Epoll(OwnedFd);

    impl Epoll {
        pub(super) fn open() -> Result<Self, Unavailable> {
            let made = epoll::create(epoll::CreateFlags::CLOEXEC);
            let refused = |errno: Errno| Unavailable::os("epoll_create1", errno.raw_os_error());
            let epoll = Self(made.map_err(refused)?);
            match epoll.call(0) {
                Outcome::Failed(libc::ENOSYS) => Err(Unavailable(
                    "this kernel has no epoll_pwait2 (it came with Linux 5.11)".into(),
                )),
                Outcome::Failed(errno) => Err(Unavailable::os("epoll_pwait2", errno)),
                _ => Ok(epoll),
            }
        }

        fn call(&self, ns: u64) -> Outcome {
            // `struct __kernel_timespec`: 64 bits each on every architecture.
            let timeout = [(ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64];
            let mut event = libc::epoll_event { events: 0, u64: 0 };
            // SAFETY: there is room for the one event that is asked for, the time outlives the
            // call, and without a signal mask the kernel ignores its size.
            let ready = unsafe {
                libc::syscall(
                    libc::SYS_epoll_pwait2,
                    self.0.as_raw_fd(),
                    &raw mut event,
                    1,
                    timeout.as_ptr(),
                    std::ptr::null::<libc::sigset_t>(),
                    0usize,
                )
            };
            Outcome::of(ready == 0)
        }
    }

    impl Method for Epoll {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            repeat(ns, |ns| self.call(ns))
        }
    }

    pub(super) fn poll(ns: u64) -> Result<(), i32> {
        repeat(ns, |ns| {
            let timeout = timespec(ns);
            // SAFETY: neither descriptors nor a mask are passed, and the time outlives the call.
            let ready = unsafe {
                libc::ppoll(std::ptr::null_mut(), 0, &raw const timeout, std::ptr::null())
            };
            Outcome::of(ready == 0)
        })
    }

    pub(super) fn select(ns: u64) -> Result<(), i32> {
        repeat(ns, |ns| {
            let whole = timespec(ns.div_ceil(1000).saturating_mul(1000));
            let mut timeout =
                libc::timeval { tv_sec: whole.tv_sec, tv_usec: (whole.tv_nsec / 1000) as _ };
            let none = std::ptr::null_mut();
            // SAFETY: no sets of descriptors, and a time that outlives the call.
            let ready = unsafe { libc::select(0, none, none, none, &raw mut timeout) };
            Outcome::of(ready == 0)
        })
    }

    /// The word that the wait watches; it stays 0.
    pub(super) struct Futex(u32);

    impl Futex {
        pub(super) fn open() -> Result<Self, Unavailable> {
            let futex = Self(0);
            match futex.call(libc::FUTEX_WAIT, 1, 0) {
                libc::ETIMEDOUT => Ok(futex),
                errno => Err(Unavailable::os("futex", errno)),
            }
        }

        /// Returns the error that ended the wait. A wake-up that nobody sent counts as an
        /// interruption.
        fn call(&self, operation: libc::c_int, ns: u64, bits: u32) -> i32 {
            let timeout = timespec(ns);
            // SAFETY: the word and the time outlive the call, and nobody writes to the word. The
            // call takes a timespec of the C library's size (futex(2) on these architectures).
            let done = unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    &raw const self.0,
                    operation | libc::FUTEX_PRIVATE_FLAG,
                    0,
                    &raw const timeout,
                    std::ptr::null::<u32>(),
                    bits,
                )
            };
            if done == 0 { libc::EINTR } else { errno() }
        }
    }

    impl Method for Futex {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            repeat(ns, |ns| match self.call(libc::FUTEX_WAIT, ns, 0) {
                libc::ETIMEDOUT => Outcome::Over,
                libc::EINTR => Outcome::Interrupted,
                other => Outcome::Failed(other),
            })
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            loop {
                match self.call(libc::FUTEX_WAIT_BITSET, deadline, u32::MAX) {
                    libc::ETIMEDOUT => return Ok(()),
                    libc::EINTR => {}
                    other => return Err(other),
                }
            }
        }
    }

    pub(super) fn wait_for_signal(set: &libc::sigset_t, ns: u64) -> Result<(), i32> {
        repeat(ns, |ns| {
            let timeout = timespec(ns);
            // SAFETY: the set and the time outlive the call; a null pointer asks for no details.
            unsafe { libc::sigtimedwait(set, std::ptr::null_mut(), &raw const timeout) };
            match errno() {
                libc::EAGAIN => Outcome::Over,
                libc::EINTR => Outcome::Interrupted,
                other => Outcome::Failed(other),
            }
        })
    }

    pub(super) fn usleep(ns: u64) -> Result<(), i32> {
        /// The longest wait of one call: POSIX allowed systems to refuse a million microseconds or
        /// more.
        const MOST: u64 = 999_999;
        let mut left = ns.div_ceil(1000);
        while left > 0 {
            let part = left.min(MOST);
            repeat(part * 1000, |ns| {
                // SAFETY: usleep takes a number.
                Outcome::of(unsafe { libc::usleep(ns.div_ceil(1000).min(MOST) as u32) } == 0)
            })?;
            left -= part;
        }
        Ok(())
    }

    struct Pair {
        mutex: UnsafeCell<libc::pthread_mutex_t>,
        cond: UnsafeCell<libc::pthread_cond_t>,
    }

    pub(super) struct Condition(Box<Pair>);

    impl Condition {
        pub(super) fn new() -> Result<Self, Unavailable> {
            let pair = Box::new(Pair {
                mutex: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
                cond: UnsafeCell::new(libc::PTHREAD_COND_INITIALIZER),
            });
            // SAFETY: the attribute is initialised before it is used and destroyed afterwards; the
            // condition is on the heap, where it stays until it is destroyed, and nobody has waited
            // on it yet.
            let error = unsafe {
                let mut attribute = std::mem::zeroed();
                let mut error = libc::pthread_condattr_init(&raw mut attribute);
                if error == 0 {
                    error =
                        libc::pthread_condattr_setclock(&raw mut attribute, libc::CLOCK_MONOTONIC);
                    if error == 0 {
                        error = libc::pthread_cond_init(pair.cond.get(), &raw const attribute);
                    }
                    libc::pthread_condattr_destroy(&raw mut attribute);
                }
                error
            };
            if error != 0 {
                return Err(Unavailable::os("pthread_cond_init on CLOCK_MONOTONIC", error));
            }
            // SAFETY: the mutex is initialised, and on the heap, where it stays until it is
            // destroyed.
            match unsafe { libc::pthread_mutex_lock(pair.mutex.get()) } {
                0 => Ok(Self(pair)),
                error => Err(Unavailable::os("pthread_mutex_lock", error)),
            }
        }

        pub(super) fn until(&mut self, deadline: u64) -> Result<(), i32> {
            let time = timespec(deadline);
            let (mutex, cond) = (self.0.mutex.get(), self.0.cond.get());
            loop {
                // SAFETY: both belong to this object alone and are initialised, and this thread
                // has held the mutex since `open`, as it must.
                match unsafe { libc::pthread_cond_timedwait(cond, mutex, &raw const time) } {
                    // A spurious wake-up: nobody signals.
                    0 => {}
                    libc::ETIMEDOUT => return Ok(()),
                    other => return Err(other),
                }
            }
        }
    }

    impl Drop for Condition {
        fn drop(&mut self) {
            // SAFETY: both were initialised in `open`, nobody waits on them, and the mutex is held
            // by this thread, to which the object belongs.
            unsafe {
                libc::pthread_mutex_unlock(self.0.mutex.get());
                libc::pthread_cond_destroy(self.0.cond.get());
                libc::pthread_mutex_destroy(self.0.mutex.get());
            }
        }
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod ring {
    use crate::waits::unix::{Outcome, repeat};
    use crate::waits::{Method, Unavailable};
    use io_uring::{IoUring, opcode, types};

    pub(super) fn open() -> Result<Ring, Unavailable> {
        IoUring::new(2).map(Ring).map_err(|error| {
            Unavailable(format!(
                "io_uring_setup: {error}; see the sysctl kernel.io_uring_disabled and the \
                 container's seccomp filter"
            ))
        })
    }

    pub(super) struct Ring(IoUring);

    fn timespec(ns: u64) -> types::Timespec {
        types::Timespec::new().sec(ns / 1_000_000_000).nsec((ns % 1_000_000_000) as u32)
    }

    impl Ring {
        fn run(&mut self, ns: u64, flags: types::TimeoutFlags) -> Result<(), i32> {
            let time = timespec(ns);
            let request = opcode::Timeout::new(&raw const time).flags(flags).build();
            // SAFETY: the time that the request points to lives until the completion is taken
            // below; the kernel also copies it at submission.
            unsafe { self.0.submission().push(&request) }.map_err(|_| libc::EBUSY)?;
            loop {
                match self.0.submit_and_wait(1) {
                    Ok(_) => {}
                    Err(error) if error.raw_os_error() == Some(libc::EINTR) => continue,
                    Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
                }
                if let Some(entry) = self.0.completion().next() {
                    return match -entry.result() {
                        0 | libc::ETIME => Ok(()),
                        errno => Err(errno),
                    };
                }
            }
        }

        /// Waits for a completion, of which there is none, with a time-out.
        pub(super) fn wait_for_any(&self, ns: u64) -> Result<(), i32> {
            repeat(ns, |ns| {
                let time = timespec(ns);
                let arguments = types::SubmitArgs::new().timespec(&time);
                let ended = self.0.submitter().submit_with_args(1, &arguments);
                match ended.err().and_then(|error| error.raw_os_error()) {
                    None | Some(libc::ETIME) => Outcome::Over,
                    Some(libc::EINTR) => Outcome::Interrupted,
                    Some(other) => Outcome::Failed(other),
                }
            })
        }
    }

    impl Method for Ring {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            self.run(ns, types::TimeoutFlags::empty())
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            self.run(deadline, types::TimeoutFlags::ABS)
        }
    }
}
