//! Random lives of a machine: no difference that the library vouches for is outside its bound.
//!
//! A hundred million such differences with `CHRONOSCOPE_STRESS=full`, as many as that says if it is
//! a number, otherwise 30,000.

use crate::common::{Dice, Event, Sim, World};
use chronoscope::machine::Kernel;
use chronoscope::{Bounded, Clock, Source, Ticks};

/// An event in a machine whose brackets have this width, and in which this time passes at most
/// between two looks.
fn event(dice: &mut Dice, width: f64, longest: f64) -> Event {
    let sign = dice.one_of(&[1.0, -1.0]);
    let rate = |dice: &mut Dice| 1.0 + sign * dice.between(1e-7, 500e-6);
    // About as large as what two looks can see.
    let small = |dice: &mut Dice| sign * width * dice.between(0.1, 10.0);
    match dice.next() % 16 {
        0..=2 => Event::Jump(sign * dice.between(100.0, 1e9)),
        // A suspend during which the counter continues and the system's clocks do not.
        3 => Event::Jump(dice.between(1e9, 1e13)),
        4..=5 => Event::Rate(rate(dice)),
        6 => Event::Reset(dice.between(1.0, 1e14)),
        7 => Event::Slew(sign * dice.between(1e-7, 500e-6)),
        8 => Event::Switch(sign * dice.between(1e-8, 2e-6)),
        9 => Event::Move(sign * dice.between(100.0, 1e13)),
        10 => Event::Lie(dice.between(1.0, 200.0) as u32, sign * dice.between(100.0, 1e13)),
        11 | 12 => Event::Jump(small(dice)),
        13 | 14 => Event::Rate(1.0 + (small(dice) / longest).clamp(-500e-6, 500e-6)),
        _ => Event::Migrate(dice.between(1e6, 1e12), rate(dice)),
    }
}
/// After so many lives, the digest of all differences is this on every processor. A change of what
/// the library finds changes it, and the test then says to what.
const SAME: u64 = 100;
const DIGEST: u64 = 0xf71ad2549b5e6156;

/// A read, and the reference at that time.
#[derive(Clone, Copy)]
struct Moment {
    ticks: Ticks,
    at: f64,
}

fn read(clock: &Clock<Sim>) -> Moment {
    let ticks = clock.now_ordered();
    let at = clock.machine().tell(|world| world.ordered_at);
    Moment { ticks, at }
}

fn world(dice: &mut Dice) -> World {
    let hz = dice.one_of(&[24e6, 1e9, 2.599_998e9, 3.1e9]);
    let kernel = dice.one_of(&[
        Kernel::Uses("tsc".into()),
        Kernel::Offers("kvm-clock".into()),
        Kernel::Unasked,
    ]);
    let mut world = World::new(hz).kernel(kernel);
    world.ticks = 1e13;
    world.os_cost = dice.one_of(&[20.0, 20.0, 60.0, 700.0, 4000.0]);
    world.step = dice.one_of(&[1.0, 1.0, 10.0, 26.0]);
    world.marker = dice.one_of(&[None, Some(1)]);
    if kernel == Kernel::Unasked {
        world.facts.reads_directly = Some(true);
    }
    if dice.part() < 0.5 {
        let off = 1.0 + (dice.part() - 0.5) * 90e-6;
        world = world.hint(hz * off, 50.0);
    }
    world
}

/// What a life has shown.
#[derive(Default)]
struct Tally {
    vouched: u64,
    not: u64,
    beyond: u64,
    /// Of all differences.
    digest: u64,
}

