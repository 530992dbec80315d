//! Why waits ended late: the parts of their lateness.

/// Wake-ups later than this are examined closely, in nanoseconds: the states of the CPU and of the
/// quota are then read.
pub const EXAMINED_NS: u64 = 10_000;
/// Parts that differ from the lateness by more than this do not explain it, in nanoseconds.
pub const APART_NS: u64 = 5_000;
/// How many of the latest wake-ups of a row are kept.
pub const WORST: usize = 20;

/// More durations are not told apart by which wake-ups are later, and more idle states no CPU has;
/// a file may claim otherwise.
const MOST_EDGES: usize = 64;
const MOST_STATES: usize = 16;
/// The most tasks that are kept of a row.
const MOST_CULPRITS: usize = 256;

// The schema holds each text in one line, so a longer one is no `///`.
/// What made a wait end late.
#[record(Names, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The kernel waited to let the timer expire together with others.
    TimerSlack,
    #[doc = "From the expiry of the timer to the start of the thread, without the run queue: the \
             CPU left its idle state and took the interrupt. In a virtual machine, the host had \
             to run the CPU again."]
    IdleExit,
    /// The kernel took the CPU for interrupts.
    Interrupt,
    /// The thread was ready to run, and other threads had its CPU.
    RunQueue,
    /// The thread had its CPU, and lost it to other threads.
    Preempted,
    /// The quota of its control group kept it from running.
    Throttled,
    #[doc = "The thread had its CPU, and the time is not in its CPU time: the hypervisor took it, \
             or an interrupt that the kernel accounts for."]
    Steal,
    #[doc = "The thread ran and lost time, although the kernel did not interrupt it: the \
             hypervisor or the firmware took the time."]
    BelowKernel,
    #[doc = "From the start of the thread to the end of the wait: the kernel's way back to the \
             program, and the method's own code."]
    Return,
    #[doc = "The runtime of a language had the time: it rounded the wait up, kept its thread \
             waiting for a lock or a collection, or ran its own code after the thread had woken."]
    Runtime,
    #[doc = "The thread did not run; what of that was the timer, an idle exit or the run queue is \
             not known."]
    OffCpu,
    #[doc = "The thread had its CPU; whether an interrupt took the time or something below the \
             kernel is not known."]
    OnCpu,
    /// The process was stopped, or the machine was suspended.
    Stopped,
    /// The sources contradict each other.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Cause {
    /// Its name on a screen.
    pub const fn words(self) -> &'static str {
        match self {
            Self::TimerSlack => "timer slack",
            Self::IdleExit => "idle exit",
            Self::Interrupt => "interrupts",
            Self::RunQueue => "run queue",
            Self::Preempted => "preemption",
            Self::Throttled => "CPU quota",
            Self::BelowKernel => "below the kernel",
            Self::OffCpu => "not running",
            Self::OnCpu => "interrupts or below",
            cause => cause.name(),
        }
    }
}

/// A part of some lateness.
#[record(Copy, Eq)]
pub struct Part {
    /// The cause.
    pub cause: Cause,
    /// The time, in nanoseconds.
    pub ns: u64,
}

/// Why the waits of a row ended late.
#[record]
pub struct Why {
    /// The wake-ups later than a duration, from all of them to the latest ones. Durations that the
    /// same wake-ups exceed are left out.
    #[always]
    pub later: Vec<Later>,
    /// The latest wake-ups, the latest first; at most twenty.
    pub worst: Vec<Worst>,
    /// How many wake-ups were later than 10 us.
    pub examined: u64,
    /// How many of those have parts that differ from the lateness by more than 5 us.
    pub apart: u64,
    /// How many of those came after the CPU had entered an idle state, by state.
    pub idle: Vec<Idle>,
    /// The tasks that made wake-ups late, the one with the most time first.
    pub culprits: Vec<Culprit>,
    /// Records of context switches that the kernel could not store.
    #[absent]
    pub lost: u64,
    /// System management interrupts that were counted at the late wake-ups; absent if the system
    /// does not count them.
    pub smis: Option<u64>,
}

/// The wake-ups later than a duration.
#[record(Eq)]
pub struct Later {
    /// The duration, in nanoseconds.
    pub than_ns: u64,
    /// How many.
    pub waits: u64,
    /// Their lateness, and its parts, together. Parts of no time are left out.
    pub late_ns: u64,
    /// The parts.
    #[always]
    pub parts: Vec<Part>,
}

