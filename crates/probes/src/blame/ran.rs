//! Who had a CPU while a thread was ready to run: a function of the records of the CPU's switches.
//! And the names of tasks: what was heard of them in records, and what `/proc` shows.

use super::os;
use chronoscope_model::why::{Culprit, Why};
use std::collections::HashMap;
use std::time::{Duration, Instant};

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

/// What is known of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Its name, with other bytes than UTF-8 replaced, and nothing else removed.
    pub name: Option<String>,
    /// Its scheduling policy (`SCHED_OTHER`).
    pub policy: Option<&'static str>,
    /// Its priority, if that is a real-time one.
    pub priority: Option<u32>,
    /// Whether it belongs to another user, or to one that is not known. Threads of the kernel
    /// belong to none.
    pub other_user: bool,
}

/// What a record says about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The task has a new name.
    Named { task: Task, name: String },
    /// The task is new, and has the name of its parent.
    Forked { task: Task, parent: Task },
}

/// The most tasks that are known at a time, as many as a table of 4,096 places holds, and that are
/// to be read.
const MOST: usize = 7 << 9;
const MOST_WANTED: usize = 256;
/// The number of a task that is ending, and has none any more (Linux kernel/events/core.c,
/// `perf_event_pid_type`).
const ENDING: u32 = u32::MAX;
/// What `/proc` showed counts for this long: a task may change its name and policy.
const FRESH: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
struct Known {
    about: Named,
    read: Option<Instant>,
    /// Which piece of news it came with.
    news: u64,
}

/// The tasks that are known.
#[derive(Debug)]
pub struct Names {
    known: HashMap<Task, Known>,
    wanted: Vec<Task>,
    /// How many pieces of news there were.
    news: u64,
    /// Whether a task without a number is an idle CPU, and nothing else.
    idle: bool,
}

impl Default for Names {
    fn default() -> Self {
        let idle = os::is_first_namespace();
        Self { known: HashMap::new(), wanted: Vec::new(), news: 0, idle }
    }
}

impl Names {
    /// Takes over what records said.
    pub fn hear(&mut self, heard: impl IntoIterator<Item = Heard>) {
        for heard in heard {
            let stranger = Named { other_user: true, ..Named::default() };
            let (task, about) = match heard {
                Heard::Named { task, name } => {
                    let before = self.known.get(&task).map_or(stranger, |it| it.about.clone());
                    (task, Named { name: Some(name), ..before })
                }
                Heard::Forked { task, parent } => {
                    let parent = self.known.get(&parent).map_or(stranger, |it| it.about.clone());
                    (task, Named { policy: None, priority: None, ..parent })
                }
            };
            self.put(task, about, None);
        }
    }

    /// Takes over what a scan of `/proc` found.
    pub fn saw(&mut self, task: Task, about: Named) {
        self.put(task, about, Some(Instant::now()));
    }

    fn put(&mut self, task: Task, about: Named, read: Option<Instant>) {
        self.news += 1;
        let news = self.news;
        if self.known.len() >= MOST && !self.known.contains_key(&task) {
            // Those that were read ran while somebody waited. Of the others, late wake-ups that
            // are not examined yet need only the latest.
            let is_recent = |known: &Known| known.news + MOST as u64 / 2 > news;
            self.known.retain(|_, known| known.read.is_some() || is_recent(known));
            if self.known.len() > MOST / 4 * 3 {
                self.known.retain(|_, known| is_recent(known));
            }
        }
        self.known.insert(task, Known { about, read, news });
    }

    /// Asks for a task to be read soon, unless it was a moment ago. Returns whether its name is
    /// not known at all.
    pub fn want(&mut self, task: Task) -> bool {
        let known = self.known.get(&task);
        let fresh = known.and_then(|it| it.read).is_some_and(|read| read.elapsed() < FRESH);
        if matches!(task.tid, 0 | ENDING) || fresh || self.wanted.contains(&task) {
            return false;
        }
        if self.wanted.len() < MOST_WANTED {
            self.wanted.push(task);
        }
        known.is_none_or(|it| it.about.name.is_none())
    }

    /// The tasks that are to be read, which is done without holding this value.
    pub fn wanted(&mut self) -> Vec<Task> {
        std::mem::take(&mut self.wanted)
    }

