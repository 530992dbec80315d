//! What other programs leave behind when they end: Linux gives it to this process, which ends it.

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

/// Starts a program whose orphans are to be ended by [`end`], unless it is this one, which leaves
/// none.
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
            // SAFETY: children of this process that nobody has waited for, so the ids are theirs.
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

/// The children of this process that it has not started. What it has started by itself is in its
/// own group or known.
fn orphans(known: &[(u32, bool)]) -> Vec<libc::pid_t> {
    // SAFETY: has no arguments, and cannot fail.
    let own = unsafe { libc::getpgrp() };
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
