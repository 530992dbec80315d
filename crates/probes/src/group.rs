//! A child process together with everything that it starts. All of it is ended at once: on Unix by
//! its process group, on Linux also what has left that group, on Windows by its job.

use crate::time::Instant;
#[cfg(unix)]
use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
};
use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Duration;

/// A running child in a group of its own. Dropping it ends the group.
#[derive(Debug)]
pub struct Group {
    child: Child,
    /// Set once the child was waited for; its id may then belong to another process.
    ended: Option<ExitStatus>,
    #[cfg(windows)]
    _job: job::Job,
}

impl Group {
    /// Starts a program in a group of its own, so that an interrupt from the terminal does not
    /// reach it. On Linux it also ends if the thread that started it does, and so with this
    /// process, however the process ends; and what another program leaves behind comes to this
    /// process, which ends that with the group.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        #[cfg(target_os = "linux")]
        end_with_parent(command);
        #[cfg(windows)]
        let job = job::Job::new()?;
        #[cfg(target_os = "linux")]
        let child = orphans::spawn(command)?;
        #[cfg(not(target_os = "linux"))]
        let child = command.spawn()?;
        #[cfg(windows)]
        let joined = job.take(&child);
        let group = Self {
            child,
            ended: None,
            #[cfg(windows)]
            _job: job,
        };
        #[cfg(windows)]
        joined?;
        Ok(group)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The ends of the child's pipes, which are given away once.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let child = &mut self.child;
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    /// Waits for the child to end by itself, at most this long, then ends what is left of its
    /// group. Returns how the child ended; `None` if it had to be ended.
    pub fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        const STEP: Duration = Duration::from_millis(1);
        if self.ended.is_some() {
            return self.ended;
        }
        drop(self.child.stdin.take());
        let start = Instant::now();
        while !self.is_over() && start.elapsed() < patience {
            crate::time::sleep(STEP);
        }
        let by_itself = self.is_over();
        self.end_all();
        self.ended = self.child.wait().ok();
        #[cfg(target_os = "linux")]
        orphans::end(self.child.id());
        self.ended.filter(|_| by_itself)
    }

    /// What waits, in any thread, until the child has ended.
    pub fn until_end(&self) -> impl FnOnce() + Send + use<> {
        until_end(&self.child)
    }

    /// Whether the child has ended by itself or was ended. On Unix the child is not reaped yet, so
    /// that the id of its group stays reserved until the rest of the group is ended.
    #[cfg(unix)]
    pub fn is_over(&mut self) -> bool {
        self.ended.is_some() || has_ended(self.child.id())
    }

    /// Whether the child has ended.
    #[cfg(not(unix))]
    pub fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    #[cfg(unix)]
    fn end_all(&mut self) {
        // The group is that of a child which nothing has waited for, so its id is in use. If there
        // is nothing left to end, nothing happens.
        let _ = kill_process_group(pid(self.child.id()), Signal::KILL);
    }

    /// The rest of the job ends when it is closed.
    #[cfg(not(unix))]
    fn end_all(&mut self) {
        let _ = self.child.kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

/// Whether a child of this process that nothing has waited for has ended, or is none. It is not
/// reaped.
#[cfg(unix)]
pub(crate) fn has_ended(child: u32) -> bool {
    let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    waitid(WaitId::Pid(pid(child)), flags).map_or(true, |ended| ended.is_some())
}

#[cfg(unix)]
fn pid(child: u32) -> Pid {
    Pid::from_raw(child.cast_signed()).expect("the id of a process is not 0")
}

/// What waits, in any thread, until a child has ended, and does not reap it.
pub fn until_end(child: &Child) -> impl FnOnce() + Send + use<> {
    #[cfg(unix)]
    let wait = {
        let child = child.id();
        move || wait_for_end(child)
    };
    #[cfg(windows)]
    let wait = {
        use std::os::windows::io::AsHandle;
        let handle = child.as_handle().try_clone_to_owned();
        move || job::wait_for_end(handle)
    };
    #[cfg(not(any(unix, windows)))]
    let wait = || {};
    wait
}

/// Returns once a child of this process has ended, or if it is none.
#[cfg(unix)]
fn wait_for_end(child: u32) {
    let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(pid(child)), flags).is_err_and(|errno| errno == Errno::INTR) {}
}

