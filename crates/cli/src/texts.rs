//! What people have of a machine with a problem: the text of its kernel's log, of a few commands
//! and files, or a report of support. It becomes a bundle, in which what the texts do not say stays
//! unknown.

use crate::error::Usage;
use chronoscope_probes::machine::{Root, is_log, log_messages, select_log};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::Path;
use tempfile::TempDir;

/// The most that is read of one text, in bytes: the log of a machine that complains for weeks.
pub const MOST: u64 = 32 << 20;

/// What this tool takes, for whoever gave it something else.
pub const TAKES: &str = "doctor takes the text of dmesg, journalctl -k or kern.log, the output of \
    lscpu, /proc/cpuinfo or /proc/cmdline, the folder of a sosreport, a report in JSON, or the \
    folder that `chronoscope doctor --record DIR` wrote";

/// Facts from texts.
#[derive(Default)]
pub struct Texts {
    log: String,
    cmdline: Option<String>,
    cpuinfo: Option<String>,
    arch: Option<String>,
    release: Option<String>,
    online: Option<String>,
    /// Files of the machine, by their paths on it.
    files: Vec<(&'static str, String)>,
}

/// The files of a sosreport that hold facts, by their paths on the machine.
const FILES: &[&str] = &[
    "/etc/os-release",
    "/proc/sys/kernel/osrelease",
    "/sys/class/dmi/id/product_name",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/devices/system/clocksource/clocksource0/available_clocksource",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/hypervisor/type",
];

/// The outputs of commands in a sosreport, and files that hold a log.
const OUTPUTS: &[&str] = &[
    "sos_commands/kernel/dmesg",
    "sos_commands/general/dmesg",
    "sos_commands/hardware/dmesg",
    "sos_commands/processor/lscpu",
    "proc/cpuinfo",
    "proc/cmdline",
];

/// Whether a folder is one that sosreport made.
pub fn is_sosreport(folder: &Path) -> bool {
    folder.join("sos_commands").is_dir()
}

impl Texts {
    /// Adds the facts of a sosreport.
    ///
    /// # Errors
    /// It holds none.
    pub fn sosreport(&mut self, folder: &Path) -> Result<(), Usage> {
        let inside = |name: &str| {
            let path = fs::canonicalize(folder.join(name)).ok()?;
            let text = path.starts_with(fs::canonicalize(folder).ok()?).then_some(path)?;
            let mut bytes = Vec::new();
            fs::metadata(&text).ok()?.is_file().then_some(())?;
            fs::File::open(&text).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let mut any = false;
        for name in OUTPUTS {
            any |= inside(name).is_some_and(|text| self.text(&text));
        }
        for path in FILES {
            let found = inside(path.trim_start_matches('/')).map(|text| (*path, text));
            any |= found.is_some();
            self.files.extend(found);
        }
        let refuse = || Usage(format!("{}: no fact was found in it; {TAKES}", folder.display()));
        any.then_some(()).ok_or_else(refuse)
    }

    /// Adds the facts of a text.
    ///
    /// # Errors
    /// It is not recognised.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), Usage> {
        let why = match bytes {
            [] => format!("it is empty; {TAKES}"),
            [0x1f, 0x8b, ..] | [0xfd, b'7', b'z', ..] | [b'B', b'Z', b'h', ..] => {
                "it is compressed; unpack it first (`tar xf` for a sosreport, `gzip -d`, `xz -d`)"
                    .to_owned()
            }
            _ if bytes.get(257..262) == Some(b"ustar") => {
                "it is an archive; unpack it first with `tar xf`, and give the folder".into()
            }
            _ if bytes.iter().take(4096).any(|byte| *byte == 0) => {
                format!("it is not a text; {TAKES}")
            }
            _ if self.text(&String::from_utf8_lossy(bytes)) => return Ok(()),
            _ => format!("it is not recognised; {TAKES}"),
        };
        Err(Usage(format!("{name}: {why}")))
    }

    /// Adds the facts of a text, if it is recognised.
    fn text(&mut self, text: &str) -> bool {
        let journal = json_messages(text);
        let value = |key: &str| field(text, key);
        if let Some(messages) = journal {
            self.kernel(&messages);
        } else if value("Architecture").is_some() && value("CPU(s)").is_some() {
            self.lscpu(text);
        } else if value("processor").is_some() || value("CPU implementer").is_some() {
            self.cpuinfo = Some(text.into());
        } else if is_command_line(text) {
            self.cmdline = Some(text.trim().into());
        } else if is_log(text) {
            self.kernel(text);
        } else {
            return false;
        }
        true
    }

    /// Adds a kernel's log, and what its first lines say about the machine.
    fn kernel(&mut self, text: &str) {
        for message in log_messages(text) {
            let after = |key: &str| message.split_once(key).map(|(_, rest)| rest.trim());
            let version = after("Linux version ").and_then(|rest| rest.split(' ').next());
            if let Some(release) = version {
                self.release = Some(release.into());
                let arch = ["x86_64", "aarch64", "ppc64le", "s390x", "armv7l", "i686"];
                let named = arch.iter().find(|arch| release.ends_with(&format!(".{arch}")));
                self.arch = named.map(|arch| (*arch).into()).or(self.arch.take());
            }
            if let Some(line) = after("ommand line: ").filter(|line| !line.is_empty()) {
                self.cmdline.get_or_insert_with(|| line.into());
            }
            if let Some(cpu) = after("CPU0: ").filter(|cpu| cpu.contains("(family: ")) {
                self.arch.get_or_insert_with(|| "x86_64".into());
                self.cpu_line(cpu);
            }
        }
        self.log += &select_log(text).join("\n");
        self.log.push('\n');
    }

