//! Random lives of a machine: no difference that the library vouches for is outside its bound.
//!
//! A million such differences with `CHRONOSCOPE_STRESS=full`, otherwise some ten thousand.

mod common;

use chronoscope::machine::Kernel;
use chronoscope::{Clock, Source, Ticks};
use common::{Event, Sim, World};

/// xorshift64*.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// In 0..1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly distributed in the logarithm.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.part())
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.next() % all.len() as u64) as usize]
    }

    fn event(&mut self) -> Event {
        let sign = self.one_of(&[1.0, -1.0]);
        match self.next() % 8 {
            0..=2 => Event::Jump(sign * self.between(100.0, 1e9)),
            // A suspend during which the counter continues and the system's clocks do not.
            3 => Event::Jump(self.between(1e9, 1e12)),
            4 => Event::Rate(1.0 + sign * self.between(1e-8, 0.1)),
            5 => Event::Reset(self.between(1.0, 1e12)),
            6 => Event::Slew(sign * self.between(1e-7, 500e-6)),
            _ => Event::Switch(sign * self.between(1e-8, 2e-6)),
        }
    }
}

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

/// One life; returns how many differences were vouched for, and how many were not.
fn live(dice: &mut Dice) -> (u64, u64) {
    let hz = dice.one_of(&[24e6, 1e9, 2.599_998e9, 3.1e9]);
    let kernel = dice.one_of(&[
        Kernel::Uses("tsc".into()),
        Kernel::Offers("kvm-clock".into()),
        Kernel::Unasked,
    ]);
    let mut world = World::new(hz).kernel(kernel);
    world.ticks = 1e13;
    if kernel == Kernel::Unasked {
        world.facts.reads_directly = Some(true);
    }
    if dice.part() < 0.5 {
        let off = 1.0 + (dice.part() - 0.5) * 90e-6;
        world = world.hint(hz * off, 50.0);
    }
    let clock = Clock::on(Sim::new(world));
    clock.scale();
    let mut kept = [read(&clock); 6];
    let (mut vouched, mut not) = (0, 0);
    let quiet = dice.between(3.0, 300.0);
    for _ in 0..1000 {
        let machine = clock.machine();
        if machine.tell(|world| world.pending.is_none()) && dice.part() < 1.0 / quiet {
            let (ahead, event) = (dice.between(1.0, 1e9), dice.event());
            machine.tell(|world| world.pending = Some((world.time + ahead, event)));
        }
        machine.pass(dice.between(10.0, 3e10));
        let start = if dice.part() < 0.6 {
            let fresh = read(&clock);
            machine.pass(dice.between(10.0, 1e9));
            fresh
        } else {
            dice.one_of(&kept)
        };
        // A pause: nothing of this process runs between the reads.
        if dice.part() < 0.05 {
            machine.pass(dice.between(1e3, 1e10));
        }
        let source = clock.describe().source;
        let found = clock.bounded_since(start.ticks);
        let end = machine.tell(|world| world.ordered_at);
        if clock.describe().source != Source::Counter || source != Source::Counter {
            // The counter is no longer read, so its life is over.
            return (vouched, not);
        }
        if found.disturbed {
            not += 1;
            // What began before is of no use any more.
            kept = [read(&clock); 6];
            continue;
        }
        vouched += 1;
        let off = (found.ns as f64 - (end - start.at)).abs();
        assert!(
            off <= found.bound_ns as f64 + 1.0,
            "{off} off: {found:?} at {hz} Hz\n{}\n{:?}",
            clock.describe(),
            clock.machine().tell(|world| (world.hz / hz - 1.0, world.reference_fast, world.slew))
        );
        let place = (dice.next() % 6) as usize;
        kept[place] = read(&clock);
        match dice.next() % 20 {
            0 => drop(clock.sync()),
            1 => drop(clock.ns_since(kept[0].ticks)),
            2 => drop(clock.calibrate()),
            _ => {}
        }
    }
    (vouched, not)
}

#[test]
fn no_difference_that_is_vouched_for_is_outside_its_bound() {
    let full = std::env::var_os("CHRONOSCOPE_STRESS").is_some_and(|value| value == "full");
    let goal = match (full, cfg!(miri)) {
        (true, _) => 1_000_000,
        (_, true) => 100,
        _ => 30_000,
    };
    let (mut vouched, mut not, mut lives) = (0, 0, 0u64);
    while vouched < goal {
        lives += 1;
        let (more, disturbed) = live(&mut Dice(lives.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        vouched += more;
        not += disturbed;
    }
    println!("{vouched} differences in {lives} lives, and {not} that were disturbed");
    // Few are given up for fear of something.
    assert!(not < vouched / 5, "{not} of {vouched}");
}
