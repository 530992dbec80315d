//! The sequence lock under every interleaving that the memory model allows.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p chronoscope --release --test loom`
#![cfg(loom)]

mod sync {
    pub use loom::sync::atomic::{AtomicU64, Ordering, fence};

    pub fn pause() {
        loom::thread::yield_now();
    }
}

#[path = "../src/seqlock.rs"]
#[allow(dead_code)]
mod seqlock;

use loom::sync::Arc;
use loom::thread;
use seqlock::SeqLock;
use sync::AtomicU64;

fn lock() -> Arc<SeqLock<2>> {
    let word = || AtomicU64::new(0);
    Arc::new(SeqLock::new(word(), [word(), word()]))
}

/// Two writes by one writer: a reader sees the words of one of them, never a mixture.
#[test]
fn words_are_never_torn() {
    loom::model(|| {
        let lock = lock();
        let writer = {
            let lock = lock.clone();
            thread::spawn(move || {
                lock.write([1, 10]);
                lock.write([2, 20]);
            })
        };
        if let Some([a, b]) = lock.try_read::<2>() {
            assert_eq!(b, a * 10);
        }
        writer.join().unwrap();
    });
}

/// A reader that has seen new words never sees older ones.
#[test]
fn reads_do_not_go_back() {
    loom::model(|| {
        let lock = lock();
        let writer = {
            let lock = lock.clone();
            thread::spawn(move || lock.write([1, 10]))
        };
        let first = lock.try_read::<2>();
        let second = lock.try_read::<2>();
        if let (Some(first), Some(second)) = (first, second) {
            assert!(second[0] >= first[0]);
        }
        writer.join().unwrap();
    });
}

/// A reader that waits gets the words, and does not wait for ever.
#[test]
fn waiting_readers_get_through() {
    loom::model(|| {
        let lock = lock();
        let writer = {
            let lock = lock.clone();
            thread::spawn(move || lock.write([3, 30]))
        };
        let [a, b] = lock.read();
        assert_eq!(b, a * 10);
        writer.join().unwrap();
    });
}
