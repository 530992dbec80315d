use super::*;
use chronoscope_model::trust::{Anchor, Course, Trust};

/// A simulated machine: true time in nanoseconds, and clocks as functions of that time.
struct World {
    log: Log,
    now: f64,
    rng: fastrand::Rng,
    clocks: Vec<Box<dyn Fn(f64) -> f64>>,
    counter: Box<dyn Fn(f64) -> f64>,
    steal_ns: u64,
    queue_ns: u64,
    halted: bool,
    cpus: Option<&'static str>,
}

const HZ: f64 = 2.5e9;

fn subject(id: &str, role: Role, raw: bool) -> Subject {
    Subject { id: id.into(), role, ns_per_unit: 1.0, tick_ns: 1.0, raw }
}

impl World {
    /// Raw, monotonic, boot and wall time, all of them correct.
    fn new() -> Self {
        let subjects = vec![
            subject("raw", Role::Steady, true),
            subject("mono", Role::Steady, false),
            subject("boot", Role::Boot, false),
            subject("wall", Role::Wall, false),
        ];
        Self {
            log: Log::new(subjects, "counter", 1e9 / HZ),
            now: 5e9,
            rng: fastrand::Rng::with_seed(1),
            clocks: (0..4)
                .map(|n| Box::new(move |t: f64| t + f64::from(n) * 1e12) as Box<dyn Fn(f64) -> f64>)
                .collect(),
            counter: Box::new(|t| t),
            steal_ns: 0,
            queue_ns: 0,
            halted: false,
            cpus: None,
        }
    }

    fn look(&mut self, was_set: bool) {
        let brackets = (0..self.clocks.len())
            .map(|at| {
                let ticks = |world: &Self| ((world.counter)(world.now) * HZ / 1e9) as u64;
                let before = ticks(self);
                self.now += 15.0 + 5.0 * self.rng.f64();
                let value = (self.clocks[at])(self.now) as u64;
                self.now += 15.0 + 5.0 * self.rng.f64();
                let after = ticks(self);
                Some(Bracket { before, value, after })
            })
            .collect();
        self.log.add(Look {
            brackets,
            was_set,
            steal_ns: Some(self.steal_ns),
            run_queue_ns: Some(self.queue_ns),
            halted: std::mem::take(&mut self.halted),
            cpus: self.cpus.map(str::to_owned),
        });
    }

    fn run(&mut self, seconds: f64) {
        let end = self.now + seconds * 1e9;
        while self.now < end {
            self.look(false);
            self.now += PERIOD_NS + 1e6 * self.rng.f64();
        }
    }
}

#[test]
fn a_healthy_machine_shows_nothing() {
    let mut world = World::new();
    world.run(10.0);
    let (watched, wall) = (world.log.watched.clone(), world.log.wall(500).expect("a wall clock"));
    assert!(watched.jumps.is_empty() && watched.pauses.is_empty(), "{watched:?}");
    assert!(wall.steps.is_empty() && wall.suspended_ns == Some(0.0), "{wall:?}");
    let slew = wall.slew.expect("a slew");
    assert!(slew.ppm.abs() <= slew.error_ppm && slew.error_ppm < 0.1, "{slew:?}");
    for against in [0, 1] {
        let rate = world.log.rate(None, Some(against), 500).expect("a rate");
        assert!(rate.low <= 0.0 && rate.high >= 0.0, "{rate:?}");
        assert!(rate.high - rate.low < 0.1, "{rate:?}");
    }
}

#[test]
fn steps_of_the_wall_clock_are_seen_either_way_with_their_size_and_rates_survive_them() {
    for by in [-3.6e12, -2e6, -50_000.0, 50_000.0, 1e6, 3.6e12] {
        let mut world = World::new();
        world.clocks[3] = Box::new(move |t| t + 5e12 + if t > 10e9 { by } else { 0.0 });
        world.run(10.0);
        let wall = world.log.wall(500).expect("a wall clock");
        let [step] = wall.steps.as_slice() else { panic!("{by}: {wall:?}") };
        assert!((step.by_ns - by).abs() < 1000.0, "{by}: {step:?}");
        assert!((4.9..5.2).contains(&step.at_s) && step.seen == StepSeen::Offset);
        assert!(world.log.watched.jumps.is_empty());
        let rate = world.log.rate(Some(3), Some(0), 500).expect("a rate");
        assert!(rate.value.abs() < 0.1, "{rate:?}");
    }
}

