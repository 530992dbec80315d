//! Why waits ended late: the parts of their lateness.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Wake-ups later than this are examined closely, in nanoseconds: the states of the CPU and of the
/// quota are then read.
pub const EXAMINED_NS: u64 = 10_000;
/// Parts that differ from the lateness by more than this do not explain it, in nanoseconds.
pub const APART_NS: u64 = 5_000;
/// How many of the latest wake-ups of a row are kept.
pub const WORST: usize = 20;

macro_rules! causes {
    ($($variant:ident $name:literal $words:literal $doc:literal)*) => {
        /// What made a wait end late.
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
            Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum Cause {
            $(#[doc = $doc] $variant,)*
            /// The sources contradict each other.
            #[default]
            #[serde(other)]
            Unknown,
        }

        impl Cause {
            /// Every cause, in the order in which they come after a deadline.
            pub const ALL: &[Self] = &[$(Self::$variant,)* Self::Unknown];

            /// The name in the report, and that on a screen.
            const NAMES: &[(&str, &str)] = &[$(($name, $words),)* ("unknown", "unknown")];

            /// Its name in the report.
            pub const fn name(self) -> &'static str {
                Self::NAMES[self as usize].0
            }

            /// Its name on a screen.
            pub const fn words(self) -> &'static str {
                Self::NAMES[self as usize].1
            }
        }
    };
}

causes! {
    TimerSlack "timer-slack" "timer slack"
        "The kernel waited to let the timer expire together with others."
    IdleExit "idle-exit" "idle exit"
        "From the expiry of the timer to the start of the thread, without the run queue: the CPU \
         left its idle state and took the interrupt. In a virtual machine, the host had to run the \
         CPU again."
    Interrupt "interrupt" "interrupts"
        "The kernel took the CPU for interrupts."
    RunQueue "run-queue" "run queue"
        "The thread was ready to run, and other threads had its CPU."
    Preempted "preempted" "preemption"
        "The thread had its CPU, and lost it to other threads."
    Throttled "throttled" "CPU quota"
        "The quota of its control group kept it from running."
    Steal "steal" "steal"
        "The thread had its CPU, and the time is not in its CPU time: the hypervisor took it, or \
         an interrupt that the kernel accounts for."
    BelowKernel "below-kernel" "below the kernel"
        "The thread ran, and the kernel was not entered: the hypervisor or the firmware took the \
         time."
    Return "return" "return"
        "From the start of the thread to the end of the wait: the kernel's way back to the \
         program, and the method's own code."
    OffCpu "off-cpu" "not running"
        "The thread did not run; what of that was the timer, an idle exit or the run queue is not \
         known."
    OnCpu "on-cpu" "interrupts or below"
        "The thread had its CPU; whether an interrupt took the time or something below the kernel \
         is not known."
    Stopped "stopped" "stopped"
        "The process was stopped, or the machine was suspended."
}

/// A part of some lateness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The cause.
    pub cause: Cause,
    /// The time, in nanoseconds.
    pub ns: u64,
}

/// Why the waits of a row ended late.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// The wake-ups later than a duration, from all of them to the latest ones. Durations that the
    /// same wake-ups exceed are left out.
    pub later: Vec<Later>,
    /// The latest wake-ups, the latest first; at most twenty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<Worst>,
    /// How many wake-ups were later than 10 us.
    pub examined: u64,
    /// How many of those have parts that differ from the lateness by more than 5 us.
    pub apart: u64,
    /// How many of those came after the CPU had entered an idle state, by state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<Idle>,
    /// Records of context switches that the kernel could not store.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// System management interrupts that were counted at the late wake-ups; absent if the system
    /// does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smis: Option<u64>,
}

/// The wake-ups later than a duration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Later {
    /// The duration, in nanoseconds.
    pub than_ns: u64,
    /// How many.
    pub waits: u64,
    /// Their lateness, and its parts, together. Parts of no time are left out.
    pub late_ns: u64,
    /// The parts.
    pub parts: Vec<Part>,
}

/// A late wake-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Worst {
    /// When the wait ended, in seconds from the start of the run.
    pub at_s: f64,
    /// How late, in nanoseconds.
    pub late_ns: u64,
    /// The parts; those of no time are left out.
    pub parts: Vec<Part>,
    /// The CPU on which it ended, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<usize>,
    /// Whether the thread moved to another CPU during the wait.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
    /// The deepest idle state that the CPU entered; absent if it entered none, or is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// System management interrupts during the wait, if there were any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub smis: u64,
}

/// Wake-ups after an idle state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

    /// The share of late wake-ups, 0 to 1, whose parts add up to their lateness within 5 us.
    pub fn explained(&self) -> Option<f64> {
        (self.examined > 0).then(|| 1.0 - self.apart as f64 / self.examined as f64)
    }
}

impl Later {
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

pub(crate) fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_named_in_the_report_as_it_says() {
        for cause in Cause::ALL {
            let json = serde_json::to_string(cause).expect("a word");
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
}
