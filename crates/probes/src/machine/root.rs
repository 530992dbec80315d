//! Where facts come from: the files of a machine, its CPUID, and what its system calls return.

use chronoscope_model::Environment;
use chronoscope_model::packed::{self, packed};
use chronoscope_model::timekeeping::{Adjtimex, LibraryClock, Timekeeping};
use raw_cpuid::{CpuId, CpuIdReader, CpuIdResult};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};

/// The largest number of bytes that are read from a file that holds one fact.
const SMALL: u64 = 64 << 10;

/// The largest number of bytes that are read from a file that grows with the machine:
/// `/proc/cpuinfo`, `/proc/iomem`.
const LARGE: u64 = 1 << 20;

/// The largest number of names that are taken from a folder.
const NAMES: usize = 16 << 10;

/// What is outside the process: this machine, or a recording of another.
#[derive(Clone, Debug, Default)]
pub struct Root {
    /// The folder of the machine's files; `None` if no file holds a fact.
    prefix: Option<PathBuf>,
    cpuid: Option<Cpuid>,
    pub(super) process: Process,
    denied: Vec<PathBuf>,
    host: bool,
    hurried: bool,
    /// The process whose own files count, if it is another than this one.
    pid: Option<u32>,
    cpuinfo: OnceLock<String>,
}

/// Why a file gave no fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    Absent,
    /// This user may not read the file.
    Denied,
    /// The file exists and is empty.
    Empty,
    /// Any other error, in the system's words.
    Other(String),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Absent => f.write_str("not found"),
            Missing::Denied => f.write_str("permission denied"),
            Missing::Empty => f.write_str("empty"),
            Missing::Other(why) => f.write_str(why),
        }
    }
}

impl From<io::Error> for Missing {
    fn from(error: io::Error) -> Missing {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Missing::Absent,
            io::ErrorKind::PermissionDenied => Missing::Denied,
            _ => Missing::Other(error.to_string()),
        }
    }
}

impl Root {
    pub fn host() -> Root {
        Root {
            prefix: super::os::FILES.map(PathBuf::from),
            cpuid: Cpuid::native(),
            process: super::os::process(),
            host: true,
            ..Root::default()
        }
    }

    /// This machine, for a caller who would rather not know a fact than wait for it.
    pub fn hurried() -> Root {
        Root { hurried: true, ..Root::host() }
    }

    /// This machine, with the files of another process in the place of those of this one.
    pub(super) fn with_pid(pid: u32) -> Root {
        Root { pid: Some(pid), ..Root::host() }
    }

