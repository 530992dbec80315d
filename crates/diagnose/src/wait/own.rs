//! The lines of a wait that was measured: its call, behind what must be there for it.

use chronoscope_model::waits::Wait;

const SECOND: u64 = 1_000_000_000;

/// `struct timespec duration = { 0, 1000000 };`
pub(super) fn timespec(name: &str, ns: u64) -> String {
    format!(
        "struct timespec {name} = {{ {}, {} }};",
        ns / SECOND,
        ns % SECOND
    )
}

/// A moment of the monotonic clock, so far from now.
fn deadline(ns: u64) -> String {
    let seconds = match ns / SECOND {
        0 => String::new(),
        seconds => format!("deadline.tv_sec += {seconds};\n"),
    };
    format!(
        "struct timespec deadline;\n\
         clock_gettime(CLOCK_MONOTONIC, &deadline);\n\
         {seconds}deadline.tv_nsec += {};\n\
         if (deadline.tv_nsec >= 1000000000) {{\n    \
         deadline.tv_sec++;\n    deadline.tv_nsec -= 1000000000;\n}}\n",
        ns % SECOND
    )
}

/// A spin until a deadline: what takes that, and the turns.
pub(super) struct Spin {
    pub(super) before: String,
    pub(super) turns: String,
}

impl Spin {
    /// With what is to be done between the two; each line of it ends.
    pub(super) fn after(&self, pause: &str) -> String {
        format!("{}{pause}{}", self.before, self.turns)
    }

    /// With nothing between the two.
    pub(super) fn alone(&self) -> String {
        self.after("")
    }
}

/// A spin on the monotonic clock, in C, with what each turn does before it reads.
fn spin_with(ns: u64, turn: &str) -> Spin {
    Spin {
        before: format!(
            "struct timespec t;\n\
             clock_gettime(CLOCK_MONOTONIC, &t);\n\
             long long end = t.tv_sec * 1000000000LL + t.tv_nsec + {ns};\n"
        ),
        turns: format!(
            "do {turn}clock_gettime(CLOCK_MONOTONIC, &t);\n\
             while (t.tv_sec * 1000000000LL + t.tv_nsec < end);"
        ),
    }
}

/// A spin on the monotonic clock, in C.
pub(super) fn spin(ns: u64) -> Spin {
    spin_with(ns, "")
}

pub(super) fn rust_spin(ns: u64) -> Spin {
    Spin {
        before: format!(
            "let t0 = std::time::Instant::now();\n\
             let duration = std::time::Duration::from_nanos({ns});\n"
        ),
        turns: "while t0.elapsed() < duration { std::hint::spin_loop() }".into(),
    }
}

/// A spin on Windows' performance counter.
pub(super) fn qpc_spin(ns: u64) -> Spin {
    Spin {
        before: format!(
            "LARGE_INTEGER hz, now, end;\n\
             QueryPerformanceFrequency(&hz);\n\
             QueryPerformanceCounter(&end);\n\
             end.QuadPart += hz.QuadPart * {ns} / 1000000000;\n"
        ),
        turns: "do QueryPerformanceCounter(&now);\nwhile (now.QuadPart < end.QuadPart);".into(),
    }
}

/// A spin on the counter of Arm's generic timer, with an instruction that waits a little; operand 1
/// is the end.
fn arm_spin(instruction: &str, ns: u64) -> String {
    format!(
        "uint64_t hz, now, end;\n\
         __asm__(\"mrs %0, cntfrq_el0\" : \"=r\"(hz));\n\
         __asm__ volatile(\"mrs %0, cntvct_el0\" : \"=r\"(end));\n\
         end += {ns} * hz / 1000000000;\n\
         do __asm__ volatile(\"{instruction}\\n\\tmrs %0, cntvct_el0\"\n                     \
         : \"=&r\"(now) : \"r\"(end));\n\
         while (now < end);"
    )
}

/// Windows' high-resolution timer; what is negative is a time from now, in 100 ns.
pub(super) fn high_resolution_timer(ns: u64) -> String {
    waitable_timer("CREATE_WAITABLE_TIMER_HIGH_RESOLUTION", ns)
}

fn waitable_timer(flags: &str, ns: u64) -> String {
    format!(
        "HANDLE timer = CreateWaitableTimerExW(NULL, NULL,\n    \
         {flags}, TIMER_ALL_ACCESS);\n\
         LARGE_INTEGER due = {{ .QuadPart = -{}LL }};\n\
         SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE);\n\
         WaitForSingleObject(timer, INFINITE);",
        ns.div_ceil(100)
    )
}