/// A late wake-up.
#[record]
pub struct Worst {
    /// When the wait ended, in seconds from the start of the run.
    pub at_s: f64,
    /// How late, in nanoseconds.
    pub late_ns: u64,
    /// The parts; those of no time are left out.
    #[always]
    pub parts: Vec<Part>,
    /// The CPU on which it ended, if known.
    pub cpu: Option<usize>,
    /// Whether the thread moved to another CPU during the wait.
    pub moved: bool,
    /// What ran while the thread was ready to run or had lost its CPU, longest first.
    pub culprits: Vec<Culprit>,
    /// Interrupts of its CPU, if they may have made it late: those that the kernel's tracepoints
    /// saw while it was late, longest first, or those that were counted around that time, most
    /// frequent first.
    pub interrupts: Vec<Interrupts>,
    /// The deepest idle state that the CPU entered; absent if it entered none, or is not known.
    pub idle: Option<String>,
    /// System management interrupts during the wait, if there were any.
    #[absent]
    pub smis: u64,
}

/// How it is known that a task ran.
#[record(Names, PartialOrd, Ord, Hash)]
pub enum Known {
    /// The kernel recorded when it ran.
    Seen,
    /// Its CPU time grew on that CPU around that time.
    #[default]
    #[serde(other)]
    Likely,
}

/// A task that had the CPU instead of a thread that was ready to run.
#[record(Eq)]
pub struct Culprit {
    /// Its name, as the kernel has it (`comm`, proc(5)), with other bytes than UTF-8 replaced;
    /// absent if it is not known or withheld.
    pub name: Option<String>,
    /// Its process, by its number in the namespace of this process; 0 if it is not visible here.
    pub pid: u32,
    /// Its thread, likewise.
    pub tid: u32,
    /// Its scheduling policy (`SCHED_OTHER`), if known.
    pub policy: Option<String>,
    /// Its priority, if that is a real-time one.
    pub priority: Option<u32>,
    /// How long it ran, in nanoseconds.
    pub ns: u64,
    /// In a table of a whole run, how many wake-ups it made late; 1 in that of a wake-up.
    pub wake_ups: u64,
    /// How this is known.
    pub known: Known,
    /// Whether it belongs to another user, or to one that is not known. Files leave out its name,
    /// unless they were asked for names.
    pub other_user: bool,
}

impl Culprit {
    fn withhold_name(&mut self) {
        if self.other_user {
            self.name = None;
        }
    }

    /// Whether both are the same task, as far as is known.
    fn is(&self, other: &Self) -> bool {
        let named = self.name.is_none() || other.name.is_none() || self.name == other.name;
        (self.pid, self.tid, self.known) == (other.pid, other.tid, other.known) && named
    }

    fn add(&mut self, other: &Self) {
        self.ns = self.ns.saturating_add(other.ns);
        self.wake_ups = self.wake_ups.saturating_add(other.wake_ups);
        if self.name.is_none() {
            let (ns, wake_ups) = (self.ns, self.wake_ups);
            *self = Self { ns, wake_ups, ..other.clone() };
        }
    }
}

/// Interrupts of one kind: of one line of `/proc/interrupts` or `/proc/softirqs`.
#[record(Eq)]
pub struct Interrupts {
    /// The line's name, for example `LOC`.
    pub id: String,
    /// The kernel's description of it.
    pub name: String,
    /// How many.
    pub count: u64,
    /// How long the CPU handled them, in nanoseconds, without those in between; absent if they were
    /// only counted.
    pub ns: Option<u64>,
}

impl Interrupts {
    /// The shortest words for it: of a device, whose line is a number, what the kernel calls it.
    pub fn short_name(&self) -> &str {
        let numbered = self.id.bytes().all(|byte| byte.is_ascii_digit());
        if numbered && !self.name.is_empty() { &self.name } else { &self.id }
    }
}

/// Wake-ups after an idle state.
#[record(Eq)]
pub struct Idle {
    /// The state, as the kernel names it.
    pub name: String,
    /// How long the CPU takes to leave it, as its driver states, in nanoseconds.
    pub exit_ns: u64,
    /// How many wake-ups.
    pub waits: u64,
}

/// The share of waits that the latest ones are.
const TAIL: u64 = 100;
/// Fewer wake-ups than this are no tail, if there are more.
const FEW: u64 = 5;