    /// The process whose files count, if it is another than this one.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// A machine recorded in `folder`: `root/` holds its files, `cpuid` the output of `cpuid -1 -r`
    /// (absent if it has no CPUID), `process` lines of `key=value` as [`Process`] names them, and
    /// `denied` the paths that the recording user could not read.
    pub fn recorded(folder: &Path) -> Result<Root, Missing> {
        let text = |name| match capped_file(&folder.join(name), LARGE) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(Missing::Absent) => Ok(String::new()),
            Err(why) => Err(why),
        };
        if !folder.is_dir() {
            return Err(Missing::Absent);
        }
        Ok(Root {
            prefix: Some(folder.join("root")),
            cpuid: cpuid(&text("cpuid")?),
            process: process(&text("process")?),
            denied: text("denied")?.lines().map(|l| PathBuf::from(l.trim())).collect(),
            ..Root::default()
        })
    }

    /// The machine's CPUID, if it has one.
    pub fn cpuid(&self) -> Option<&Cpuid> {
        self.cpuid.as_ref()
    }

    /// What the system reported to this process.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// The architecture that the tool was compiled for.
    pub fn arch(&self) -> &str {
        &self.process.facts.arch
    }

    /// Whether this is the machine that the tool runs on.
    pub fn is_host(&self) -> bool {
        self.host
    }

    /// Whether facts that take milliseconds are left out.
    pub(super) fn is_hurried(&self) -> bool {
        self.hurried
    }

    /// Whether the machine runs Linux: only then does the absence of a file mean anything.
    pub fn is_linux(&self) -> bool {
        self.process.sysname.as_deref() == Some("Linux")
    }

    /// The text of a small file, without white space and NUL bytes at its ends.
    pub(crate) fn text(&self, path: &str) -> Result<String, Missing> {
        self.string(path, SMALL)
    }

    /// The text of a file that grows with the machine, up to a mebibyte.
    pub(super) fn long_text(&self, path: &str) -> Result<String, Missing> {
        self.string(path, LARGE)
    }

    /// The values of a key in `/proc/cpuinfo`, of one CPU after the other. The file is read once,
    /// because it takes the kernel milliseconds to write it on a machine with hundreds of CPUs.
    pub(super) fn cpuinfo<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let read = || self.long_text("/proc/cpuinfo").unwrap_or_default();
        let pairs = self.cpuinfo.get_or_init(read).lines().filter_map(|line| line.split_once(':'));
        pairs.filter(move |(name, _)| name.trim() == key).map(|(_, value)| value.trim())
    }

    /// The first of these values, unless it is empty.
    pub(super) fn cpu_field(&self, key: &str) -> Option<String> {
        self.cpuinfo(key).next().map(printable).filter(|value| !value.is_empty())
    }

    /// A small file that holds one number.
    pub(super) fn number(&self, path: &str) -> Option<u64> {
        self.text(path).ok()?.parse().ok()
    }

    /// The bytes of a small file.
    pub(super) fn bytes(&self, path: &str) -> Result<Vec<u8>, Missing> {
        capped(&self.readable(path)?, SMALL)
    }

    /// A regular file, to be read more than once.
    pub(super) fn open(&self, path: &str) -> Result<File, Missing> {
        regular(&self.readable(path)?)
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.at(path).is_ok_and(|path| path.exists())
    }

    /// The names in a folder, sorted, with numbered names in the order of their numbers; empty if
    /// it cannot be listed.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let Ok(Ok(entries)) = self.at(path).map(fs::read_dir) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .take(NAMES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort_by(|a, b| (trailing(a), a).cmp(&(trailing(b), b)));
        names
    }

    /// The actual location of `path`. A recording may come from anybody: a link in it must not make
    /// this machine's own files part of another's facts.
    pub(super) fn at(&self, path: &str) -> Result<PathBuf, Missing> {
        let prefix = self.prefix.as_ref().ok_or(Missing::Absent)?;
        let other = self.pid.and_then(|pid| {
            let file = path.strip_prefix("/proc/self/")?;
            Some(format!("proc/{pid}/{file}"))
        });
        let path = prefix.join(other.as_deref().unwrap_or(path.trim_start_matches('/')));
        if self.host {
            return Ok(path);
        }
        let real = fs::canonicalize(path)?;
        if real.starts_with(fs::canonicalize(prefix)?) {
            return Ok(real);
        }
        Err(Missing::Other("a link that leads out of the recording".to_owned()))
    }

    /// The same, unless the recording user could not read it.
    fn readable(&self, path: &str) -> Result<PathBuf, Missing> {
        let denied = self.denied.iter().any(|denied| denied == Path::new(path));
        if denied { Err(Missing::Denied) } else { self.at(path) }
    }

    fn string(&self, path: &str, cap: u64) -> Result<String, Missing> {
        let bytes = capped(&self.readable(path)?, cap)?;
        // The kernel's files contain no other control characters, and a terminal would act on them.
        let text: String = String::from_utf8_lossy(&bytes)
            .chars()
            .filter(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\0'))
            .collect();
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        if text.is_empty() { Err(Missing::Empty) } else { Ok(text.to_owned()) }
    }
}

