//! What the kernel, a sandbox or a hypervisor keeps this process from doing.

use super::fault::{FAULT, Fault, LINUX, TIME64, TSC, clear_if, found, unknown_tsc, why};
use super::kernel_log::also_logged;
use chronoscope_model::environment::TscKind;
use chronoscope_model::{Certainty, Level, Page};

pub(super) const ADJTIMEX_DENIED: Fault = Fault {
    page: Page {
        names: &["adjtimex-denied"],
        title: "The kernel can neither be asked about the clock's state nor steer it",
        about: "adjtimex(2) was refused, mostly by a sandbox's filter of system calls or in a \
                container without CAP_SYS_TIME. Whether the clock is synchronised, slewed, or \
                about to be stepped by a leap second is therefore unknown, which is neither good \
                nor bad. A program that should steer the clock fails there; the host steers it.",
        how: "the error of adjtimex(2), the log of chrony and ntpd",
        act: "Allow adjtimex in the container's profile (Docker allows it with CAP_SYS_TIME; a \
              newer profile allows reading), or ask on the host.",
        references: &["adjtimex(2)", "prometheus/node_exporter, timex collector"],
        ..Page::EMPTY
    },
    certainty: Certainty::Unknown,
    minor: true,
    only: &[LINUX],
    by_glance: Some(true),
    look: |report| {
        if let Some(look) = also_logged(report, Level::Warning, "adjtimex-denied") {
            return Ok(look);
        }
        let keeping = report.environment.keeping.as_ref();
        let error = keeping.and_then(|it| it.adjtimex_refused.as_ref());
        let look = found(Level::Info, error.map(|error| format!("adjtimex: {error}")));
        clear_if(keeping.and_then(|it| it.adjtimex).ok_or("adjtimex(2) was not called"), look)
    },
    ..FAULT
};

pub(super) const RDTSCP_FORBIDDEN: Fault = Fault {
    page: Page {
        names: &["rdtscp-forbidden"],
        title: "RDTSCP is not available",
        about: "RDTSCP reads the counter after all earlier instructions, and the CPU's number \
                with it. This processor, or the hypervisor or enclave around it, does not offer \
                it, and the instruction raises SIGILL.",
        how: "CPUID 0x80000001 EDX[27], the flag rdtscp in /proc/cpuinfo",
        act: "Read the counter with `lfence; rdtsc` instead. In a virtual machine, use a CPU \
              model that has the feature.",
        references: &["Intel SDM vol. 2B, RDTSCP", "CPUID 0x80000001 EDX[27]", "occlum/ngo#38"],
        ..Page::EMPTY
    },
    minor: true,
    only: &[TSC],
    look: |report| {
        let tsc = report.environment.tsc.as_ref().ok_or_else(|| unknown_tsc(report))?;
        let missing = !tsc.rdtscp && tsc.kind != TscKind::None;
        Ok(found(Level::Info, missing.then(|| "CPUID 0x80000001 EDX[27]=0".into())))
    },
    ..FAULT
};

