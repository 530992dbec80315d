//! Programs that keep the clock synchronised, as the list of processes shows them.

use std::fs;

/// Their names in `/proc/PID/comm`, which holds 15 characters.
const KNOWN: [&str; 10] = [
    "chronyd",
    "ntpd",
    "ntpsec",
    "systemd-timesyn",
    "openntpd",
    "ptp4l",
    "phc2sys",
    "timemaster",
    "vmtoolsd",
    "VBoxService",
];
/// The most processes that are looked at.
const MOST: usize = 1 << 16;

/// Those that run, sorted; none on systems without `/proc`, or if other processes are hidden.
pub(super) fn running() -> Vec<String> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let name = |entry: fs::DirEntry| {
        let pid = entry.file_name();
        let digits = pid.to_str()?.bytes().all(|byte| byte.is_ascii_digit());
        let comm = digits.then(|| fs::read_to_string(entry.path().join("comm")).ok())??;
        let known = KNOWN.iter().find(|known| **known == comm.trim())?;
        Some((*known).to_owned())
    };
    let entries = entries.take(MOST).filter_map(Result::ok);
    let mut found: Vec<String> = entries.filter_map(name).collect();
    found.sort();
    found.dedup();
    found
}
