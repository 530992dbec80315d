//! Threads to which the counter is forbidden (`PR_SET_TSC`), next to others that may read it; and
//! processes that can read no clock at all.

#[cfg(target_os = "linux")]
mod process;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() {
    linux::main();
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod linux {
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use chronoscope::wait::{Effort, Waiter};
    use chronoscope::wall::WallClock;
    use chronoscope::{Clock, Source, wait};

    use super::process::{self, Denied, End, fork};

    /// A thread that may read the counter uses a clock of its own in between.
    fn threads_differ() -> i32 {
        static FIRST: Clock = Clock::new();
        static SECOND: Clock = Clock::new();
        static THIRD: Clock = Clock::new();
        let (ask, asked) = channel::<()>();
        let (answer, answered) = channel();
        let other = std::thread::spawn(move || {
            for () in asked {
                SECOND.now();
                SECOND.sync();
                answer.send(SECOND.describe().source).unwrap();
            }
        });
        // Forbidden to this thread only: the other one exists already.
        if !process::forbid_counter() {
            return 0;
        }
        let start = FIRST.now();
        assert_eq!(FIRST.describe().source, Source::Os);
        ask.send(()).unwrap();
        answered.recv().unwrap();
        // Again here, and a clock that is new.
        assert!(FIRST.now() >= start);
        WallClock::new().now(&FIRST);
        THIRD.now();
        assert_eq!(THIRD.describe().source, Source::Os);
        Waiter::on(&THIRD, Effort::Balanced).sleep(Duration::from_millis(1));
        let _ = WallClock::new().now_bounded(&THIRD);
        wait::sleep(Duration::from_millis(1));
        drop(ask);
        other.join().unwrap();
        0
    }

    /// Neither the counter nor the system's clocks: waits still end, and not early.
    fn no_clock() -> i32 {
        if !process::forbid_counter() {
            return 0;
        }
        let denied = [libc::SYS_clock_gettime, libc::SYS_gettimeofday];
        assert!(process::filter(&denied, false, Denied::Refuse));
        for time in [0, 20_000, 2_000_000, 20_000_000].map(Duration::from_nanos) {
            wait::sleep(time);
            for effort in [Effort::Economy, Effort::Precise] {
                Waiter::new(effort).sleep(time);
            }
        }
        0
    }

    pub fn main() {
        for _ in 0..20 {
            assert_eq!(fork(30, threads_differ).end(), End::Exited(0));
        }
        let start = Instant::now();
        assert_eq!(fork(30, no_clock).end(), End::Exited(0));
        if fork(30, || i32::from(process::forbid_counter())).end() == End::Exited(1) {
            assert!(start.elapsed() >= Duration::from_micros(3 * 22_020));
        }
    }
}
