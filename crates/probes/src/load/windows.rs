//! Processes of the tool's own program, in a job that ends with the tool: Windows ends the
//! processes of a job when its last handle is closed (Microsoft Learn, "Job Objects",
//! `JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE`), which also happens if the tool is killed.
//!
//! Their priority is that of their class (Microsoft Learn, "Scheduling Priorities"). None of the
//! classes used here needs a privilege.
//!
//! Below them is what such a process does.

use super::Order;
use super::common::{self, BLOCK, FILE, LINE, MEMORY, PRINTED, TIMERS, compute};
use crate::group::job::Job;
use crate::machine::{affinity, library};
use crate::waits::windows::timer::Timer;
use crate::waits::{Unavailable, os};
use chronoscope_model::waits::Load;
use std::fs::File;
use std::io::{self, BufRead, BufReader, PipeWriter, Read, Seek, SeekFrom, Write, pipe};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use windows_sys::Win32::Foundation::{HANDLE, WAIT_TIMEOUT};
use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_DELETE_ON_CLOSE;
use windows_sys::Win32::System::Threading::{
    BELOW_NORMAL_PRIORITY_CLASS, CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, GetCurrentProcess,
    GetPriorityClass, HIGH_PRIORITY_CLASS, IDLE_PRIORITY_CLASS, WaitForSingleObject,
};

/// The argument that makes the tool a process of a load.
const CHILD: &str = "--load-process";
/// What a process of a load prints when it runs as requested.
const STARTED: &str = "started";
/// The argument that makes it work without pauses.
const WHOLE: &str = "whole";
/// How often it reports its CPU time, where the system does not.
const REPORT: Duration = Duration::from_millis(100);

/// One process of a load; dropping it ends the process.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    /// Open for as long as the process is needed: it ends itself when this end is closed.
    _stdin: Option<ChildStdin>,
    _job: Arc<Job>,
    /// The CPU time that it reports, in nanoseconds; absent if the system does.
    told: Option<Arc<AtomicU64>>,
}

pub fn scheduling(order: &Order) -> String {
    match order.load {
        Load::Low => "IDLE_PRIORITY_CLASS".into(),
        Load::LowNice => "BELOW_NORMAL_PRIORITY_CLASS".into(),
        Load::High => "HIGH_PRIORITY_CLASS".into(),
        _ => "as the tool itself".into(),
    }
}

/// Windows runs no thread of a lower priority while one of a higher priority can run, so one CPU is
/// left free.
pub fn leaves_one_free(load: Load, _fifo: bool) -> bool {
    load == Load::High
}

/// The job that the load's processes belong to.
pub fn prepare(order: &Order, notes: &mut Vec<String>) -> Result<Arc<Job>, Unavailable> {
    if order.whole {
        // Otherwise the calling thread could not end such a load.
        os::outrank_high();
    }
    if library::wine().is_some() {
        notes.push(
            "Wine may give priority classes no effect, and reports no CPU times of other \
             processes: those of the load are what its processes report of themselves, ten times a \
             second"
                .into(),
        );
    }
    Job::new().map(Arc::new).map_err(|error| Unavailable(format!("a job: {error}")))
}

fn class(load: Load) -> u32 {
    match load {
        Load::Low => IDLE_PRIORITY_CLASS,
        Load::LowNice => BELOW_NORMAL_PRIORITY_CLASS,
        Load::High => HIGH_PRIORITY_CLASS,
        // SAFETY: the pseudo handle of this process is always valid. On failure the result is 0,
        // which asks for no class in particular.
        _ => unsafe { GetPriorityClass(own()) },
    }
}

