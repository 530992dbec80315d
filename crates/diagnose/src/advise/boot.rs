//! Elapsed time that includes suspend.

use super::{About, How, Purpose, interval};
use crate::pick::{Choice, chosen, figures, first_of, none, rejected, slow_because};
use crate::system::{Code, System, code, with};
use chronoscope_model::Report;
use chronoscope_model::clock::Kind;

pub(super) const PURPOSE: Purpose = Purpose {
    id: "boot",
    title: "Measure elapsed time, including suspend",
    short: "",
    page: About {
        needs: "A monotonic clock that keeps running while the machine is suspended: for leases, \
                tokens, alarms.",
        rules_out: "CLOCK_MONOTONIC on Linux, which stops during suspend. Wall clocks, which \
                    include suspend but are stepped.",
        advised: "CLOCK_BOOTTIME, QueryInterruptTimePrecise, mach_continuous_time.",
        trap: "CLOCK_MONOTONIC includes suspend on macOS but not on Linux: one name, two clocks. \
               The time-outs of epoll, poll and nanosleep use the clock that stops.",
        references: &[
            "clock_gettime(2), CLOCK_BOOTTIME",
            "https://developer.apple.com/documentation/kernel/1646199-mach_continuous_time",
        ],
    },
    how: How::Clock { choose, code: |_, system| lines(system) },
};

const CLOCKS: &[&str] = &[
    "linux/boottime",
    "windows/queryinterrupttimeprecise",
    "windows/queryinterrupttime",
    "windows/gettickcount64",
    "mach/continuous_time",
];

fn choose(report: &Report) -> Choice {
    let Some(clock) = first_of(report, &CLOCKS[..2], |c| c.kind == Kind::Monotonic)
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Monotonic))
    else {
        return none(report, CLOCKS);
    };
    let why = format!(
        "{}; it keeps running while the machine is suspended and is never stepped.{}{}",
        figures(clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("posix/monotonic", "on Linux it stops while the machine is suspended"),
                ("posix/realtime", "it includes suspend, but is stepped when the clock is set"),
            ],
        )
    );
    chosen(clock, why)
}

fn lines(system: System) -> Code {
    let linux = "struct timespec t;\nclock_gettime(CLOCK_BOOTTIME, &t);";
    match system {
        System::Linux => code(&[
            ("C", linux),
            ("C++", linux),
            (
                "Rust",
                "use rustix::time::{clock_gettime, ClockId};\n\
                 let t = clock_gettime(ClockId::Boottime);",
            ),
            (
                "C#",
                "var s = double.Parse(  // 10 ms steps\n    \
                 File.ReadAllText(\"/proc/uptime\").Split(' ')[0],\n    \
                 System.Globalization.CultureInfo.InvariantCulture);",
            ),
            (
                "Java",
                "double s = Double.parseDouble(java.nio.file.Files.readString(\n    \
                 java.nio.file.Path.of(\"/proc/uptime\"))  // IOException\n    \
                 .split(\" \")[0]);  // 10 ms steps",
            ),
            (
                "Go",
                "var ts unix.Timespec  // golang.org/x/sys/unix\n\
                 unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)",
            ),
            ("Python", "import time\nns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)"),
            ("JavaScript", "const s = require(\"node:os\").uptime();  // 10 ms steps"),
        ]),
        System::Windows => with(
            interval::lines(system),
            &[
                ("C", "ULONGLONG t;  // 100 ns\nQueryInterruptTimePrecise(&t);"),
                ("C++", "ULONGLONG t;  // 100 ns\nQueryInterruptTimePrecise(&t);"),
                (
                    "Rust",
                    "use windows_sys::Win32::System::SystemInformation::*;\n\
                     let ms = unsafe { GetTickCount64() };",
                ),
                ("JavaScript", "const s = require(\"node:os\").uptime();"),
            ],
        ),
        System::Mac => with(
            interval::lines(system),
            &[
                ("C", "uint64_t t = mach_continuous_time();"),
                ("C++", "uint64_t t = mach_continuous_time();"),
                ("Python", "import time\nns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)"),
                ("JavaScript", "const s = require(\"node:os\").uptime();"),
            ],
        ),
        System::Other => interval::lines(system),
    }
}
