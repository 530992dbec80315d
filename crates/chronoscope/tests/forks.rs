//! Children that are forked at random moments of the first read and of every other call, while
//! other threads of the parent are in the middle of one.
//!
//! 10,000 children with `CHRONOSCOPE_STRESS=full`, otherwise some hundred.

#[cfg(target_os = "linux")]
mod process;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
    use std::time::Duration;

    use chronoscope::steady::SteadyClock;
    use chronoscope::wait::{Effort, Waiter};
    use chronoscope::wall::{FOLLOWS_WITHIN, WallClock};
    use chronoscope::witness::{Disturbance, Level, Witness};
    use chronoscope::{Clock, Instant, Keeper, Steady, Wall};

    use super::process::{self, End, fork};

    /// What has not been read yet.
    struct Fresh {
        clock: Clock,
        steady: SteadyClock,
        wall: WallClock,
    }

    impl Fresh {
        /// Every call that shares something with other threads.
        fn use_all(&self) {
            let start = self.clock.now();
            let earlier = self.steady.now(&self.clock);
            self.wall.now(&self.clock);
            self.clock.sync();
            self.wall.sync(&self.clock);
            let _ = self.wall.now_bounded(&self.clock);
            let _ = self.clock.describe();
            self.clock.bounded_since(start);
            self.clock.undisturbed_since(start);
            assert!(self.steady.now(&self.clock) >= earlier);
        }
    }

    /// What the busy threads use at the moment.
    static CURRENT: AtomicPtr<Fresh> = AtomicPtr::new(std::ptr::null_mut());
    static DONE: AtomicBool = AtomicBool::new(false);

    fn busy() {
        while !DONE.load(Ordering::Relaxed) {
            // SAFETY: null, or leaked, so it is valid for ever.
            if let Some(fresh) = unsafe { CURRENT.load(Ordering::Acquire).as_ref() } {
                fresh.use_all();
            }
            Clock::global().sync();
            Wall::sync();
            let _ = Steady::now();
            let _ = Clock::global().describe();
        }
    }

    /// What a child does: all of it must come to an end, and be right.
    fn child(fresh: &Fresh, keeper: Keeper, thorough: bool) -> i32 {
        fresh.use_all();
        let (steady, start) = (Steady::now(), Instant::now());
        Clock::global().sync();
        let _ = Clock::global().describe();
        assert!(keeper.is_alone());
        drop(keeper);
        Waiter::on(&fresh.clock, Effort::Economy).sleep(Duration::from_micros(100));
        chronoscope::wait::sleep(Duration::from_micros(100));
        assert!(Steady::now() > steady && start.elapsed_ns() > 0);
        let mut witness = Witness::new(Level::Marks);
        // The library's own wait may spin for so short a time. A sleep whose timer fires before the
        // thread gave its CPU up, as when the host stops it, is none that the kernel switched.
        let mut sleep_is_seen = || {
            witness.begin();
            std::thread::sleep(Duration::from_micros(100));
            witness.end().saw(Disturbance::Preempted) != Some(false)
        };
        assert!((0..10).any(|_| sleep_is_seen()));
        if thorough {
            // A line that nobody renews is this old by then, and its bound has grown to 200 us.
            // One that was just renewed is tight, unless this process was interrupted.
            std::thread::sleep(FOLLOWS_WITHIN * 2);
            let tight = |wall: &dyn Fn() -> u64| (0..50).any(|_| wall() < 100_000);
            assert!(tight(&|| fresh.wall.now_bounded(&fresh.clock).tracking));
            assert!(tight(&|| Wall::now_bounded().tracking));
        }
        // A keeper of its own runs, and ends.
        drop(Clock::global().keep(Duration::from_millis(1)).unwrap());
        0
    }

    pub fn main() {
        let count = if process::full() { 10_000 } else { 300 };
        let _keeper = Clock::global().keep(Duration::from_millis(1)).unwrap();
        let threads: Vec<_> = (0..3).map(|_| std::thread::spawn(busy)).collect();
        let mut state = 1u64;
        for number in 0..count {
            let fresh: &'static Fresh = Box::leak(Box::new(Fresh {
                clock: Clock::new(),
                steady: SteadyClock::new(),
                wall: WallClock::new(),
            }));
            CURRENT.store(std::ptr::from_ref(fresh).cast_mut(), Ordering::Release);
            // xorshift; the first read takes some 300 us.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            process::spin(Duration::from_nanos(state % 500_000));
            let keeper = Clock::global().keep(Duration::from_millis(1)).unwrap();
            // The child has a copy of the keeper, and the parent keeps its own.
            let mut keeper = Some(keeper);
            let ended = fork(30, || child(fresh, keeper.take().unwrap(), number % 50 == 0));
            assert_eq!(ended.end(), End::Exited(0), "child {number}");
            drop(keeper);
        }
        DONE.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().unwrap();
        }
        println!("{count} children");
    }
}