/// Lets the kernel end the child with the thread that starts it (PR_SET_PDEATHSIG(2const)).
#[cfg(target_os = "linux")]
fn end_with_parent(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    // SAFETY: prctl(2) is safe to call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}

#[cfg(target_os = "linux")]
pub(crate) mod orphans {
    //! What other programs leave behind when they end: Linux gives it to this process, which ends
    //! it.

    use crate::time::Instant;
    use std::ffi::OsStr;
    use std::fs;
    use std::io;
    use std::process::{Child, Command};
    use std::sync::{Mutex, MutexGuard, PoisonError};
    use std::time::Duration;

    /// For how long orphans are looked for, each of which may leave behind others.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// The children that are known, by their ids, and whether they are other programs.
    static KNOWN: Mutex<Vec<(u32, bool)>> = Mutex::new(Vec::new());

    fn known() -> MutexGuard<'static, Vec<(u32, bool)>> {
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a program whose orphans are to be ended by [`end`], unless it is this one, which
    /// leaves none.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
        let own = std::env::current_exe();
        let is_other = !own.is_ok_and(|own| own.as_os_str() == command.get_program());
        // Nobody may take it for an orphan before it is known.
        let mut known = known();
        if is_other {
            // SAFETY: takes a number, and decides only to whom orphans go.
            unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
        }
        let child = command.spawn()?;
        known.push((child.id(), is_other));
        Ok(child)
    }

    /// Starts this program as one that is not to be ended.
    pub(crate) fn spawn_guard(command: &mut Command) -> io::Result<Child> {
        let mut known = known();
        let child = command.spawn()?;
        known.push((child.id(), false));
        Ok(child)
    }

    /// Forgets a child that was waited for, and ends what other programs have left behind, unless
    /// another one still runs: then it may be that one's.
    pub(crate) fn end(id: u32) {
        let mut known = known();
        let Some(at) = known.iter().position(|(known, _)| *known == id) else { return };
        let (_, was_other) = known.swap_remove(at);
        if !was_other || known.iter().any(|(_, is_other)| *is_other) {
            return;
        }
        let start = Instant::now();
        loop {
            let orphans = orphans(&known);
            for id in &orphans {
                // SAFETY: children of this process that nobody has waited for, so the ids are
                // theirs.
                unsafe {
                    libc::kill(*id, libc::SIGKILL);
                    libc::waitpid(*id, std::ptr::null_mut(), libc::WNOHANG);
                }
            }
            if orphans.is_empty() || start.elapsed() >= PATIENCE {
                return;
            }
            crate::time::sleep(Duration::from_millis(1));
        }
    }

    /// The children of this process that it has not started. What it has started by itself is in
    /// its own group or known.
    fn orphans(known: &[(u32, bool)]) -> Vec<libc::pid_t> {
        let own = rustix::process::getpgrp().as_raw_pid();
        let is_orphan = |id: &libc::pid_t| {
            let is_known = known.iter().any(|(known, _)| libc::pid_t::try_from(*known) == Ok(*id));
            !is_known && about(*id).is_some_and(|(_, group)| group != own)
        };
        children().into_iter().filter(is_orphan).collect()
    }

    /// The children of all threads of this process; where the kernel does not list them
    /// (CONFIG_PROC_CHILDREN), those among all processes.
    fn children() -> Vec<libc::pid_t> {
        let numbers = |name: &OsStr| name.to_str()?.parse::<libc::pid_t>().ok();
        let entries = |folder| fs::read_dir(folder).into_iter().flatten().flatten();
        let lists: Vec<_> = entries("/proc/self/task")
            .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
            .collect();
        if !lists.is_empty() {
            let words = lists.iter().flat_map(|list| list.split_ascii_whitespace());
            return words.filter_map(|word| word.parse().ok()).collect();
        }
        let own = libc::pid_t::try_from(std::process::id()).ok();
        let is_child = |id: &libc::pid_t| about(*id).map(|(parent, _)| parent) == own;
        entries("/proc").filter_map(|entry| numbers(&entry.file_name())).filter(is_child).collect()
    }

    /// The parent and the group of a process (`proc_pid_stat(5)`). Its name may contain anything.
    fn about(id: libc::pid_t) -> Option<(libc::pid_t, libc::pid_t)> {
        let text = fs::read(format!("/proc/{id}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        let (_, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace().skip(1).map(str::parse);
        Some((fields.next()?.ok()?, fields.next()?.ok()?))
    }
}

#[cfg(windows)]
pub(crate) mod job {
    //! A job of Windows: processes that end when its last handle is closed, which also happens if
    //! this process is killed (Microsoft Learn, "Job Objects").

    use std::io;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
        SetInformationJobObject,
    };

    /// Returns once the process of this handle has ended, or at once if there is no handle.
    pub fn wait_for_end(process: io::Result<OwnedHandle>) {
        use windows_sys::Win32::System::Threading::{INFINITE, WaitForSingleObject};
        let Ok(process) = process else { return };
        // SAFETY: the handle is open until this returns.
        unsafe { WaitForSingleObject(process.as_raw_handle(), INFINITE) };
    }

    /// A job that ends its processes when it is closed.
    #[derive(Debug)]
    pub struct Job(OwnedHandle);

    impl Job {
        /// A job without processes.
        ///
        /// # Errors
        /// The system refuses it.
        pub fn new() -> io::Result<Self> {
            // SAFETY: null pointers ask for default security, which no child inherits, and no name.
            let handle = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle is new, and nothing else owns it.
            let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            // SAFETY: the structure is the one that belongs to this class of information.
            let set = unsafe {
                SetInformationJobObject(
                    job.0.as_raw_handle(),
                    JobObjectExtendedLimitInformation,
                    (&raw const limits).cast(),
                    size_of_val(&limits) as u32,
                )
            };
            match set {
                0 => Err(io::Error::last_os_error()),
                _ => Ok(job),
            }
        }

        /// Adds a process, with all that it starts from now on.
        ///
        /// # Errors
        /// The system refuses it.
        pub fn take(&self, process: &impl AsRawHandle) -> io::Result<()> {
            // SAFETY: both handles are open.
            match unsafe {
                AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle())
            } {
                0 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    fn shell(script: &str) -> Group {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        Group::spawn(&mut command).expect("a shell")
    }

    fn exists(process: &str) -> bool {
        // A zombie is no longer running.
        let state = std::fs::read_to_string(format!("/proc/{process}/stat"));
        state.is_ok_and(|text| !text.contains(") Z "))
    }

    #[test]
    fn a_child_that_ends_by_itself_is_waited_for() {
        let mut group = shell("read line; exit 3");
        let status = group.end(Duration::from_secs(20));
        assert_eq!(status.and_then(|status| status.code()), Some(3));
    }

    #[test]
    fn everything_that_it_started_ends_with_it() {
        let mut group = shell("sleep 1000 & echo $!; sleep 1000");
        let (_, output, _) = group.pipes();
        let mut line = String::new();
        let mut output = BufReader::new(output.expect("a pipe"));
        output.read_line(&mut line).expect("a line");
        let (own, other) = (group.id().to_string(), line.trim().to_owned());
        assert!(exists(&own) && exists(&other));
        assert!(group.end(Duration::ZERO).is_none());
        let start = Instant::now();
        while exists(&other) && start.elapsed() < Duration::from_secs(20) {
            crate::time::sleep(Duration::from_millis(1));
        }
        assert!(!exists(&own) && !exists(&other));
    }

    #[test]
    fn what_a_child_left_behind_is_ended_after_it() {
        // In its group, in a session of its own, and as the child of one that is gone.
        for script in [
            "sleep 1000 & echo $!",
            "setsid sleep 1000 & echo $!",
            "setsid sh -c 'setsid sleep 1000 & echo $!'",
        ] {
            // QEMU's emulation of a process is not given the orphans; what it starts runs natively.
            let machine = Command::new("uname").arg("-m").output().expect("uname").stdout;
            if script.contains("setsid") && !machine.starts_with(std::env::consts::ARCH.as_bytes())
            {
                continue;
            }
            let mut group = shell(script);
            let (_, output, _) = group.pipes();
            let mut line = String::new();
            let mut output = BufReader::new(output.expect("a pipe"));
            output.read_line(&mut line).expect("a line");
            assert!(group.end(Duration::from_secs(20)).is_some());
            let start = Instant::now();
            // Another test's group may run, and then the last of them ends it.
            while exists(line.trim()) && start.elapsed() < Duration::from_secs(20) {
                crate::time::sleep(Duration::from_millis(1));
                drop(shell("exit"));
            }
            assert!(!exists(line.trim()), "{script}");
        }
    }
}