#[test]
fn a_report_of_the_kernel_counts_with_and_without_a_change() {
    let mut world = World::new();
    world.run(1.0);
    world.look(true);
    let wall = world.log.wall(500).expect("a wall clock");
    assert_eq!(wall.reported, Some(1));
    assert_eq!(wall.steps[0].seen, StepSeen::Reported);
    assert_eq!(wall.steps[0].by_ns, 0.0);
}

#[test]
fn a_coarse_clock_has_a_rate_and_no_jumps() {
    let mut world = World::new();
    world.log = Log::new(
        [
            &world.log.subjects[..],
            &[Subject { tick_ns: 4e6, ..subject("coarse", Role::Coarse, false) }],
        ]
        .concat(),
        "counter",
        1e9 / HZ,
    );
    world.clocks.push(Box::new(|t| (t * (1.0 + 2e-3) / 4e6).floor() * 4e6));
    world.run(20.0);
    let rate = world.log.rate(Some(4), Some(0), 1024).expect("a rate");
    assert!(rate.low < 2000.0 && 2000.0 < rate.high && rate.high - rate.low < 2000.0, "{rate:?}");
    assert!(world.log.watched.jumps.is_empty(), "{:?}", world.log.watched.jumps);
}

#[test]
fn a_slew_is_no_step_and_its_rate_is_found() {
    let mut world = World::new();
    // The second half has 400 ppm, for both clocks that the kernel steers.
    let slewed = |t: f64| t + (t - 10e9).max(0.0) * 400e-6;
    world.clocks[1] = Box::new(slewed);
    world.clocks[3] = Box::new(move |t| slewed(t) + 5e12);
    world.run(10.0);
    let wall = world.log.wall(500).expect("a wall clock");
    assert!(wall.steps.is_empty(), "{wall:?}");
    let slew = wall.slew.expect("a slew");
    assert!((slew.most_ppm - 400.0).abs() < 5.0, "{slew:?}");
    assert!(world.log.watched.jumps.is_empty());
}

#[test]
fn a_jump_of_the_counter_is_told_from_a_jump_of_a_clock() {
    let mut world = World::new();
    world.counter = Box::new(|t| t + if t > 8e9 { 2e9 } else { 0.0 });
    world.run(5.0);
    let watched = world.log.watched.clone();
    let [jump] = watched.jumps.as_slice() else { panic!("{watched:?}") };
    assert_eq!(jump.id, "counter");
    assert!((jump.ns - 2e9).abs() < 1e4, "{jump:?}");
    assert!(world.log.wall(500).expect("a wall clock").steps.is_empty());

    let mut world = World::new();
    world.clocks[0] = Box::new(|t| t - if t > 8e9 { 3e8 } else { 0.0 });
    world.run(5.0);
    let watched = world.log.watched.clone();
    let [jump] = watched.jumps.as_slice() else { panic!("{watched:?}") };
    assert_eq!((jump.id.as_str(), jump.against.as_str()), ("raw", "counter"));
    assert!((jump.ns + 3e8).abs() < 1e4, "{jump:?}");
}

#[test]
fn a_pause_says_who_was_paused() {
    let cases = [
        (900_000_000, 0, Paused::Machine),
        (0, 900_000_000, Paused::Thread),
        (0, 0, Paused::Unknown),
    ];
    for (steal, queue, expected) in cases {
        let mut world = World::new();
        world.run(1.0);
        world.now += 1e9;
        (world.steal_ns, world.queue_ns) = (steal, queue);
        world.run(1.0);
        let watched = world.log.watched.clone();
        assert_eq!(watched.pauses.len(), 1, "{watched:?}");
        let pause = watched.pauses[0];
        assert_eq!(pause.paused, expected);
        assert!((pause.ns - 1e9).abs() < 20e6, "{pause:?}");
        assert!(watched.jumps.is_empty());
    }
}

