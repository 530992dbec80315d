//! A simulated machine: a test controls its counter, its kernel and its CPUs.
#![allow(dead_code, reason = "each test binary uses some of it")]

use std::cell::RefCell;

use chronoscope::machine::{Facts, Hint, Inquiry, Kernel, Machine};
use chronoscope::{Clock, Synced, Wanted};

/// xorshift64*.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// In 0..1.
    pub fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly distributed in the logarithm. Roots, unlike powers, are the same on every processor.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let (mut value, mut factor, bits) = (low, high / low, self.next());
        for bit in 0..53 {
            factor = factor.sqrt();
            if bits >> bit & 1 == 1 {
                value *= factor;
            }
        }
        value
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.next() % all.len() as u64) as usize]
    }

    pub fn sign(&mut self) -> f64 {
        self.one_of(&[1.0, -1.0])
    }
}

pub const SECOND: f64 = 1e9;

/// A clock of this machine, which has chosen what it reads.
pub fn started(world: World) -> Clock<Sim> {
    let clock = Clock::on(Sim::new(world));
    clock.now();
    clock
}

/// Checks the clock after so many nanoseconds.
pub fn sync_after(clock: &Clock<Sim>, ns: f64) -> Synced {
    clock.machine().pass(ns);
    clock.sync()
}

/// Something that happens to a machine.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The counter jumps by so many nanoseconds; if backwards, at most to zero.
    Jump(f64),
    /// Its rate changes by this factor.
    Rate(f64),
    /// The counter begins again at so many ticks.
    Reset(f64),
    /// The monotonic and the wall clock are slewed from now on.
    Slew(f64),
    /// The reference runs faster by this part from now on: it has another source.
    Switch(f64),
    /// The reference moves by so many nanoseconds for good, at most back to zero.
    Move(f64),
    /// So many of the next reads of the reference are off by so many nanoseconds.
    Lie(u32, f64),
    /// The machine is moved: the counter jumps by so many nanoseconds, and its rate changes by this
    /// factor.
    Migrate(f64, f64),
    /// The thread does not run for so long, and waits for a CPU for so much of that.
    Gap(f64, f64),
    /// The thread runs for so long at a time, and not for so long in between.
    Shares(f64, f64),
}

/// The state of the machine, and the true time on it.
pub struct World {
    /// Nanoseconds that have really passed.
    pub time: f64,
    /// The counter without its skew.
    pub ticks: f64,
    /// What `ticks` is too coarse for: a large counter would otherwise lose a part of each short
    /// time, and so count more slowly than `hz`.
    pub ticks_lost: f64,
    pub hz: f64,
    /// The counter advances by this many ticks at a time, which need not be a whole number.
    pub step: f64,
    /// The counter stands still.
    pub frozen: bool,
    /// Ticks by which each CPU's counter is off; the length is the number of CPUs.
    pub skew: Vec<f64>,
    pub cpu: usize,
    /// Nanoseconds that reads take.
    pub counter_cost: f64,
    pub os_cost: f64,
    /// The step in which the system's clocks advance.
    pub os_step: u64,
    /// The slew of the monotonic and the wall clock against the reference, relative.
    pub slew: f64,
    pub wall_offset: f64,
    pub wall_slewed: f64,
    pub mono_slewed: f64,
    pub wall_error: Option<u64>,
    /// The system's clocks stand still.
    pub os_frozen: bool,
    /// How much faster than the true time the reference runs: its clock source is another one.
    pub reference_fast: f64,
    pub reference_gained: f64,
    /// How many of the next reads of the reference are off, and by how much.
    pub lie: (u32, f64),
    /// What the hypervisor changes when it moves the machine, if it tells.
    pub marker: Option<u64>,
    /// What the kernel reports when it is asked, if that is not in the facts.
    pub inquiry: Option<Inquiry>,
    /// How often it was asked.
    pub inquiries: u32,
    /// How many of the next reads of the counter are off, and by how much.
    pub glitch: (u32, f64),
    /// How late sleeps wake, in turn; negative is early.
    pub late: Vec<f64>,
    pub sleeps: usize,
    /// How long the thread has waited for a CPU; `None` if the system does not report it.
    pub queued: Option<f64>,
    /// How much of each lateness is that, in turn, as a share.
    pub queues: Vec<f64>,
    /// How often that was asked, and what it takes.
    pub queue_asked: u32,
    pub queue_cost: f64,
    /// Sleeps are for a time rather than until one.
    pub sleeps_for: bool,
    /// Ticks by which the counter jumps in the next sleep, at most back to zero.
    pub jump_asleep: f64,
    pub can_visit: bool,
    pub counter_reads: u64,
    /// What happens next, and when.
    pub pending: Option<(f64, Event)>,
    /// How many of these have happened.
    pub happened: u32,
    /// The reference when the counter was last read in order.
    pub ordered_at: f64,
    /// The reference when it was last read itself.
    pub reference_at: f64,
    /// Whether the facts have been read; nothing else may be used before.
    pub asked: bool,
    pub facts: Facts,
}

