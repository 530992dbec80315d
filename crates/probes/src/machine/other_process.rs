//! What another process of this machine meets with, by its files in `/proc`.

use super::root::{Missing, Process, Root, cpu_list, printable};
use super::vdso::Image;
use chronoscope_model::Environment;
use chronoscope_model::timekeeping::{LibraryClock, Timekeeping};
use std::io::Read;

/// Libraries that replace the clocks of a program into which they are loaded: libfaketime, and
/// Debian's datefudge.
const REPLACE_CLOCKS: [&str; 2] = ["libfaketime", "datefudge"];

/// Functions of the C library that a library may have, too, to be called in their place.
const CALLS: [&str; 6] =
    ["clock_gettime", "gettimeofday", "time", "nanosleep", "clock_nanosleep", "usleep"];

/// Parts of the C library and its loader (glibc, musl, Bionic), which have these functions.
const C_LIBRARY: [&str; 8] =
    ["libc.so", "libc-", "libc.musl", "ld-", "ld.so", "libpthread", "librt", "linker"];

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
    let replace = maps.as_ref().map(|maps| replacing(root, maps)).unwrap_or_default();
    let library_clock = (!replace.is_empty())
        .then(|| LibraryClock { preloaded: replace, ..LibraryClock::default() });
    let own = super::os::process();
    let keeping = own.facts.keeping.unwrap_or_default();
    Ok(Process {
        facts: Environment {
            arch: own.facts.arch,
            timer_slack_ns: root.number("/proc/self/timerslack_ns"),
            allowed_cpus: field("Cpus_allowed_list").and_then(cpu_list).unwrap_or_default(),
            keeping: Some(Timekeeping {
                library_clock,
                time64: None,
                sleep_refused: None,
                distances: None,
                ..keeping
            }),
            ..Environment::default()
        },
        vdso: maps.as_ref().map(|maps| maps.contains("[vdso]")),
        tsc_permitted: None,
        ..own
    })
}

/// The mapped libraries that replace clocks, and those that have functions of the same names, which
/// are named after them: what these do is not known.
fn replacing(root: &Root, maps: &str) -> Vec<String> {
    /// The most that is read of all libraries, the smallest first, in bytes.
    const MOST: u64 = 64 << 20;
    let starts = |name: &str, with: &[&str]| with.iter().any(|it| name.starts_with(it));
    let paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    let mut paths: Vec<(&str, &str)> =
        paths.filter_map(|path| Some((path, path.rsplit('/').next()?))).collect();
    paths.sort_unstable();
    paths.dedup();
    let is = |with: &'static [&str]| move |it: &&(&str, &str)| starts(it.1, with);
    let mut found: Vec<String> =
        paths.iter().filter(is(&REPLACE_CLOCKS)).map(|it| printable(it.1)).collect();
    // As the process sees the file, which may be in a container.
    let open = |path: &str| root.open(&format!("/proc/self/root{path}")).ok();
    let others = paths.iter().filter(|it| it.1.contains(".so"));
    let others = others.filter(|it| !starts(it.1, &REPLACE_CLOCKS) && !starts(it.1, &C_LIBRARY));
    let others = others.filter_map(|it| {
        let file = open(it.0)?;
        Some((file.metadata().ok()?.len(), file, it.1))
    });
    let mut others: Vec<_> = others.collect();
    others.sort_by_key(|it| it.0);
    let mut left = MOST;
    for (size, file, name) in others {
        let Some(rest) = left.checked_sub(size) else { break };
        left = rest;
        let mut bytes = Vec::new();
        if file.take(size).read_to_end(&mut bytes).is_err() {
            continue;
        }
        let symbols = Image::parse(&bytes).map(|image| image.symbols).unwrap_or_default();
        let has = |call: &&&str| symbols.iter().any(|symbol| symbol.name == **call);
        let calls: Vec<&str> = CALLS.iter().filter(has).copied().collect();
        if !calls.is_empty() {
            found.push(format!("{} ({})", printable(name), calls.join(", ")));
        }
    }
    found.dedup();
    found
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
