//! The published words under every interleaving that the memory model allows.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p chronoscope --release --test loom`
//!
//! What else threads share stands alone: one word each, with nothing published behind it (the
//! recent moment, the number of the process, facts that every thread finds alike).
#![cfg(loom)]

mod sync {
    pub use loom::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};
}

#[path = "../src/publish.rs"]
#[allow(dead_code)]
mod publish;

use loom::sync::Arc;
use loom::thread;
use publish::{Published, Slot, set_first};
use sync::{AtomicU8, AtomicU64, Ordering};

const PROCESS: u64 = 1;

fn board<const S: usize>() -> Arc<Published<2, S>> {
    let word = || AtomicU64::new(0);
    let slots = std::array::from_fn(|_| Slot::new(word(), [word(), word()]));
    Arc::new(Published::new(word(), slots))
}

/// Two writes by one writer: a reader sees the words of one of them, never a mixture.
#[test]
fn words_are_never_torn() {
    loom::model(|| {
        let board = board::<2>();
        let writer = {
            let board = board.clone();
            thread::spawn(move || {
                for number in 1..=2 {
                    let (stamp, _) = board.read();
                    assert!(board.replace(stamp, &[number, number * 10], PROCESS));
                }
            })
        };
        if let Some((_, [a, b])) = board.try_read::<2>() {
            assert_eq!(b, a * 10);
        }
        writer.join().unwrap();
    });
}

/// A reader that has seen new words never sees older ones.
#[test]
fn reads_do_not_go_back() {
    loom::model(|| {
        let board = board::<2>();
        let writer = {
            let board = board.clone();
            thread::spawn(move || {
                let (stamp, _) = board.read();
                board.replace(stamp, &[1, 10], PROCESS)
            })
        };
        let first = board.try_read::<2>();
        let second = board.try_read::<2>();
        if let (Some((_, first)), Some((_, second))) = (first, second) {
            assert!(second[0] >= first[0]);
        }
        writer.join().unwrap();
    });
}

/// Of two writers that saw the same words, exactly one replaces them, if there are slots for both.
#[test]
fn one_of_two_writers_wins() {
    loom::model(|| {
        let board = board::<3>();
        let write = |number| {
            let board = board.clone();
            let (stamp, _) = board.read();
            thread::spawn(move || board.replace(stamp, &[number, number * 10], PROCESS))
        };
        let (one, two) = (write(1), write(2));
        let won = [one.join().unwrap(), two.join().unwrap()];
        assert!(won[0] != won[1], "{won:?}");
        let (_, [a, b]) = board.read();
        assert_eq!((a, b), if won[0] { (1, 10) } else { (2, 20) });
    });
}

/// A writer that a fork left behind, at any point, stops neither readers nor writers.
#[test]
fn a_writer_that_was_left_behind_holds_up_nobody() {
    loom::model(|| {
        let word = || AtomicU64::new(0);
        let torn = [AtomicU64::new(7), AtomicU64::new(1)];
        let slots = [Slot::new(word(), [word(), word()]), Slot::new(AtomicU64::new(PROCESS), torn)];
        let board: Published<2, 2> = Published::new(word(), slots);
        let (stamp, words) = board.read();
        assert_eq!(words, [0, 0]);
        assert!(!board.replace(stamp, &[1, 10], PROCESS));
        assert!(board.replace(stamp, &[1, 10], PROCESS + 1));
        assert_eq!(board.read().1, [1, 10]);
    });
}

/// Two threads publish, and store what they find where others read it: the last publication stays.
#[test]
fn the_last_publication_prevails() {
    loom::model(|| {
        let (board, place) = (board::<3>(), Arc::new(AtomicU64::new(0)));
        let publish = |number| {
            let (board, place) = (board.clone(), place.clone());
            move || {
                let (stamp, _) = board.read();
                board.replace(stamp, &[number, 0], PROCESS);
                board.follow::<1>(|[word]| place.store(word, Ordering::Relaxed));
            }
        };
        let other = thread::spawn(publish(1));
        publish(2)();
        other.join().unwrap();
        assert_eq!(place.load(Ordering::Relaxed), board.read().1[0]);
    });
}

/// The first read in two threads, one of which goes on to publish that the counter is given up,
/// beside a reader.
#[test]
fn whoever_sees_the_source_sees_what_it_needs() {
    const COUNTER: u8 = 1;
    const INSTEAD: u8 = 8;
    struct Clock {
        mode: AtomicU8,
        places: [AtomicU64; 2],
        board: Arc<Published<2, 2>>,
    }
    impl Clock {
        fn choose(&self) {
            let [multiplier, limit] = &self.places;
            set_first([(multiplier, 1), (limit, 1)], (&self.mode, COUNTER));
        }

        fn give_up(&self) {
            let (stamp, _) = self.board.read();
            assert!(self.board.replace(stamp, &[2, 20], PROCESS));
            self.board.follow::<1>(|[word]| {
                self.places[0].store(word, Ordering::Relaxed);
                self.mode.store(INSTEAD, Ordering::Release);
            });
        }
    }
    loom::model(|| {
        let (mode, word) = (AtomicU8::new(0), || AtomicU64::new(0));
        let clock = Arc::new(Clock { mode, places: [word(), word()], board: board() });
        let (one, other) = (clock.clone(), clock.clone());
        let one = thread::spawn(move || {
            one.choose();
            one.give_up();
        });
        let other = thread::spawn(move || other.choose());
        let mode = clock.mode.load(Ordering::Acquire);
        if mode != 0 {
            assert!(clock.places.iter().all(|place| place.load(Ordering::Relaxed) != 0));
        }
        if mode == INSTEAD {
            assert!(!clock.board.read().0.is_first());
        }
        one.join().unwrap();
        other.join().unwrap();
        assert_eq!(clock.mode.load(Ordering::Relaxed), INSTEAD);
        assert_eq!(clock.places[0].load(Ordering::Relaxed), 2);
    });
}
