//! What people have of a machine with a problem: the text of its kernel's log, of a few commands
//! and files, or a report of support. It becomes a bundle, in which what the texts do not say stays
//! unknown.

use crate::context::Usage;
use chronoscope_model::kernel_log::recognise;
use chronoscope_probes::machine::{
    Root, SINGLE, is_excerpt, is_log, log_messages, says_of_clocks, select_log,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use tempfile::TempDir;

/// The most that is read of one text, in bytes: the log of a machine that complains for weeks.
pub const MOST: u64 = 32 << 20;

/// What this tool takes, for whoever gave it something else.
pub const TAKES: &str = "doctor takes the text of dmesg, journalctl -k or kern.log, the output of \
    lscpu, chronyc, timedatectl, ntpq, adjtimex, ntptime, w32tm or sysctl kern.timecounter, of \
    /proc/cpuinfo, /proc/cmdline, cpu.stat or current_clocksource, a sosreport, a report in JSON, \
    or what `chronoscope doctor --record DIR` wrote; folders also as an archive";

/// Facts from texts.
#[derive(Default)]
pub struct Texts {
    log: String,
    /// Whether one of the logs is whole, and not what a search left of it.
    whole_log: bool,
    arch: Option<String>,
    release: Option<String>,
    /// Files of the machine, by their paths on it.
    files: BTreeMap<&'static str, String>,
    /// The kernel's account of its clock, as [`Root::recorded`] reads it.
    account: Option<String>,
    /// What facts were read from, and what they are.
    facts: Vec<String>,
}

/// What commands print of the kernel's account of its clock: the command, a unit of its `freq`, and
/// the words before each of [`FIELDS`]; `-` for what it does not print.
const ACCOUNTS: [&str; 3] = [
    "adjtimex --print|1|return value =|status:|maxerror:|esterror:|frequency:|tick:|-",
    "adjtimex of BusyBox|1|return value:|status:|maxerror:|esterror:|freq.adjust:|tick:|-",
    "ntptime|65536|ntp_adjtime() returns code|status|maximum error|estimated error|frequency|-|\
     TAI offset",
];

/// The fields of that account. The last two may be lacking.
const FIELDS: [&str; 7] = ["state", "status", "maxerror", "esterror", "freq", "tick", "tai"];

/// The heading of a list of servers, the signs before the one that is followed, and the line of the
/// table that says that there is none.
const LISTS: [(&str, [&str; 2], &str); 2] = [
    ("MS Name/IP address ", ["^*", "#*"], "no source is marked with *"),
    (" st t when poll reach ", ["*", "o"], "no server is marked with *"),
];

const CMDLINE: &str = "/proc/cmdline";
const CPUINFO: &str = "/proc/cpuinfo";
const ONLINE: &str = "/sys/devices/system/cpu/online";
/// The file that names the machine.
const PRODUCT: &str = "/sys/class/dmi/id/product_name";

/// The files of the clock sources: those that there are, and the one in use.
const SOURCES: [&str; 2] = [
    "/sys/devices/system/clocksource/clocksource0/available_clocksource",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
];

/// The files of a sosreport that hold facts, by their paths on the machine.
const FILES: &[&str] = &[
    "/etc/os-release",
    "/proc/sys/kernel/osrelease",
    PRODUCT,
    "/sys/class/dmi/id/sys_vendor",
    SOURCES[0],
    SOURCES[1],
    "/sys/hypervisor/type",
];

/// The outputs of commands in a sosreport, and files that hold a log.
const OUTPUTS: &[&str] = &[
    "sos_commands/kernel/dmesg",
    "sos_commands/general/dmesg",
    "sos_commands/hardware/dmesg",
    "sos_commands/processor/lscpu",
    "sos_commands/logs/journalctl_--no-pager_--catalog_--boot",
    "sos_commands/logs/journalctl_--no-pager_--boot",
    "proc/cpuinfo",
    "proc/cmdline",
    "proc/version",
];

/// The files of a bundle, apart from those of the machine.
const BUNDLE: &[&str] = &["process", "cpuid", "denied", "report.json"];

/// Whether a file of a sosreport or a bundle holds facts, by its path in it.
pub fn holds_facts(path: &Path) -> bool {
    let all = OUTPUTS.iter().chain(BUNDLE).copied();
    let all = all.chain(FILES.iter().map(|file| file.trim_start_matches('/')));
    path.starts_with("root") || all.into_iter().any(|file| path == Path::new(file))
}

/// Whether a folder is one that sosreport made.
pub fn is_sosreport(folder: &Path) -> bool {
    folder.join("sos_commands").is_dir()
}

impl Texts {
    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        let named = self.arch.is_some() || self.release.is_some() || self.account.is_some();
        self.log.is_empty() && self.files.is_empty() && !named
    }

    /// What was read of the output of commands, in a sentence: it may show no fault.
    pub fn read(&self) -> Option<String> {
        let mut all: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for line in self.log.lines() {
            if let Some(command) = recognise(line).and_then(|known| known.message.command()) {
                let words: Vec<&str> = line.split_whitespace().collect();
                all.entry(command).or_default().push(words.join(" "));
            }
        }
        let said = all.iter().map(|(command, lines)| format!("{command} ({})", lines.join("; ")));
        let said: Vec<String> = self.facts.iter().cloned().chain(said).collect();
        let words = || format!("this was read: {}; all else is unknown", said.join(", "));
        (!said.is_empty()).then(words)
    }

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
            // The journal of this boot holds the same as dmesg, and much more.
            if name.contains("journalctl") && !self.log.is_empty() {
                continue;
            }
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
            // What Windows writes if the output of a command is redirected.
            [a @ (0xff | 0xfe), b @ (0xfe | 0xff), rest @ ..] if a != b => {
                let unit = if *a == 0xff { u16::from_le_bytes } else { u16::from_be_bytes };
                let units = rest.as_chunks().0.iter().map(|pair| unit(*pair));
                let text: String = char::decode_utf16(units).map_while(Result::ok).collect();
                return self.add(name, text.as_bytes());
            }
            _ if bytes.iter().take(4096).any(|byte| *byte == 0) => {
                format!("it is not a text; {TAKES}")
            }
            _ if self.text(&tidy(&String::from_utf8_lossy(bytes))) => return Ok(()),
            _ => format!("it is not recognised; {TAKES}"),
        };
        Err(Usage(format!("{name}: {why}")))
    }

    /// Adds the facts of a text, if it is recognised.
    fn text(&mut self, text: &str) -> bool {
        let value = |key: &str| field(text, key);
        if let Some(messages) = json_messages(text) {
            self.kernel(&messages);
            return true;
        }
        // What people paste may hold several of these.
        let mut any = self.account(text) | self.throttling(text) | self.clock_sources(text);
        if let Some(listed) = Listed::of(text) {
            self.lscpu(listed);
            any = true;
        } else if value("processor").is_some() || value("CPU implementer").is_some() {
            self.files.insert(CPUINFO, text.into());
            any = true;
        } else if !any && is_command_line(text) {
            self.files.insert(CMDLINE, text.trim().into());
            return true;
        }
        // The flags of a processor are no log.
        let rest: Vec<&str> = text.lines().filter(|line| !line.contains(" fpu ")).collect();
        let rest = rest.join("\n");
        if is_log(&rest) {
            self.kernel(&rest);
            any = true;
        }
        any
    }

    /// Adds the kernel's account of its clock, if a command printed it.
    fn account(&mut self, text: &str) -> bool {
        let account = ACCOUNTS.iter().find_map(|row| {
            let mut words = row.split('|');
            let (command, unit) = (words.next()?, words.next()?.parse::<f64>().ok()?);
            let number = |word: &str| -> Option<f64> {
                let rest = text.split_once(word).filter(|_| word != "-")?.1.trim_start();
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
                let word = &rest[..end.unwrap_or(rest.len())];
                match word.strip_prefix("0x") {
                    Some(digits) => u32::from_str_radix(digits, 16).ok().map(f64::from),
                    None => word.parse().ok().filter(|value: &f64| value.is_finite()),
                }
            };
            let fields =
                FIELDS.iter().zip(words).map(|(field, word)| match (*field, number(word)) {
                    ("status", Some(value)) => Some(format!("status={:#x}", value as u32)),
                    ("freq", Some(value)) => Some(format!("freq={:.0}", value * unit)),
                    (_, Some(value)) => Some(format!("{field}={value:.0}")),
                    ("tick" | "tai", None) => Some(format!("{field}=?")),
                    _ => None,
                });
            Some((command, fields.collect::<Option<Vec<String>>>()?.join(" ")))
        });
        let any = account.is_some();
        if let Some((command, account)) = account {
            self.facts.push(format!("{command} ({account})"));
            self.account = Some(account);
        }
        any
    }

    /// Adds what a control group counted, as `cat cpu.stat` or `grep . cpu.*` show it, and its
    /// quota.
    fn throttling(&mut self, text: &str) -> bool {
        let lines = text.lines().map(|line| line.rsplit(':').next().unwrap_or(line).trim());
        let known = |line: &&str| line.starts_with("nr_") || line.starts_with("throttled_");
        let stat: Vec<&str> = lines.clone().filter(known).collect();
        let quota = |line: &&str| {
            let number = |word: &str| word.parse::<u64>().is_ok();
            let words = line.split_once(' ');
            words.is_some_and(|(a, b)| (a == "max" || number(a)) && number(b))
        };
        let all = stat.join("\n");
        let any = ["nr_throttled ", "throttled_"].iter().all(|key| all.contains(key));
        if any {
            let limit =
                lines.clone().find(quota).map(|line| ("/sys/fs/cgroup/cpu.max", line.into()));
            self.files.extend(SINGLE.map(|(path, text)| (path, text.into())));
            self.facts.push(format!("cpu.stat ({})", stat.join(", ")));
            self.files.insert("/sys/fs/cgroup/cpu.stat", all);
            self.files.extend(limit);
        }
        any
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
                self.files.entry(CMDLINE).or_insert_with(|| line.into());
            }
            // `DMI: QEMU Standard PC (Q35 + ICH9, 2009), BIOS 1.16.2 04/01/2014`
            let board = after("DMI: ").or_else(|| after("Hardware name: "));
            if let Some((board, _)) = board.and_then(|board| board.split_once(", BIOS ")) {
                self.files.entry(PRODUCT).or_insert_with(|| board.into());
            }
            if let Some(cpu) = after("CPU0: ").filter(|cpu| cpu.contains("(family: ")) {
                self.arch.get_or_insert_with(|| "x86_64".into());
                self.cpu_line(cpu);
            }
        }
        self.whole_log |= !is_excerpt(text);
        self.log += &select_log(text).join("\n");
        self.log.push('\n');
        for (heading, followed, none) in LISTS {
            let mut lines = text.lines().map(str::trim_start);
            if lines.any(|line| line.contains(heading))
                && !lines.any(|line| followed.iter().any(|sign| line.starts_with(sign)))
            {
                self.log += none;
                self.log.push('\n');
            }
        }
    }

    /// `Intel(R) Core(TM) i7-8750H CPU @ 2.20GHz (family: 0x6, model: 0x9e, stepping: 0xa)`
    fn cpu_line(&mut self, line: &str) {
        let Some((model, rest)) = line.split_once(" (family: ") else { return };
        let number = |text: &str| {
            let hex = text.trim_end_matches(')').trim().strip_prefix("0x")?;
            u32::from_str_radix(hex, 16).ok()
        };
        let mut parts = rest.split(", ").map(|part| part.rsplit(' ').next().and_then(number));
        let numbers = std::array::from_fn(|_| Some(parts.next()??.to_string()));
        let vendors = [("Intel", "GenuineIntel"), ("AMD", "AuthenticAMD")];
        let vendor = vendors.iter().find(|(name, _)| model.contains(name));
        let vendor = vendor.map(|(_, vendor)| (*vendor).to_owned());
        self.processor(&Listed { vendor, name: Some(model.into()), numbers, ..Listed::default() });
    }

    fn lscpu(&mut self, listed: Listed) {
        self.processor(&listed);
        self.arch = listed.arch;
        self.files.extend(listed.online.map(|cpus| (ONLINE, cpus)));
    }

    /// Adds a processor, unless one is known.
    fn processor(&mut self, listed: &Listed) {
        let [family, model, stepping] = &listed.numbers;
        let lines = [
            ("vendor_id", &listed.vendor),
            ("model name", &listed.name),
            ("cpu family", family),
            ("model", model),
            ("stepping", stepping),
            ("flags", &listed.flags),
        ];
        let known = lines.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let lines = known.map(|(name, value)| format!("{name}\t: {value}\n")).collect();
        self.files.entry(CPUINFO).or_insert(lines);
    }

    /// Adds what the files of the clock sources hold, if a text shows it as `grep . FILE` or
    /// `cat FILE` do.
    fn clock_sources(&mut self, text: &str) -> bool {
        let mut any = false;
        let known = |word: &str| chronoscope_model::clock_source::by_name(word).is_some();
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // The files alone.
        if lines.len() <= 2 && lines.iter().all(|line| line.split(' ').all(known)) {
            let file = |line: &&str| (SOURCES[usize::from(!line.contains(' '))], (*line).into());
            self.files.extend(lines.iter().map(file));
            return !lines.is_empty();
        }
        for path in SOURCES {
            let name = path.rsplit('/').next().unwrap_or(path);
            let mut lines = text.lines();
            let Some(rest) = lines.find_map(|line| Some(line.split_once(name)?.1)) else {
                continue;
            };
            // After the name of its file, it is whatever the kernel calls it.
            let named = rest.strip_prefix(':').filter(|_| text.contains(path));
            let value = rest.strip_prefix(':').or_else(|| lines.next()).unwrap_or_default().trim();
            let known = |word: &str| named.is_some() || known(word);
            if !value.is_empty() && value.split_whitespace().all(known) {
                self.files.insert(path, value.into());
                any = true;
            }
        }
        any
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
        let commands = self.log.lines().filter_map(|line| recognise(line)?.message.command());
        let mut system = commands.filter_map(|command| match command.split(' ').next()? {
            "sysctl" if command.ends_with("OpenBSD") => Some("OpenBSD"),
            "sysctl" => Some("FreeBSD"),
            "w32tm" | "W32Time" => Some("Windows"),
            _ => None,
        });
        let system = system.next().unwrap_or("Linux");
        let mut process = format!("sysname={system}\nlog_excerpt={}\n", !self.whole_log);
        let account = ("adjtimex", &self.account);
        for (key, value) in [("arch", &self.arch), ("release", &self.release), account] {
            process += &value.as_ref().map_or(String::new(), |it| format!("{key}={it}\n"));
        }
        write("process", &process).map_err(refuse)?;
        // As records, so that no line of it is taken for the rest of the one before.
        let log: String = self.log.lines().map(|line| format!("4,0,0,-;{line}\n")).collect();
        let log = (!log.is_empty()).then_some(("/dev/kmsg", log));
        for (path, text) in self.files.into_iter().chain(log) {
            write(&format!("root{path}"), &text).map_err(refuse)?;
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

/// The kernel's messages in `journalctl -o json` or `dmesg --json`, one a line; `None` if the text
/// is not that.
fn json_messages(text: &str) -> Option<String> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut values: Vec<Value> = values.map_while(Result::ok).collect();
    if values.is_empty() {
        let lines =
            text.lines().map(|line| line.trim_start_matches("data: ").trim_start_matches('\u{1e}'));
        values = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
    }
    let mut messages = None;
    let mut entries: Vec<&Value> = values.iter().rev().collect();
    while let Some(entry) = entries.pop() {
        if let Some(all) = entry.as_array().or_else(|| entry.get("dmesg")?.as_array()) {
            entries.extend(all.iter().rev());
            continue;
        }
        let Some(message) = entry.get("MESSAGE").or_else(|| entry.get("msg")) else { continue };
        let bytes = |all: &Vec<Value>| -> Option<Vec<u8>> {
            all.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect()
        };
        let message = match message {
            Value::String(text) => text.clone(),
            Value::Array(all) => String::from_utf8_lossy(&bytes(all).unwrap_or_default()).into(),
            _ => continue,
        };
        let messages = messages.get_or_insert_with(String::new);
        let kernels = |key: &str| entry.get(key).is_some_and(|value| value == "kernel");
        let unnamed = entry.get("_TRANSPORT").is_none();
        let program = entry.get("SYSLOG_IDENTIFIER").and_then(Value::as_str).unwrap_or_default();
        if kernels("_TRANSPORT")
            || says_of_clocks(program, &message)
            || (unnamed && (kernels("SYSLOG_IDENTIFIER") || entry.get("msg").is_some()))
        {
            *messages += message.lines().next().unwrap_or_default();
            messages.push('\n');
        }
    }
    messages
}

/// A text as its program wrote it, without the marks of a mail that quotes it, and without what
/// pages and word processors put in place of plain characters.
pub fn tidy(text: &str) -> String {
    const PLAIN: [(&str, &str); 12] = [
        ("\u{feff}", ""),
        ("\u{a0}", " "),
        ("\u{2018}", "'"),
        ("\u{2019}", "'"),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&apos;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("<br/>", ""),
        ("<br>", ""),
    ];
    let mut text = text.to_owned();
    for (from, to) in PLAIN {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    // A mail as it is sent: quoted-printable.
    if text.contains("=3D") && text.contains("=\n") {
        text = text.replace("=\n", "").replace("=3D", "=").replace("=20\n", "\n");
    }
    if !text.lines().any(|line| line.starts_with('>')) {
        return text;
    }
    let lines = text.lines().map(|line| line.trim_start_matches(['>', ' ']));
    lines.collect::<Vec<_>>().join("\n")
}

/// What `lscpu` lists. Its labels are translated, so values are known by what they are.
#[derive(Default)]
struct Listed {
    arch: Option<String>,
    online: Option<String>,
    vendor: Option<String>,
    name: Option<String>,
    /// Family, model and stepping.
    numbers: [Option<String>; 3],
    flags: Option<String>,
}

impl Listed {
    fn of(text: &str) -> Option<Self> {
        const ARCHES: [&str; 11] = [
            "x86_64", "i386", "i586", "i686", "aarch64", "armv6l", "armv7l", "ppc64", "ppc64le",
            "s390x", "riscv64",
        ];
        const VENDORS: [&str; 12] = [
            "GenuineIntel",
            "AuthenticAMD",
            "HygonGenuine",
            "CentaurHauls",
            "ARM",
            "Ampere",
            "Apple",
            "HiSilicon",
            "NVIDIA",
            "Cavium",
            "Qualcomm",
            "Broadcom",
        ];
        const STEPPINGS: [&str; 6] =
            ["Stepping", "Révision", "Revisión", "步进", "ステッピング", "Степпинг"];
        let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        let mut found = Self::default();
        let mut pairs = pairs(text).into_iter().peekable();
        let mut cpus = false;
        while let Some((label, value)) = pairs.next() {
            let after = found.vendor.is_some();
            if ARCHES.contains(&&*value) {
                found.arch = Some(value);
            } else if VENDORS.contains(&&*value) {
                found.vendor = Some(value);
            } else if label == "CPU(s)" {
                cpus = true;
            } else if value.starts_with("fpu ") && value.contains(" tsc ") {
                found.flags = Some(value);
            } else if !after
                && found.online.is_none()
                && value.starts_with('0')
                && value.chars().all(|c| c.is_ascii_digit() || c == ',' || c == '-')
            {
                found.online = Some(value);
            } else if (after || label == "Model name")
                && !label.starts_with("BIOS")
                && !number(&value)
                && found.name.is_none()
                && (label == "Model name" || value.contains(' '))
            {
                found.name = Some(value);
            } else if STEPPINGS.contains(&&*label) {
                found.numbers[2] = Some(value);
            } else if after && number(&value) && found.numbers[0].is_none() {
                found.numbers[0] = Some(value);
                found.numbers[1] = pairs.next_if(|(_, value)| number(value)).map(|it| it.1);
            }
        }
        // A part of the list that has neither architecture nor vendor.
        let part = cpus && found.online.is_some() && found.name.is_some();
        let whole = found.arch.is_some() && (cpus || found.vendor.is_some());
        (part || whole).then_some(found)
    }
}

/// The labels and values of `lscpu`, also of its `--json`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let plain = |text: &str| text.trim().trim_end_matches([':', '\u{ff1a}']).trim().to_owned();
    if let Ok(Value::Object(all)) = serde_json::from_str(text) {
        let mut rest: Vec<&Value> = all.get("lscpu").into_iter().collect();
        let mut found = Vec::new();
        while let Some(next) = rest.pop() {
            if let Some(all) = next.as_array() {
                rest.extend(all.iter().rev());
                continue;
            }
            rest.extend(next.get("children"));
            let text = |key: &str| next.get(key).and_then(Value::as_str);
            found.extend(text("field").zip(text("data")).map(|(a, b)| (plain(a), plain(b))));
        }
        return found;
    }
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines().take(4096) {
        match (line.split_once([':', '\u{ff1a}']), found.last_mut()) {
            (Some((label, value)), _) => found.push((plain(label), plain(value))),
            // A terminal that is too narrow breaks the flags, also within one.
            (None, Some((_, value))) if value.starts_with("fpu ") && line.starts_with(' ') => {
                let (rest, last) = (line.trim(), value.rsplit(' ').next().unwrap_or_default());
                let whole = format!("{last}{}", rest.split(' ').next().unwrap_or_default());
                *value += &format!(" {whole} {rest}");
            }
            _ => {}
        }
    }
    found
}
