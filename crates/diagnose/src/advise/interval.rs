//! A duration within one process.

use super::{About, Purpose};
use crate::pick::{Choice, chosen, dear, figures, first_of, none, rejected};
use crate::reading::source;
use crate::system::{Code, System, code, with};
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Kind};

pub(super) const PURPOSE: Purpose = Purpose {
    id: "interval",
    title: "Measure a duration in one process",
    page: About {
        needs: "A clock that never goes back and is never stepped, runs at the rate of a second, \
             holds on every processor, and shows a microsecond.",
        rules_out: "A wall clock, which is stepped when someone or NTP sets it. A coarse clock: its tick \
             is milliseconds. CLOCK_MONOTONIC_RAW, whose rate nothing disciplines. A bare \
             counter: its ticks are of a rate that must be found first. A system call where the \
             vDSO reads the same clock in user space.",
        advised: "The system's own monotonic clock: clock_gettime(CLOCK_MONOTONIC), \
             QueryPerformanceCounter, mach_absolute_time, or the language's wrapper of it where \
             that is no more than a quarter dearer.",
        trap: "Two reads take time themselves, and the shorter the interval the more that counts: \
             below a microsecond see micro. On Linux the clock stands still while the machine is \
             suspended: see boot.",
        references: &[
            "clock_gettime(2)",
            "https://learn.microsoft.com/windows/win32/sysinfo/acquiring-high-resolution-time-stamps",
            "docs/METHOD.md",
        ],
    },
    choose,
    code: |_, system| lines(system),
};

/// The system's own monotonic clocks, then the languages' wrappers of them.
pub(crate) const CLOCKS: &[&str] = &[
    "posix/monotonic",
    "windows/qpc",
    "darwin/clock_gettime_nsec_np-uptime-raw",
    "mach/absolute_time",
    "rust/instant",
    "cxx/steady_clock",
];

/// The system's monotonic clock, where it is fine enough to see a microsecond.
pub(crate) fn system_clock(report: &Report) -> Option<&Clock> {
    let fine = |c: &Clock| {
        c.kind == Kind::Monotonic
            && crate::reading::tick(c).is_none_or(|ns| ns < crate::verdict::COARSE_NS)
    };
    first_of(report, CLOCKS, fine).or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Monotonic))
}

fn choose(report: &Report) -> Choice {
    let Some(clock) = system_clock(report) else {
        return none(report, CLOCKS);
    };
    let over = source(&report.environment).map_or(String::new(), |s| format!(" over {s}"));
    let why = format!(
        "{}; it is never stepped and holds on every CPU.{}{}",
        figures(clock).replacen(" a read", &format!(" a read{over}"), 1),
        dear(report, clock),
        rejected(
            report,
            &[
                ("linux/monotonic-coarse", "its tick is too long"),
                ("posix/realtime", "it is stepped when the clock is set"),
                ("linux/monotonic-raw", "its rate is not disciplined, so a second is not one"),
                ("x86/rdtsc-intrinsic", "ticks of a rate that must be found first, and read out of order"),
                ("linux/monotonic-syscall", "the same clock by a dearer way"),
            ],
        )
    );
    chosen(clock, why)
}

/// The code for a duration; other purposes build on it.
pub(crate) fn lines(system: System) -> Code {
    let posix = "struct timespec t0, t1;\n\
                 clock_gettime(CLOCK_MONOTONIC, &t0);\n\
                 clock_gettime(CLOCK_MONOTONIC, &t1);\n\
                 long long ns = (t1.tv_sec - t0.tv_sec) * 1000000000LL\n             \
                 + t1.tv_nsec - t0.tv_nsec;";
    let base = code(&[
        ("C", posix),
        (
            "C++",
            "auto t0 = std::chrono::steady_clock::now();\n\
             auto d = std::chrono::steady_clock::now() - t0;",
        ),
        (
            "Rust",
            "let t0 = std::time::Instant::now();\nlet d = t0.elapsed();",
        ),
        (
            "C#",
            "long t0 = System.Diagnostics.Stopwatch.GetTimestamp();\n\
             TimeSpan d = System.Diagnostics.Stopwatch.GetElapsedTime(t0);",
        ),
        (
            "Java",
            "long t0 = System.nanoTime();\nlong ns = System.nanoTime() - t0;",
        ),
        ("Go", "t0 := time.Now()\nfmt.Println(time.Since(t0))"),
        (
            "Python",
            "import time\nt0 = time.perf_counter_ns()\nns = time.perf_counter_ns() - t0",
        ),
        (
            "JavaScript",
            "const t0 = performance.now();\nconst ms = performance.now() - t0;",
        ),
    ]);
    match system {
        System::Windows => with(
            base,
            &[(
                "C",
                "LARGE_INTEGER hz, t0, t1;\n\
                 QueryPerformanceFrequency(&hz);\n\
                 QueryPerformanceCounter(&t0);\n\
                 QueryPerformanceCounter(&t1);\n\
                 double s = (double)(t1.QuadPart - t0.QuadPart) / hz.QuadPart;",
            )],
        ),
        System::Mac => with(
            base,
            &[(
                "C",
                "uint64_t t0 = clock_gettime_nsec_np(CLOCK_UPTIME_RAW);\n\
                 uint64_t ns = clock_gettime_nsec_np(CLOCK_UPTIME_RAW) - t0;",
            )],
        ),
        System::Linux | System::Other => base,
    }
}

/// The same with one read, for stamps.
pub(crate) fn stamps(system: System) -> Code {
    let c = match system {
        System::Windows => "LARGE_INTEGER t;\nQueryPerformanceCounter(&t);",
        System::Mac => "uint64_t ns = clock_gettime_nsec_np(CLOCK_UPTIME_RAW);",
        System::Linux | System::Other => {
            "struct timespec t;\nclock_gettime(CLOCK_MONOTONIC, &t);"
        }
    };
    with(
        lines(system),
        &[
            ("C", c),
            ("C++", "auto t = std::chrono::steady_clock::now();"),
            ("Rust", "let t = std::time::Instant::now();"),
            ("C#", "long t = System.Diagnostics.Stopwatch.GetTimestamp();"),
            ("Java", "long ns = System.nanoTime();"),
            ("Python", "import time\nns = time.perf_counter_ns()"),
            ("JavaScript", "const ms = performance.now();"),
        ],
    )
}