/// Like [`capped`], for a file that is not a link.
fn capped_file(path: &Path, cap: u64) -> Result<Vec<u8>, Missing> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(Missing::Other("a link".to_owned()));
    }
    capped(path, cap)
}

/// Reads at most `cap` bytes from a regular file.
fn capped(path: &Path, cap: u64) -> Result<Vec<u8>, Missing> {
    let mut bytes = Vec::new();
    regular(path)?.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file. Anything else (a pipe, a device) could block or never end, and holds no
/// facts.
fn regular(path: &Path) -> Result<File, Missing> {
    if !fs::metadata(path)?.is_file() {
        return Err(Missing::Other("not a regular file".to_owned()));
    }
    Ok(File::open(path)?)
}

/// The rows of each table of `tables.txt`. A log of a hundred thousand lines asks for some of them
/// with every line.
static TABLES: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let text: &str = packed::text(packed!("tables.txt")).leak();
    let tables = text.split("\n[").skip(1);
    let tables = tables.filter_map(|table| table.split_once("]\n"));
    let rows = |rows: &'static str| {
        rows.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).collect()
    };
    tables.map(|(name, text)| (name, rows(text))).collect()
});

/// The rows of a table of `tables.txt`.
pub(super) fn rows(table: &str) -> impl Iterator<Item = &'static str> {
    TABLES.get(table).expect("our own table").iter().copied()
}

/// The keys and values of such a table.
pub(super) fn pairs(table: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    rows(table).filter_map(|row| row.split_once(" = "))
}

/// The number at the end of a name.
fn trailing(name: &str) -> Option<u64> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    name[name.len() - digits..].parse().ok()
}

/// Facts that come from system calls and the auxiliary vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// What the report states as it is: `arch`, `c_library`, the CPUs on which this process may run
    /// as a list like `0-3,8` (`allowed`), `timer_slack_ns`, `emulator`, and how the system keeps
    /// time (`adjtimex` or its error, `timer_resolution_ns`, `time64`, `library_clock`,
    /// `sleep_refused`; recordings have no distances).
    pub facts: Environment,
    /// The system's name (`sysname`).
    pub sysname: Option<String>,
    /// The kernel's release (`release`).
    pub release: Option<String>,
    /// The machine's architecture as the kernel reports it (`machine`).
    pub machine: Option<String>,
    /// Whether the kernel's log is only what a search left of it (`log_excerpt`).
    pub log_excerpt: bool,
    /// Whether the process may read the time-stamp counter (`tsc_permitted`).
    pub tsc_permitted: Option<bool>,
    /// Whether the kernel maps a vDSO (`vdso`).
    pub vdso: Option<bool>,
    /// The rate of Arm's counter from CNTFRQ, in hertz (`cntfrq`).
    pub cntfrq: Option<u64>,
    /// The register of each CPU that names the type of its core, on x86 (`core_type`, one line of
    /// `cpu:register` for each); empty on this machine, where each CPU is asked when it matters.
    pub core_types: Vec<(usize, u32)>,
    /// What a recorded Windows says of its performance counter (`qpc`, `boot_options`,
    /// `boot_options_refused`); on this machine, Windows is asked when it matters.
    pub(super) windows: Option<Windows>,
}

/// The text without control characters, which firmware may contain, and cut to a sensible length.
pub(super) fn printable(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(160).collect();
    text.trim().to_owned()
}

/// The leaves in the output of `cpuid -1 -r`, lines of the form
/// `0x00000001 0x00: eax=0x000a0671 ebx=0x01020800 ecx=0xfffa3203 edx=0x1f8bfbff`.
///
/// Lines of any other form are skipped; if there are no leaves at all, there is no CPUID.
pub fn cpuid(text: &str) -> Option<Cpuid> {
    let leaves: Vec<Leaf> = text.lines().filter_map(leaf).collect();
    (!leaves.is_empty()).then(|| Cpuid::recorded(leaves))
}