impl World {
    pub fn new(hz: f64) -> Self {
        Self {
            time: 5e12,
            ticks: 1e9,
            ticks_lost: 0.0,
            hz,
            step: 1.0,
            frozen: false,
            skew: vec![0.0; 4],
            cpu: 0,
            counter_cost: 8.0,
            os_cost: 20.0,
            os_step: 1,
            slew: 0.0,
            wall_offset: 1.7e18,
            wall_slewed: 0.0,
            mono_slewed: 0.0,
            wall_error: Some(1_000_000),
            os_frozen: false,
            reference_fast: 0.0,
            reference_gained: 0.0,
            lie: (0, 0.0),
            marker: None,
            inquiry: None,
            inquiries: 0,
            glitch: (0, 0.0),
            late: vec![40_000.0],
            sleeps: 0,
            queued: None,
            queues: vec![0.0],
            queue_asked: 0,
            queue_cost: 7_000.0,
            sleeps_for: false,
            jump_asleep: 0.0,
            can_visit: true,
            counter_reads: 0,
            pending: None,
            happened: 0,
            ordered_at: 0.0,
            reference_at: 0.0,
            asked: false,
            facts: Facts {
                counter: Some("simulated"),
                forbidden: false,
                invariant: Some(true),
                has_stop: true,
                kernel: Kernel::Uses("tsc".into()),
                reads_directly: None,
                hints: [None; 3],
                wanted: Wanted::Auto,
                not_understood: None,
            },
        }
    }

    pub fn hint(mut self, hz: f64, bound_ppm: f64) -> Self {
        let free = self.facts.hints.iter_mut().find(|hint| hint.is_none());
        *free.expect("room for another hint") = Some(Hint { hz, bound_ppm, from: "a hint" });
        self
    }

    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.facts.kernel = kernel;
        self
    }

    /// Advances time, and lets happen what is due.
    pub fn pass(&mut self, ns: f64) {
        let Some((at, event)) = self.pending.filter(|(at, _)| *at <= self.time + ns) else {
            return self.advance(ns);
        };
        let until = (at - self.time).clamp(0.0, ns);
        self.pending = None;
        self.advance(until);
        self.happen(event);
        self.advance(ns - until);
    }

    /// The reference's time.
    pub fn reference(&self) -> f64 {
        self.time + self.reference_gained
    }

    fn happen(&mut self, event: Event) {
        self.happened += 1;
        match event {
            Event::Jump(ns) => self.jump(ns),
            Event::Rate(factor) => self.hz *= factor,
            Event::Reset(ticks) => self.ticks = ticks,
            Event::Slew(slew) => self.slew = slew,
            Event::Switch(fast) => self.reference_fast = fast,
            Event::Move(ns) => self.reference_gained += ns.max(-self.reference()),
            Event::Lie(reads, ns) => self.lie = (reads, ns),
            Event::Migrate(ns, factor) => {
                self.jump(ns);
                self.hz *= factor;
                self.marker = self.marker.map(|marker| marker + 1);
            }
            Event::Gap(ns, queued) => {
                self.queued = self.queued.map(|before| before + queued);
                self.advance(ns);
            }
            Event::Shares(runs, waits) => {
                self.advance(waits);
                self.pending = Some((self.time + runs, event));
            }
        }
    }

    fn jump(&mut self, ns: f64) {
        self.ticks = (self.ticks + ns * self.hz / 1e9).max(0.0);
    }

    fn advance(&mut self, ns: f64) {
        self.time += ns;
        self.mono_slewed += ns * self.slew;
        self.reference_gained += ns * self.reference_fast;
        self.wall_slewed += ns * self.slew;
        if !self.frozen {
            let (before, more) = (self.ticks, ns * self.hz / 1e9 + self.ticks_lost);
            self.ticks += more;
            self.ticks_lost = more - (self.ticks - before);
        }
    }

    fn os(&self, ns: f64) -> u64 {
        ns as u64 / self.os_step * self.os_step
    }
}

pub struct Sim(pub RefCell<World>);

impl Sim {
    pub fn new(world: World) -> Self {
        Self(RefCell::new(world))
    }

    /// Changes something in the world.
    pub fn tell<R>(&self, change: impl FnOnce(&mut World) -> R) -> R {
        change(&mut self.0.borrow_mut())
    }

    pub fn pass(&self, ns: f64) {
        self.tell(|world| world.pass(ns));
    }

    pub fn time(&self) -> f64 {
        self.0.borrow().time
    }

