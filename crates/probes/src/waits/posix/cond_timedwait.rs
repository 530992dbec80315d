use crate::waits::Entry;
use crate::waits::entry::{Code, DEADLINE, LINUX};
use chronoscope_model::snippet;

pub(crate) const ENTRY: Entry = Entry {
    id: "posix/cond_timedwait",
    call: "pthread_cond_timedwait(&cond, &mutex, &deadline)",
    facts: DEADLINE,
    about: "Waits for a condition with a deadline; here nobody signals the condition. It is made \
            for CLOCK_MONOTONIC with pthread_condattr_setclock: by default a condition follows \
            CLOCK_REALTIME, and a step of the wall clock moves its deadline.",
    references: &[
        "pthread_cond_timedwait(3p)",
        "pthread_condattr_setclock(3p)",
        "glibc nptl/pthread_cond_wait.c",
    ],
    code: Code::Before(|wait| {
        format!(
            "pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
             pthread_condattr_t attr;\n\
             pthread_condattr_init(&attr);\n\
             pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);\n\
             pthread_cond_t cond;\n\
             pthread_cond_init(&cond, &attr);\n\
             pthread_mutex_lock(&mutex);\n{}",
            snippet::deadline(wait.ns)
        )
    }),
    opener: on!(target_os = "linux", |_| {
        let mut condition = imp::Condition::new()?;
        crate::waits::open::ByDeadline(move |deadline| condition.until(deadline))
    }),
    ..LINUX
};

#[cfg(target_os = "linux")]
mod imp {
    use crate::waits::Unavailable;
    use crate::waits::unix::timespec;
    use std::cell::UnsafeCell;

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