impl Why {
    /// All wake-ups.
    pub fn all(&self) -> Option<&Later> {
        self.later.first()
    }

    /// The latest wake-ups: one in a hundred, but not fewer than five.
    pub fn tail(&self) -> Option<&Later> {
        let all = self.all()?;
        let wanted = (all.waits / TAIL).max(FEW).min(all.waits);
        self.later.iter().rfind(|later| later.waits >= wanted)
    }

    /// Adds what was found in another part of the same run. Either may come from a file with any
    /// figures.
    pub fn join(&mut self, other: &Self) {
        let mut edges: Vec<u64> =
            self.later.iter().chain(&other.later).map(|later| later.than_ns).collect();
        edges.sort_unstable();
        edges.dedup();
        edges.truncate(MOST_EDGES);
        // Wake-ups beyond an edge that a list leaves out are those beyond its next one.
        let at = |list: &[Later], edge| list.iter().find(|later| later.than_ns >= edge).cloned();
        let joined = edges.into_iter().map(|than_ns| {
            let lists = [&self.later, &other.later];
            let found = lists.into_iter().filter_map(|list| at(list, than_ns));
            found.fold(Later { than_ns, ..Later::default() }, Later::and)
        });
        self.later = joined.collect();
        other.worst.iter().for_each(|worst| self.add_worst(worst));
        self.examined = self.examined.saturating_add(other.examined);
        self.apart = self.apart.saturating_add(other.apart).min(self.examined);
        for idle in &other.idle {
            match self.idle.iter_mut().find(|known| known.name == idle.name) {
                Some(known) => known.waits = known.waits.saturating_add(idle.waits),
                None => self.idle.push(idle.clone()),
            }
            self.idle.truncate(MOST_STATES);
        }
        for culprit in &other.culprits {
            let same = |known: &&mut Culprit| known.is(culprit);
            match self.culprits.iter_mut().find(same) {
                Some(known) => known.add(culprit),
                None => self.culprits.push(culprit.clone()),
            }
        }
        self.culprits.sort_by_key(|culprit| std::cmp::Reverse(culprit.ns));
        self.culprits.truncate(MOST_CULPRITS);
        self.lost = self.lost.saturating_add(other.lost);
        let smis = [self.smis, other.smis].into_iter().flatten();
        self.smis = smis.reduce(u64::saturating_add);
    }

    /// Adds a late wake-up, if it is one of the latest.
    pub fn add_worst(&mut self, worst: &Worst) {
        let at = self.worst.partition_point(|known| known.late_ns >= worst.late_ns);
        if at < WORST {
            self.worst.truncate(WORST - 1);
            self.worst.insert(at.min(self.worst.len()), worst.clone());
        }
    }

    /// Removes the names of tasks that belong to other users.
    pub fn withhold_names(&mut self) {
        self.all_culprits_mut().for_each(Culprit::withhold_name);
    }

    /// Every task, of the row and of each of its latest wake-ups.
    pub fn all_culprits(&self) -> impl Iterator<Item = &Culprit> {
        self.culprits.iter().chain(self.worst.iter().flat_map(|worst| &worst.culprits))
    }

    /// The same, to be changed.
    pub fn all_culprits_mut(&mut self) -> impl Iterator<Item = &mut Culprit> {
        let worst = self.worst.iter_mut().flat_map(|worst| &mut worst.culprits);
        self.culprits.iter_mut().chain(worst)
    }

    /// The share of late wake-ups, 0 to 1, whose parts add up to their lateness within 5 us.
    pub fn explained(&self) -> Option<f64> {
        (self.examined > 0).then(|| 1.0 - self.apart as f64 / self.examined as f64)
    }
}

impl Later {
    /// The wake-ups of both, beyond the same duration.
    fn and(mut self, other: Self) -> Self {
        self.waits = self.waits.saturating_add(other.waits);
        self.late_ns = self.late_ns.saturating_add(other.late_ns);
        for part in other.parts.into_iter().take(Cause::ALL.len()) {
            match self.parts.iter_mut().find(|known| known.cause == part.cause) {
                Some(known) => known.ns = known.ns.saturating_add(part.ns),
                None => self.parts.push(part),
            }
        }
        self.parts.sort_by_key(|part| std::cmp::Reverse(part.ns));
        self
    }

    /// The share of a cause in the lateness, 0 to 1.
    pub fn share(&self, cause: Cause) -> f64 {
        share(&self.parts, self.late_ns, cause)
    }

