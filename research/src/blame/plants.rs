//! What makes waits late on purpose. Each plant ends with the run that it is for.

use anyhow::{Context, Result, bail, ensure};
use chronoscope_ci::sh;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use xshell::Shell;

pub struct Plant {
    pub name: &'static str,
    pub about: &'static str,
    /// The arguments of `chronoscope waits`.
    pub args: &'static str,
    /// The causes by which the tool may name the plant.
    pub expected: &'static [&'static str],
    pub makes: Makes,
    /// The names of those that it runs on the CPU of the waits, which must be the first of those
    /// that the tool names; empty if it runs none, or if others are to blame.
    pub culprits: &'static [&'static str],
    /// What runs next to the tool.
    next_to: Neighbour,
}

/// Which wake-ups a plant makes late.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Makes {
    All,
    /// The latest wake-ups.
    Tail,
    /// One wake-up, which is a gap and not a sample.
    Gap,
}

#[derive(Clone, Copy)]
enum Neighbour {
    Nothing,
    /// Busy loops on the same CPU.
    Hogs(usize),
    /// Two of them with names of their own.
    TwoHogs,
    /// A thread of the kernel on the same CPU.
    KernelThread,
    /// A loop with SCHED_FIFO on the same CPU, busy half of the time.
    Fifo,
    /// A busy loop on the same CPU in the same control group, which has a quota. Each CPU keeps
    /// some milliseconds of it to itself, so one on another CPU would stop nothing here.
    Quota,
    /// The run is stopped for a while.
    Stop,
    /// Timer interrupts on the same CPU, which wake nothing.
    Storm,
}

