//! Who had a CPU while a thread was ready to run: a function of the records of the CPU's switches.

/// A task, by the numbers of its process and its thread in the namespace of this process. Both are
/// 0 for what is not visible in it, and for a CPU that is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task {
    pub pid: u32,
    pub tid: u32,
}

/// The CPU changed hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The time, in nanoseconds by the clock that timers run on.
    pub at: u64,
    /// Who has the CPU from then on.
    pub to: Task,
    /// Whether the task has begun to run; otherwise the kernel is about to switch to it.
    pub began: bool,
}

/// A span of time by the clock that timers run on, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub from: u64,
    pub to: u64,
}

/// How long a task had the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    pub task: Task,
    /// The time, in nanoseconds.
    pub ns: u64,
}

/// Who had the CPU during these spans, in which `own` was ready to run, the longest first.
///
/// `before` had the CPU before the first change, if that is known. Changes are in the order of
/// time, and so are the spans, which do not overlap. A switch to `own` counts for the task before
/// it until `own` has begun, as in the thread's own record, so the times add up to the spans.
pub fn ran(before: Option<Task>, changes: &[Change], own: Task, spans: &[Span]) -> Vec<Ran> {
    let mut all: Vec<Ran> = Vec::new();
    let mut add = |task: Option<Task>, from: u64, to: u64| {
        let Some(task) = task.filter(|task| *task != own) else {
            return;
        };
        let within = |span: &Span| span.to.min(to).saturating_sub(span.from.max(from));
        let ns = spans.iter().map(within).fold(0, u64::saturating_add);
        if ns > 0 {
            all.push(Ran { task, ns });
        }
    };
    let (mut has, mut since) = (before, 0);
    for change in changes.iter().filter(|it| it.began || it.to != own) {
        add(has, since, change.at);
        (has, since) = (Some(change.to), change.at);
    }
    add(has, since, u64::MAX);
    all.sort_by_key(|ran| ran.task);
    all.dedup_by(|next, kept| {
        let same = next.task == kept.task;
        if same {
            kept.ns = kept.ns.saturating_add(next.ns);
        }
        same
    });
    all.sort_by_key(|ran| std::cmp::Reverse(ran.ns));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OWN: Task = Task { pid: 7, tid: 7 };

    fn task(n: u32) -> Task {
        Task { pid: n, tid: n }
    }

    /// Both records of a switch at `at`, whose second half comes `gap` later.
    fn switch(at: u64, to: Task, gap: u64) -> [Change; 2] {
        [Change { at, to, began: false }, Change { at: at + gap, to, began: true }]
    }

    #[test]
    fn two_hogs_share_the_time_in_the_queue() {
        // Task 1 runs, task 2 comes, then the waiter; it was ready from 100 to 502.
        let changes =
            [switch(50, task(1), 2), switch(300, task(2), 2), switch(500, OWN, 2)].concat();
        let spans = [Span { from: 100, to: 502 }];
        let found = ran(None, &changes, OWN, &spans);
        let expected = [Ran { task: task(2), ns: 202 }, Ran { task: task(1), ns: 200 }];
        assert_eq!(found, expected);
        // Without the first records, the time before them is nobody's, unless it is known whose.
        let later = &changes[2..];
        assert_eq!(ran(None, later, OWN, &spans), expected[..1]);
        assert_eq!(ran(Some(task(1)), later, OWN, &spans), expected);
        assert_eq!(ran(None, &[], OWN, &spans), []);
        assert_eq!(ran(Some(task(1)), &changes, OWN, &[]), []);
    }

    proptest! {
        #[test]
        fn the_times_add_up_to_the_spans(
            steps in prop::collection::vec((0..2_000u64, 0..5u32, 0..3u64), 0..60),
            ready in prop::collection::vec((0..9_000u64, 1..9_000u64), 0..4),
        ) {
            // The waiter is one of the five tasks, and its spans are those without it.
            let (mut at, mut changes) = (10, Vec::new());
            for (pause, who, gap) in steps {
                at += pause + 3;
                changes.extend(switch(at, if who == 0 { OWN } else { task(who) }, gap));
            }
            let mut spans: Vec<Span> = Vec::new();
            for (pause, length) in ready {
                let from = spans.last().map_or(0, |last| last.to) + pause;
                spans.push(Span { from, to: from + length });
            }
            let found = ran(Some(task(9)), &changes, OWN, &spans);
            // Each nanosecond by itself.
            let has = |t: u64| {
                let mut past = changes.iter().filter(|it| it.at <= t && (it.began || it.to != OWN));
                past.next_back().map_or(task(9), |it| it.to)
            };
            let each = spans.iter().flat_map(|span| span.from..span.to);
            let others = each.filter(|t| has(*t) != OWN).count() as u64;
            prop_assert_eq!(found.iter().map(|it| it.ns).sum::<u64>(), others);
            prop_assert!(found.is_sorted_by(|a, b| a.ns >= b.ns));
            prop_assert!(found.iter().all(|it| it.task != OWN && it.ns > 0));
        }
    }
}