impl Tally {
    /// Compares a difference with the truth. Returns whether it was vouched for.
    fn judge(&mut self, clock: &Clock<Sim>, found: Bounded, truth: f64, seed: u64) -> bool {
        for word in [found.ns, found.bound_ns, found.unchecked_ns, found.disturbed.into()] {
            self.digest = (self.digest ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
        }
        if found.disturbed {
            self.not += 1;
            return false;
        }
        assert_eq!(found.unchecked_ns, 0);
        self.vouched += 1;
        let off = (found.ns as f64 - truth).abs();
        if off > found.bound_ns as f64 + 1.0 {
            self.beyond += 1;
            let (cost, step) = clock.machine().tell(|world| (world.os_cost, world.os_step));
            println!("seed {seed}: {off} off, {found:?}, reads of {cost} ns in steps of {step}");
        }
        true
    }
}

/// One life.
fn live(seed: u64, tally: &mut Tally) {
    let dice = &mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let clock = Clock::on(Sim::new(world(dice)));
    clock.scale();
    // A clock that is as coarse as that from the start makes the counter unusable.
    let step = dice.one_of(&[1, 1, 1, 100, 1000, 1_000_000, 4_000_000]);
    clock.machine().tell(|world| world.os_step = step);
    let mut kept = [read(&clock); 6];
    let quiet = dice.between(1.0, 300.0);
    let longest = dice.between(1e4, 3e10);
    let mut seen = 0;
    for _ in 0..1000 {
        let machine = clock.machine();
        let calm = machine
            .tell(|world| world.pending.is_none() && world.lie.0 == 0 && world.happened == seen);
        if calm && dice.part() < 1.0 / quiet {
            let width = machine.tell(|world| world.os_cost + world.os_step as f64);
            let (ahead, event) = (dice.between(1.0, longest / 10.0), event(dice, width, longest));
            machine.tell(|world| world.pending = Some((world.time + ahead, event)));
        }
        machine.pass(dice.between(10.0, longest));
        let start = if dice.part() < 0.6 {
            let fresh = read(&clock);
            machine.pass(dice.between(10.0, longest / 10.0));
            fresh
        } else {
            dice.one_of(&kept)
        };
        // A pause: nothing of this process runs between the reads.
        if dice.part() < 0.05 {
            machine.pass(dice.between(1e3, longest));
        }
        if clock.describe().source != Source::Counter {
            // The counter is no longer read, so its life is over.
            return;
        }
        let found = clock.bounded_since(start.ticks);
        let end;
        (end, seen) = machine.tell(|world| (world.ordered_at, world.happened));
        if clock.describe().source != Source::Counter {
            return;
        }
        if !tally.judge(&clock, found, end - start.at, seed) {
            // What began before is of no use any more.
            kept = [read(&clock); 6];
            continue;
        }
        let (one, other) = (dice.one_of(&kept), dice.one_of(&kept));
        if one.at <= other.at {
            let found = clock.between_bounded(one.ticks, other.ticks);
            if found.unchecked_ns == 0 {
                tally.judge(&clock, found, other.at - one.at, seed);
            }
        }
        let place = (dice.next() % 6) as usize;
        kept[place] = read(&clock);
        match dice.next() % 20 {
            0 => drop(clock.sync()),
            1 => drop(clock.ns_since(kept[0].ticks)),
            2 => drop(clock.calibrate()),
            _ => {}
        }
    }
}

#[test]
fn no_difference_that_is_vouched_for_is_outside_its_bound() {
    let goal = match std::env::var("CHRONOSCOPE_STRESS").as_deref() {
        Ok("full") => 100_000_000,
        Ok(goal) => goal.parse().expect("`full`, or a number of differences"),
        Err(_) if cfg!(miri) => 100,
        Err(_) => 30_000,
    };
    let (mut tally, mut lives) = (Tally::default(), 0);
    while tally.vouched < goal || (lives < SAME && !cfg!(miri)) {
        lives += 1;
        live(lives, &mut tally);
        assert!(lives != SAME || tally.digest == DIGEST, "the digest is {:#x}", tally.digest);
    }
    let Tally { vouched, not, beyond, .. } = tally;
    println!("{vouched} differences in {lives} lives, and {not} that were disturbed");
    assert_eq!(beyond, 0, "of {vouched}");
    // Few are given up for fear of something.
    assert!(not < vouched / 20, "{not} of {vouched}");
}