#[test]
fn the_longest_pauses_are_listed_and_the_others_are_counted() {
    let mut world = World::new();
    world.run(1.0);
    for nth in 0..MOST + 5 {
        world.now += 1e9 + nth as f64 * 1e8;
        world.run(1.0);
    }
    let watched = world.log.watched.clone();
    assert_eq!((watched.pauses.len(), watched.more_pauses), (MOST, Some(5)));
    assert!(watched.pauses.iter().all(|pause| pause.ns > 1.45e9), "{watched:?}");
}

#[test]
fn a_machine_that_was_paused_without_its_kernel_noticing_is_recognised() {
    // The counter went on for 3 s, and the kernel's clocks did not.
    let mut world = World::new();
    for at in 0..4 {
        let epoch = at as f64 * 1e12;
        world.clocks[at] = Box::new(move |t| epoch + t.min(7e9) + (t - 10e9).max(0.0));
    }
    world.run(1.9);
    world.now = 10e9;
    world.run(2.0);
    let watched = world.log.watched.clone();
    assert_eq!(watched.pauses[0].paused, Paused::Machine, "{watched:?}");
    assert_eq!(watched.jumps[0].id, "counter");
}

#[test]
fn a_process_that_was_frozen_is_neither_a_paused_machine_nor_a_late_thread() {
    let mut world = World::new();
    world.run(1.0);
    // One that is too short to matter, and one next to others that want the CPU.
    for pause in [50e6, 3e9] {
        world.now += pause;
        world.halted = true;
        world.queue_ns += 2_000_000_000;
        world.run(1.0);
    }
    world.now += 2e9;
    world.run(1.0);
    let watched = world.log.watched.clone();
    let found: Vec<Paused> = watched.pauses.iter().map(|pause| pause.paused).collect();
    assert_eq!(found, [Paused::Process, Paused::Unknown], "{watched:?}");
    assert!(watched.jumps.is_empty() && watched.suspensions.is_empty(), "{watched:?}");
}

/// A machine whose battery-backed clock shows the seconds that `battery` computes from the time,
/// and whose other clocks, including the counter, stood still from 8 s to 13 s.
fn paused(battery: impl Fn(f64) -> f64 + 'static) -> World {
    let mut world = World::new();
    let mut subjects = world.log.subjects.to_vec();
    subjects.push(Subject {
        tick_ns: 1e9,
        ns_per_unit: 1e9,
        ..subject("battery", Role::Battery, false)
    });
    world.log = Log::new(subjects, "counter", 1e9 / HZ);
    let inside = |t: f64| t.min(8e9) + (t - 13e9).max(0.0);
    for at in 0..4 {
        world.clocks[at] = Box::new(inside);
    }
    world.counter = Box::new(inside);
    world.clocks.push(Box::new(move |t| battery(t) / 1e9));
    world.run(3.0);
    world.now = world.now.max(13e9);
    world.run(2.0);
    world
}

#[test]
fn a_machine_whose_counter_stopped_too_is_recognised_by_its_battery_backed_clock() {
    let watched = paused(|t| t).log.watched;
    assert_eq!(watched.standstills.len(), 1, "{watched:?}");
    let seen = &watched.standstills[0];
    assert!((seen.ns - 5e9).abs() <= 1e9, "{seen:?}");
    assert!(watched.jumps.is_empty() && watched.pauses.is_empty());
    // A clock of local time also shows it.
    let local = paused(|t| t + 7200e9).log.watched;
    assert_eq!(local.standstills.len(), 1, "{local:?}");
}