    /// Takes over what was read. What has ended keeps the name that was heard.
    pub fn learn(&mut self, read: Vec<(Task, Option<Named>)>) {
        for (task, about) in read {
            let heard = || self.known.get(&task).map(|it| it.about.clone());
            let stranger = Named { other_user: true, ..Named::default() };
            let about = about.or_else(heard).unwrap_or(stranger);
            self.put(task, about, Some(Instant::now()));
        }
    }

    /// Names the tasks of the reasons that have no name yet.
    pub fn name_all(&self, why: &mut Why) {
        why.all_culprits_mut().for_each(|culprit| self.name(culprit));
    }

    /// Names a task, if it has no name yet.
    pub fn name(&self, culprit: &mut Culprit) {
        if culprit.name.is_some() || culprit.other_user {
            return;
        }
        if culprit.tid == ENDING {
            (culprit.pid, culprit.tid, culprit.name) = (0, 0, Some("ending".into()));
            return;
        }
        if culprit.tid == 0 {
            culprit.name = self.idle.then(|| "idle".into());
            return;
        }
        let task = Task { pid: culprit.pid, tid: culprit.tid };
        if let Some(Known { about, .. }) = self.known.get(&task) {
            culprit.name.clone_from(&about.name);
            culprit.policy = about.policy.map(str::to_owned);
            culprit.priority = about.priority;
            culprit.other_user = about.other_user;
        }
    }
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

#[cfg(test)]
mod names_tests {
    use super::*;

    fn task(n: u32) -> Task {
        Task { pid: n, tid: n }
    }

    fn named(names: &Names, n: u32) -> Culprit {
        let mut culprit = Culprit { pid: n, tid: n, ..Culprit::default() };
        names.name(&mut culprit);
        culprit
    }

    #[test]
    fn an_ended_task_has_the_name_that_was_heard() {
        let mut names = Names::default();
        let sh = Named { name: Some("sh".into()), policy: Some("SCHED_OTHER"), ..Named::default() };
        names.saw(task(1), sh);
        let (new, parent) = (task(2), task(1));
        names.hear([Heard::Forked { task: new, parent }]);
        assert_eq!(named(&names, 2).name.as_deref(), Some("sh"));
        names.hear([Heard::Named { task: new, name: "sed".into() }]);
        assert!(!names.want(new) && !names.want(task(1)), "both have names");
        assert!(names.want(task(3)) && !names.want(task(3)), "asked for once");
        assert_eq!(names.wanted(), [new, task(3)]);
        names.learn(vec![(new, None), (task(3), None)]);
        // It belongs to whom its parent belonged to; of the third nothing is known.
        let (sed, third) = (named(&names, 2), named(&names, 3));
        assert_eq!((sed.name.as_deref(), sed.other_user), (Some("sed"), false));
        assert_eq!((third.name, third.other_user), (None, true));
        let ending = named(&names, ENDING);
        assert_eq!((ending.name.as_deref(), ending.tid), (Some("ending"), 0));
        assert!(!names.want(new), "it was just read");
    }

    #[test]
    fn a_storm_of_processes_fills_no_memory() {
        let mut names = Names::default();
        for n in 1..3 * MOST as u32 {
            names.hear([Heard::Named { task: task(n), name: "x".repeat(16) }]);
            names.want(task(n));
        }
        assert!(names.known.len() <= MOST && names.wanted.len() <= MOST_WANTED);
        assert_eq!(named(&names, 3 * MOST as u32 - MOST as u32 / 2).name, Some("x".repeat(16)));
    }

    #[test]
    fn who_made_somebody_late_is_known_longer_than_others() {
        let mut names = Names::default();
        names.saw(task(1), Named { name: Some("hog".into()), ..Named::default() });
        let heard = |n| Heard::Named { task: task(n), name: "x".into() };
        names.hear((2..2 * MOST as u32).map(heard));
        assert_eq!((named(&names, 1).name.as_deref(), named(&names, 2).name), (Some("hog"), None));
    }

    #[test]
    fn what_has_a_name_keeps_it() {
        let mut names = Names::default();
        names.saw(task(5), Named { name: Some("new".into()), ..Named::default() });
        let old = Culprit { name: Some("old".into()), pid: 5, tid: 5, ..Culprit::default() };
        let withheld = Culprit { other_user: true, pid: 5, tid: 5, ..Culprit::default() };
        for culprit in [old, withheld] {
            let mut after = culprit.clone();
            names.name(&mut after);
            assert_eq!(after, culprit);
        }
    }
}