    /// The mean lateness, in nanoseconds.
    pub fn mean_ns(&self) -> f64 {
        self.late_ns as f64 / self.waits.max(1) as f64
    }
}

impl Worst {
    /// Removes the names of tasks that belong to other users.
    pub fn withhold_names(&mut self) {
        self.culprits.iter_mut().for_each(Culprit::withhold_name);
    }

    /// The share of a cause in the lateness, 0 to 1.
    pub fn share(&self, cause: Cause) -> f64 {
        share(&self.parts, self.late_ns, cause)
    }
}

fn share(parts: &[Part], late_ns: u64, cause: Cause) -> f64 {
    let of_it = parts.iter().filter(|part| part.cause == cause);
    let ns = of_it.map(|part| part.ns).fold(0, u64::saturating_add);
    (ns as f64 / late_ns.max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_named_in_the_report_as_it_says() {
        for cause in Cause::ALL {
            let json = serde_json::to_string(&cause).expect("a word");
            assert_eq!(json, format!("\"{}\"", cause.name()));
        }
        // A later version may know more of them.
        let later: Cause = serde_json::from_str("\"gremlins\"").expect("any word");
        assert_eq!(later, Cause::Unknown);
    }

    #[test]
    fn the_tail_is_the_latest_of_many_and_all_of_a_few() {
        let later = |than_ns, waits| Later {
            than_ns,
            waits,
            late_ns: 1_000,
            parts: vec![Part { cause: Cause::RunQueue, ns: 600 }],
        };
        let why = Why {
            later: vec![later(0, 1_000), later(50, 400), later(100, 12), later(200, 9)],
            ..Why::default()
        };
        assert_eq!(why.tail().map(|it| it.than_ns), Some(100));
        assert_eq!(why.tail().map(|it| it.share(Cause::RunQueue)), Some(0.6));
        let few = Why { later: vec![later(0, 3), later(50, 2)], ..Why::default() };
        assert_eq!(few.tail().map(|it| it.than_ns), Some(0));
        assert_eq!((Why::default().tail(), Why::default().explained()), (None, None));
    }

    #[test]
    fn two_parts_of_a_run_add_up_beyond_every_duration() {
        let part = |cause, ns| Part { cause, ns };
        let later = |than_ns, waits, parts: &[Part]| {
            let late_ns = parts.iter().map(|part| part.ns).sum();
            Later { than_ns, waits, late_ns, parts: parts.to_vec() }
        };
        let (queue, steal) = (Cause::RunQueue, Cause::Steal);
        let worst = |late_ns| Worst { late_ns, ..Worst::default() };
        let first = Why {
            later: vec![later(0, 5, &[part(queue, 900)]), later(200, 2, &[part(queue, 700)])],
            worst: (0..15).rev().map(|n| worst(n * 2)).collect(),
            examined: 3,
            smis: Some(1),
            ..Why::default()
        };
        let second = Why {
            later: vec![
                later(0, 4, &[part(steal, 950), part(queue, 50)]),
                later(100, 3, &[part(steal, 940)]),
                later(500, 1, &[part(steal, 600)]),
            ],
            worst: (0..15).rev().map(|n| worst(n * 2 + 1)).collect(),
            examined: 4,
            ..Why::default()
        };
        let expected = [
            later(0, 9, &[part(queue, 950), part(steal, 950)]),
            later(100, 5, &[part(steal, 940), part(queue, 700)]),
            later(200, 3, &[part(queue, 700), part(steal, 600)]),
            later(500, 1, &[part(steal, 600)]),
        ];
        for (mut one, other) in [(first.clone(), &second), (second.clone(), &first)] {
            one.join(other);
            let waits = |all: &[Later]| -> Vec<_> {
                all.iter().map(|it| (it.than_ns, it.waits, it.late_ns)).collect()
            };
            assert_eq!(waits(&one.later), waits(&expected));
            for (one, expected) in one.later.iter().zip(&expected) {
                for cause in [queue, steal] {
                    assert_eq!(one.share(cause), expected.share(cause));
                }
            }
            let late: Vec<u64> = one.worst.iter().map(|worst| worst.late_ns).collect();
            assert_eq!(late, (10..30).rev().collect::<Vec<u64>>());
            assert_eq!((one.examined, one.smis), (7, Some(1)));
        }
    }
}
