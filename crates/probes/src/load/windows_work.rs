//! What the processes of a load do on Windows.

use super::common::{self, BLOCK, FILE, LINE, MEMORY, PRINTED, TIMERS, compute};
use crate::waits::windows::timer::Timer;
use chronoscope_model::waits::Load;
use std::fs::File;
use std::io::{self, PipeWriter, Seek, SeekFrom, Write, pipe};
use std::os::windows::fs::OpenOptionsExt;
use std::time::Duration;
use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_DELETE_ON_CLOSE;

/// How long each thread waits for its timer.
const PERIOD_NS: u64 = 200_000;
/// How long a process of a high class rests after each iteration.
const REST: Duration = Duration::from_millis(1);

pub fn about(load: Load) -> String {
    let timers = format!("threads on high-resolution timers of {} us", PERIOD_NS / 1_000);
    let after = match load {
        Load::High => format!("then sleeps for {REST:?}, over and over"),
        _ => "over and over, without a pause".into(),
    };
    let print = "to a pipe of its own, one write each, which a thread empties";
    common::about(load, "FlushFileBuffers", &timers, print, &after)
}

pub enum Work {
    /// Compute, with or without rests.
    Compute { rests: bool, turn: u64 },
    /// Walk through memory.
    Memory(Vec<u8>),
    /// Write to a file again and again.
    Write { file: File, block: Vec<u8>, turn: u64 },
    /// Wait for timers.
    Timers,
    /// Print to a pipe.
    Print(PipeWriter),
}

impl Work {
    /// Gets what the work needs, or returns what it could not get.
    ///
    /// `whole`: it never rests.
    pub fn prepare(load: Load, nth: usize, whole: bool) -> Result<Self, String> {
        let turn = nth as u64;
        Ok(match load {
            Load::Memory => Self::Memory(vec![1; MEMORY]),
            Load::Io => Self::Write { file: file(nth)?, block: vec![1; BLOCK], turn },
            Load::Timers => {
                timer()?;
                Self::Timers
            }
            Load::Print => {
                let (mut reader, writer) = pipe().map_err(|error| format!("a pipe: {error}"))?;
                std::thread::spawn(move || io::copy(&mut reader, &mut io::sink()));
                Self::Print(writer)
            }
            _ => Self::Compute { rests: load == Load::High && !whole, turn },
        })
    }
}

/// A file that disappears with the process.
fn file(nth: usize) -> Result<File, String> {
    let name = format!("chronoscope-io-{}-{nth}", std::process::id());
    let path = std::env::temp_dir().join(name);
    File::options()
        .write(true)
        .create_new(true)
        .custom_flags(FILE_FLAG_DELETE_ON_CLOSE)
        .open(&path)
        .map_err(|error| format!("{}: {error}; set TMP to a writable folder", path.display()))
}

/// A timer with high resolution, or an ordinary one if there is none.
fn timer() -> Result<Timer, String> {
    Timer::high_resolution().or_else(|_| Timer::new(0)).map_err(|why| why.to_string())
}

/// Works until the process is ended, or the work fails.
pub fn run(work: &mut Work) {
    loop {
        match work {
            Work::Compute { rests, turn } => {
                *turn = turn.wrapping_add(1);
                compute(*turn);
                if *rests {
                    // Otherwise a process of a high class would lock everything else out of its
                    // CPU.
                    std::thread::sleep(REST);
                }
            }
            Work::Memory(memory) => {
                for line in memory.iter_mut().step_by(LINE) {
                    *line = line.wrapping_add(1);
                }
                std::hint::black_box(memory);
            }
            Work::Write { file, block, turn } => {
                *turn = turn.wrapping_add(1);
                let at = (*turn as usize % (FILE / BLOCK)) * BLOCK;
                let written = file
                    .seek(SeekFrom::Start(at as u64))
                    .and_then(|_| file.write_all(block))
                    .and_then(|()| file.sync_data());
                if written.is_err() {
                    return;
                }
            }
            Work::Timers => return timers(),
            Work::Print(pipe) => {
                if pipe.write_all(&PRINTED).is_err() {
                    return;
                }
            }
        }
    }
}

/// Waits for the timers, each on its own thread, on the process's CPU.
fn timers() {
    std::thread::scope(|scope| {
        for _ in 0..TIMERS {
            scope.spawn(|| {
                let Ok(mut timer) = timer() else { return };
                use crate::waits::Method;
                while timer.wait(PERIOD_NS).is_ok() {}
            });
        }
    });
}