fn leaf(line: &str) -> Option<Leaf> {
    let (name, registers) = line.split_once(':')?;
    let (eax, ecx) = name.trim().split_once(' ')?;
    let value = |key: &str| hex(word(registers, key)?);
    let result = CpuIdResult {
        eax: value("eax")?,
        ebx: value("ebx")?,
        ecx: value("ecx")?,
        edx: value("edx")?,
    };
    Some(Leaf { eax: hex(eax)?, ecx: hex(ecx.trim())?, result })
}

/// The value of `key=value` among words.
fn word<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

pub(super) fn hex(word: &str) -> Option<u32> {
    u32::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

/// `16:0x20000001`: the CPU and its register.
fn core_type(value: &str) -> Option<(usize, u32)> {
    let (cpu, register) = value.split_once(':')?;
    Some((cpu.trim().parse().ok()?, hex(register.trim())?))
}

/// `state=0 status=0x2001 maxerror=1500 esterror=20 freq=-7 tick=10000 tai=37`. Not every command
/// that prints them has the last two.
fn adjtimex(value: &str, facts: &mut Environment) -> Option<Adjtimex> {
    let of = |key: &str| word(value, key);
    let number = |key: &str| of(key)?.parse::<i64>().ok();
    for key in ["tick", "tai"].into_iter().filter(|key| of(key) == Some("?")) {
        facts.not_known(key, "the text does not say it");
    }
    Some(Adjtimex {
        state: number("state")?.try_into().ok()?,
        status: hex(of("status")?)?,
        maxerror_us: number("maxerror")?,
        esterror_us: number("esterror")?,
        freq: number("freq")?,
        tick_us: number("tick").or_else(|| (of("tick")? == "?").then_some(10_000))?,
        tai_s: number("tai").or_else(|| (of("tai")? == "?").then_some(0))?.try_into().ok()?,
    })
}

/// `ahead=-864000000000000 still=true preloaded=libfaketime.so.1,other.so`
fn library_clock(value: &str) -> Option<LibraryClock> {
    let of = |key: &str| word(value, key);
    Some(LibraryClock {
        ahead_ns: of("ahead")?.parse().ok()?,
        stands_still: of("still")?.parse().ok()?,
        pace_percent: of("pace").and_then(|pace| pace.parse().ok()),
        preloaded: of("preloaded")?
            .split(',')
            .filter(|name| !name.is_empty())
            .map(printable)
            .collect(),
    })
}

/// `hz=14318180 ticks=181.3 bypass=0x00 shift=0`: the rate of the performance counter in hertz, TSC
/// ticks per tick of it if that was measured, and the two values of KUSER_SHARED_DATA.
fn performance_counter(value: &str) -> Option<Windows> {
    let of = |key: &str| word(value, key);
    Some(Windows {
        hz: of("hz")?.parse().ok()?,
        tsc_ticks: of("ticks").and_then(|ticks| ticks.parse().ok()),
        bypass: hex(of("bypass")?)?.try_into().ok()?,
        shift: of("shift")?.parse().ok()?,
        wine: false,
        boot_options: Err("the recording does not say".to_owned()),
    })
}

/// Lines of `key=value`; see [`Process`] for the keys. Other lines are skipped.
pub fn process(text: &str) -> Process {
    let mut process = Process::default();
    let (mut facts, mut keeping) = (Environment::default(), Timekeeping::default());
    let mut boot_options = None;
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.trim();
        match key.trim() {
            "arch" => facts.arch = printable(value),
            "sysname" => process.sysname = Some(printable(value)),
            "release" => process.release = Some(printable(value)),
            "machine" => process.machine = Some(printable(value)),
            "c_library" => facts.c_library = Some(printable(value)),
            "allowed" => facts.allowed_cpus = cpu_list(value).unwrap_or_default(),
            "timer_slack_ns" => facts.timer_slack_ns = value.parse().ok(),
            "tsc_permitted" => process.tsc_permitted = value.parse().ok(),
            "vdso" => process.vdso = value.parse().ok(),
            "core_type" => process.core_types.extend(core_type(value)),
            "cntfrq" => process.cntfrq = value.parse().ok(),
            "adjtimex" if value.contains('=') => {
                keeping.adjtimex = adjtimex(value, &mut facts);
            }
            "adjtimex" if !value.is_empty() => keeping.adjtimex_refused = Some(printable(value)),
            "timer_resolution_ns" => keeping.timer_resolution_ns = value.parse().ok(),
            "time64" => keeping.time64 = Some(printable(value)),
            "log_excerpt" => process.log_excerpt = value == "true",
            "library_clock" => keeping.library_clock = library_clock(value),
            "sleep_refused" => keeping.sleep_refused = Some(printable(value)),
            "emulator" => facts.emulated = Some(printable(value)),
            "qpc" => process.windows = performance_counter(value),
            "boot_options" => {
                let options = value.split(',').map(|option| printable(option.trim()));
                boot_options = Some(Ok(options.filter(|option| !option.is_empty()).collect()));
            }
            "boot_options_refused" => boot_options = Some(Err(printable(value))),
            _ => {}
        }
    }
    if let (Some(windows), Some(options)) = (&mut process.windows, boot_options) {
        windows.boot_options = options;
    }
    let linux = process.sysname.as_deref() == Some("Linux");
    process.facts = Environment { keeping: linux.then_some(keeping), ..facts };
    process
}

