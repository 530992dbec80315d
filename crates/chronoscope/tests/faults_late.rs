//! Why waits are late, and what is learnt from it.

use std::time::Duration;

use crate::common::{Event, Sim, World, started};
use chronoscope::Clock;
use chronoscope::wait::{Cause, Effort, Waited, Waiter};

const MS: u64 = 1_000_000;

/// A machine whose sleeps wake `late`, of which these shares are spent in the scheduler's queue.
fn clock(late: &[f64], queues: &[f64]) -> Clock<Sim> {
    let mut world = World::new(2.6e9).hint(2.6e9, 0.01);
    world.late = late.to_vec();
    world.queues = queues.to_vec();
    world.queued = Some(3e6);
    started(world)
}

fn sleep(waiter: &mut Waiter<'_, Sim>, nanos: u64) -> Waited {
    waiter.sleep(Duration::from_nanos(nanos))
}

fn asked(clock: &Clock<Sim>) -> u32 {
    clock.machine().tell(|world| world.queue_asked)
}

#[test]
fn a_wait_on_time_has_no_cause_and_asks_nothing() {
    for effort in [Effort::Economy, Effort::Balanced, Effort::Precise] {
        let clock = clock(&[40_000.0, 70_000.0, 50_000.0], &[0.0]);
        let mut waiter = Waiter::on(&clock, effort);
        for _ in 0..300 {
            let waited = sleep(&mut waiter, MS);
            assert_eq!(waited.cause, None, "{waited:?}");
        }
        assert_eq!(asked(&clock), 0);
    }
}

#[test]
fn the_queue_and_the_machine_are_told_apart() {
    for (share, cause) in [(1.0, Cause::Queue), (0.7, Cause::Queue), (0.2, Cause::Wake)] {
        let clock = clock(&[40_000.0, 3e6], &[share]);
        let mut waiter = Waiter::on(&clock, Effort::Balanced);
        for i in 0..100 {
            let waited = sleep(&mut waiter, MS);
            let late = waited.late_ns > 100_000;
            // What was counted before the first late wait may be anything.
            if i > 1 {
                assert_eq!(waited.cause, late.then_some(cause), "{waited:?}");
            }
        }
    }
}

/// After a long time without a late wait, the count says nothing about the last one.
#[test]
fn what_the_count_cannot_tell_is_unknown_and_the_next_is_known() {
    let clock = clock(&[3e6], &[1.0]);
    let mut waiter = Waiter::on(&clock, Effort::Balanced);
    clock.machine().tell(|world| world.queued = Some(60e9));
    assert_eq!(sleep(&mut waiter, MS).cause, Some(Cause::Unknown));
    assert_eq!(sleep(&mut waiter, MS).cause, Some(Cause::Queue));
    // It is asked before some of the next sleeps, and then no longer.
    clock.machine().tell(|world| world.late = vec![40_000.0]);
    let before = asked(&clock);
    for _ in 0..300 {
        sleep(&mut waiter, MS);
    }
    assert_eq!(asked(&clock) - before, 4);
}

#[test]
fn without_a_count_the_cause_is_unknown() {
    let clock = clock(&[3e6], &[1.0]);
    clock.machine().tell(|world| world.queued = None);
    let mut waiter = Waiter::on(&clock, Effort::Precise);
    for _ in 0..10 {
        assert_eq!(sleep(&mut waiter, MS).cause, Some(Cause::Unknown));
    }
}

#[test]
fn a_moment_that_has_passed_is_the_callers() {
    let clock = clock(&[40_000.0], &[0.0]);
    let begin = clock.now();
    clock.machine().pass(5e6);
    let mut waiter = Waiter::on(&clock, Effort::Balanced);
    let waited = waiter.until(clock.after(begin, Duration::from_millis(1)).unwrap());
    assert_eq!(waited.cause, Some(Cause::Passed));
    assert_eq!(asked(&clock), 0);
}

/// The CPU goes to something else during the spin: to another thread, which the scheduler counts,
/// or to an interrupt or the hypervisor.
#[test]
fn a_gap_in_the_spin_is_told_from_a_late_wake() {
    for (counted, cause) in [(4e6, Cause::Preempted), (0.0, Cause::Interrupted)] {
        let clock = clock(&[10_000.0], &[0.0]);
        let mut waiter = Waiter::on(&clock, Effort::Balanced);
        sleep(&mut waiter, MS);
        clock.machine().tell(|world| {
            world.queued = Some(0.0);
            // The sleep ends at about 950 us.
            world.pending = Some((world.time + 985_000.0, Event::Gap(4e6, counted)));
        });
        let waited = sleep(&mut waiter, MS);
        assert!(waited.late_ns > 3_900_000, "{waited:?}");
        assert_eq!(waited.cause, Some(cause), "{waited:?}");
    }
}

/// Lateness in the queue says nothing about the timer, however short it is; and a late timer is
/// learnt, however late it is.
#[test]
fn lateness_is_learnt_by_its_cause() {
    let spun = |late: &[f64], share: f64| {
        let clock = clock(late, &[share]);
        let mut waiter = Waiter::on(&clock, Effort::Precise);
        for _ in 0..200 {
            sleep(&mut waiter, MS);
        }
        clock.machine().tell(|world| world.late = vec![20_000.0]);
        (0..20).map(|_| sleep(&mut waiter, MS).spun_ns).sum::<u64>() / 20
    };
    let usual = spun(&[20_000.0], 0.0);
    let often = [20_000.0, 20_000.0, 20_000.0, 400_000.0];
    let queued = spun(&often, 1.0);
    let machine = spun(&often, 0.0);
    assert!(queued < usual + 10_000, "{usual} {queued}");
    assert!(machine > queued + 50_000, "{queued} {machine}");
}

/// A preempted wake is excluded even if a timer could be as late.
#[test]
fn a_short_preemption_is_not_learnt_if_there_is_time_to_ask() {
    let clock = clock(&[20_000.0], &[0.0]);
    let mut waiter = Waiter::on(&clock, Effort::Precise);
    // A late wake now and then, so that the margin is large.
    let late = (0..50).map(|i| if i == 7 { 140_000.0 } else { 20_000.0 });
    clock.machine().tell(|world| world.late = late.collect());
    for _ in 0..400 {
        sleep(&mut waiter, MS);
    }
    let mut preempted = |queue: f64| {
        clock.machine().tell(|world| {
            world.queued = Some(0.0);
            world.late = vec![100_000.0];
            world.queues = vec![queue];
        });
        sleep(&mut waiter, MS).preempted
    };
    assert_eq!(preempted(1.0), 1);
    assert_eq!(preempted(0.0), 0);
}
