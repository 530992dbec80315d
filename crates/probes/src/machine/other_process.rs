//! What another process of this machine meets with, by its files in `/proc`.

use super::root::{Missing, Process, Root, cpu_list, printable};
use chronoscope_model::Environment;
use chronoscope_model::timekeeping::LibraryClock;

/// Libraries that replace the clocks of a program into which they are loaded: libfaketime, and
/// Debian's datefudge.
const REPLACE_CLOCKS: [&str; 2] = ["libfaketime", "datefudge"];

impl Root {
    /// This machine as another process meets with it.
    ///
    /// # Errors
    /// There is no such process, or its files may not be read.
    pub fn of_process(pid: u32) -> Result<Root, Missing> {
        let mut root = Root::with_pid(pid);
        root.process = of(&root)?;
        Ok(root)
    }
}

/// What another process meets with, as far as its files tell.
fn of(root: &Root) -> Result<Process, Missing> {
    let status = root.text("/proc/self/status")?;
    let field = |name: &str| {
        let lines = status.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(key, _)| *key == name).map(|(_, value)| value.trim()).next()
    };
    let maps = root.long_text("/proc/self/maps").ok();
    let library_clock = maps.as_ref().and_then(|maps| {
        let names = maps.lines().filter_map(|line| line.rsplit_once('/')).map(|(_, name)| name);
        let mut replace: Vec<String> = Vec::new();
        for name in names.filter(|name| REPLACE_CLOCKS.iter().any(|it| name.starts_with(it))) {
            if !replace.iter().any(|known| known == name) {
                replace.push(printable(name));
            }
        }
        (!replace.is_empty())
            .then(|| LibraryClock { preloaded: replace, ..LibraryClock::default() })
    });
    Ok(Process {
        timer_slack_ns: root.number("/proc/self/timerslack_ns"),
        allowed: field("Cpus_allowed_list").and_then(cpu_list).unwrap_or_default(),
        vdso: maps.as_ref().map(|maps| maps.contains("[vdso]")),
        library_clock,
        tsc_permitted: None,
        log_excerpt: false,
        sleep_refused: None,
        time64: None,
        emulator: None,
        distances: None,
        c_library: None,
        ..super::os::process()
    })
}

/// Says of which process the facts are, and which of them its files do not tell.
pub(super) fn fill(root: &Root, env: &mut Environment) {
    let Some(pid) = root.pid() else { return };
    let why = |path: &str| match root.text(path) {
        Err(why) => format!("{path}: {why}").replace("self", &pid.to_string()),
        Ok(_) => "the kernel does not tell it of another process".into(),
    };
    if env.timer_slack_ns.is_none() {
        env.not_known("timer slack", why("/proc/self/timerslack_ns"));
    }
    if root.process().vdso.is_none() {
        let why = why("/proc/self/maps");
        env.not_known("vdso", why.clone());
        env.not_known("C library", why);
    }
    let status = root.text("/proc/self/status").unwrap_or_default();
    let filtered = status.lines().any(|line| line.split_whitespace().eq(["Seccomp:", "2"]));
    let why = match filtered {
        true => {
            "a filter of system calls (Seccomp: 2) is in force, and what it refuses cannot be read"
        }
        false => "no filter of system calls is in force (Seccomp: 0); the process was not asked",
    };
    env.not_known("sleeps", why);
}
