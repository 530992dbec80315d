//! What a scenario is: a fault, how it is planted, and what the tool must and may find.

use crate::vm::Architecture;
use chronoscope_ci::packages::Need;

/// One fault, or a healthy machine that looks like a faulty one.
pub struct Scenario {
    pub name: &'static str,
    /// What is planted, in one sentence of the documentation.
    pub plants: &'static str,
    pub place: Place,
    /// A shell command, run before the tool and in the same place.
    pub proof: &'static str,
    /// What the proof must print, so that a fault that was not planted is not mistaken for one that
    /// was not found.
    pub proves: &'static str,
    pub run: &'static str,
    /// The findings that the tool must report.
    pub finds: &'static [Expected],
    /// Findings at warning or above that are also true here. All others are false alarms.
    pub may: &'static [&'static str],
    /// The section, `clocks` or `waits`, in which every row that the tool's target must have is to
    /// be available; empty: none.
    pub complete: &'static str,
    /// Whether continuous integration runs the scenario. `--all` also runs the others.
    pub ci: bool,
}

/// Defaults for the fields that most scenarios share.
pub const SCENARIO: Scenario = Scenario {
    name: "",
    plants: "",
    place: Place::Machine(INTEL),
    proof: "",
    proves: "",
    run: "doctor --json --quiet --budget 5s",
    finds: &[],
    may: &[],
    complete: "",
    ci: false,
};

/// A finding that the tool must report.
pub struct Expected {
    pub id: &'static str,
    /// The level of the finding: `error`, `warning` or `info`; any of these if it is empty.
    pub level: &'static str,
    /// The certainty of the finding: `measured`, `evidence` or `unknown`.
    pub certainty: &'static str,
    /// Texts that the evidence of the finding must contain.
    pub evidence: &'static [&'static str],
}

/// Where the tool runs.
#[derive(Clone, Copy)]
pub enum Place {
    Machine(Machine),
    Process(Process),
}

/// A restricted process on this machine.
#[derive(Clone, Copy)]
pub struct Process {
    pub tool: Tool,
    /// Shell words that run the command that follows them, with the fault. `$plant` is a program
    /// of the lab.
    pub before: &'static str,
    /// Words before the tool alone, for a fault that the shell around it must not have.
    /// `$backwards` is a library of the lab.
    pub around: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Linked statically, so that nothing runs before its `main`.
    Static,
    /// Linked dynamically, as users build it.
    Dynamic,
}

#[derive(Clone, Copy)]
pub struct Machine {
    pub board: &'static Board,
    /// QEMU's arguments for the processors.
    pub cpu: &'static [&'static str],
    /// Further arguments of QEMU.
    pub args: &'static [&'static str],
    /// A property that the timer gets in the device tree; none if it is empty.
    pub timer: &'static str,
    /// What is added to the kernel's command line.
    pub append: &'static str,
    /// A shell script that runs in the machine before the tool.
    pub before: &'static str,
    /// A shell script that runs in the machine at the same time as the tool.
    pub during: &'static str,
    /// What happens to the machine while the tool runs.
    pub host: Host,
}

/// What happens to a machine from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Host {
    Nothing,
    /// QEMU's `stop` and, after this number of seconds, `cont`. The machine's clocks stop too,
    /// except its real-time clock.
    Pause(u64),
    /// The emulator itself is stopped for this number of seconds. The machine's clocks go on.
    Freeze(u64),
    /// The machine is saved and, after some seconds, restored by a new emulator. The TSC of one
    /// processor then differs by some ticks.
    Restore {
        seconds: u64,
        skewed: Option<(u32, i64)>,
    },
}

/// A board that QEMU emulates, and what runs on it.
pub struct Board {
    pub architecture: Architecture,
    pub program: &'static str,
    pub args: &'static [&'static str],
    /// The console in the kernel's command line.
    pub console: &'static str,
    /// The device tree, in the kernel's package.
    pub tree: Option<&'static str>,
    /// The serial ports. The last is the lab's own.
    pub ports: usize,
    /// The target for which the tool is built.
    pub target: &'static str,
    /// The system packages that the board needs, in addition to those of any machine.
    pub needs: &'static [Need],
    /// The compiler for the lab's programs.
    pub compiler: &'static str,
    /// The Debian package with a static busybox; the host's own if it is empty.
    pub busybox: &'static str,
}