/// The lines for a duration. A method that this version does not know has its call alone, and so has
/// one that spins on the counter where `hz`, its rate, is not known.
pub(super) fn lines(wait: &Wait, ns: u64, hz: Option<f64>) -> String {
    let (s, us) = (ns / SECOND, ns.div_ceil(1000));
    let timeout = timespec("timeout", ns);
    let ticks = hz.map(|hz| {
        let ticks = ns as f64 / 1e9 * hz;
        format!(
            "uint64_t ticks = {ticks:.0};  // {:.6} GHz, this machine's\n",
            hz / 1e9
        )
    });
    let before = match wait.id.as_str() {
        "busy/tsc" | "busy/tsc-bare" => ticks.map_or(String::new(), |ticks| {
            format!("{ticks}uint64_t start = __rdtsc();")
        }),
        "busy/tpause" => ticks.map_or(String::new(), |ticks| {
            format!("{ticks}uint64_t deadline = __rdtsc() + ticks;")
        }),
        "busy/umwait" => ticks.map_or(String::new(), |ticks| {
            format!("{ticks}uint64_t deadline = __rdtsc() + ticks;\nint word = 0;")
        }),
        "busy/sched_yield" => return spin_with(ns, "sched_yield(), ").alone(),
        "busy/monotonic" => return spin(ns).alone(),
        "busy/instant" => return rust_spin(ns).alone(),
        "hybrid/fixed" => {
            return format!(
                "let end = std::time::Instant::now()\n    \
                 + std::time::Duration::from_nanos({ns});\n\
                 let margin = std::time::Duration::from_micros(125);\n\
                 std::thread::sleep(end.duration_since(\n    \
                 std::time::Instant::now() + margin));\n\
                 while std::time::Instant::now() < end {{\n    \
                 std::hint::spin_loop()\n}}"
            );
        }
        "windows/waitable-timer-high-resolution" => return high_resolution_timer(ns),
        "windows/waitable-timer" => return waitable_timer("0", ns),
        "windows/ntdelayexecution" => format!(
            "NTSTATUS (NTAPI *NtDelayExecution)(BOOLEAN, LARGE_INTEGER *) =\n    \
             (void *)GetProcAddress(GetModuleHandleW(L\"ntdll\"),\n    \
             \"NtDelayExecution\");\n\
             LARGE_INTEGER interval = {{ .QuadPart = -{}LL }};",
            ns.div_ceil(100)
        ),
        "busy/qpc" => return qpc_spin(ns).alone(),
        "busy/cntvct" => return arm_spin("yield", ns),
        "busy/wfe" => return arm_spin("wfe", ns),
        "busy/wfet" => return arm_spin("wfet %1", ns),
        "mach/wait_until" => format!(
            "mach_timebase_info_data_t unit;\n\
             mach_timebase_info(&unit);\n\
             uint64_t deadline = mach_absolute_time()\n    \
             + {ns} * (uint64_t)unit.denom / unit.numer;"
        ),
        "darwin/kevent" => format!(
            "int queue = kqueue();\n\
             struct kevent timer, event;\n\
             EV_SET(&timer, 1, EVFILT_TIMER, EV_ADD | EV_ONESHOT,\n       \
             NOTE_NSECONDS, {ns}, NULL);"
        ),
        "linux/nanosleep" | "darwin/nanosleep" | "mingw/nanosleep" => timespec("duration", ns),
        "linux/clock_nanosleep-abs" => deadline(ns),
        "linux/timerfd" => format!(
            "int fd = timerfd_create(CLOCK_MONOTONIC, 0);\n\
             uint64_t expirations;\n\
             struct itimerspec spec = {{ {{ 0, 0 }}, {{ {s}, {} }} }};",
            ns % SECOND
        ),
        "linux/epoll_pwait2" => {
            format!("int fd = epoll_create1(0);\nstruct epoll_event events[1];\n{timeout}")
        }
        "linux/ppoll" => timeout,
        "linux/select" => format!(
            "struct timeval timeout = {{ {s}, {} }};",
            (ns % SECOND).div_ceil(1000)
        ),
        "linux/futex" => format!("uint32_t word = 0;\n{timeout}"),
        "linux/sigtimedwait" => {
            format!("sigset_t empty_set;\nsigemptyset(&empty_set);\n{timeout}")
        }
        "linux/io_uring-timeout" => format!(
            "struct io_uring ring;  // liburing\n\
             io_uring_queue_init(1, &ring, 0);\n\
             struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);\n\
             struct __kernel_timespec ts = {{ {s}, {} }};",
            ns % SECOND
        ),
        "posix/usleep" | "mingw/usleep" => format!("useconds_t microseconds = {us};"),
        "posix/cond_timedwait" => format!(
            "pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
             pthread_condattr_t attr;\n\
             pthread_condattr_init(&attr);\n\
             pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);\n\
             pthread_cond_t cond;\n\
             pthread_cond_init(&cond, &attr);\n\
             pthread_mutex_lock(&mutex);\n{}",
            deadline(ns)
        ),
        "windows/sleep" => format!("DWORD milliseconds = {};", ns.div_ceil(1_000_000)),
        "cxx/sleep_for" | "cxx/sleep_until" => {
            format!("auto duration = std::chrono::nanoseconds({ns});")
        }
        "rust/thread-sleep" | "chronoscope/wait" | "spin_sleep" => {
            format!("let duration = std::time::Duration::from_nanos({ns});")
        }
        "chronoscope/wait-economy" | "chronoscope/wait-precise" => format!(
            "use chronoscope::wait::Effort;\n\
             let duration = std::time::Duration::from_nanos({ns});"
        ),
        _ => String::new(),
    };
    let call = wait.call.trim_end();
    let end = match call.ends_with([';', '}']) {
        true => "",
        false => ";",
    };
    let gap = match before.is_empty() || before.ends_with('\n') {
        true => "",
        false => "\n",
    };
    format!("{before}{gap}{}{end}", folded(call))
}

/// A call that is too long for a line, broken behind a `;` or a bracket.
fn folded(call: &str) -> String {
    const MOST: usize = 66;
    if call.len() < MOST {
        return call.to_owned();
    }
    match call
        .find("; ")
        .map(|at| at + 1)
        .or_else(|| call.find('(').map(|at| at + 1))
    {
        Some(at) if at < call.len() => {
            let (head, tail) = (&call[..at], call[at..].trim_start());
            let indent = if head.ends_with('(') { "    " } else { "" };
            format!("{head}\n{indent}{tail}")
        }
        _ => call.to_owned(),
    }
}