pub const PLANTS: &[Plant] = &[
    Plant {
        name: "hog",
        about: "three busy processes of the same priority on the same CPU",
        args: "linux/clock_nanosleep-abs --wait 1ms --count 1000 --slack 1ns",
        expected: &["run-queue"],
        makes: Makes::Tail,
        culprits: &[HOG],
        next_to: Neighbour::Hogs(3),
    },
    Plant {
        name: "spin",
        about: "a busy process on the CPU of a spin",
        args: "busy/tsc --wait 2ms --count 100",
        expected: &["preempted"],
        makes: Makes::Tail,
        culprits: &[HOG],
        next_to: Neighbour::Hogs(1),
    },
    Plant {
        name: "two-hogs",
        about: "two busy processes of different names on the same CPU",
        args: "linux/clock_nanosleep-abs --wait 1ms --count 1000 --slack 1ns",
        expected: &["run-queue"],
        makes: Makes::Tail,
        culprits: &[HOG, OTHER_HOG],
        next_to: Neighbour::TwoHogs,
    },
    Plant {
        name: "kernel-thread",
        about: "khugepaged on the same CPU, which never sleeps",
        args: "linux/clock_nanosleep-abs --wait 1ms --count 1000 --slack 1ns",
        expected: &["run-queue"],
        makes: Makes::Tail,
        culprits: &[KERNEL_THREAD],
        next_to: Neighbour::KernelThread,
    },
    Plant {
        name: "quota",
        about: "a CPU quota that another thread of the group uses up",
        args: "linux/clock_nanosleep-abs --wait 5ms --count 20 --slack 1ns",
        expected: &["throttled"],
        makes: Makes::Tail,
        culprits: &[],
        next_to: Neighbour::Quota,
    },
    Plant {
        name: "stop",
        about: "SIGSTOP, and SIGCONT 50 ms later",
        args: "linux/clock_nanosleep-abs --wait 10ms --count 50 --slack 1ns",
        expected: &["stopped"],
        makes: Makes::Gap,
        culprits: &[],
        next_to: Neighbour::Stop,
    },
    Plant {
        name: "slack",
        about: "5 ms of timer slack",
        args: "linux/clock_nanosleep-abs --wait 10ms --count 30 --slack 5ms",
        expected: &["timer-slack"],
        makes: Makes::All,
        culprits: &[],
        next_to: Neighbour::Nothing,
    },
    Plant {
        name: "fifo",
        about: "a SCHED_FIFO process on the same CPU, busy half of the time",
        args: "linux/clock_nanosleep-abs --wait 1ms --count 100 --slack 1ns",
        expected: &["run-queue", "preempted"],
        makes: Makes::Tail,
        culprits: &[FIFO],
        next_to: Neighbour::Fifo,
    },
    Plant {
        name: "storm",
        about: "a timer interrupt every 20 us (perf's cpu-clock) in a spin with SCHED_FIFO",
        args: "busy/tsc --wait 200us --count 1000 --priority 10",
        expected: &["interrupt"],
        makes: Makes::Tail,
        culprits: &[],
        next_to: Neighbour::Storm,
    },
    Plant {
        name: "python-hog",
        about: "two busy processes on the CPU of a wait of Python",
        args: "python/sleep --wait 2ms --count 100 --slack 1ns",
        expected: &["run-queue"],
        makes: Makes::Tail,
        culprits: &[HOG],
        next_to: Neighbour::Hogs(2),
    },
    Plant {
        name: "python-quota",
        about: "a CPU quota that another process of the group uses up, and a wait of Python",
        args: "python/sleep --wait 5ms --count 20 --slack 1ns",
        expected: &["throttled"],
        makes: Makes::Tail,
        culprits: &[],
        next_to: Neighbour::Quota,
    },
    Plant {
        name: "python-slack",
        about: "5 ms of timer slack, and a wait of Python",
        args: "python/sleep --wait 10ms --count 30 --slack 5ms",
        expected: &["timer-slack"],
        makes: Makes::All,
        culprits: &[],
        next_to: Neighbour::Nothing,
    },
    Plant {
        name: "java-hog",
        about: "two busy processes on the CPU of a wait of Java",
        args: "java/park-nanos --wait 2ms --count 100 --slack 1ns",
        expected: &["run-queue"],
        makes: Makes::Tail,
        culprits: &[HOG],
        next_to: Neighbour::Hogs(2),
    },
    Plant {
        name: "java-quota",
        about: "a CPU quota that another process of the group uses up, and a wait of Java",
        args: "java/park-nanos --wait 5ms --count 20 --slack 1ns",
        expected: &["throttled"],
        makes: Makes::Tail,
        culprits: &[],
        next_to: Neighbour::Quota,
    },
    Plant {
        name: "java-slack",
        about: "5 ms of timer slack, and a wait of Java",
        args: "java/park-nanos --wait 10ms --count 30 --slack 5ms",
        expected: &["timer-slack"],
        makes: Makes::All,
        culprits: &[],
        next_to: Neighbour::Nothing,
    },
];

const HOG: &str = "planted-hog";
const OTHER_HOG: &str = "other-hog";
const FIFO: &str = "planted-fifo";
const KERNEL_THREAD: &str = "khugepaged";