pub(super) const SLEEPS_REFUSED: Fault = Fault {
    page: Page {
        names: &["sleeps-refused"],
        title: "Sleeps or clocks are refused to this process",
        about: "A sandbox's filter of system calls, or a kernel that lacks the call, refuses to \
                sleep or to read a clock. Since glibc 2.31 nanosleep, sleep and usleep make the \
                call clock_nanosleep: programs then fail, or spin because they take the error for \
                an interruption. Rust's std::thread::sleep panics.",
        how: "clock_nanosleep for no time, and the errors of the calls that sleep and read clocks",
        act: "Allow clock_nanosleep and clock_nanosleep_time64 (and what the evidence names) in \
              the profile of the sandbox, or update libseccomp and the container runtime, or the \
              kernel (WSL 1: use WSL 2).",
        references: &[
            "clock_nanosleep(2)",
            "elastic/beats#33831",
            "microsoft/WSL#4898",
            "NetworkConfiguration/dhcpcd#128",
        ],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    by_glance: Some(true),
    only: &[LINUX],
    look: |report| {
        /// The most calls that are named.
        const NAMED: usize = 4;
        // strerror(3) of EPERM, ENOSYS and EINVAL: WSL 1 answers the last.
        let refused = |reason: &str| {
            ["not permitted", "not implemented", "Invalid argument"]
                .iter()
                .any(|words| reason.contains(words))
        };
        let keeping = report.environment.keeping.as_ref();
        let tried = keeping.and_then(|keeping| keeping.sleep_refused.clone());
        if tried.is_none() && report.clocks.is_empty() && report.waits.is_empty() {
            return Err(why(report, "sleeps", "neither clocks nor sleeps were tried"));
        }
        let sleeps = report.waits.iter().filter_map(|wait| {
            let reason = wait.unavailable_reason.as_deref()?;
            let calls = !wait.elsewhere && wait.call.contains("nanosleep") && refused(reason);
            calls.then(|| format!("{}: {reason}", wait.id))
        });
        let sleeps: Vec<String> = sleeps.take(NAMED).collect();
        let clocks = report.clocks.iter().filter_map(|clock| {
            let reason = clock.unavailable_reason.as_deref()?;
            let calls = ["clock_gettime", "gettimeofday", "time("];
            let calls = calls.iter().any(|call| clock.call.contains(call));
            let refused = !clock.elsewhere && calls && reason.contains("not permitted");
            refused.then(|| format!("{}: {reason}", clock.id))
        });
        let clocks: Vec<String> = clocks.take(NAMED).collect();
        let preloaded = tried.as_ref().is_some_and(|why| why.contains("preloaded"));
        let sleeps: Vec<String> = tried.into_iter().chain(sleeps).collect();
        let level = if sleeps.is_empty() { Level::Warning } else { Level::Error };
        Ok(found(level, sleeps.into_iter().chain(clocks)).fix(|| match preloaded {
            true => {
                "Start programs without that library (`env -u LD_PRELOAD …`): its clocks fail, \
                     and Rust's panic. The tool measured without it."
                    .into()
            }
            false => SLEEPS_REFUSED.page.act.into(),
        }))
    },
    ..FAULT
};

pub(super) const TIME64_BLOCKED: Fault = Fault {
    page: Page {
        names: &["time64-blocked"],
        title: "A 32-bit program may not ask for the time in 64 bits",
        about: "A C library that keeps time in 64 bits calls clock_gettime64. A sandbox with an \
                older list of system calls refuses it with EPERM, which the library does not \
                treat as a missing call, so programs see the year 1970 or fail.",
        how: "the error of clock_gettime64 in a 32-bit build, the log of chrony",
        act: "On the host, update libseccomp to 2.4.2 or later and the container runtime with it \
              (Docker 19.03.9, runc 1.0.0-rc93), or allow the calls ending in `_time64` and `64` \
              in its profile. `--security-opt seccomp=unconfined` is a stopgap.",
        references: &["moby/moby#40734", "seccomp/libseccomp 2.4.2"],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    only: &[LINUX, TIME64],
    look: |report| {
        if let Some(look) = also_logged(report, Level::Error, "time64-blocked") {
            return Ok(look);
        }
        let error = report.environment.keeping.as_ref().and_then(|it| it.time64.as_deref());
        // ENOSYS: the kernel is older than the call (5.1), and the C library makes another.
        let error = error.filter(|error| !matches!(*error, "" | "ENOSYS"));
        Ok(found(
            Level::Error,
            error.map(|error| format!("clock_gettime64(CLOCK_REALTIME): {error}")),
        ))
    },
    ..FAULT
};

pub(super) const TSC_FORBIDDEN: Fault = Fault {
    page: Page {
        names: &["tsc-forbidden"],
        title: "This process may not read the TSC, nor the time through the vDSO",
        about: "The process, or the one that started it, has forbidden itself to read the counter \
                (prctl(PR_SET_TSC)). An rdtsc then raises SIGSEGV, and so does clock_gettime, \
                because the vDSO reads the counter too. A dynamically linked program does not \
                even start, because its loader reads it.",
        how: "prctl(PR_GET_TSC), before the first read",
        act: "Do not set PR_TSC_SIGSEGV for programs that read the time, or allow it again with \
              prctl(PR_SET_TSC, PR_TSC_ENABLE). Until then, only the raw system call \
              clock_gettime is safe.",
        references: &["prctl(2), PR_SET_TSC", "Linux tools/testing/selftests/prctl"],
        ..Page::EMPTY
    },
    only: &[LINUX, TSC],
    look: |report| {
        let permitted = report.environment.tsc.as_ref().and_then(|tsc| tsc.permitted);
        let unknown = "the kernel does not say whether the process may read the TSC";
        let forbidden = !permitted.ok_or(unknown)?;
        Ok(found(Level::Error, forbidden.then(|| "prctl(PR_GET_TSC): PR_TSC_SIGSEGV".into())))
    },
    ..FAULT
};
