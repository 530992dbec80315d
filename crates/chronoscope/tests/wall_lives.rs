//! Random lives of a wall clock that is set, slewed, paused and restored: no bound is given that
//! does not hold.
//!
//! Ten million lives with `CHRONOSCOPE_STRESS=full`, as many as that says if it is a number,
//! otherwise 3,000.

use crate::common::{Dice, Event, Sim, World};
use chronoscope::wall::WallClock;
use chronoscope::{Clock, WallInterval, WallState};

/// UTC in a world without pauses, less its time.
const UTC: f64 = 1.7e18;
/// How fast the kernel lets its error grow (kernel/time/ntp.c, MAXFREQ).
const GROWTH: f64 = 500e-6;
/// The brackets after which a thread that shares its CPU has to wait, and for how long, in
/// nanoseconds. No look takes as many, but a trial of the counter, which lasts 200 us, does.
const BRACKETS: f64 = 48.0;
const WAITS: f64 = 198e3;

struct Life {
    clock: Clock<Sim>,
    wall: WallClock,
    dice: Dice,
    /// Whether others have the CPU for most of each trial, as on a busy machine. Such a trial makes
    /// a hundredth of the reads, and between its ends, nothing counts but that none goes back.
    shares: bool,
    seed: u64,
    /// For how long the machine has been paused in all.
    paused: f64,
    /// When something happened that ends the bound, unless the error was set since.
    ended: Option<f64>,
    /// The error that the kernel states, without roundings.
    error: f64,
}

/// What the lives have shown.
#[derive(Default)]
struct Tally {
    given: u64,
    wrong: u64,
    disrupted: u64,
    /// Disruptions since the check, which that could not notice.
    between: u64,
}

impl Tally {
    fn and(self, other: Self) -> Self {
        Self {
            given: self.given + other.given,
            wrong: self.wrong + other.wrong,
            disrupted: self.disrupted + other.disrupted,
            between: self.between + other.between,
        }
    }
}