/// Runs the tool next to the plant, and returns its report.
pub fn run(sh: &Shell, tool: &Path, plant: &Plant, cpu: usize) -> Result<Value> {
    const BUSY: &str = "while :; do :; done";
    const HALF: &str = "while :; do i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done; \
                        sleep 0.01; done";
    let named = |name: &str, script: &str| format!("printf {name} > /proc/self/comm; {script}");
    let _kernel = match plant.next_to {
        Neighbour::KernelThread => Some(BusyThread::start(cpu)?),
        _ => None,
    };
    let group = match plant.next_to {
        Neighbour::Quota => Some(Group::new()?),
        _ => None,
    };
    let loops = match plant.next_to {
        Neighbour::Hogs(n) => {
            let hog = || Loop::shell(&pinned(cpu), &named(HOG, BUSY));
            (0..n).map(|_| hog()).collect::<Result<Vec<_>>>()?
        }
        Neighbour::TwoHogs => {
            let hog = |name| Loop::shell(&pinned(cpu), &named(name, BUSY));
            vec![hog(HOG)?, hog(OTHER_HOG)?]
        }
        Neighbour::Fifo | Neighbour::Storm if !sh::is_root(sh) => bail!("it needs root"),
        Neighbour::Storm if !sh::has("perf") => bail!("perf is not installed"),
        Neighbour::Storm => {
            let storm = Loop::start(&storm(cpu))?;
            wait_for_interrupts(cpu)?;
            vec![storm]
        }
        Neighbour::Fifo => {
            let fifo = ["chrt", "-f", "10"].map(str::to_owned);
            vec![Loop::shell(&[&fifo[..], &pinned(cpu)].concat(), &named(FIFO, HALF))?]
        }
        Neighbour::Quota => vec![Loop::shell(&pinned(cpu), BUSY)?],
        Neighbour::Nothing | Neighbour::Stop | Neighbour::KernelThread => Vec::new(),
    };
    let mut command = Command::new(tool);
    command.arg("waits").args(plant.args.split(' '));
    command.args(["--why", "--json", "-q", "--cpu", &cpu.to_string()]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
    if let Some(group) = &group {
        for id in loops.iter().map(|started| started.0.id()).chain([child.id()]) {
            group.take(id)?;
        }
    }
    if matches!(plant.next_to, Neighbour::Stop) {
        stop_for_a_while(child.id())?;
    }
    let out = child.wait_with_output()?;
    drop(loops);
    if !out.status.success() {
        bail!("chronoscope waits {}: {}", plant.args, out.status);
    }
    Ok(serde_json::from_slice(&out.stdout)?)
}

/// Waits until there are more than ten timer interrupts per millisecond on this CPU.
fn wait_for_interrupts(cpu: usize) -> Result<()> {
    let count = || -> Result<u64> {
        let text = fs::read_to_string("/proc/interrupts")?;
        let line = text.lines().find_map(|line| line.trim_start().strip_prefix("LOC:"));
        let words = line.and_then(|line| line.split_whitespace().nth(cpu));
        words.and_then(|n| n.parse().ok()).context("/proc/interrupts counts no timers")
    };
    for _ in 0..50 {
        let before = count()?;
        sleep(Duration::from_millis(100));
        if count()? > before + 1_000 {
            return Ok(());
        }
    }
    bail!("perf made no timer interrupts")
}

/// The command that makes the kernel sample by a timer on one CPU. Nobody reads the samples.
fn storm(cpu: usize) -> Vec<String> {
    let line = format!("perf record -q -e cpu-clock -c 20000 -o /dev/null -C {cpu}");
    line.split(' ').map(str::to_owned).collect()
}

fn pinned(cpu: usize) -> Vec<String> {
    sh::pinned(cpu).to_vec()
}

/// Stops a process after its calibration, in the middle of its waits, and lets it go on.
fn stop_for_a_while(id: u32) -> Result<()> {
    let send = |signal: &str| -> Result<()> {
        let sent = Command::new("kill").args([signal, &id.to_string()]).status()?;
        ensure!(sent.success(), "kill {signal} {id}: {sent}");
        Ok(())
    };
    sleep(Duration::from_millis(350));
    send("-STOP")?;
    sleep(Duration::from_millis(50));
    send("-CONT")
}

/// A program that runs until this value is dropped.
struct Loop(Child);

impl Loop {
    fn start(words: &[String]) -> Result<Self> {
        let (program, args) = words.split_first().context("no command")?;
        let child =
            Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).spawn();
        child.map(Self).with_context(|| format!("cannot start {program}"))
    }

    /// Runs a shell script, with the words of `before` in front of the shell.
    fn shell(before: &[String], script: &str) -> Result<Self> {
        let shell = ["sh", "-c", script].map(str::to_owned);
        Self::start(&[before, &shell[..]].concat())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // An error means that it has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The kernel's thread that makes huge pages, on one CPU, at the usual nice value and without its
/// pauses, until this value is dropped (Linux Documentation/admin-guide/mm/transhuge.rst).
struct BusyThread {
    pid: String,
    /// Its pause in milliseconds, whose memory it looks at, and its CPUs, as they were.
    pause: String,
    enabled: String,
    cpus: String,
    /// Memory that it looks at again and again.
    _memory: Vec<u8>,
}

impl BusyThread {
    const PAUSE: &str = "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs";

    const ENABLED: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

    fn start(cpu: usize) -> Result<Self> {
        let enabled = fs::read_to_string(Self::ENABLED).context("there are no huge pages")?;
        let chosen = enabled.split(['[', ']']).nth(1).context("nothing is chosen")?.to_owned();
        let pause = fs::read_to_string(Self::PAUSE).context("this kernel has no khugepaged")?;
        let found = output("pgrep", &["-x", KERNEL_THREAD])?;
        let pid = found.trim().to_owned();
        ensure!(!pid.is_empty(), "khugepaged does not run: huge pages are off");
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let cpus = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let cpus = cpus.context("no CPUs are named")?.trim().to_owned();
        let mut thread = Self { pid, pause, enabled: chosen, cpus, _memory: Vec::new() };
        fs::write(Self::ENABLED, "always").context("it needs root")?;
        thread._memory = vec![1; 64 << 20];
        output("taskset", &["-pc", &cpu.to_string(), &thread.pid])?;
        output("renice", &["-n", "0", "-p", &thread.pid])?;
        fs::write(Self::PAUSE, "0")?;
        let time = || -> Result<u64> {
            let text = fs::read_to_string(format!("/proc/{}/schedstat", thread.pid))?;
            Ok(text.split_whitespace().next().context("no time")?.parse()?)
        };
        let before = time()?;
        sleep(Duration::from_millis(500));
        ensure!(time()? > before + 50_000_000, "khugepaged has nothing to do");
        Ok(thread)
    }
}

impl Drop for BusyThread {
    fn drop(&mut self) {
        // It is the kernel's own thread, so all of this is put back whatever fails.
        let _ = fs::write(Self::PAUSE, self.pause.trim());
        let _ = fs::write(Self::ENABLED, &self.enabled);
        let _ = output("taskset", &["-pc", &self.cpus, &self.pid]);
        let _ = output("renice", &["-n", "19", "-p", &self.pid]);
    }
}

/// What a program writes.
fn output(program: &str, args: &[&str]) -> Result<String> {
    let out = Command::new(program).args(args).output().context(program.to_owned())?;
    ensure!(out.status.success(), "{program}: {}", String::from_utf8_lossy(&out.stderr).trim());
    Ok(String::from_utf8(out.stdout)?)
}

/// A control group of either version with a quota of a fifth of a CPU, which contains nothing else.
struct Group(PathBuf);

impl Group {
    fn new() -> Result<Self> {
        let name = format!("chronoscope-blame-{}", std::process::id());
        let first = Path::new("/sys/fs/cgroup/cpu");
        let (root, quota, weight) = if first.join("cpu.cfs_quota_us").exists() {
            (first, ("cpu.cfs_quota_us", "20000"), ("cpu.shares", "100000"))
        } else {
            let root = Path::new("/sys/fs/cgroup");
            (root, ("cpu.max", "20000 100000"), ("cpu.weight", "10000"))
        };
        let group = Self(root.join(name));
        fs::create_dir(&group.0).context("control groups are not writable")?;
        // With its weight, the group uses up its quota next to whatever else runs.
        for (name, value) in [quota, weight] {
            fs::write(group.0.join(name), value).with_context(|| format!("no {name}"))?;
        }
        Ok(group)
    }

    fn take(&self, id: u32) -> Result<()> {
        fs::write(self.0.join("cgroup.procs"), id.to_string())
            .with_context(|| format!("process {id} cannot be moved to a group"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its processes have been waited for, but the kernel may still be removing them.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            sleep(Duration::from_millis(10));
        }
    }
}
