//! The notes that a measurement can make, one function each.

use chronoscope_model::Note;
use chronoscope_model::environment::CoreType;
use chronoscope_model::loops::Overhead;
use chronoscope_model::units::{human, percent, plural};
use chronoscope_probes::blame::Missing;
use std::time::Duration;

fn note(id: &str, text: String, fix: &str) -> Note {
    Note { id: id.into(), about: None, text, fix: fix.into() }
}

/// Notes with a fixed id: `name(arguments) = id, text, what to do about it`. What the text names is
/// an argument, or defined in parentheses behind it.
macro_rules! notes {
    ($($(#[$doc:meta])* $seen:vis fn $name:ident($($arg:ident: $kind:ty),*) =
       $id:literal, $text:literal $(($($part:ident = $value:expr),+))? $(, $fix:literal)?;)*) => {$(
        $(#[$doc])*
        $seen fn $name($($arg: $kind),*) -> Note {
            note($id, format!($text $($(, $part = $value)+)?), concat!($($fix)?))
        }
    )*};
}

notes! {
    /// The counter must not be the ruler, for the given reason.
    pub(crate) fn system_ruler(why: String) = "system-ruler",
        "the system's clock is the ruler because {why}";
    /// This system can neither pin another process nor let a child inherit its parent's CPU.
    pub(crate) fn probes_not_pinned() = "probes-not-pinned",
        "the probes of runtimes are not pinned to a CPU on this system, so their costs may come \
         from another type of core, or from several";
    /// A runtime could have a clock, but not here.
    pub(crate) fn no_clock(runtime: &str, clock: &str, why: &str) = "no-clock",
        "{runtime}/{clock} cannot be read: {why}";
    /// A budget ended before everything about the clocks of runtimes was looked at.
    pub(crate) fn budget_used_up() = "budget-used-up",
        "some ticks, sleeps or calls were left out: the --budget was used up by the costs",
        "give a longer --budget";
    /// Nothing explains the waits of a method.
    pub(crate) fn unexplained(id: &str, why: &str) = "why-runtime",
        "late wake-ups of {id} are not all explained: {why}";
    /// Who ran instead of a waiting thread is not recorded.
    pub(crate) fn likely(why: &str) = "why-likely",
        "late wake-ups: who ran instead is likely, not seen, because their CPU time grew at that \
         time on that CPU: {why}";
    /// Some tasks have no name here.
    pub(crate) fn names_hidden(why: &str) = "why-hidden",
        "late wake-ups: {why}";
    /// Waits are watched on the only CPU.
    pub fn watched_alone() = "watched-alone",
        "there is one CPU only, so the waits are disturbed by what shows and keeps them";
    /// All wait methods have failed.
    pub fn none_left() = "none-left",
        "nothing is measured any more: each wait method has failed";
    /// The processor lacks the instruction best suited to end a region.
    pub(crate) fn no_rdtscp() = "no-rdtscp",
        "the processor has no rdtscp, so regions end with lfence; rdtsc; lfence";
    pub(crate) fn not_pinned(why: String) = "not-pinned",
        "the measuring thread is not pinned: {why}",
        "choose a CPU with --cpu";
    /// Steal hit so many rounds that they could not be left out.
    pub(crate) fn steal_counted(stolen: usize, rounds: u32) = "steal-counted",
        "the hypervisor took time from this CPU in {stolen} of {rounds} rounds. Too few other \
         rounds remain, so these count as well",
        "measure again when the host is less busy";
    /// All samples come from one process.
    pub(crate) fn one_process() = "one-process",
        "no other process could take part, so the intervals do not cover the effects of placement \
         in memory: another run may report costs outside them",
        "raise --budget, leave out --priority, or check that the tool can start itself as a child \
         process";
    /// Real-time threads leave one CPU free for everything else.
    pub fn cpu_left_free(cpu: usize) = "cpu-left-free",
        "no wait is measured on CPU {cpu}: real-time threads must leave one CPU free",
        "measure without a real-time priority to use all CPUs";
    /// The time ran out before every row had the requested number of waits.
    pub(crate) fn time_over() = "time-over",
        "time ran out before the count was reached, so rows have only the waits that fitted",
        "raise --budget or --duration, or lower --count";
    pub(crate) fn stepped(by_s: f64, before_s: f64) = "wall-clock-stepped",
        "the wall clock was stepped by {by_s:+.3} s before second {before_s:.0} of the run; no \
         wait depends on it";
    /// The machine was plugged in or unplugged while waits were measured.
    pub(crate) fn power_changed(from: &str, to: &str, before_s: f64) = "power-changed",
        "the machine ran on {from} until about second {before_s:.0} of the run and on {to} after \
         that, and rows contain waits from both",
        "measure each power source in its own run, and compare the runs with chronoscope compare";
    /// There was no time to look at some processes.
    pub(crate) fn tasks_left_out(most: u64) = "why-left-out",
        "late wake-ups: up to {them} left out of a search for those that ran instead, which takes \
         at most 2 ms and looks at 4,000 tasks"
        (them = plural(most, "process was", "processes were"));
    /// The process may not run on a core of the fastest type.
    pub(crate) fn slower_core(cpu: usize, core: &CoreType) = "slower-core",
        "measured on CPU {cpu}, whose core type is {class} ({name}): this process may not run on a \
         performance core, where costs are lower" (class = core.class.name(), name = core.name),
        "let the process run on a performance core (taskset, or the container's cpuset)";
    /// The core was shared so often that figures include shared rounds.
    pub(crate) fn core_shared(share: f64) = "core-shared",
        "something else ran on this core in {share} of the rounds, too many to leave out: the \
         costs marked * include these rounds and are too high" (share = percent(share)),
        "measure again later, or on another CPU (--cpu)";
    /// Back-to-back reads of these clocks cost more than ordered ones.
    pub(crate) fn above_ordered(ids: &[&str]) = "above-ordered",
        "back-to-back reads of {ids} cost more than ordered ones, which says nothing about the \
         clock: the processor runs the loop in a different rhythm, as it does after system calls, \
         or if a branch or a fetch is badly aligned" (ids = some(ids)),
        "compare by the lower of the two costs";
    /// Most batches of these clocks took longer, or less time, than the interval allows.
    pub(crate) fn median_outside(ids: &[&str]) = "median-outside",
        "the median batch of {ids} lies outside the interval: the cost is that of the quiet \
         batches, and most others were disturbed or at the second mode (clocks -v)"
        (ids = some(ids)),
        "measure again when the machine is less busy";
    /// A loop ran faster with timing than without it.
    pub(crate) fn negative_overhead(found: &Overhead) = "negative-overhead",
        "the loop ran {gain:.1} ns faster with reads of {id} than without. Both loops call the \
         same function for the {m} integers, so the reads do not speed it up: they change the \
         rhythm in which the processor fetches and predicts it, and cost less than this gains"
        (gain = -found.overhead.median_ns, id = found.id, m = found.m),
        "sum fewer integers (the last argument), or measure a read with chronoscope clocks";
    /// The control group lets the process take too little memory to displace caches with.
    pub(crate) fn no_memory() = "no-cold-reads",
        "no cold reads: the memory limit of the control group leaves no room for them",
        "Raise memory.max (limits.memory in Kubernetes) to 64 MiB.";
    /// Processes start too slowly for first reads. The arguments are the number of clocks, the time
    /// for one process and for all, in seconds, and the time available.
    pub(crate) fn slow_processes(clocks: usize, each_s: f64, all_s: f64, share: Duration) =
        "no-first-reads",
        "no first reads: a process takes {each_ms:.0} ms to start and end, so {clocks} clocks need \
         {all_s:.1} s; the budget has {share:.1} s for them"
        (each_ms = each_s * 1e3, share = share.as_secs_f64()),
        "name fewer clocks or raise --budget";
}

/// The clock source could not be restored.
pub(crate) fn source_not_restored(original: &str, why: &str) -> Note {
    note(
        "source-not-restored",
        format!("the clock source was not restored to {original}: {why}"),
        &format!(
            "echo {original} | sudo tee \
             /sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
    )
}

/// The run was asked for some clocks, or chose them; `None` if it left out none of this system.
pub fn clocks_left_out(clocks: usize) -> Option<Note> {
    let them = plural(clocks as u64, "clock was", "clocks were");
    let text = format!("{them} left out: chronoscope --all, or clocks");
    (clocks > 0).then(|| note("some-clocks", text, ""))
}

/// Two parts of late wake-ups are shown as one, because a source is missing.
pub(crate) fn not_separated(missing: &Missing) -> Note {
    note(
        &format!("why-{}", missing.id),
        format!("late wake-ups: {} are not shown separately: {}", missing.loses, missing.reason),
        "",
    )
}

/// A wait method failed during the run.
pub fn method_failed(id: &str, why: &str) -> Note {
    Note { about: Some(id.into()), ..note("method-failed", format!("{id} failed: {why}"), "") }
}

/// The clock whose deltas are watched cannot be read.
pub fn clock_not_watched(id: &str, why: &str) -> Note {
    Note {
        about: Some(id.into()),
        ..note("clock-not-watched", format!("{id} is not watched: {why}"), "")
    }
}

fn some(ids: &[&str]) -> String {
    const MOST: usize = 3;
    let more = ids.len().saturating_sub(MOST);
    let named = ids[..ids.len() - more].join(", ");
    match more {
        0 => named,
        _ => format!("{named} and {more} more"),
    }
}

/// Something was left out because it needs more time than is available.
pub(crate) fn too_short(id: &str, what: &str, share: Duration, from: Duration) -> Note {
    note(
        id,
        format!("{what}: this needs {}, of which the budget allows {}", human(from), human(share)),
        "raise --budget",
    )
}

/// There was no time for some waits, or for any.
pub fn no_waits(why: &str, share: Duration) -> Note {
    let mut note = note(
        "waits-left-out",
        format!("{why}: the budget has {} for waits", human(share)),
        "raise --budget",
    );
    note.about = Some("waits".into());
    note
}

/// Something that was asked for is not permitted or not possible.
pub(crate) fn refused(id: &str, what: &str, why: &str) -> Note {
    note(id, format!("{what}: {why}"), "")
}

/// The kernel's trace was marked at an overshoot above the limit, or could not be.
pub(crate) fn marked(done: &Result<(), String>) -> Note {
    match done {
        Ok(()) => note(
            "trace-marked",
            "the kernel's trace ends with a mark at the overshoot above the limit".into(),
            "cat /sys/kernel/tracing/trace",
        ),
        Err(why) => refused("no-trace-marker", "the kernel's trace was not marked", why),
    }
}

/// The load differed from what was asked for.
pub fn load(id: &str, text: String) -> Note {
    note(id, text, "")
}