/// A PC with x86-64 processors.
pub const PC: Board = Board {
    architecture: Architecture::Amd64,
    program: "qemu-system-x86_64",
    args: &["-m", "512"],
    // The kernel panics if the timer is late while it is tested, as on a busy host
    // (arch/x86/kernel/apic/io_apic.c, `check_timer`).
    console: "console=ttyS0 no_timer_check",
    tree: None,
    ports: 2,
    target: "x86_64-unknown-linux-gnu",
    needs: &[],
    compiler: "gcc",
    busybox: "",
};

/// The board that QEMU has for virtual machines with Arm's processors.
pub const VIRT: Board = Board {
    architecture: Architecture::Arm64,
    program: "qemu-system-aarch64",
    args: &["-M", "virt", "-m", "512"],
    console: "console=ttyAMA0 loglevel=0",
    tree: None,
    ports: 1,
    target: "aarch64-unknown-linux-musl",
    needs: &[Need::LabArm, Need::Aarch64, Need::Zig],
    compiler: "aarch64-linux-gnu-gcc",
    busybox: "busybox-static",
};

/// The Raspberry Pi 3, with its own interrupt controller and timers.
pub const RASPBERRY: Board = Board {
    args: &["-M", "raspi3b"],
    console: "console=ttyAMA0,115200 earlycon=pl011,0x3f201000 loglevel=0",
    tree: Some("broadcom/bcm2837-rpi-3-b.dtb"),
    // The device tree gives the first to Bluetooth, so that it has no /dev/ttyAMA0.
    ports: 2,
    ..VIRT
};

/// Two processors of Intel. The kernel trusts that their TSCs run at one rate and in step, although
/// QEMU offers no invariant TSC. The kernel's watchdog is off, because it would give up the TSC of
/// a machine that the host keeps waiting (kernel/time/clocksource.c, `cs_watchdog_read`).
pub const INTEL: Machine = Machine {
    board: &PC,
    cpu: &["-cpu", "Skylake-Client-v1", "-smp", "2"],
    args: &[],
    timer: "",
    append: "tsc=nowatchdog",
    before: "",
    during: "",
    host: Host::Nothing,
};

pub const SOURCE: &str = "cat /sys/devices/system/clocksource/clocksource0/current_clocksource";
/// The arguments for waits and why they ended late.
pub const WAITS: &str = "waits rust/thread-sleep --wait 1ms --count 100 --why --json --quiet";
/// Arguments of a run that watches clocks for most of its time. It is used for what happens to a
/// machine from outside, which is seen only while clocks are watched.
pub const WATCH: &str = "trust --json --quiet --duration 20s --checkpoint /tmp/seen";
/// Reports to the host that the clocks are being watched, once the first checkpoint exists.
const WATCHING: &str = "while [ ! -s /tmp/seen ]; do sleep 1; done\necho '@@ watching' >&3";

/// A PC with the words of `append` on the kernel's command line.
pub const fn booted(append: &'static str) -> Place {
    Place::Machine(Machine { append, ..INTEL })
}

/// A PC in which the script `before` runs before the tool.
pub const fn before(before: &'static str) -> Place {
    Place::Machine(Machine { before, ..INTEL })
}

/// A PC in which the script `during` runs at the same time as the tool.
pub const fn during(during: &'static str) -> Place {
    Place::Machine(Machine { during, ..INTEL })
}

/// A PC to which `host` happens from outside.
pub const fn happens(host: Host) -> Place {
    Place::Machine(Machine { host, during: WATCHING, ..INTEL })
}

/// Two processors of AMD. The kernel does not trust their TSCs if these are not invariant.
pub const AMD: Machine = Machine { cpu: &["-cpu", "EPYC-v1", "-smp", "2"], append: "", ..INTEL };

/// A finding of something that the tool saw happen.
pub const fn measured(
    id: &'static str,
    level: &'static str,
    evidence: &'static [&'static str],
) -> Expected {
    Expected { id, level, certainty: "measured", evidence }
}

/// A finding that a flag, a file or the kernel's log gives.
pub const fn evident(
    id: &'static str,
    level: &'static str,
    evidence: &'static [&'static str],
) -> Expected {
    Expected { id, level, certainty: "evidence", evidence }
}
