//! The names of tasks that ran: what was heard of them in records, and what `/proc` shows.

use super::{Task, os};
use chronoscope_model::why::{Culprit, Why};
use std::collections::HashMap;
use std::time::{Duration, Instant};

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