    /// `Intel(R) Core(TM) i7-8750H CPU @ 2.20GHz (family: 0x6, model: 0x9e, stepping: 0xa)`
    fn cpu_line(&mut self, line: &str) {
        let Some((model, rest)) = line.split_once(" (family: ") else { return };
        let number = |text: &str| {
            let hex = text.trim_end_matches(')').trim().strip_prefix("0x")?;
            u32::from_str_radix(hex, 16).ok()
        };
        let mut parts = rest.split(", ").map(|part| part.rsplit(' ').next().and_then(number));
        let [family, number, stepping] = std::array::from_fn(|_| parts.next().flatten());
        let vendor = [("Intel", "GenuineIntel"), ("AMD", "AuthenticAMD")];
        let vendor = vendor.iter().find(|(name, _)| model.contains(name));
        let mut text = String::new();
        let _ = writeln!(text, "processor\t: 0\nmodel name\t: {model}");
        if let Some((_, vendor)) = vendor {
            let _ = writeln!(text, "vendor_id\t: {vendor}");
        }
        let fields = [("cpu family", family), ("model", number), ("stepping", stepping)];
        for (name, value) in fields {
            if let Some(value) = value {
                let _ = writeln!(text, "{name}\t: {value}");
            }
        }
        self.cpuinfo.get_or_insert(text);
    }

    fn lscpu(&mut self, text: &str) {
        const NAMES: [(&str, &str); 6] = [
            ("Vendor ID", "vendor_id"),
            ("Model name", "model name"),
            ("CPU family", "cpu family"),
            ("Model", "model"),
            ("Stepping", "stepping"),
            ("Flags", "flags"),
        ];
        let mut cpuinfo = "processor\t: 0\n".to_owned();
        for (from, to) in NAMES {
            if let Some(value) = field(text, from) {
                let _ = writeln!(cpuinfo, "{to}\t: {value}");
            }
        }
        self.arch = field(text, "Architecture");
        self.online = field(text, "On-line CPU(s) list");
        self.cpuinfo.get_or_insert(cpuinfo);
    }

    /// The machine that the texts describe, in a folder that lasts as long as it is held.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn machine(self) -> Result<(TempDir, Root), Usage> {
        let refuse = |why: std::io::Error| Usage(format!("cannot keep the texts: {why}"));
        let folder = tempfile::tempdir().map_err(refuse)?;
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(path, text)
        };
        let mut process = "sysname=Linux\n".to_owned();
        for (key, value) in [("arch", &self.arch), ("release", &self.release)] {
            if let Some(value) = value {
                let _ = writeln!(process, "{key}={value}");
            }
        }
        write("process", &process).map_err(refuse)?;
        let log = Some(self.log.as_str()).filter(|log| !log.is_empty());
        let files = [
            ("root/dev/kmsg", log),
            ("root/proc/cmdline", self.cmdline.as_deref()),
            ("root/proc/cpuinfo", self.cpuinfo.as_deref()),
            ("root/sys/devices/system/cpu/online", self.online.as_deref()),
        ];
        for (name, text) in files {
            if let Some(text) = text {
                write(name, text).map_err(refuse)?;
            }
        }
        for (path, text) in &self.files {
            write(&format!("root{path}"), text).map_err(refuse)?;
        }
        let root = Root::recorded(folder.path()).map_err(|why| Usage(why.to_string()))?;
        Ok((folder, root))
    }
}

/// The first value of a key in lines of `key: value`.
fn field(text: &str, key: &str) -> Option<String> {
    let lines = text.lines().take(4096).filter_map(|line| line.split_once(':'));
    let mut values = lines.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim());
    values.next().map(Into::into)
}

/// A kernel's command line: one line, with a parameter that every boot loader or user sets, and
/// without the colons of a message.
fn is_command_line(text: &str) -> bool {
    const USUAL: [&str; 6] =
        ["BOOT_IMAGE=", "root=", "console=", "initrd=", "tsc=", "clocksource="];
    let mut words = text.split_whitespace();
    text.trim().lines().count() == 1
        && !text.contains(": ")
        && words.any(|word| {
            ["ro", "rw", "quiet"].contains(&word)
                || USUAL.iter().any(|start| word.starts_with(start))
        })
}

/// The kernel's messages in `journalctl -o json`, one line each; `None` if the text is not that.
fn json_messages(text: &str) -> Option<String> {
    let mut messages = String::new();
    let mut any = false;
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let Ok(Value::Object(entry)) = serde_json::from_str(line) else { continue };
        let Some(Value::String(message)) = entry.get("MESSAGE") else { continue };
        any = true;
        let kernels = |key: &str| entry.get(key).is_some_and(|value| value == "kernel");
        if kernels("_TRANSPORT")
            || (!entry.contains_key("_TRANSPORT") && kernels("SYSLOG_IDENTIFIER"))
        {
            messages += message.lines().next().unwrap_or_default();
            messages.push('\n');
        }
    }
    any.then_some(messages)
}
