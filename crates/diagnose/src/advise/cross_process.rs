//! Times compared between processes, threads and CPUs of one machine.

use super::{About, How, Purpose, interval};
use crate::pick::{Choice, chosen, figures, handed_over, none, rejected, slow_because};
use crate::reading::{counter_may_jump, tsc_objection};
use crate::system::{Code, System, with};
use chronoscope_model::Report;

pub(super) const PURPOSE: Purpose = Purpose {
    id: "cross-process",
    title: "Compare times between processes and CPUs",
    short: "",
    page: About {
        needs: "One zero and one rate for all processes and CPUs since the machine started.",
        rules_out: "A bare counter: no system guarantees that the counters of several CPUs agree, \
                    and its ticks mean nothing to other programs. Wall clocks: a step between the \
                    two reads ruins the comparison. Clocks of a language that have a zero of their \
                    own.",
        advised: "The system's monotonic clock, as a number: CLOCK_MONOTONIC in nanoseconds.",
        trap: "Rust's Instant and Go's time.Time cannot be sent to another process. A container \
               in a time namespace has an offset to its host. None of this holds between machines.",
        references: &["clock_gettime(2)", "time_namespaces(7)"],
    },
    how: How::Clock { choose, code: |_, system| lines(system) },
};

fn choose(report: &Report) -> Choice {
    let Some(clock) = interval::system_clock(report) else {
        return none(report, interval::CLOCKS);
    };
    let env = &report.environment;
    let raw = tsc_objection(env).or_else(|| counter_may_jump(env));
    let raw = raw.unwrap_or_else(|| {
        "no system guarantees that counters agree across CPUs, and ticks mean nothing to other \
         programs"
            .into()
    });
    let why = format!(
        "{}; one zero and one rate for all processes since the machine started.{}{}{}",
        figures(clock),
        handed_over(clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("x86/rdtsc-intrinsic", raw.as_str()),
                ("posix/realtime", "a step between the two reads ruins the comparison"),
            ],
        )
    );
    chosen(clock, why)
}

fn lines(system: System) -> Code {
    let base = with(
        interval::stamps(system),
        &[
            ("C++", "auto t = std::chrono::steady_clock::now().time_since_epoch();"),
            ("Java", "long ns = System.nanoTime();  // HotSpot; not guaranteed"),
            ("Python", "import time\nns = time.monotonic_ns()"),
            ("JavaScript", "const ns = process.hrtime.bigint();"),
        ],
    );
    match system {
        System::Windows => with(
            base,
            &[
                (
                    "Rust",
                    "use windows_sys::Win32::System::Performance::*;\n\
                     let mut ticks = 0;\n\
                     unsafe { QueryPerformanceCounter(&mut ticks) };",
                ),
                (
                    "Go",
                    "var ticks int64  // golang.org/x/sys/windows\n\
                     qpc := windows.NewLazySystemDLL(\"kernel32.dll\").NewProc(\n    \
                     \"QueryPerformanceCounter\")\n\
                     qpc.Call(uintptr(unsafe.Pointer(&ticks)))",
                ),
            ],
        ),
        System::Linux | System::Mac | System::Other => with(
            base,
            &[
                (
                    "Rust",
                    "use rustix::time::{clock_gettime, ClockId};\n\
                     let t = clock_gettime(ClockId::Monotonic);",
                ),
                (
                    "Go",
                    "var ts unix.Timespec  // golang.org/x/sys/unix\n\
                     unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)",
                ),
            ],
        ),
    }
}