impl Life {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut world = World::new(dice.one_of(&[24e6, 1e9, 2.599_998e9]));
        world.ticks = 1e13;
        world.os_cost = dice.one_of(&[20.0, 60.0, 700.0]);
        world.marker = dice.one_of(&[None, Some(1)]);
        world.wall_error = None;
        let clock = Clock::on(Sim::new(world));
        let shares = dice.next() % 16 != 0;
        let (wall, paused, ended, error) = (WallClock::new(), 0.0, None, 0.0);
        let mut life = Self { clock, wall, dice, shares, seed, paused, ended, error };
        if life.dice.part() < 0.9 {
            life.set_error();
        }
        // What was before the first read, no read can notice.
        let _ = life.ask(false);
        life
    }

    fn tell<R>(&self, change: impl FnOnce(&mut World) -> R) -> R {
        self.clock.machine().tell(change)
    }

    fn pass(&mut self, ns: f64) {
        self.error += ns * GROWTH;
        let error = self.error;
        self.tell(|world| {
            world.pass(ns);
            world.wall_error = world.wall_error.map(|_| error as u64);
        });
    }

    /// How far the wall clock is ahead of UTC.
    fn ahead(&self) -> f64 {
        self.tell(|world| world.wall_offset - UTC + world.wall_slewed) - self.paused
    }

    /// Whoever keeps the clock states its error, which it knows.
    fn set_error(&mut self) {
        self.error = self.ahead().abs() + self.dice.between(1e3, 1e8);
        let error = self.error;
        self.tell(|world| world.wall_error = Some(error as u64));
        self.ended = None;
    }

    fn disrupt(&mut self) {
        self.ended = Some(self.tell(|world| world.time));
        let (sign, ns) = (self.dice.one_of(&[1.0, -1.0]), self.dice.between(1e2, 1e13));
        let told = self.tell(|world| world.marker.is_some());
        match self.dice.next() % 6 {
            // The wall clock is set, by one who leaves the kernel's error as it is, or does not.
            0 | 1 => {
                let unset = self.dice.part() < 0.5;
                self.tell(|world| {
                    world.wall_offset += sign * ns.round();
                    world.wall_error = world.wall_error.filter(|_| !unset);
                });
            }
            // Nothing but the hypervisor knows of a pause in which the counter stands still, too.
            2 if told => self.pause(ns, 0.0),
            // A snapshot, in which the counter is what it was then. One that is hardly behind can
            // be noticed by nobody but the hypervisor.
            3 => {
                let least = if told { 1e2 } else { 1e10 };
                let behind = self.dice.between(least, 1e12);
                self.pause(ns, -behind);
            }
            4 => {
                let factor = 1.0 + sign * self.dice.between(1e-7, 500e-6);
                self.tell(|world| world.hz *= factor);
            }
            _ => self.pause(ns, ns),
        }
    }

    /// The system's clocks stand still for so long, and the counter goes on by so much.
    fn pause(&mut self, ns: f64, counted: f64) {
        self.paused += ns.round();
        self.tell(|world| {
            world.ticks = (world.ticks + counted * world.hz / 1e9).max(0.0);
            world.marker = world.marker.map(|marker| marker + 1);
        });
    }

    /// Compares an interval with UTC before and after the read.
    fn judge(&self, [before, after]: [f64; 2], told: &WallInterval, tally: &mut Tally) {
        match told.state {
            WallState::Synchronised | WallState::FreeRunning => {}
            WallState::Disrupted => {
                tally.disrupted += 1;
                assert_eq!((told.earliest, told.latest), (0, u64::MAX));
                return;
            }
            _ => return,
        }
        tally.given += 1;
        let utc = |time: f64| UTC as i128 + time as i128 + self.paused as i128;
        // Nothing was checked since.
        let checked = after - told.age as f64 - 2_000.0;
        let holds = i128::from(told.earliest) <= utc(after) + 1
            && utc(before) <= i128::from(told.latest) + 1;
        if !holds && self.ended.is_some_and(|at| at >= checked) && told.age > 0 {
            tally.between += 1;
        } else if !holds {
            tally.wrong += 1;
            let (utc, ahead) = (utc(before), self.ahead());
            println!("life {}: {:?} {told:?}, UTC {utc}, ahead {ahead}", self.seed, self.ended);
        }
    }

    fn ask(&self, checked: bool) -> WallInterval {
        self.tell(|world| {
            let runs = BRACKETS * (2.0 * world.os_cost + world.counter_cost);
            let shares = || (world.time + runs, Event::Shares(runs, WAITS));
            world.pending = self.shares.then(shares);
        });
        let told = match checked {
            true => self.wall.now_checked(&self.clock),
            false => self.wall.now_bounded(&self.clock),
        };
        self.tell(|world| world.pending = None);
        told
    }

    fn read(&mut self, tally: &mut Tally) {
        let time = |life: &Self| life.tell(|world| world.time);
        let (before, checked) = (time(self), self.dice.part() < 0.3);
        let told = self.ask(checked);
        let after = time(self);
        self.judge([before, after], &told, tally);
    }
}

fn live(seed: u64, tally: &mut Tally) {
    let mut life = Life::new(seed);
    for _ in 0..16 {
        let ns = life.dice.between(1e2, 1e10);
        life.pass(ns);
        match life.dice.next() % 24 {
            0 => life.disrupt(),
            1..=3 => life.set_error(),
            4..=6 => {
                let slew = (life.dice.part() - 0.5) * 2.0 * GROWTH;
                life.tell(|world| world.slew = slew);
            }
            _ => {}
        }
        let ns = life.dice.between(1e1, 1e9);
        life.pass(ns);
        life.read(tally);
    }
}

#[test]
fn no_bound_is_given_that_does_not_hold() {
    let lives = match std::env::var("CHRONOSCOPE_STRESS").as_deref() {
        Ok("full") => 10_000_000,
        Ok(lives) => lives.parse().expect("`full`, or a number of lives"),
        Err(_) if cfg!(miri) => 10,
        Err(_) => 3_000,
    };
    // Every life has a seed of its own, and each thread every so many of them.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let some = move |first: usize| {
        let mut tally = Tally::default();
        (1..=lives).skip(first).step_by(threads).for_each(|seed| live(seed, &mut tally));
        tally
    };
    let all: Vec<_> = (0..threads).map(|first| std::thread::spawn(move || some(first))).collect();
    let all = all.into_iter().map(|thread| thread.join().expect("no life ends in a panic"));
    let Tally { given, wrong, disrupted, between } = all.fold(Tally::default(), Tally::and);
    println!(
        "{given} bounds in {lives} lives, {wrong} wrong; {disrupted} disrupted, {between} between"
    );
    assert_eq!(wrong, 0, "of {given}");
    assert!(given > 3 * disrupted && disrupted > 0, "{given} {disrupted}");
}
