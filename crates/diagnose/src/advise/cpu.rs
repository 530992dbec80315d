//! CPU time used.

use super::{About, How, Purpose};
use crate::pick::{Choice, chosen, figures, first_of, none, rejected};
use crate::system::{Code, System, code, with};
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Kind};

pub(super) const PURPOSE: Purpose = Purpose {
    id: "cpu",
    title: "Measure CPU time",
    short: "Measure CPU time",
    page: About {
        needs: "A clock that counts only while the process or the thread runs, with a tick of a \
                millisecond or less.",
        rules_out: "Every clock that runs while the process sleeps. Accounting in scheduler ticks, \
                    such as times(2), if there is a finer clock.",
        advised: "CLOCK_PROCESS_CPUTIME_ID for all threads, CLOCK_THREAD_CPUTIME_ID for the \
                  calling one.",
        trap: "It is a system call, about ten times slower than reading the time of day. It does \
               not show how long something took: waiting costs no CPU time. In a process with \
               several threads it runs faster than time.",
        references: &["clock_gettime(2)", "clock_getcpuclockid(3)", "getrusage(2)"],
    },
    how: How::Clock { choose, code: |_, system| lines(system) },
};

const CLOCKS: &[&str] = &[
    "posix/process-cputime",
    "posix/thread-cputime",
    "c/clock",
    "c/getrusage",
    "c/times",
    "windows/querythreadcycletime",
];

fn choose(report: &Report) -> Choice {
    let fine = |c: &Clock| c.kind == Kind::Cpu && c.step_ns().is_none_or(|ns| ns <= 1e6);
    let clock = first_of(report, &CLOCKS[..1], fine)
        .or_else(|| first_of(report, CLOCKS, fine))
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Cpu));
    let Some(clock) = clock else {
        return none(report, CLOCKS);
    };
    let whose = match clock.id.as_str() {
        "posix/thread-cputime" | "windows/querythreadcycletime" => {
            "only the calling thread, and stops while it sleeps"
        }
        _ => "all threads of the process, and stops while they sleep",
    };
    let why = format!(
        "{}; it counts {whose}.{}",
        figures(clock),
        rejected(
            report,
            &[
                ("posix/thread-cputime", "only the calling thread, which may be what you want"),
                ("c/clock", "the same, truncated to microseconds"),
                ("c/times", "in scheduler ticks"),
                ("c/getrusage", "user and system time separately, in microseconds"),
            ]
            .iter()
            .filter(|(id, _)| *id != clock.id)
            .copied()
            .collect::<Vec<_>>(),
        )
    );
    chosen(clock, why)
}

fn lines(system: System) -> Code {
    let posix = "struct timespec t;\nclock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);";
    let base = code(&[
        ("C", posix),
        ("C++", posix),
        (
            "Rust",
            "use rustix::time::{clock_gettime, ClockId};\n\
             let t = clock_gettime(ClockId::ProcessCPUTime);",
        ),
        ("C#", "TimeSpan t = Environment.CpuUsage.TotalTime;  // .NET 9"),
        (
            "Java",
            "var os = (com.sun.management.OperatingSystemMXBean)\n    \
             java.lang.management.ManagementFactory\n    \
             .getOperatingSystemMXBean();\n\
             long ns = os.getProcessCpuTime();",
        ),
        (
            "Go",
            "var ts unix.Timespec  // golang.org/x/sys/unix\n\
             unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts)",
        ),
        ("Python", "import time\nns = time.process_time_ns()"),
        ("JavaScript", "const { user, system } = process.cpuUsage();  // in us"),
    ]);
    match system {
        System::Windows => {
            let c = "FILETIME made, ended, kernel, user;\n\
                     GetProcessTimes(GetCurrentProcess(),\n                \
                     &made, &ended, &kernel, &user);";
            with(
                base,
                &[
                    ("C", c),
                    ("C++", c),
                    (
                        "Rust",
                        "use windows_sys::Win32::Foundation::FILETIME;\n\
                         use windows_sys::Win32::System::Threading::*;\n\
                         let mut t = [FILETIME::default(); 4];\n\
                         let [made, ended, kernel, user] = &mut t;\n\
                         let me = unsafe { GetCurrentProcess() };\n\
                         unsafe { GetProcessTimes(me, made, ended, kernel, user) };",
                    ),
                    (
                        "Go",
                        "var made, ended, kernel, user windows.Filetime\n\
                         windows.GetProcessTimes(windows.CurrentProcess(),\n    \
                         &made, &ended, &kernel, &user)",
                    ),
                ],
            )
        }
        System::Mac | System::Linux | System::Other => base,
    }
}