#[test]
fn a_battery_backed_clock_that_is_set_proves_no_pause() {
    // The clock was 7 s behind, and is set to the wall clock.
    let set = |t: f64| {
        if t < 7e9 { t - 4.9e9 } else { t.min(8e9) + (t - 13e9).max(0.0) }
    };
    assert!(paused(set).log.watched.standstills.is_empty());
    // The clock also stood still, or went back.
    let still = |t: f64| t.min(8e9) + (t - 13e9).max(0.0);
    assert!(paused(still).log.watched.standstills.is_empty());
    assert!(
        paused(move |t| 60e9 + still(t) - if t > 7e9 { 9e9 } else { 0.0 })
            .log
            .watched
            .standstills
            .is_empty()
    );
}

#[test]
fn a_suspension_shows_in_the_time_since_boot() {
    let mut world = World::new();
    world.clocks[2] = Box::new(|t| t + if t > 8e9 { 60e9 } else { 0.0 });
    world.run(5.0);
    let suspended = world.log.wall(500).expect("a wall clock").suspended_ns;
    assert!((suspended.expect("known") - 60e9).abs() < 1e4, "{suspended:?}");
    // It is dated, and in no rate.
    let [seen] = world.log.watched.suspensions[..] else { panic!("{:?}", world.log.watched) };
    assert!((seen.seconds - 60.0).abs() < 1e-4 && (0.0..5.0).contains(&seen.at_s), "{seen:?}");
    let series = world.log.series("x".into());
    let boot = series.clocks.iter().find(|one| one.id == "boot").expect("its course");
    assert!(boot.rate_ppm.iter().all(|ppm| ppm.abs() < 100.0), "{boot:?}");
}

#[test]
fn cpus_that_go_offline_and_come_back_are_dated() {
    let mut world = World::new();
    for cpus in ["0-3", "0-3", "0-2", "0-3"] {
        world.cpus = Some(cpus);
        world.run(2.0);
    }
    resumed(&mut world, 60.0);
    world.cpus = Some("0");
    world.run(2.0);
    world.cpus = Some("0-3");
    world.run(2.0);
    let seen = world.log.watched.cpus;
    let seen: Vec<_> = seen.iter().map(|it| (it.at_s.round(), &*it.before, &*it.after)).collect();
    assert_eq!(seen, [(4.0, "0-3", "0-2"), (6.0, "0-2", "0-3"), (70.0, "0", "0-3")]);
}

#[test]
fn a_frozen_counter_or_clock_ends_in_a_bounded_report() {
    let mut world = World::new();
    world.counter = Box::new(|_| 5e9);
    world.run(20.0);
    assert!(world.log.watched.jumps.len() <= MOST);
    let mut world = World::new();
    world.clocks[1] = Box::new(|_| 7e9);
    world.run(20.0);
    let watched = world.log.watched.clone();
    assert!(watched.jumps.len() <= MOST && watched.more_jumps.is_some());
    assert!(watched.jumps.iter().all(|jump| jump.id == "mono"));
}

#[test]
fn nothing_to_look_at_is_no_problem() {
    let mut log = Log::new(Vec::new(), "counter", 0.4);
    log.add(Look::default());
    assert!(log.wall(500).is_none() && log.watched.looks == 0);
}

/// Ends the run and begins another one after a gap, as a new process does.
fn resumed(world: &mut World, gap_s: f64) {
    let anchor = world.log.anchor("this boot".into()).expect("looks");
    let earlier = Trust {
        watched: world.log.watched.clone(),
        wall: world.log.wall(500),
        series: Some(world.log.series("2026-01-01T00:00:00Z".into())),
        ..Trust::default()
    };
    let text = serde_json::to_string(&(earlier, anchor)).expect("plain data");
    let (earlier, anchor): (Trust, Anchor) = serde_json::from_str(&text).expect("plain data");
    let log = Log::new(world.log.subjects.to_vec(), "counter", 1e9 / HZ);
    world.log = log.resume(&earlier, &anchor);
    world.now += gap_s * 1e9;
}

