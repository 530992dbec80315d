//! Reads before `main`, in a global allocator, and in destructors of thread-local variables and
//! after them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chronoscope::{Clock, Instant, Steady, Wall, wait};

/// Times itself, with everything that the documentation allows there.
struct Timed;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static NANOS: AtomicU64 = AtomicU64::new(0);

// On Windows the choice of a clock reads the environment, which takes memory.
#[cfg_attr(unix, global_allocator)]
#[cfg_attr(not(unix), expect(dead_code, reason = "see above"))]
static ALLOCATOR: Timed = Timed;

// SAFETY: all work is done by the system's allocator.
unsafe impl GlobalAlloc for Timed {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = Instant::now();
        // SAFETY: the contract is passed on.
        let place = unsafe { System.alloc(layout) };
        let _ = Steady::now();
        let _ = Wall::now();
        Clock::global().sync();
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        NANOS.fetch_add(start.elapsed_ns(), Ordering::Relaxed);
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the contract is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

static BEFORE_MAIN: AtomicU64 = AtomicU64::new(0);

extern "C" fn before_main() {
    wait::sleep(Duration::from_micros(100));
    let _ = Wall::now();
    BEFORE_MAIN.store(Instant::now_ordered().ticks(), Ordering::Relaxed);
}

#[cfg(target_os = "linux")]
#[used]
// SAFETY: the section holds pointers to functions that take no arguments they must look at.
#[unsafe(link_section = ".init_array")]
static EARLY: extern "C" fn() = before_main;

/// Uses the clock when its thread ends.
struct AtTheEnd(Cell<Option<Instant>>);

static ENDED: AtomicU64 = AtomicU64::new(0);

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        let started = self.0.get().unwrap_or_else(Instant::now);
        wait::sleep(Duration::from_micros(100));
        assert!(Wall::now() > 0 && Steady::now() > 0);
        Clock::global().sync();
        assert!(started.elapsed_ns() >= 100_000);
        ENDED.fetch_add(1, Ordering::Relaxed);
    }
}

thread_local! {
    static FIRST: AtTheEnd = const { AtTheEnd(Cell::new(None)) };
    static SECOND: AtTheEnd = const { AtTheEnd(Cell::new(None)) };
}

fn main() {
    if cfg!(target_os = "linux") {
        let early = Instant::from_ticks(BEFORE_MAIN.load(Ordering::Relaxed));
        assert!(early.ticks() > 0 && early <= Instant::now_ordered());
    } else {
        before_main();
    }
    let threads: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                FIRST.with(|it| it.0.set(Some(Instant::now())));
                // The wait's own memory of this thread comes in between.
                wait::sleep(Duration::from_micros(100));
                SECOND.with(|it| it.0.set(Some(Instant::now())));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(ENDED.load(Ordering::Relaxed), 8);
    let (count, nanos) = (ALLOCATIONS.load(Ordering::Relaxed), NANOS.load(Ordering::Relaxed));
    assert!(cfg!(not(unix)) || (count > 0 && nanos > 0));
    println!("{count} allocations took {nanos} ns");
}