    /// Accesses the world for a method of the machine other than `facts`.
    fn used<R>(&self, method: impl FnOnce(&mut World) -> R) -> R {
        self.tell(|world| {
            assert!(world.asked, "the machine was used before its facts");
            method(world)
        })
    }

    fn count(&self) -> u64 {
        self.used(|world| {
            // Half of the cost comes before the moment that is read, half after.
            world.pass(world.counter_cost / 2.0);
            world.counter_reads += 1;
            let mut ticks = world.ticks + world.skew[world.cpu];
            if world.glitch.0 > 0 {
                world.glitch.0 -= 1;
                ticks += world.glitch.1;
            }
            world.pass(world.counter_cost / 2.0);
            ((ticks.max(0.0) / world.step).floor() * world.step) as u64
        })
    }

    fn ask(&self, clock: impl Fn(&mut World) -> f64) -> u64 {
        self.used(|world| {
            world.pass(world.os_cost / 2.0);
            let ns = clock(world);
            let read = world.os(if world.os_frozen { 5e12 } else { ns });
            world.pass(world.os_cost / 2.0);
            read
        })
    }
}

impl Machine for Sim {
    fn facts(&self) -> Facts {
        self.tell(|world| {
            world.asked = true;
            world.facts
        })
    }

    fn inquire(&self, _deeply: bool) -> Inquiry {
        self.used(|world| {
            world.inquiries += 1;
            world.inquiry.unwrap_or(Inquiry { kernel: world.facts.kernel, hint: None })
        })
    }

    fn disruption(&self) -> Option<u64> {
        self.used(|world| world.marker)
    }

    fn ticks(&self) -> u64 {
        self.count()
    }

    fn ticks_ordered(&self) -> u64 {
        self.used(|world| {
            // In the middle of the read, as `count` does it.
            let half = world.counter_cost / 2.0;
            world.ordered_at = world.reference() + half * (1.0 + world.reference_fast);
        });
        self.count()
    }

    fn ticks_start(&self) -> u64 {
        self.count()
    }

    fn ticks_stop(&self) -> u64 {
        self.count()
    }

    fn ticks_step(&self) -> u64 {
        self.used(|world| world.step.ceil() as u64)
    }

    fn reference(&self) -> u64 {
        let told = self.used(|world| {
            let (reads, off) = world.lie;
            world.lie.0 = reads.saturating_sub(1);
            // The truth after a lie is an event of its own.
            world.happened += u32::from(reads == 1);
            if reads > 0 { off } else { 0.0 }
        });
        self.ask(|world| {
            world.reference_at = world.reference();
            (world.reference_at + told).max(0.0)
        })
    }

    fn reference_step(&self) -> u64 {
        self.used(|world| world.os_step)
    }

    fn monotonic(&self) -> u64 {
        self.ask(|world| world.time + world.mono_slewed)
    }

    fn monotonic_step(&self) -> u64 {
        self.used(|world| world.os_step)
    }

    fn wall(&self) -> u64 {
        // An f64 does not have the digits for both, so the offset is whole nanoseconds.
        let offset = self.0.borrow().wall_offset as u64;
        offset + self.ask(|world| world.time + world.wall_slewed)
    }

    fn wall_error(&self) -> Option<u64> {
        self.used(|world| world.wall_error)
    }

    fn sleep_until(&self, deadline: u64, remaining: u64) {
        self.used(|world| {
            let late = world.late[world.sleeps % world.late.len()];
            let share = world.queues[world.sleeps % world.queues.len()];
            world.sleeps += 1;
            world.queued = world.queued.map(|ns| ns + share * late.max(0.0));
            let jump = std::mem::take(&mut world.jump_asleep);
            world.ticks = (world.ticks + jump).max(0.0);
            if world.sleeps_for {
                world.pass(remaining as f64 + late);
                return;
            }
            let now = world.time + world.mono_slewed;
            // No system call takes less than some hundred nanoseconds.
            let asleep = (deadline as f64 - now) / (1.0 + world.slew) + late;
            world.pass(asleep.max(500.0));
        });
    }

    fn margin_cap(&self) -> u64 {
        150_000
    }

    fn queued(&self) -> Option<u64> {
        self.used(|world| {
            world.queue_asked += 1;
            world.pass(world.queue_cost);
            world.queued.map(|ns| ns as u64)
        })
    }

    fn on_each_cpu(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        let (home, count, can_visit) =
            self.used(|world| (world.cpu, world.skew.len(), world.can_visit));
        if !can_visit {
            return false;
        }
        for cpu in 0..count {
            self.tell(|world| {
                world.cpu = cpu;
                world.pass(30_000.0);
            });
            if !visit(cpu) {
                break;
            }
        }
        self.tell(|world| world.cpu = home);
        true
    }
}
