//! Signals: Ctrl-Z, after which the process goes on later, and those that would end it at once.

#[cfg(unix)]
mod unix {
    use signal_hook::consts::{
        SIGALRM, SIGPROF, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::flag::{register, register_usize};
    use signal_hook::low_level::{emulate_default_handler, unregister};
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// The signals that end a process, are no fault of it, and that no other part of the tool
    /// handles.
    const ENDS: [i32; 8] =
        [SIGALRM, SIGPROF, SIGQUIT, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ];

    /// Further ones of Linux: SIGIO, SIGPWR and SIGSTKFLT by the numbers of most processors, and
    /// those of real time that the C library leaves to programs (signal(7)).
    fn more() -> impl Iterator<Item = i32> {
        let most = cfg!(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "arm"));
        let all = cfg!(target_os = "linux") && most;
        let first = if cfg!(target_env = "gnu") { 34 } else { 35 };
        [16, 29, 30].into_iter().chain(first..=64).filter(move |_| all)
    }

    /// The signal that asks the process to stop, and those that end it. That it goes on is no
    /// signal here, because the waits need that one themselves.
    pub struct Stopping {
        asked: Arc<AtomicBool>,
        ended: Arc<AtomicUsize>,
        handlers: Vec<signal_hook::SigId>,
    }

    impl Stopping {
        /// Handles the signals from now on.
        pub fn new() -> io::Result<Self> {
            let (asked, ended) = (Arc::default(), Arc::default());
            let handlers = vec![register(SIGTSTP, Arc::clone(&asked))?];
            let mut stopping = Self { asked, ended, handlers };
            for signal in ENDS.into_iter().chain(more()) {
                let number = signal.unsigned_abs() as usize;
                let handler = register_usize(signal, Arc::clone(&stopping.ended), number)?;
                stopping.handlers.push(handler);
            }
            Ok(stopping)
        }

        /// The number of the signal that asked the process to end, if one did.
        pub fn ended(&self) -> Option<u8> {
            u8::try_from(self.ended.load(Ordering::SeqCst)).ok().filter(|signal| *signal > 0)
        }

        /// Whether the process was asked to stop since the last call.
        pub fn asked(&self) -> bool {
            self.asked.swap(false, Ordering::SeqCst)
        }

        /// Stops the process, and returns when it goes on.
        pub fn stop(&self) {
            // It fails only for a signal that does not exist.
            let _ = emulate_default_handler(SIGTSTP);
            self.asked();
        }
    }

    impl Drop for Stopping {
        fn drop(&mut self) {
            for handler in self.handlers.drain(..) {
                unregister(handler);
            }
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io;

    /// On this system no key stops a process.
    pub struct Stopping;

    impl Stopping {
        /// Handles nothing.
        pub fn new() -> io::Result<Self> {
            Ok(Self)
        }

        /// Never.
        pub fn asked(&self) -> bool {
            false
        }

        /// No signal ends the view.
        pub fn ended(&self) -> Option<u8> {
            None
        }

        /// Does nothing.
        pub fn stop(&self) {}
    }
}

#[cfg(not(unix))]
pub use other::Stopping;
#[cfg(unix)]
pub use unix::Stopping;