/// More than any kernel's NR_CPUS; a list with a higher number is garbage.
const MOST_CPUS: usize = 1 << 16;

/// The numbers in a list, in its order; `None` if it is not a list.
pub fn cpu_list(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.trim().is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.trim().parse().ok()?;
        let last: usize = last.trim().parse().ok()?;
        if last >= MOST_CPUS || first > last || numbers.len() + (last - first) >= MOST_CPUS {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// One recorded answer.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub eax: u32,
    pub ecx: u32,
    pub result: CpuIdResult,
}

#[derive(Clone, Debug)]
enum Source {
    #[cfg(target_arch = "x86_64")]
    Native,
    Recorded(Arc<[Leaf]>),
}

#[derive(Clone, Debug)]
pub struct Cpuid(Source);

impl CpuIdReader for Cpuid {
    fn cpuid2(&self, eax: u32, ecx: u32) -> CpuIdResult {
        match &self.0 {
            #[cfg(target_arch = "x86_64")]
            Source::Native => raw_cpuid::native_cpuid::cpuid_count(eax, ecx),
            Source::Recorded(leaves) => leaves
                .iter()
                .find(|leaf| (leaf.eax, leaf.ecx) == (eax, ecx))
                .map_or(CpuIdResult { eax: 0, ebx: 0, ecx: 0, edx: 0 }, |leaf| leaf.result),
        }
    }
}

impl Cpuid {
    /// The CPUID of the processor that the tool runs on, if it has one.
    pub fn native() -> Option<Cpuid> {
        #[cfg(target_arch = "x86_64")]
        return Some(Cpuid(Source::Native));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// A recorded CPUID. Leaves that were not recorded return zero, as absent leaves do on AMD.
    pub(super) fn recorded(leaves: Vec<Leaf>) -> Cpuid {
        Cpuid(Source::Recorded(leaves.into()))
    }

    pub(super) fn decoded(&self) -> CpuId<Cpuid> {
        CpuId::with_cpuid_reader(self.clone())
    }

    /// A basic or extended leaf, if the processor reports that it has it. Reading a leaf beyond the
    /// highest would return the values of another leaf (Intel SDM volume 2A, CPUID).
    pub(crate) fn leaf(&self, eax: u32, ecx: u32) -> Option<CpuIdResult> {
        let highest = self.cpuid1(eax & 0x8000_0000).eax;
        (highest >= eax).then(|| self.cpuid2(eax, ecx))
    }

    /// The vendor string of twelve letters (leaf 0).
    pub(crate) fn vendor(&self) -> String {
        let zero = self.cpuid1(0);
        letters([zero.ebx, zero.edx, zero.ecx])
    }

    /// Family, model and stepping, assembled as the kernel does (leaf 1 EAX; `arch/x86/lib/cpu.c`).
    /// The decoder's own sum of the two family fields can overflow.
    pub(crate) fn signature(&self) -> Option<(u32, u32, u32)> {
        let eax = self.leaf(1, 0)?.eax;
        let family = eax >> 8 & 0xf;
        let model = eax >> 4 & 0xf;
        Some((
            if family == 0xf { family + (eax >> 20 & 0xff) } else { family },
            if family >= 6 { model | (eax >> 16 & 0xf) << 4 } else { model },
            eax & 0xf,
        ))
    }

    /// The hypervisors that announce themselves: the base leaf, highest leaf and signature of each.
    ///
    /// Leaf 1 ECX[31] shows whether to look. Each hypervisor owns a block of 256 leaves, from
    /// 0x40000000 on. One that imitates another has a later block with its own name (kernel,
    /// `arch/x86/include/asm/cpuid`, `cpuid_base_hypervisor`). The kernel looks at 256 blocks. Each
    /// look exits to the hypervisor, and no hypervisor is known to use more than two, so a few are
    /// enough.
    pub(super) fn hypervisors(&self) -> Vec<(u32, u32, String)> {
        if !self.decoded().get_feature_info().is_some_and(|info| info.has_hypervisor()) {
            return Vec::new();
        }
        (0..4)
            .map(|block| 0x4000_0000 + block * 0x100)
            .filter_map(|base| {
                let answer = self.cpuid1(base);
                let name = letters([answer.ebx, answer.ecx, answer.edx]);
                // A block that does not exist echoes a basic leaf, which is not a printable name.
                let real = name.len() >= 8 && name.bytes().all(|b| (b' '..=b'~').contains(&b));
                real.then_some((base, answer.eax, name))
            })
            .collect()
    }
}

/// Twelve bytes as text, without the NULs that pad a shorter one.
fn letters(registers: [u32; 3]) -> String {
    let bytes: Vec<u8> = registers.into_iter().flat_map(u32::to_le_bytes).collect();
    String::from_utf8_lossy(&bytes).trim_matches('\0').to_owned()
}

/// Whether this is an Intel processor of family 6 with one of these models.
pub(super) fn intel_model(cpuid: &Cpuid, models: &[u32]) -> bool {
    cpuid.vendor() == "GenuineIntel"
        && cpuid
            .signature()
            .is_some_and(|(family, model, _)| family == 6 && models.contains(&model))
}

/// What Windows says of its performance counter.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    /// The rate of the counter, in hertz.
    pub hz: f64,
    /// TSC ticks per tick of the counter, if that was measured.
    pub tsc_ticks: Option<f64>,
    /// `QpcBypassEnabled` of KUSER_SHARED_DATA, or what Windows 7 has in its place.
    pub bypass: u8,
    /// `QpcShift` of KUSER_SHARED_DATA, or what Windows 7 has in its place.
    pub shift: u8,
    /// Whether this is Wine, whose counter is its own.
    pub wine: bool,
    /// The boot options about timers that are set, such as `useplatformclock=yes`, or why they
    /// cannot be read.
    pub boot_options: Result<Vec<String>, String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_are_read_as_the_kernel_writes_them() {
        assert_eq!(cpu_list("0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(cpu_list("0"), Some(vec![0]));
        assert_eq!(cpu_list(""), Some(vec![]));
        for bad in ["a", "3-1", "0-999999999999", "0-65535,0-65535", "-1", "1-", "0x1"] {
            assert_eq!(cpu_list(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in ".*") {
            let _ = cpu_list(&text);
        }
    }
}
