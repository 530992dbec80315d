//! Ctrl-Z: the process stops, and goes on later.

#[cfg(unix)]
mod unix {
    use signal_hook::consts::{SIGCONT, SIGTSTP};
    use signal_hook::flag::register;
    use signal_hook::low_level::{emulate_default_handler, unregister};
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The signals that stop the process and let it go on.
    pub struct Stopping {
        stop: Arc<AtomicBool>,
        go_on: Arc<AtomicBool>,
        handlers: [signal_hook::SigId; 2],
    }

    impl Stopping {
        /// Handles them from now on.
        pub fn new() -> io::Result<Self> {
            let (stop, go_on) = (Arc::default(), Arc::default());
            let handlers =
                [register(SIGTSTP, Arc::clone(&stop))?, register(SIGCONT, Arc::clone(&go_on))?];
            Ok(Self { stop, go_on, handlers })
        }

        /// Whether the process was asked to stop since the last call.
        pub fn asked(&self) -> bool {
            self.stop.swap(false, Ordering::SeqCst)
        }

        /// Whether the process went on since the last call, after any signal that stopped it.
        pub fn went_on(&self) -> bool {
            self.go_on.swap(false, Ordering::SeqCst)
        }

        /// Stops the process, and returns when it goes on.
        pub fn stop(&self) {
            // It fails only for a signal that does not exist.
            let _ = emulate_default_handler(SIGTSTP);
            self.asked();
            self.went_on();
        }
    }

    impl Drop for Stopping {
        fn drop(&mut self) {
            for handler in self.handlers {
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

        /// Never.
        pub fn went_on(&self) -> bool {
            false
        }

        /// Does nothing.
        pub fn stop(&self) {}
    }
}

#[cfg(not(unix))]
pub use other::Stopping;
#[cfg(unix)]
pub use unix::Stopping;
