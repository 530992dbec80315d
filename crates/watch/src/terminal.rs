//! The terminal: taken for the view, and given back on every way out.

use crossterm::cursor::{Hide, Show};
use crossterm::event;
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui_core::backend::Backend;
use ratatui_core::layout::Position;
use ratatui_core::terminal::{Terminal, TerminalOptions, Viewport};
use ratatui_crossterm::CrosstermBackend;
use std::cell::Cell;
use std::io::{self, BufWriter, Stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, TryLockError};
use std::time::Duration;

/// Whether the view has the terminal.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether any thread has panicked.
static PANICKED: AtomicBool = AtomicBool::new(false);
/// Held while something is written to the terminal.
static WRITING: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread holds the lock.
    static WRITES: Cell<bool> = const { Cell::new(false) };
}

/// For how long a terminal may take what is being written before it is restored anyway.
const PATIENCE: u32 = 50;
const PAUSE: Duration = Duration::from_millis(10);

/// The least time to wait for input: below a millisecond crossterm asks again and again.
const LEAST: Duration = Duration::from_micros(10);

/// A frame is written in one piece, of this many bytes or less in most cases.
const BUFFER: usize = 64 << 10;

/// The screen of the view.
pub type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Takes the terminal. From now on a panic in any thread restores it before its message appears.
///
/// # Errors
/// Standard output or input is no terminal, or it is gone.
pub fn take() -> io::Result<Screen> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            PANICKED.store(true, Ordering::SeqCst);
            before(info);
        }));
    });
    enter()?;
    let backend = CrosstermBackend::new(BufWriter::with_capacity(BUFFER, io::stdout()));
    // Otherwise the size would be asked for at each picture, which opens the terminal each time.
    let viewport = Viewport::Fixed((Position::ORIGIN, backend.size()?).into());
    Terminal::with_options(backend, TerminalOptions { viewport })
}

/// Gives a picture the size that the terminal has now, and makes the next one draw all of it.
///
/// # Errors
/// The terminal is gone.
pub fn fit(screen: &mut Screen) -> io::Result<()> {
    let size = screen.size()?;
    screen.resize((Position::ORIGIN, size).into())
}

/// Takes the terminal again, after the process was stopped, with all that another program may have
/// changed.
///
/// # Errors
/// It is gone.
pub fn enter() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, Hide)
}

/// Gives the terminal back as it was, if the view has it. Any thread may call this at any time.
pub fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // Whatever is being written ends first, or it would hide the cursor again.
    let own = WRITES.with(Cell::get);
    for _ in 0..PATIENCE {
        match WRITING.try_lock() {
            Err(TryLockError::WouldBlock) if !own => std::thread::sleep(PAUSE),
            _ => break,
        }
    }
    // If the terminal is gone, there is nothing to restore.
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// Writes to the terminal, unless it was given back.
///
/// # Errors
/// Those of `write`; or a thread has panicked, or the terminal was given back.
pub fn writing<T>(write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    // A panic while it was held has restored the terminal.
    let _lock = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !TAKEN.load(Ordering::SeqCst) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    WRITES.with(|writes| writes.set(true));
    let written = write();
    WRITES.with(|writes| writes.set(false));
    written
}

/// Waits for input for at most this time, and returns whether there is any.
///
/// # Errors
/// The terminal is gone. On Linux that is asked of the system first, because crossterm 0.29 reads
/// the end of its input again and again until the time is over
/// (`UnixInternalEventSource::try_read`).
pub fn input(time: Duration) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    let time = {
        until_there_is_some(time)?;
        Duration::ZERO
    };
    // With no time at all, crossterm does not look.
    event::poll(time.max(LEAST))
}

/// Waits until there is something to read, or a signal has come, or the time is over.
#[cfg(target_os = "linux")]
fn until_there_is_some(time: Duration) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let terminal = io::stdin();
    let mut asked = [PollFd::new(&terminal, PollFlags::IN)];
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(&mut asked, Some(&time)) {
        Ok(_) if asked[0].revents().contains(PollFlags::HUP) => {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether a thread has panicked since the terminal was first taken.
pub fn panicked() -> bool {
    PANICKED.load(Ordering::SeqCst)
}

/// Gives the terminal back when it is dropped.
pub struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}
