//! The signals that ask a run to stop: what was measured until then is still written.

use chronoscope_probes::time::Instant;
use chronoscope_survey::{Error, Interrupt};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Signals this close together count as one: timeout(1) sends one to the program and one to its
/// group.
const SAME: Duration = Duration::from_millis(300);

/// Whether the user, the system or a lost connection asked the run to stop, and by which signal.
#[derive(Clone, Default)]
pub struct Stop {
    /// Set at the first signal.
    pub interrupt: Interrupt,
    signal: Arc<AtomicU8>,
}

/// The number of SIGINT on every Unix, and of Ctrl-C on Windows in this tool's exit code.
const INT: u8 = 2;
/// The number of SIGHUP on every Unix.
const HUP: u8 = 1;

impl Stop {
    /// Handles Ctrl-C and, on Unix, SIGTERM and SIGHUP. A SIGHUP that is ignored stays ignored:
    /// nohup(1) asks for that.
    ///
    /// # Errors
    /// The system refuses, because too many files are open for example.
    pub fn on_signals() -> Result<Self, Error> {
        let stop = Self::default();
        listen(stop.clone()).map_err(|error| {
            let limit = match error.raw_os_error() {
                // EMFILE has this number on Linux, macOS and the BSDs.
                Some(24) if cfg!(unix) => ": allow more with `ulimit -n 64`",
                _ => "",
            };
            Error::Nothing(format!("cannot handle signals: {error}{limit}"))
        })?;
        Ok(stop)
    }

    /// The exit code of a run that was asked to stop: 128 and the number of the signal, as shells
    /// report it. 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
    pub fn exit_code(&self) -> Option<u8> {
        self.interrupt.is_set().then(|| 128 + self.signal.load(Ordering::Relaxed))
    }

    /// Whether the terminal is gone, so that nobody can read what is printed.
    pub fn hung_up(&self) -> bool {
        self.exit_code() == Some(128 + HUP)
    }

    /// Handles one signal; `first` is when the first arrived.
    fn receive(&self, signal: u8, first: &mut Option<Instant>) {
        match first {
            None => {
                self.signal.store(signal, Ordering::Relaxed);
                self.interrupt.set();
                *first = Some(Instant::now());
            }
            // A second signal ends the program at once, for users who do not want to wait.
            Some(at) if at.elapsed() > SAME => {
                let mut is_stuck = false;
                #[cfg(feature = "watch")]
                {
                    chronoscope_watch::restore();
                    is_stuck |= chronoscope_watch::is_stuck();
                }
                // Whatever is left of the progress line.
                if io::stderr().is_terminal() && !is_stuck {
                    let _ = io::stderr().write_all(b"\r\x1b[2K");
                }
                std::process::exit(i32::from(128 + signal))
            }
            Some(_) => {}
        }
    }
}

#[cfg(unix)]
fn listen(stop: Stop) -> io::Result<()> {
    use chronoscope_probes::machine::ignores_hangup;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut handled = vec![SIGINT, SIGTERM];
    if !ignores_hangup() {
        handled.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(handled)?;
    let receive = move || {
        let mut first = None;
        for signal in signals.forever() {
            stop.receive(u8::try_from(signal).unwrap_or(INT), &mut first);
        }
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(receive).map(drop)
}

#[cfg(not(unix))]
fn listen(stop: Stop) -> io::Result<()> {
    let mut first = None;
    ctrlc::set_handler(move || stop.receive(INT, &mut first)).map_err(io::Error::other)
}
