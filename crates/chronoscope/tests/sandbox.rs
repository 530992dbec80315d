//! Every call under a filter that kills the process for any system call that the documentation of
//! the crate does not name, installed before the first read and after it.

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod process;

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn main() {}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn main() {
    linux::main();
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod linux {
    use std::hint::black_box;
    use std::sync::Mutex;
    use std::time::Duration;

    use chronoscope::mock::{Real, Timer};
    use chronoscope::wait::{self, Effort, Ticker, Waiter};
    use chronoscope::witness::{Level, Witness};
    use chronoscope::{Clock, Instant, Steady, Ticks, Wall, Wanted, counter, ordered};

    use super::process::{self, Denied, End, fork};

    /// What any process needs to end, and to say why it panicked.
    const ENDING: &[libc::c_long] = &[libc::SYS_exit_group, libc::SYS_write];

    /// What the documentation names for every read and check.
    const READS: &[libc::c_long] = &[
        libc::SYS_prctl,
        libc::SYS_mmap,
        libc::SYS_madvise,
        libc::SYS_munmap,
        libc::SYS_clock_gettime,
    ];

    /// And in addition for waits.
    const WAITS: &[libc::c_long] = &[libc::SYS_clock_nanosleep];

    /// What the allocator of the C library may do.
    const ALLOCATES: &[libc::c_long] = &[libc::SYS_brk, libc::SYS_mremap, libc::SYS_mprotect];

    /// What starting and ending a thread takes.
    const THREADS: &[libc::c_long] = &[
        libc::SYS_clone,
        libc::SYS_clone3,
        libc::SYS_exit,
        libc::SYS_futex,
        libc::SYS_gettid,
        libc::SYS_mprotect,
        libc::SYS_brk,
        libc::SYS_rseq,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_yield,
        libc::SYS_set_robust_list,
        libc::SYS_sigaltstack,
    ];

    type Call = (&'static str, &'static [&'static [libc::c_long]], fn());

    fn seen<T>(value: T) {
        black_box(value);
    }

    fn moment() -> Instant {
        Instant::from_ticks(counter::now())
    }

    const SHORT: Duration = Duration::from_micros(300);

    /// One waiter for all calls, so that a filter may come between its first wait and the next.
    fn wake_cpu_first() {
        static CLOCK: Clock = Clock::new();
        static WAITER: Mutex<Waiter<'_>> = Mutex::new(Waiter::on(&CLOCK, Effort::Balanced));
        let mut waiter = WAITER.lock().unwrap();
        seen(waiter.wake_cpu_first());
        seen(waiter.sleep(Duration::from_millis(2)));
    }

    const CALLS: &[Call] = &[
        ("Instant::now", &[], || seen(Instant::now())),
        ("Instant::now_ordered", &[], || seen(Instant::now_ordered())),
        ("Instant::start", &[], || seen(Instant::start())),
        ("Instant::stop", &[], || seen(Instant::stop())),
        ("ordered::Instant::now", &[], || seen(ordered::Instant::now().elapsed())),
        ("elapsed_ns", &[], || seen(moment().elapsed_ns())),
        ("elapsed", &[], || seen(moment().elapsed())),
        ("elapsed of a long time", &[], || seen(Instant::from_ticks(1).elapsed())),
        ("elapsed of the future", &[], || seen(Instant::from_ticks(u64::MAX).elapsed())),
        ("elapsed_bounded", &[], || seen(moment().elapsed_bounded())),
        ("duration_since", &[], || seen(moment().duration_since(Instant::from_ticks(1)))),
        ("checked_add", &[], || seen(moment().checked_add(Duration::from_secs(9)))),
        ("checked_sub", &[], || seen(moment().checked_sub(Duration::from_secs(9)))),
        ("to_std", &[], || seen(moment().to_std())),
        ("from_std", &[], || seen(Instant::from_std(std::time::Instant::now()))),
        ("Steady::now", &[], || seen(Steady::now())),
        ("Wall::now", &[], || seen(Wall::now())),
        ("Wall::now_bounded", &[], || seen(Wall::now_bounded())),
        ("Wall::sync", &[], Wall::sync),
        ("Wall::system_time", &[], || seen(Wall::system_time())),
        ("choose", &[], || seen(Clock::global().choose(Wanted::Auto))),
        ("sync", &[], || seen(Clock::global().sync())),
        ("calibrate", &[], || seen(Clock::global().calibrate())),
        ("scale", &[], || seen(Clock::global().scale())),
        ("between", &[], || seen(Clock::global().between(Ticks(1), Ticks(u64::MAX)))),
        ("between_bounded", &[], || {
            seen(Clock::global().between_bounded(Ticks(1), Ticks(u64::MAX)))
        }),
        ("undisturbed_since", &[], || seen(Clock::global().undisturbed_since(Ticks(1)))),
        ("describe", &[ALLOCATES], || seen(Clock::global().describe())),
        ("wait::sleep", &[WAITS], || seen(wait::sleep(SHORT))),
        ("wait::sleep_until", &[WAITS], || seen(wait::sleep_until(Instant::now() + SHORT))),
        ("Waiter", &[WAITS], || seen(Waiter::new(Effort::Precise).sleep(SHORT))),
        ("shorten_slice", &[], || seen(Waiter::new(Effort::Precise).shorten_slice())),
        ("wake_cpu_first", &[WAITS], wake_cpu_first),
        ("Ticker", &[WAITS], || seen(Ticker::new(SHORT).map(|mut ticker| ticker.tick()))),
        ("Real", &[WAITS], || seen(Real.sleep(SHORT))),
        ("Witness", &[], || {
            let mut witness = Witness::new(Level::Gauges);
            witness.begin();
            seen(witness.end());
        }),
        ("keep", &[THREADS, WAITS], || seen(Clock::global().keep(Duration::from_millis(1)))),
    ];

    pub fn main() {
        assert_eq!(
            fork(30, || i32::from(!process::filter(ENDING, true, Denied::Kill))).end(),
            End::Exited(0),
            "the kernel has no filters"
        );
        // The filter does kill.
        let killed = fork(30, || {
            process::filter(ENDING, true, Denied::Kill);
            seen(std::fs::File::open("/proc/self/status"));
            0
        });
        assert_eq!(killed.end(), End::Killed(libc::SIGSYS));
        for denied in [Denied::Kill, Denied::Refuse] {
            for used_before in [false, true] {
                for (name, more, call) in CALLS {
                    let lists = [ENDING, READS].into_iter().chain(more.iter().copied());
                    let allowed: Vec<_> = lists.flatten().copied().collect();
                    let child = fork(30, || {
                        if used_before {
                            call();
                        }
                        assert!(process::filter(&allowed, true, denied));
                        call();
                        0
                    });
                    assert_eq!(child.end(), End::Exited(0), "{name}, before: {used_before}");
                }
            }
        }
        println!("{} calls", CALLS.len());
    }
}
