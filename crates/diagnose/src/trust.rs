//! The verdict on a clock that was watched: whether it can be trusted, in a few words.

use chronoscope_model::Report;
use chronoscope_model::clock::{BuiltOn, Counts, Grade, Kind, Verdict};
use chronoscope_model::trust::{Trust, Watch};

/// Sets the verdicts on all clocks that were watched.
pub(crate) fn judge(report: &mut Report) {
    let Some(trust) = &mut report.trust else {
        return;
    };
    let verdicts: Vec<_> = trust.clocks.iter().map(|watch| verdict(watch, trust)).collect();
    for (watch, verdict) in trust.clocks.iter_mut().zip(verdicts) {
        watch.verdict = verdict;
    }
}

/// The verdict; `None` if the clock is not available.
///
/// The first of these that holds is given: it went back on one thread or when the thread moved; it
/// stood still; its CPUs are out of step; it jumped; the vDSO contradicted the system call; it went
/// back between threads, which only an unordered read does on a sound machine; it was not tested;
/// it can be set. The text has 20 columns at most.
fn verdict(watch: &Watch, trust: &Trust) -> Option<Verdict> {
    if watch.unavailable_reason.is_some() {
        return None;
    }
    let (grade, text) = judged(watch, trust);
    Some(Verdict { grade, text: text.into() })
}

fn judged(watch: &Watch, trust: &Trust) -> (Grade, &'static str) {
    let was_set = || {
        let steps = trust.wall.iter().flat_map(|wall| &wall.steps);
        watch.kind == Kind::Wall && steps.into_iter().any(|step| step.by_ns < 0.0)
    };
    let one_thread = watch.one_thread.as_ref().is_some_and(|one| one.violations > 0);
    let moved = watch.migrating.as_ref().is_some_and(|moved| moved.backwards > 0);
    let handed = watch.handed.as_ref().is_some_and(|handed| handed.backwards > 0);
    let facts = watch.facts.unwrap_or_default();
    let by_counter = facts.built_on == BuiltOn::Counter;
    let jumped = |jump: &chronoscope_model::trust::Jump| {
        jump.id == watch.id || by_counter && jump.id == trust.matrix.id
    };
    let mut sandwiches = trust.sandwiches.iter();
    match () {
        () if one_thread && was_set() => (Grade::Limited, "was set back"),
        () if one_thread => (Grade::Avoid, "goes backwards"),
        () if by_counter && trust.matrix.in_step() == Some(false) => {
            (Grade::Avoid, "CPUs not in step")
        }
        () if moved && !was_set() => (Grade::Avoid, "back between CPUs"),
        () if watch.frozen && watch.kind != Kind::Cpu => (Grade::Avoid, "stood still"),
        () if trust.watched.jumps.iter().any(jumped) => (Grade::Avoid, "jumped"),
        () if sandwiches.any(|one| one.id == watch.id && one.disagrees()) => {
            (Grade::Avoid, "vDSO disagrees")
        }
        // With CPUs in step, only the reads themselves can be out of order.
        () if handed && watch.unordered().is_some() && trust.matrix.in_step() == Some(true) => {
            (Grade::Limited, "unordered reads")
        }
        () if handed && was_set() => (Grade::Limited, "was set back"),
        () if handed => (Grade::Avoid, "back between CPUs"),
        () if watch.tries() == 0 => (Grade::Unknown, "not tested"),
        () if facts.counts == Counts::Cycles => (Grade::Limited, "cycles, not time"),
        () if watch.kind == Kind::Cpu => (Grade::Limited, "CPU time"),
        () if watch.kind == Kind::Wall => (Grade::Limited, "can be set"),
        () if watch.handed.is_none() && watch.one_cpu.is_none() => {
            (Grade::Unknown, "too little tested")
        }
        () if watch.handed.is_none() => (Grade::Good, "good on one CPU"),
        () => (Grade::Good, "good"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::{Backwards, Facts, Orders};
    use chronoscope_model::ordering::Handed;
    use chronoscope_model::trust::{HandedAll, Jump, Offset, Pair, Sandwich};

    fn watch(one_thread: u64, handed: u64) -> Watch {
        Watch {
            id: "fake/clock".into(),
            kind: Kind::Counter,
            facts: Some(Facts { built_on: BuiltOn::Counter, ..Facts::default() }),
            one_thread: Some(Backwards { tries: 1000, violations: one_thread, worst_ns: 5.0 }),
            handed: Some(HandedAll {
                pairs: 1,
                turns: 1000,
                backwards: handed,
                ..HandedAll::default()
            }),
            ..Watch::default()
        }
    }

    fn trust(offset_ns: f64) -> Trust {
        let mut trust = Trust::default();
        trust.matrix.id = "counter".into();
        trust.matrix.pairs.push(Pair {
            handed: Handed { cpus: [0, 1], turns: 10, ..Handed::default() },
            offsets: vec![Offset { offset_ns, uncertainty_ns: 50.0, ..Offset::default() }],
            ..Pair::default()
        });
        trust
    }

    fn text(watch: &Watch, trust: &Trust) -> (Grade, String) {
        let verdict = verdict(watch, trust).expect("a verdict");
        assert!(verdict.text.len() <= 20, "{}", verdict.text);
        (verdict.grade, verdict.text)
    }

    #[test]
    fn the_worst_that_was_seen_decides() {
        let avoid = |text: &str| (Grade::Avoid, text.to_owned());
        let sound = trust(3.0);
        assert_eq!(text(&watch(0, 0), &sound), (Grade::Good, "good".into()));
        assert_eq!(text(&watch(1, 0), &sound), avoid("goes backwards"));
        let unordered = (Grade::Limited, "unordered reads".to_owned());
        assert_eq!(text(&watch(0, 9), &sound), unordered);
        let mut ordered = watch(0, 9);
        ordered.facts = Some(Facts { orders: Orders::Earlier, ..Facts::default() });
        assert_eq!(text(&ordered, &sound), avoid("back between CPUs"));
        assert_eq!(text(&watch(0, 9), &trust(900.0)), avoid("CPUs not in step"));
        let mut jumped = trust(0.0);
        jumped.watched.jumps.push(Jump { id: "counter".into(), ..Jump::default() });
        assert_eq!(text(&watch(0, 0), &jumped), avoid("jumped"));
        let mut disagrees = trust(0.0);
        disagrees.sandwiches.push(Sandwich {
            id: "fake/clock".into(),
            tries: 9,
            below: 1,
            ..Sandwich::default()
        });
        assert_eq!(text(&watch(0, 0), &disagrees), avoid("vDSO disagrees"));
        let untested = Watch::default();
        assert_eq!(text(&untested, &sound).0, Grade::Unknown);
        let away = Watch { unavailable_reason: Some("no such device".into()), ..Watch::default() };
        assert!(verdict(&away, &sound).is_none());
    }
}
