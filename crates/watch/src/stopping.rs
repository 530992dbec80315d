//! Ctrl-Z: the process stops, and goes on later.

#[cfg(unix)]
mod unix {
    use signal_hook::consts::SIGTSTP;
    use signal_hook::flag::register;
    use signal_hook::low_level::{emulate_default_handler, unregister};
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The signal that asks the process to stop. That it goes on is no signal here, because the
    /// waits need that one themselves.
    pub struct Stopping {
        asked: Arc<AtomicBool>,
        handler: signal_hook::SigId,
    }

    impl Stopping {
        /// Handles the signal from now on.
        pub fn new() -> io::Result<Self> {
            let asked = Arc::default();
            let handler = register(SIGTSTP, Arc::clone(&asked))?;
            Ok(Self { asked, handler })
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
            unregister(self.handler);
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

        /// Does nothing.
        pub fn stop(&self) {}
    }
}

#[cfg(not(unix))]
pub use other::Stopping;
#[cfg(unix)]
pub use unix::Stopping;
