//! Whether a counter can be trusted, and why.

use crate::machine::{Facts, Kernel, Wanted};

/// Where the ticks come from.
///
/// ```
/// use chronoscope::{Clock, Source, Wanted};
/// let clock = Clock::new();
/// clock.choose(Wanted::Os)?;
/// assert_eq!(clock.describe().source, Source::Os);
/// # Ok::<(), chronoscope::AlreadyChosen>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The processor's counter.
    Counter,
    /// The operating system's monotonic clock.
    Os,
    /// The operating system's clock in the counter's place and units, after the counter did
    /// something that a clock must not do.
    OsInstead,
}

/// What was observed when the counter was tried.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Why it failed: it went backwards, stood still, or had no plausible rate.
    pub failed: Option<&'static str>,
    /// The cost of a read in nanoseconds; the lowest seen.
    pub cost: u64,
    /// The cost of a read of the system's clock in nanoseconds; the lowest seen.
    pub os_cost: u64,
    /// Whether the CPUs were found in step; `None` if that could not be checked.
    pub in_step: Option<bool>,
}

/// Returns the reason not to read the counter, if the facts give one before it is read.
pub fn forbids(facts: &Facts) -> Option<String> {
    if facts.counter.is_none() {
        return Some("programs cannot read a counter here".into());
    }
    if facts.forbidden {
        return Some("this process has disabled reading the counter (PR_SET_TSC)".into());
    }
    match (facts.wanted, facts.invariant, &facts.kernel) {
        (Wanted::Os, ..) => Some("it was requested".into()),
        (Wanted::Counter, ..) => None,
        (_, Some(false), _) => {
            Some("the counter's rate changes with frequency or idle states (not invariant)".into())
        }
        (_, _, Kernel::Dropped(current)) => Some(format!(
            "the kernel does not trust the counter and uses {current}"
        )),
        (_, None, Kernel::Silent) => Some("nothing confirms that the counter is reliable".into()),
        _ => None,
    }
}

/// Whether the CPUs have to be compared: not if the kernel uses the counter for its own time.
pub fn needs_comparison(facts: &Facts) -> bool {
    facts.wanted != Wanted::Counter && !matches!(facts.kernel, Kernel::Uses(_))
}

/// The verdict on a counter that nothing forbids: the reason to use it, or not to.
pub fn decide(facts: &Facts, trial: &Trial) -> Result<String, String> {
    if let Some(failed) = trial.failed {
        return Err(failed.into());
    }
    if facts.wanted == Wanted::Counter {
        return Ok("it was requested".into());
    }
    // An instruction that costs more than a whole read of the system's clock is not executed by the
    // processor but by a hypervisor, and has no advantage.
    if trial.cost > trial.os_cost {
        return Err(format!(
            "reading the counter takes {} ns, the system's clock {} ns, so the counter is emulated",
            trial.cost, trial.os_cost
        ));
    }
    let kernel = match (&facts.kernel, trial.in_step) {
        (_, Some(false)) => return Err("the CPUs disagree on the counter".into()),
        (Kernel::Uses(name), _) => {
            return Ok(format!("invariant, and the kernel uses it ({name})"));
        }
        (Kernel::Offers(name), _) => format!("the kernel offers it but uses {name}"),
        (Kernel::Silent, _) => "the kernel does not report whether it uses it".into(),
        (Kernel::Dropped(name), _) => return Err(format!("the kernel uses {name} instead")),
    };
    match trial.in_step {
        Some(_) => Ok(format!("invariant, {kernel}, and all CPUs agree")),
        None => Err(format!("{kernel}, and the CPUs could not be compared")),
    }
}
