//! What corrects the system's clocks, what sets them, and what they leave out.

use super::fault::{
    Clear, FAULT, Fault, LINUX, Look, adjtimex, clear_if, found, moved, stated, why,
};
use super::kernel_log::also_logged;
use crate::reading::short;
use chronoscope_model::environment::Environment;
use chronoscope_model::timekeeping::{Adjtimex, PROGRAMS};
use chronoscope_model::units::{count, plural};
use chronoscope_model::{Certainty, Level, Page, Report};

const ON_LINUX: Fault = Fault { only: &[LINUX], ..FAULT };

/// The running programs whose task it is to correct the clock. The others are the tools of
/// hypervisors, which do so only if that is switched on.
fn time_programs(env: &Environment) -> impl Iterator<Item = &str> {
    let programs = env.keeping.iter().flat_map(|keeping| &keeping.programs);
    let programs = programs.flatten().map(String::as_str);
    programs.filter(|program| !PROGRAMS.contains(&(program, true)))
}

pub(super) const CLOCK_BACKWARDS: Fault = Fault {
    page: Page {
        names: &["clock-backwards"],
        title: "A clock went backwards",
        about: "On one thread, a read returned a smaller value than the read before it. \
                Differences between values of such a clock can be negative, or enormous if they \
                are unsigned.",
        how: "successive reads of each clock on one thread",
        act: "Do not measure with it. For a wall clock, find out what set it (chronyc tracking, \
              timedatectl, the hypervisor's tools); for a counter, look at the findings about the \
              TSC.",
        references: &["Linux arch/x86/kernel/tsc_sync.c (TSC warp)"],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    by_library: true,
    look: |report| {
        let read = report.clocks.iter();
        let read = read.filter_map(|clock| Some((&clock.id, clock.backwards.as_ref()?)));
        let watched = report.trust.iter().flat_map(|trust| &trust.clocks);
        let watched = watched.filter_map(|watch| Some((&watch.id, watch.one_thread.as_ref()?)));
        let known = read.clone().next().ok_or("no reads in a row were compared");
        let went = read.chain(watched).filter(|(_, seen)| seen.violations > 0);
        let evidence = went.map(|(id, seen)| {
            let (times, worst) = (count(seen.violations), short(seen.worst_ns));
            let reads = plural(seen.tries, "read", "reads");
            format!("{id}: {times} of {reads} returned less than the one before, by up to {worst}")
        });
        match clear_if(known, found(Level::Error, evidence)) {
            Ok(look @ Look::Found(_)) => Ok(look),
            looked => also_logged(report, Level::Error, "clock-backwards").map_or(looked, Ok),
        }
    },
    ..FAULT
};

pub(super) const CLOCK_SLEWED: Fault = Fault {
    page: Page {
        names: &["clock-slewed"],
        title: "The clock is slewed by a large amount",
        about: "The kernel was told to let its clock run faster or slower than its clock source \
                by more than the error of a crystal. Either a large error is being corrected, or \
                the clock source's rate is wrong. Durations by the system's monotonic clock are \
                off by as much.",
        how: "adjtimex(2), the slew that trust measures, the log of ntpd",
        act: "See what the program that corrects the clock says (`chronyc tracking`). If the \
              correction stays, the rate of the clock source is wrong: tsc-rate-mismatch, \
              watchdog-off. CLOCK_MONOTONIC_RAW is not slewed.",
        references: &["adjtimex(2), freq and tick", "Linux kernel/time/ntp.c"],
        ..Page::EMPTY
    },
    look: |report| {
        /// Crystals of computers are within 100 ppm of their rate.
        const LIMIT_PPM: f64 = 200.0;
        if let Some(look) = also_logged(report, Level::Warning, "clock-slewed") {
            return Ok(look);
        }
        let answer = adjtimex(report)?;
        let ppm = answer.correction_ppm();
        let wall = report.trust.as_ref().and_then(|trust| trust.wall.as_ref());
        let slew = wall.and_then(|wall| wall.slew);
        let slew = slew.filter(|slew| slew.ppm.abs() - slew.error_ppm > LIMIT_PPM);
        if ppm.abs() <= LIMIT_PPM && slew.is_none() {
            return Ok(Clear);
        }
        let told = format!("adjtimex: {}: {ppm:+.1} ppm", answer.line());
        let measured = slew.map(|slew| {
            format!("measured over the run: {:+.1} ±{:.1} ppm", slew.ppm, slew.error_ppm)
        });
        let look = found(Level::Warning, [told].into_iter().chain(measured));
        Ok(look.certain(slew.map(|_| Certainty::Measured)).fix(|| unslewed(report, ppm)))
    },
    ..ON_LINUX
};

/// What to do about a correction of this size.
fn unslewed(report: &Report, ppm: f64) -> String {
    /// No oscillator of a computer is off by this much.
    const WRONG_PPM: f64 = 1_000.0;
    let env = &report.environment;
    if ppm.abs() < WRONG_PPM {
        return CLOCK_SLEWED.page.act.into();
    }
    let percent = -ppm / 1e4;
    let runs = format!(
        "No crystal is off by so much: the clock source itself runs {:.1} % {}, and durations are \
         off by as much wherever the correction is missing (CLOCK_MONOTONIC_RAW, and all clocks \
         before it).",
        percent.abs(),
        if percent > 0.0 { "fast" } else { "slow" }
    );
    let wsl = env.kernel.as_ref().is_some_and(|kernel| kernel.to_lowercase().contains("microsoft"));
    let mend = match (&env.hypervisor, wsl) {
        (_, true) => {
            "The host's reference is wrong: `wsl --shutdown`, or restart Windows, and \
                      install its updates."
        }
        (Some(_), _) => {
            "The hypervisor's reference is wrong: restart the virtual machine or its \
                         host, and update it."
        }
        (None, _) => "Look for the rate that the kernel uses: tsc-rate-mismatch.",
    };
    format!("{runs} {mend}")
}

pub(super) const CLOCK_STEPPED: Fault = Fault {
    page: Page {
        names: &["clock-stepped"],
        title: "The wall clock was stepped",
        about: "During the run, the wall clock moved against the monotonic clock in a way that a \
                slew does not: a person set it, or a program corrected a large error at once. \
                Durations measured with it are wrong by that much, and may be negative.",
        how: "the wall clock against the monotonic clock, before and after, and while trust \
              watches; the log of chrony, ntpd and others",
        act: "Measure durations with a monotonic clock. Find out what sets the clock: the log of \
              chrony, ntpd or systemd-timesyncd, or the hypervisor's tools. chrony's `makestep` \
              should apply to the first few updates only.",
        references: &["clock_gettime(2)", "pingcap/tidb#64342"],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    by_library: true,
    look: |report| {
        /// The smallest step that is reported, in nanoseconds. Interrupts between the reads of two
        /// clocks cause smaller ones.
        const LEAST_NS: u64 = 100_000;
        /// The largest number of steps that are named.
        const NAMED: usize = 4;
        if let Some(look) = also_logged(report, Level::Info, "clock-stepped") {
            return Ok(look);
        }
        moved(report)?;
        let within = report.run.moved.as_ref().and_then(|moved| {
            let by = moved.wall_ns;
            let way = if by > 0 { "forwards" } else { "backwards" };
            let short = short(by.unsigned_abs() as f64);
            // A kernel may round both clocks to a tick of its clock source.
            let stepped = by.unsigned_abs() > LEAST_NS.max(moved.error_ns.unsigned_abs());
            stepped.then(|| format!("by {short} {way} within {:.1} s", report.run.seconds))
        });
        let wall = report.trust.as_ref().and_then(|trust| trust.wall.as_ref());
        let steps = wall.into_iter().flat_map(|wall| &wall.steps);
        let steps = steps.filter(|step| step.by_ns.abs() > LEAST_NS as f64).take(NAMED);
        let steps = steps.map(|step| format!("after {:.1} s: by {:+.0} ns", step.at_s, step.by_ns));
        Ok(found(Level::Warning, within.into_iter().chain(steps)))
    },
    ..FAULT
};

pub(super) const LEAP_PENDING: Fault = Fault {
    page: Page {
        names: &["leap-pending"],
        title: "A leap second is due at the end of this day (UTC)",
        about: "The kernel will insert or delete a second at midnight UTC. The wall clock then \
                repeats or skips one, and durations measured with it across midnight are off by a \
                second.",
        how: "adjtimex(2)",
        act: "Measure durations with a monotonic clock. If there is no leap second (IERS Bulletin \
              C announces them), find out which server says so: `chronyc tracking`, `ntpq -c rv`.",
        references: &["adjtimex(2), STA_INS and STA_DEL", "IERS Bulletin C"],
        ..Page::EMPTY
    },
    look: |report| {
        let answer = adjtimex(report)?;
        let bits = [(Adjtimex::STA_INS, "STA_INS"), (Adjtimex::STA_DEL, "STA_DEL")];
        let set = bits.iter().find(|(bit, _)| answer.status & bit != 0);
        Ok(found(Level::Warning, set.map(|(_, bit)| format!("adjtimex: {}: {bit}", answer.line()))))
    },
    ..ON_LINUX
};

pub(super) const SUSPENDED: Fault = Fault {
    page: Page {
        names: &["suspended"],
        title: "The machine was suspended",
        about: "CLOCK_BOOTTIME, which counts the time in suspension, advanced more than \
                CLOCK_MONOTONIC, which does not. Durations across it differ by that much between \
                the two.",
        how: "CLOCK_BOOTTIME against CLOCK_MONOTONIC, before and after",
        act: "Measure again, without suspending the machine. Use CLOCK_BOOTTIME for timeouts that \
              should count the time in suspension, and CLOCK_MONOTONIC for those that should not.",
        references: &["clock_gettime(2)", "rust-lang/rust#79462"],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    by_library: true,
    look: |report| {
        /// No suspension is shorter than this, in nanoseconds.
        const LEAST_NS: u64 = 10_000_000;
        moved(report)?;
        let Some(moved) = report.run.moved.as_ref() else {
            return Ok(Clear);
        };
        let asleep = moved.suspended_ns.and_then(|ns| u64::try_from(ns).ok());
        let asleep = asleep.filter(|ns| *ns > LEAST_NS.max(moved.error_ns.unsigned_abs()));
        let evidence = asleep.map(|ns| {
            format!("CLOCK_BOOTTIME advanced {} more than CLOCK_MONOTONIC", short(ns as f64))
        });
        Ok(found(Level::Warning, evidence))
    },
    ..ON_LINUX
};

pub(super) const TAI_UNSET: Fault = Fault {
    page: Page {
        names: &["tai-unset"],
        title: "CLOCK_TAI is not set: it gives UTC",
        about: "CLOCK_TAI is UTC plus a number of seconds that a program must set (37 since \
                2017). No program did, so the clock gives UTC and steps at leap seconds as UTC \
                does.",
        how: "adjtimex(2)",
        act: "If you need TAI: `leapsectz right/UTC` in chrony's configuration, or a leap file \
              for ntpd; ptp4l's phc2sys sets it too. Otherwise do not use CLOCK_TAI.",
        references: &["clock_gettime(2), CLOCK_TAI", "adjtimex(2), tai", "IERS Bulletin C"],
        ..Page::EMPTY
    },
    minor: true,
    look: |report| {
        if let Some(look) = also_logged(report, Level::Info, "tai-unset") {
            return Ok(look);
        }
        let answer = adjtimex(report)?;
        Ok(found(Level::Info, (answer.tai_s == 0).then(|| format!("adjtimex: {}", answer.line()))))
    },
    ..ON_LINUX
};

pub(super) const TIME_NAMESPACE: Fault = Fault {
    page: Page {
        names: &["time-namespace"],
        title: "Monotonic and boot time are shifted in this time namespace",
        about: "CLOCK_MONOTONIC and CLOCK_BOOTTIME of this process have an offset from those of \
                the machine. Values from inside and outside cannot be compared. Before Linux 5.11 \
                some system calls and files ignore it.",
        how: "/proc/self/timens_offsets",
        act: "Nothing is wrong if a container was meant to have it, such as one that was restored \
              by CRIU. Compare such times only within the namespace.",
        references: &["time_namespaces(7)", "/proc/self/timens_offsets"],
        ..Page::EMPTY
    },
    look: |report| {
        let shifted = report.environment.keeping.as_ref().and_then(|it| it.time_namespace.as_ref());
        let unknown = "/proc/self/timens_offsets was not read; kernels before 5.6 have none";
        let lines = shifted.ok_or(unknown)?.iter();
        Ok(found(Level::Info, lines.map(|line| format!("/proc/self/timens_offsets: {line}"))))
    },
    ..ON_LINUX
};

pub(super) const TWO_DISCIPLINES: Fault = Fault {
    page: Page {
        names: &["two-disciplines"],
        title: "Two programs can correct the clock",
        about: "Each corrects what the other did: the clock is slewed to and fro, or stepped \
                again and again, and neither program's statement of its error is true. A \
                hypervisor's tools correct the clock only if their time synchronisation is \
                switched on; check whether it is.",
        how: "the names of running programs (/proc/*/comm)",
        act: "Let one program correct the clock: `systemctl disable --now` the other, or switch \
              the time synchronisation of the hypervisor's tools off (`vmware-toolbox-cmd \
              timesync disable`; VBoxService `--disable-timesync`).",
        references: &["vmware/open-vm-tools#652", "chrony FAQ"],
        ..Page::EMPTY
    },
    look: |report| {
        let programs = report.environment.keeping.as_ref().and_then(|it| it.programs.as_ref());
        let otherwise = "the running programs could not be listed";
        let programs = programs.ok_or_else(|| why(report, "programs", otherwise))?;
        let correct = time_programs(&report.environment).count();
        let level = match (correct, programs.len() - correct) {
            (2.., _) => Level::Warning,
            (1, 1..) => Level::Info,
            _ => return Ok(stated(report, "programs").map_or(Clear, Look::Unknown)),
        };
        let look = found(level, [format!("/proc/*/comm: {}", programs.join(", "))]);
        Ok(look.fix(|| undisciplined(programs)))
    },
    ..ON_LINUX
};

/// What to do about these programs.
fn undisciplined(programs: &[String]) -> String {
    let ways = programs.iter().filter_map(|program| match program.as_str() {
        "vmtoolsd" => Some(
            "VMware Tools set the clock at their start and after a resume even if periodic \
             synchronisation is off: `vmware-toolbox-cmd timesync disable`, and the \
             `time.synchronize.*` settings of the virtual machine.",
        ),
        "VBoxService" => Some("VBoxService has `--disable-timesync`."),
        _ => None,
    });
    let first =
        "Let one program correct the clock, and stop the others (`systemctl disable --now`).";
    [first].into_iter().chain(ways).collect::<Vec<_>>().join(" ")
}

/// What to ask the programs that should synchronise the clock.
fn ask(programs: &[String]) -> String {
    let mut ways: Vec<&str> = programs
        .iter()
        .filter_map(|program| match program.as_str() {
            "chronyd" => Some(
                "chronyd runs and has no source that it trusts: `chronyc sources`; give it a \
                 server that it can reach, or `local stratum` where there is no network.",
            ),
            "ntp-daemon" => Some("ntpd-rs runs and lost its servers: `ntp-ctl status`."),
            "systemd-timesyn" => Some("See `timedatectl timesync-status`."),
            "ntpd" | "ntpsec-ntpd" | "openntpd" => Some("See `ntpq -p` or `ntpctl -s status`."),
            _ => None,
        })
        .collect();
    if ways.is_empty() {
        ways.push(UNSYNCHRONISED.page.act);
    }
    ways.join(" ")
}

pub(super) const UNSYNCHRONISED: Fault = Fault {
    page: Page {
        names: &["unsynchronised"],
        title: "The clock is not synchronised",
        about: "The kernel's bound on the error of its clock (maxerror) has reached 16 s, at \
                which it considers the clock unsynchronised: no program has corrected it for \
                hours, or ever. Only this counts. The status bit STA_UNSYNC and a return of 5 \
                alone do not: chrony sets both unless its configuration has `rtcsync`. It is a \
                warning if a program that should correct the clock is running or once ran, and \
                otherwise information.",
        how: "adjtimex(2), the names of running programs",
        act: "Run one program that synchronises the clock, and see what it says: `chronyc \
              tracking`, `timedatectl timesync-status`, `ntpq -p`. In a container, that is the \
              host's task.",
        references: &[
            "adjtimex(2), maxerror",
            "Linux kernel/time/ntp.c, NTP_PHASE_LIMIT",
            "bottlerocket#1183",
            "systemd#13245",
        ],
        ..Page::EMPTY
    },
    minor: true,
    look: |report| {
        let answer = adjtimex(report)?;
        if answer.maxerror_us < Adjtimex::LOST_US {
            return Ok(Clear);
        }
        let running = time_programs(&report.environment).next().is_some();
        let programs = report.environment.keeping.as_ref().and_then(|it| it.programs.as_ref());
        let programs = programs.map(|programs| match programs.as_slice() {
            [] => "none of the programs that correct clocks runs here".into(),
            all => format!("running: {}", all.join(", ")),
        });
        let once = answer.freq != 0 || answer.tai_s != 0;
        let told = format!("adjtimex: {}", answer.line());
        let level = if once || running { Level::Warning } else { Level::Info };
        let known = report.environment.keeping.iter().flat_map(|it| &it.programs);
        let known: Vec<String> = known.flatten().cloned().collect();
        Ok(found(level, [told].into_iter().chain(programs)).fix(|| ask(&known)))
    },
    ..ON_LINUX
};