/// Starts one of the processes, and waits until it runs as requested.
pub fn launch(order: &Order, cpu: usize, nth: usize, job: &Arc<Job>) -> Result<Child, Unavailable> {
    let name = order.load.name();
    let fail = |what: &str, error: io::Error| Unavailable(format!("load {name}: {what}: {error}"));
    let tool = std::env::current_exe().map_err(|e| fail("the tool's own program", e))?;
    let mut process = Command::new(tool)
        .args([CHILD, name, &nth.to_string(), &cpu.to_string()])
        .args(order.whole.then_some(WHOLE))
        // In its own process group it receives no Ctrl-C: the tool does, and ends its load in an
        // orderly way.
        .creation_flags(class(order.load) | CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| fail("its process", error))?;
    let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
    let told = library::wine().map(|_| Arc::new(AtomicU64::new(0)));
    let mut child = Child { process, _stdin: None, _job: job.clone(), told: told.clone() };
    job.take(&child.process).map_err(|error| fail("its job", error))?;
    // Only now may the process begin: it belongs to the job and cannot be left behind.
    let said = stdin.zip(stdout).map(|(mut stdin, stdout)| {
        let mut said = String::new();
        stdin.write_all(b"\n")?;
        // Read at most one short line, whatever answers.
        let mut stdout = BufReader::new(stdout);
        stdout.by_ref().take(200).read_line(&mut said)?;
        child._stdin = Some(stdin);
        if let Some(told) = told {
            listen(stdout, told);
        }
        Ok(said)
    });
    match said {
        Some(Ok(said)) if said.trim() == STARTED => Ok(child),
        Some(Ok(said)) if said.trim().is_empty() => {
            Err(Unavailable(format!("load {name}: its process ended before it began")))
        }
        Some(Ok(said)) => Err(Unavailable(format!("load {name}: {}", said.trim()))),
        Some(Err(error)) => Err(fail("its process", error)),
        None => Err(Unavailable(format!("load {name}: its process has no pipes"))),
    }
}

/// Keeps the last CPU time that a process reports, until it ends.
fn listen(mut stdout: impl Read + Send + 'static, told: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut ns = [0; 8];
        while stdout.read_exact(&mut ns).is_ok() {
            told.store(u64::from_ne_bytes(ns), Relaxed);
        }
    });
}

/// Reports the CPU time of this process from now on, until nobody reads it.
fn report() {
    let used = || library::cpu_ns(own()).unwrap_or(0);
    let ready = used();
    let tell = || io::stdout().write_all(&(used() - ready).to_ne_bytes());
    while tell().and_then(|()| io::stdout().flush()).is_ok() {
        std::thread::sleep(REPORT);
    }
}

/// The handle of this process.
fn own() -> HANDLE {
    // SAFETY: it has no arguments and cannot fail.
    unsafe { GetCurrentProcess() }
}

/// If this process was started as a process of a load, works until it is ended.
pub fn requested() -> Option<i32> {
    // An argument that is not Unicode is not from the tool; the parser rejects it.
    let mut args = std::env::args_os().skip(1).map_while(|arg| arg.into_string().ok());
    if args.next()? != CHILD {
        return None;
    }
    let work = args.next().and_then(|load| load.parse().ok());
    let nth = args.next().and_then(|nth| nth.parse().ok());
    let cpu = args.next().and_then(|cpu| cpu.parse().ok());
    let (Some(load), Some(nth), Some(cpu)) = (work, nth, cpu) else {
        return Some(2);
    };
    let whole = args.next().is_some_and(|word| word == WHOLE);
    // The line that lets the process begin; without it, there is no tool to work for.
    let begin = io::stdin().read(&mut [0]);
    if !matches!(begin, Ok(1)) {
        return Some(2);
    }
    let prepared = affinity::pin(cpu)
        .map_err(|error| error.to_string())
        .and_then(|pin| Ok((pin, Work::prepare(load, nth, whole)?)));
    let (_pin, mut work) = match prepared {
        Ok(ready) => ready,
        Err(why) => {
            println!("{why}");
            return Some(1);
        }
    };
    println!("{STARTED}");
    // The job ends this process with the tool; this thread does so if the job fails to.
    std::thread::spawn(|| {
        // However the read ends, the other end is closed.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(0)
    });
    if library::wine().is_some() {
        std::thread::spawn(report);
    }
    run(&mut work);
    Some(1)
}

impl Child {
    /// The CPU time that the process has used, in nanoseconds.
    pub fn cpu_ns(&self) -> Option<u64> {
        match &self.told {
            // Wine reports the times of the calling process instead.
            Some(told) => Some(told.load(Relaxed)),
            None => library::cpu_ns(self.process.as_raw_handle()),
        }
    }

    pub fn alive(&self) -> bool {
        // SAFETY: the handle is open; with a timeout of 0 the call does not wait.
        unsafe { WaitForSingleObject(self.process.as_raw_handle(), 0) == WAIT_TIMEOUT }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A process that has ended already is fine too.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

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
