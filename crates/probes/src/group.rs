//! A child process together with everything that it starts. All of it is ended at once: on Unix by
//! its process group, on Linux also what has left that group, on Windows by its job.

use crate::time::Instant;
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
    _job: crate::job::Job,
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
        let job = crate::job::Job::new()?;
        #[cfg(target_os = "linux")]
        let child = crate::orphans::spawn(command)?;
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
        crate::orphans::end(self.child.id());
        self.ended.filter(|_| by_itself)
    }

    /// Whether the child has ended by itself or was ended. On Unix the child is not reaped yet, so
    /// that the id of its group stays reserved until the rest of the group is ended.
    #[cfg(unix)]
    pub fn is_over(&mut self) -> bool {
        if self.ended.is_some() {
            return true;
        }
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: zero is a valid content of the place that waitid(2) fills, and the process is a
        // child of this one that nothing has waited for.
        unsafe {
            let mut about: libc::siginfo_t = std::mem::zeroed();
            let id = self.child.id() as libc::id_t;
            libc::waitid(libc::P_PID, id, &raw mut about, flags) != 0 || about.si_signo != 0
        }
    }

    /// Whether the child has ended.
    #[cfg(not(unix))]
    pub fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    #[cfg(unix)]
    fn end_all(&mut self) {
        if let Ok(group) = libc::pid_t::try_from(self.child.id()) {
            // SAFETY: the group is that of a child which nothing has waited for, so its id is in
            // use. If there is nothing left to end, nothing happens.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
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