#[test]
fn a_resumed_run_adds_up_and_its_gap_is_neither_a_pause_nor_a_jump() {
    let mut world = World::new();
    // The monotonic clock runs 12 ppm fast, and the wall clock with it.
    world.clocks[1] = Box::new(|t| t * (1.0 + 12e-6));
    world.clocks[3] = Box::new(|t| t * (1.0 + 12e-6) + 3e12);
    world.run(20.0);
    let first = world.log.watched.looks;
    resumed(&mut world, 3600.0);
    world.run(10.0);
    let (watched, wall) = (world.log.watched.clone(), world.log.wall(500).expect("a wall clock"));
    assert!(watched.jumps.is_empty() && watched.pauses.is_empty(), "{watched:?}");
    assert!(wall.steps.is_empty() && wall.suspended_ns == Some(0.0), "{wall:?}");
    assert!(watched.looks > first && wall.looks == watched.looks - 1, "{watched:?} {wall:?}");
    let [gap] = watched.gaps[..] else { panic!("{watched:?}") };
    assert!((gap.seconds - 3600.0).abs() < 1.0 && (gap.at_s - 3620.0).abs() < 1.0, "{gap:?}");
    let rate = world.log.rate(Some(1), Some(0), 500).expect("a rate");
    assert!(rate.seconds > 3600.0 && (rate.value - 12.0).abs() < 0.01, "{rate:?}");
    let series = world.log.series("x".into());
    assert!(series.against == "raw" && series.at_s.is_sorted(), "{series:?}");
    let of = |id: &str| series.clocks.iter().find(|one| one.id == id).expect("a course");
    let end = of("mono").offset_ns.last().expect("an offset");
    let last_s = series.at_s.last().expect("a point");
    assert!((end - last_s * 12e3).abs() < 200.0, "{end} after {last_s} s");
    let mut rates = of("wall").rate_ppm.iter();
    assert!(rates.all(|ppm| (ppm - 12.0).abs() < 0.5), "{series:?}");
    assert!(of("wall").stepped_ns.is_empty() && of("counter").stepped_ns.is_empty());
}

#[test]
fn what_happened_during_a_gap_is_a_step_of_the_wall_clock_or_nothing() {
    // A clock that counts from the start of its process begins again.
    let mut world = World::new();
    world.run(5.0);
    resumed(&mut world, 60.0);
    let now = world.now;
    world.clocks[0] = Box::new(move |t| t - now + 5e9);
    world.clocks[3] = Box::new(|t| t + 3e12 - 2e9);
    world.run(5.0);
    let (watched, wall) = (world.log.watched.clone(), world.log.wall(500).expect("a wall clock"));
    assert!(watched.jumps.is_empty() && watched.pauses.is_empty(), "{watched:?}");
    assert_eq!(wall.steps.len(), 1, "{wall:?}");
    assert!((wall.steps[0].by_ns + 2e9).abs() < 1e3, "{wall:?}");
    let rate = world.log.rate(Some(1), Some(0), 500).expect("a rate");
    assert!(rate.seconds < 6.0 && rate.low <= 0.0 && rate.high >= 0.0, "{rate:?}");
    let series = world.log.series("x".into());
    let wall = series.clocks.iter().find(|one| one.id == "wall").expect("a course");
    let steps: Vec<f64> = wall.stepped_ns.iter().map(|ns| (ns / 1e8).round()).collect();
    assert!(steps.first() == Some(&0.0) && steps.last() == Some(&-20.0), "{steps:?}");
}

#[test]
fn a_long_run_has_at_most_512_points_that_are_equally_far_apart() {
    let mut world = World::new();
    let period = 0.25e9;
    for _ in 0..4 * 7200 {
        world.look(false);
        world.now += period;
    }
    let series = world.log.series("x".into());
    assert!((256..=512).contains(&series.at_s.len()), "{}", series.at_s.len());
    assert_eq!(series.spacing_s, 16.0);
    let apart = series.at_s.windows(2).map(|two| two[1] - two[0]);
    assert!(apart.clone().all(|s| (16.0..17.0).contains(&s)), "{:?}", apart.collect::<Vec<_>>());
    let all = |course: &Course| [course.offset_ns.len(), course.rate_ppm.len() + 1];
    assert!(series.clocks.iter().all(|one| all(one) == [series.at_s.len(); 2]));
}
