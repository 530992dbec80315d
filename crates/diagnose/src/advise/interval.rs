//! A duration within one process.

use super::{About, How, Purpose};
use crate::pick::{Choice, chosen, figures_over, first_of, none, rejected, slow_because};
use crate::system::{Code, System, code, with};
use crate::verdict::COARSE_NS;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Kind};

pub(super) const PURPOSE: Purpose = Purpose {
    id: "interval",
    title: "Measure a duration in one process",
    short: "Measure a duration",
    page: About {
        needs: "A clock that never goes backwards, is never stepped, keeps the length of a second, \
                agrees on every CPU, and resolves a microsecond.",
        rules_out: "A wall clock, which is stepped when a person or NTP sets it. A coarse clock: \
                    its tick is milliseconds. CLOCK_MONOTONIC_RAW, whose rate is not disciplined. \
                    A bare counter, whose rate must be calibrated first. A system call if the vDSO \
                    reads the same clock in user space.",
        advised: "The system's own monotonic clock: clock_gettime(CLOCK_MONOTONIC), \
                  QueryPerformanceCounter, mach_absolute_time, or the language's wrapper of it if \
                  that costs at most a quarter more.",
        trap: "The two reads take time themselves, and the shorter the interval, the more that \
               matters: below a microsecond see micro. On Linux the clock stops while the machine \
               is suspended: see boot.",
        references: &[
            "clock_gettime(2)",
            "https://learn.microsoft.com/windows/win32/sysinfo/\
             acquiring-high-resolution-time-stamps",
            "docs/METHOD.md",
        ],
    },
    how: How::Clock { choose, code: |_, system| lines(system) },
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

/// The system's monotonic clock: one that resolves a microsecond if there is one.
pub(crate) fn system_clock(report: &Report) -> Option<&Clock> {
    let fine = |c: &Clock| c.kind == Kind::Monotonic && c.step_ns().is_none_or(|ns| ns < COARSE_NS);
    first_of(report, CLOCKS, fine)
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Monotonic))
}

fn choose(report: &Report) -> Choice {
    let Some(clock) = system_clock(report) else {
        return none(report, CLOCKS);
    };
    let why = format!(
        "{}; it is never stepped and agrees on every CPU.{}{}",
        figures_over(report, clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("linux/monotonic-coarse", "its tick is too long"),
                ("posix/realtime", "it is stepped when the clock is set"),
                ("linux/monotonic-raw", "its rate is not disciplined, so its second may be off"),
                (
                    "x86/rdtsc-intrinsic",
                    "its rate must be calibrated first, and it may be read early"
                ),
                ("linux/monotonic-syscall", "the same clock, read more slowly"),
            ],
        )
    );
    chosen(clock, why)
}

/// The code that measures a duration; other purposes build on it.
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
        ("Rust", "let t0 = std::time::Instant::now();\nlet d = t0.elapsed();"),
        (
            "C#",
            "long t0 = System.Diagnostics.Stopwatch.GetTimestamp();\n\
             TimeSpan d = System.Diagnostics.Stopwatch.GetElapsedTime(t0);",
        ),
        ("Java", "long t0 = System.nanoTime();\nlong ns = System.nanoTime() - t0;"),
        ("Go", "t0 := time.Now()\nfmt.Println(time.Since(t0))"),
        ("Python", "import time\nt0 = time.perf_counter_ns()\nns = time.perf_counter_ns() - t0"),
        ("JavaScript", "const t0 = performance.now();\nconst ms = performance.now() - t0;"),
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

/// The code that takes one timestamp.
pub(crate) fn stamps(system: System) -> Code {
    let c = match system {
        System::Windows => "LARGE_INTEGER t;\nQueryPerformanceCounter(&t);",
        System::Mac => "uint64_t ns = clock_gettime_nsec_np(CLOCK_UPTIME_RAW);",
        System::Linux | System::Other => "struct timespec t;\nclock_gettime(CLOCK_MONOTONIC, &t);",
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
