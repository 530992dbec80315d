//! The lines about time in the kernel's log.

use chronoscope_model::{Environment, kernel_log};

use super::os;
use super::root::{Missing, Root};

/// Words that mark a line about time, a hypervisor or an emulator.
const WORDS: &[&str] = &[
    "tsc",
    "TSC",
    "clocksource",
    "sched_clock",
    "hpet",
    "HPET",
    "PM-Timer",
    "kvm-clock",
    "arch_timer",
    "arch timer",
    "pvclock",
    "Hypervisor detected",
    "gVisor",
    "ACPI: RSDP",
    "Hyper-V: Host",
    "lapic timer",
    "highres",
    "workaround for",
    "virtual machine fork",
    "RT throttling activated",
    "hrtimer: interrupt took",
];
/// More lines than a boot writes about time.
const FIRST: usize = 72;
/// The number of last lines that are kept: enough of a machine that complains every second.
const LAST: usize = 24;
/// The longest line that is kept, in bytes.
const LENGTH: usize = 200;

/// The lines about time, oldest first, or why there are none.
pub struct Log(pub Result<Vec<String>, Missing>);

impl Log {
    pub fn find(&self, part: &str) -> Option<&str> {
        self.lines().iter().map(String::as_str).find(|line| line.contains(part))
    }

    pub fn last(&self, part: &str) -> Option<&str> {
        self.lines().iter().rev().map(String::as_str).find(|line| line.contains(part))
    }

    /// Why the log could not be read.
    pub fn missing(&self) -> Option<&Missing> {
        self.0.as_ref().err()
    }

    fn lines(&self) -> &[String] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// Reads the log: `/dev/kmsg` of this machine, or a recorded one.
pub fn read(root: &Root) -> Log {
    const PATH: &str = "/dev/kmsg";
    let text = if root.is_host() { os::kernel_log() } else { root.long_text(PATH) };
    Log(text.map(|text| select(&text)))
}

/// Keeps the messages of the records (`priority,sequence,time,flags;message`, kernel,
/// `Documentation/ABI/testing/dev-kmsg`) that are about time. User space can write to the log too;
/// its records (facility above 0) prove nothing and are skipped.
fn select(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let (head, message) = line.split_once(';')?;
            let priority: u32 = head.split(',').next()?.parse().ok()?;
            let concerns_time = || {
                WORDS.iter().any(|word| message.contains(word))
                    || kernel_log::recognise(message).is_some()
            };
            (priority < 8 && concerns_time()).then(|| clean(message))
        })
        .collect();
    let spare = lines.len().saturating_sub(FIRST + LAST);
    lines.splice(FIRST.min(lines.len())..(FIRST + spare).min(lines.len()), []);
    lines
}

/// The message without control characters, which a terminal would act on, and cut to the longest
/// length.
fn clean(message: &str) -> String {
    let mut end = message.len().min(LENGTH);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    message[..end].chars().filter(|c| !c.is_control()).collect()
}

/// Puts the lines into the report, as evidence for the conclusions drawn from them.
pub fn fill(root: &Root, log: &Log, env: &mut Environment) {
    match &log.0 {
        Ok(lines) => env.kernel_log.clone_from(lines),
        Err(_) if !root.is_linux() => {}
        Err(Missing::Absent) => env.not_known("kernel log", "there is no /dev/kmsg"),
        Err(why) => env.not_known(
            "kernel log",
            format!(
                "{why}; root (or anyone, with kernel.dmesg_restrict=0) can read what the kernel \
                 found out about its clocks"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kernels_own_lines_about_time_are_kept() {
        let log = "6,1,58,-;tsc: Detected 2599.998 MHz processor\n SUBSYSTEM=x\n\
                   6,2,60,-;NX protection\n12,3,61,-;tsc: forged by a process\ngarbage\n;tsc\n";
        assert_eq!(select(log), ["tsc: Detected 2599.998 MHz processor"]);
    }

    #[test]
    fn the_first_and_the_last_lines_are_kept() {
        let log: String = (0..1000).map(|n| format!("4,{n},1,-;tsc {n}\n")).collect();
        let kept = select(&log);
        assert_eq!(kept.len(), FIRST + LAST);
        assert_eq!([&*kept[FIRST - 1], &*kept[FIRST]], ["tsc 71", "tsc 976"]);
        assert_eq!(select(&log[..60]).len(), 4);
    }

    #[test]
    fn long_lines_are_cut_between_characters_and_control_codes_dropped() {
        let long = format!("tsc \x1b[31m{}", "é".repeat(LENGTH));
        let cut = clean(&long);
        assert!(cut.len() <= LENGTH && !cut.contains('\x1b'));
    }
}
