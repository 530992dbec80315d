//! The terminal: taken for the view, and given back on every way out.
//!
//! A thread of its own writes to it, because a terminal may take nothing for as long as it likes.
//! Whoever draws leaves a picture for that thread, and never waits: a picture that was not written
//! when the next one is there is not written at all.

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{event, queue};
use std::cell::Cell;
use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

/// Whether the view has the terminal.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether any thread has panicked.
static PANICKED: AtomicBool = AtomicBool::new(false);
/// Whether the terminal did not take what gives it back.
static STUCK: AtomicBool = AtomicBool::new(false);
/// What is to be written, and whether that has changed.
static ASKED: Mutex<Asked> = Mutex::new(Asked {
    leave: false,
    enter: false,
    picture: None,
    all: false,
    busy: false,
    failed: None,
});
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Whether this is the thread that writes.
    static WRITES: Cell<bool> = const { Cell::new(false) };
}

/// For how long a terminal may take what is being written before it is given up: longer than a busy
/// machine lets a thread wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// The least time to wait for input: below a millisecond crossterm asks again and again.
const LEAST: Duration = Duration::from_micros(10);

/// What the writing thread is to do, in this order.
struct Asked {
    leave: bool,
    enter: bool,
    picture: Option<Vec<String>>,
    /// Whether all lines of the picture are to be written, rather than those that differ.
    all: bool,
    /// Whether the thread is writing.
    busy: bool,
    /// What went wrong.
    failed: Option<io::Error>,
}

/// A panic leaves whole values.
fn asked() -> MutexGuard<'static, Asked> {
    ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the terminal. From now on a panic in any thread restores it before its message appears.
///
/// # Errors
/// Standard output or input is no terminal, or it is gone.
pub fn take() -> io::Result<()> {
    static HOOK: Once = Once::new();
    static WRITER: Mutex<bool> = Mutex::new(false);
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            PANICKED.store(true, Ordering::SeqCst);
            before(info);
        }));
    });
    let mut writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
    if !*writer {
        std::thread::Builder::new().name("terminal".into()).spawn(write)?;
        *writer = true;
    }
    enter()
}

/// Takes the terminal again, after the process was stopped, with all that another program may have
/// changed.
///
/// # Errors
/// It is gone.
pub fn enter() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    asked().enter = true;
    CHANGED.notify_all();
    Ok(())
}

/// Gives the terminal back as it was, if the view has it. Any thread may call this at any time. If
/// the terminal takes nothing, only its settings are restored.
pub fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    if WRITES.with(Cell::get) {
        let mut bytes = Vec::new();
        let _ = leave(&mut bytes).and_then(|()| io::stdout().write_all(&bytes));
    } else {
        let mut asked = asked();
        (asked.leave, asked.enter, asked.picture) = (true, false, None);
        CHANGED.notify_all();
        // If the terminal is gone, there is nothing to restore.
        let left = CHANGED.wait_timeout_while(asked, PATIENCE, |asked| asked.leave || asked.busy);
        let (asked, time) = left.unwrap_or_else(PoisonError::into_inner);
        drop(asked);
        STUCK.store(time.timed_out(), Ordering::SeqCst);
    }
    let _ = disable_raw_mode();
}

/// Whether the terminal took nothing when it was given back, so that whoever writes to it waits
/// without an end.
pub fn is_stuck() -> bool {
    STUCK.load(Ordering::SeqCst)
}

/// Shows a picture soon, each line of which is as wide as the screen; `all`: whatever is on the
/// screen is to be written over.
///
/// # Errors
/// What was written before could not be written; or a thread has panicked, or the terminal was
/// given back.
pub fn show(lines: Vec<String>, all: bool) -> io::Result<()> {
    if !TAKEN.load(Ordering::SeqCst) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    let mut asked = asked();
    if let Some(error) = asked.failed.take() {
        return Err(error);
    }
    asked.picture = Some(lines);
    asked.all |= all;
    CHANGED.notify_all();
    Ok(())
}

