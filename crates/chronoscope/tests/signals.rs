//! Signals whose handler uses the clock, from before the first read onwards: it interrupts first
//! reads, checks and every other call, and must neither hang nor see time go back.
//!
//! A million signals with `CHRONOSCOPE_STRESS=full`, otherwise some thousand.

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
    use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
    use std::time::Duration;

    use chronoscope::steady::SteadyClock;
    use chronoscope::wall::WallClock;
    use chronoscope::{Clock, Instant, Steady, Wall};

    use super::process;

    /// What has not been read yet.
    struct Fresh {
        clock: Clock,
        steady: SteadyClock,
        wall: WallClock,
    }

    static CURRENT: AtomicPtr<Fresh> = AtomicPtr::new(std::ptr::null_mut());
    static SIGNALS: AtomicU64 = AtomicU64::new(0);
    static FAULTS: AtomicU64 = AtomicU64::new(0);
    static LAST_STEADY: AtomicU64 = AtomicU64::new(0);

    /// Everything that the documentation allows in a handler.
    extern "C" fn handler(_signal: libc::c_int) {
        let start = Instant::now();
        let steady = Steady::now();
        let mut fine = LAST_STEADY.fetch_max(steady, Ordering::Relaxed) <= steady;
        fine &= Wall::now() > 1_600_000_000_000_000_000;
        Clock::global().sync();
        // SAFETY: null, or in use by the only thread, which this handler interrupts.
        if let Some(fresh) = unsafe { CURRENT.load(Ordering::Acquire).as_ref() } {
            let before = fresh.clock.now_ordered();
            let steady = fresh.steady.now(&fresh.clock);
            fresh.wall.now(&fresh.clock);
            fresh.clock.sync();
            fresh.clock.bounded_since(before);
            fine &= fresh.steady.now(&fresh.clock) >= steady;
            fine &= fresh.clock.now_ordered() >= before;
        }
        fine &= start.elapsed() < Duration::from_secs(10);
        FAULTS.fetch_add(u64::from(!fine), Ordering::Relaxed);
        SIGNALS.fetch_add(1, Ordering::Relaxed);
    }

    pub fn main() {
        let count = if process::full() { 1_000_000 } else { 4_000 };
        process::every(Duration::from_micros(250), handler);
        let start = Instant::now();
        let mut rounds = 0u64;
        while SIGNALS.load(Ordering::Relaxed) < count {
            let fresh = Box::new(Fresh {
                clock: Clock::new(),
                steady: SteadyClock::new(),
                wall: WallClock::new(),
            });
            CURRENT.store(std::ptr::from_ref(&*fresh).cast_mut(), Ordering::Release);
            let mut last = fresh.clock.now_ordered();
            let mut steady = fresh.steady.now(&fresh.clock);
            for _ in 0..200 {
                fresh.wall.now(&fresh.clock);
                fresh.clock.sync();
                fresh.wall.sync(&fresh.clock);
                let (now, nanos) = (fresh.clock.now_ordered(), fresh.steady.now(&fresh.clock));
                assert!(now >= last && nanos >= steady);
                (last, steady) = (now, nanos);
            }
            chronoscope::wait::sleep(Duration::from_micros(300));
            // There is only this thread, so no handler is using it after this.
            CURRENT.store(std::ptr::null_mut(), Ordering::SeqCst);
            rounds += 1;
        }
        assert_eq!(FAULTS.load(Ordering::Relaxed), 0);
        println!("{count} signals in {:?}, {rounds} first reads", start.elapsed());
        // The timer ends with the process, but its signals must not interrupt the end.
        process::exit(0);
    }
}