/// Writes what is asked for, for as long as the process lives.
fn write() {
    WRITES.with(|writes| writes.set(true));
    let mut shown = Vec::new();
    let mut asked = asked();
    loop {
        let idle = |it: &mut Asked| !(it.leave || it.enter || it.picture.is_some());
        asked = CHANGED.wait_while(asked, idle).unwrap_or_else(PoisonError::into_inner);
        let (left, entered) = (asked.leave, std::mem::take(&mut asked.enter));
        let picture = asked.picture.take();
        let all = picture.is_some() && std::mem::take(&mut asked.all);
        asked.busy = true;
        drop(asked);
        let mut bytes = Vec::new();
        let mut written = if left { leave(&mut bytes) } else { Ok(()) };
        if entered {
            shown.clear();
            let enter = queue!(bytes, EnterAlternateScreen, Hide, Clear(ClearType::All));
            written = written.and(enter);
        }
        if all {
            shown.clear();
        }
        if let Some(picture) = picture {
            written = written.and_then(|()| changes(&mut shown, picture, &mut bytes));
        }
        // In one piece, so that no half of a picture is seen.
        let mut out = io::stdout().lock();
        written = written.and_then(|()| out.write_all(&bytes)).and_then(|()| out.flush());
        drop(out);
        asked = self::asked();
        asked.busy = false;
        asked.leave &= !left;
        if let Err(error) = written {
            asked.failed.get_or_insert(error);
        }
        CHANGED.notify_all();
    }
}

fn leave(bytes: &mut Vec<u8>) -> io::Result<()> {
    queue!(bytes, LeaveAlternateScreen, Show)
}

/// Adds the lines of a picture that differ from what is shown.
fn changes(shown: &mut Vec<String>, picture: Vec<String>, bytes: &mut Vec<u8>) -> io::Result<()> {
    for (y, line) in picture.iter().enumerate() {
        if shown.get(y) != Some(line) {
            queue!(bytes, MoveTo(0, u16::try_from(y).unwrap_or(u16::MAX)))?;
            bytes.extend_from_slice(line.as_bytes());
        }
    }
    *shown = picture;
    Ok(())
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

// Signals: Ctrl-Z, after which the process goes on later, and those that would end it at once.

/// The signal that asks the process to stop, and those that end it. That it goes on is no signal
/// here, because the waits need that one themselves. On other systems there are none.
#[derive(Default)]
pub struct Stopping {
    asked: Arc<AtomicBool>,
    ended: Arc<AtomicUsize>,
    #[cfg(unix)]
    handlers: Vec<signal_hook::SigId>,
}

impl Stopping {
    /// Handles the signals from now on.
    pub fn new() -> io::Result<Self> {
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut stopping = Self::default();
        #[cfg(unix)]
        unix::handle(&mut stopping)?;
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

    /// Stops the process, and returns when it goes on. On other systems, it does nothing.
    pub fn stop(&self) {
        // It fails only for a signal that does not exist.
        #[cfg(unix)]
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
        self.asked();
    }
}

#[cfg(unix)]
impl Drop for Stopping {
    fn drop(&mut self) {
        for handler in self.handlers.drain(..) {
            signal_hook::low_level::unregister(handler);
        }
    }
}

#[cfg(unix)]
mod unix {
    use super::Stopping;
    use signal_hook::consts::{
        SIGALRM, SIGPROF, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::flag::{register, register_usize};
    use std::io;
    use std::sync::Arc;

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

    pub(super) fn handle(stopping: &mut Stopping) -> io::Result<()> {
        stopping.handlers.push(register(SIGTSTP, Arc::clone(&stopping.asked))?);
        for signal in ENDS.into_iter().chain(more()) {
            let number = signal.unsigned_abs() as usize;
            let handler = register_usize(signal, Arc::clone(&stopping.ended), number)?;
            stopping.handlers.push(handler);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_written() {
        let (mut shown, mut bytes) = (Vec::new(), Vec::new());
        for (picture, written) in [
            (["ab", "cd"], "\u{1b}[1;1Hab\u{1b}[2;1Hcd"),
            (["ab", "cd"], ""),
            (["ab", "ce"], "\u{1b}[2;1Hce"),
        ] {
            bytes.clear();
            let picture = picture.map(String::from).to_vec();
            changes(&mut shown, picture, &mut bytes).expect("memory");
            assert_eq!(String::from_utf8_lossy(&bytes), written);
        }
    }
}
