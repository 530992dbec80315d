//! The notes that a measurement can make, one function each. `notes.md` has their texts.

use chronoscope_model::environment::CoreType;
use chronoscope_model::loops::Overhead;
use chronoscope_model::packed::packed;
use chronoscope_model::page::pages;
use chronoscope_model::units::{human, percent, plural};
use chronoscope_model::{Note, Page};
use chronoscope_probes::blame::Missing;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::LazyLock;
use std::time::Duration;

/// The texts, by id.
static PAGES: LazyLock<BTreeMap<&str, Page>> =
    LazyLock::new(|| pages(packed!("notes.md")).map(|page| (page.name(), page)).collect());

/// What a text has in braces, and what stands there instead.
type Parts<'a> = &'a [(&'a str, &'a dyn Display)];

/// The note with this id.
fn noted(id: &str, parts: Parts) -> Note {
    let page = PAGES.get(id).unwrap_or(&Page::EMPTY);
    note(id, filled(page.about, parts), filled(page.act, parts))
}

fn note(id: &str, text: String, fix: impl Into<String>) -> Note {
    Note { id: id.into(), about: None, text, fix: fix.into() }
}

fn filled(text: &str, parts: Parts) -> String {
    let mut pieces = text.split('{');
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for (name, rest) in pieces.filter_map(|piece| piece.split_once('}')) {
        let part = parts.iter().find(|(part, _)| *part == name);
        let _ = part.map(|(_, value)| write!(all, "{value}"));
        all.push_str(rest);
    }
    all
}

/// The functions of `notes.md`: `name(arguments) = id`. The arguments are the parts of the text,
/// unless these follow in brackets.
macro_rules! notes {
    ($($(#[$doc:meta])* $seen:vis fn $name:ident($($arg:ident: $kind:ty),*) = $id:literal
       $([$($part:ident = $value:expr),+])?;)*) => {
        $($(#[$doc])* $seen fn $name($($arg: $kind),*) -> Note {
            noted($id, notes!(@parts ($($arg),*) $($($part = $value),+)?))
        })*
        #[cfg(test)]
        const NAMED: &[(&str, &[&str])] = &[
            $(($id, notes!(@names ($($arg),*) $($($part),+)?))),*
        ];
    };
    (@parts ($($arg:ident),*)) => { &[$((stringify!($arg), &$arg as &dyn Display)),*] };
    (@parts ($($arg:ident),*) $($part:ident = $value:expr),+) => {
        &[$((stringify!($part), &$value as &dyn Display)),+]
    };
    (@names ($($arg:ident),*)) => { &[$(stringify!($arg)),*] };
    (@names ($($arg:ident),*) $($part:ident),+) => { &[$(stringify!($part)),+] };
}

notes! {
    /// The counter must not be the ruler, for the given reason.
    pub(crate) fn system_ruler(why: String) = "system-ruler";
    /// This system can neither pin another process nor let a child inherit its parent's CPU.
    pub(crate) fn probes_not_pinned() = "probes-not-pinned";
    /// A runtime could have a clock, but not here.
    pub(crate) fn no_clock(runtime: &str, clock: &str, why: &str) = "no-clock";
    /// A budget ended before everything about the clocks of runtimes was looked at.
    pub(crate) fn budget_used_up() = "budget-used-up";
    /// Nothing explains the waits of a method.
    pub(crate) fn unexplained(id: &str, why: &str) = "why-runtime";
    /// Who ran instead of a waiting thread is not recorded.
    pub(crate) fn likely(why: &str) = "why-likely";
    /// Some tasks have no name here.
    pub(crate) fn names_hidden(why: &str) = "why-hidden";
    /// Waits are watched on the only CPU.
    pub fn watched_alone() = "watched-alone";
    /// All wait methods have failed.
    pub fn none_left() = "none-left";
    /// The processor lacks the instruction best suited to end a region.
    pub(crate) fn no_rdtscp() = "no-rdtscp";
    pub(crate) fn not_pinned(why: String) = "not-pinned";
    /// Steal hit so many rounds that they could not be left out.
    pub(crate) fn steal_counted(stolen: usize, rounds: u32) = "steal-counted";
    /// All samples come from one process.
    pub(crate) fn one_process() = "one-process";
    /// Real-time threads leave one CPU free for everything else.
    pub fn cpu_left_free(cpu: usize) = "cpu-left-free";
    /// The time ran out before every row had the requested number of waits.
    pub(crate) fn time_over() = "time-over";
    pub(crate) fn stepped(by_s: f64, before_s: f64) = "wall-clock-stepped"
        [by = format_args!("{by_s:+.3}"), second = format_args!("{before_s:.0}")];
    /// The machine was plugged in or unplugged while waits were measured.
    pub(crate) fn power_changed(from: &str, to: &str, before_s: f64) = "power-changed"
        [from = from, to = to, second = format_args!("{before_s:.0}")];
    /// There was no time to look at some processes.
    pub(crate) fn tasks_left_out(most: u64) = "why-left-out"
        [processes = plural(most, "process was", "processes were")];
    /// The process may not run on a core of the fastest type.
    pub(crate) fn slower_core(cpu: usize, core: &CoreType) = "slower-core"
        [cpu = cpu, class = core.class.name(), name = core.name];
    /// The core was shared so often that figures include shared rounds.
    pub(crate) fn core_shared(share: f64) = "core-shared" [share = percent(share)];
    /// Back-to-back reads of these clocks cost more than ordered ones.
    pub(crate) fn above_ordered(ids: &[&str]) = "above-ordered" [ids = some(ids)];
    /// Most batches of these clocks took longer, or less time, than the interval allows.
    pub(crate) fn median_outside(ids: &[&str]) = "median-outside" [ids = some(ids)];
    /// A loop ran faster with timing than without it.
    pub(crate) fn negative_overhead(found: &Overhead) = "negative-overhead"
        [gain = format_args!("{:.1}", -found.overhead.median_ns), id = found.id, m = found.m];
    /// The control group lets the process take too little memory to displace caches with.
    pub(crate) fn no_memory() = "no-cold-reads";
    /// Processes start too slowly for first reads. The arguments are the number of clocks, the time
    /// for one process and for all, in seconds, and the time available.
    pub(crate) fn slow_processes(clocks: usize, each_s: f64, all_s: f64, share: Duration) =
        "no-first-reads"
        [each = format_args!("{:.0}", each_s * 1e3), clocks = clocks,
         all = format_args!("{all_s:.1}"), share = format_args!("{:.1}", share.as_secs_f64())];
    /// The clock source could not be restored.
    pub(crate) fn source_not_restored(original: &str, why: &str) = "source-not-restored";
    fn left_out(clocks: usize) = "some-clocks"
        [clocks = plural(clocks as u64, "clock was", "clocks were")];
    fn failed(id: &str, why: &str) = "method-failed";
    fn not_watched(id: &str, why: &str) = "clock-not-watched";
    fn waits_left_out(why: &str, share: Duration) = "waits-left-out"
        [why = why, share = human(share)];
    fn trace_marked() = "trace-marked";
}

/// The run was asked for some clocks, or chose them; `None` if it left out none of this system.
pub fn clocks_left_out(clocks: usize) -> Option<Note> {
    (clocks > 0).then(|| left_out(clocks))
}

/// Two parts of late wake-ups are shown as one, because a source is missing.
pub(crate) fn not_separated(Missing { id, loses, reason }: &Missing) -> Note {
    let text = format!("late wake-ups: {loses} are not shown separately: {reason}");
    note(&format!("why-{id}"), text, "")
}

/// A wait method failed during the run.
pub fn method_failed(id: &str, why: &str) -> Note {
    Note { about: Some(id.into()), ..failed(id, why) }
}

/// The clock whose deltas are watched cannot be read.
pub fn clock_not_watched(id: &str, why: &str) -> Note {
    Note { about: Some(id.into()), ..not_watched(id, why) }
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
    let (from, share) = (human(from), human(share));
    let text = format!("{what}: this needs {from}, of which the budget allows {share}");
    note(id, text, "raise --budget")
}

/// There was no time for some waits, or for any.
pub fn no_waits(why: &str, share: Duration) -> Note {
    Note { about: Some("waits".into()), ..waits_left_out(why, share) }
}

/// Something that was asked for is not permitted or not possible.
pub(crate) fn refused(id: &str, what: &str, why: &str) -> Note {
    note(id, format!("{what}: {why}"), "")
}

/// The kernel's trace was marked at an overshoot above the limit, or could not be.
pub(crate) fn marked(done: &Result<(), String>) -> Note {
    match done {
        Ok(()) => trace_marked(),
        Err(why) => refused("no-trace-marker", "the kernel's trace was not marked", why),
    }
}

/// The load differed from what was asked for.
pub fn load(id: &str, text: String) -> Note {
    note(id, text, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_note_has_a_text_with_just_its_parts() {
        assert!(NAMED.iter().map(|(id, _)| *id).collect::<BTreeSet<_>>().iter().eq(PAGES.keys()));
        for (id, parts) in NAMED {
            let page = PAGES[id];
            let both = [page.about, page.act].join(" ");
            let named = both.split('{').skip(1).map(|piece| piece.split_once('}').expect(id).0);
            let named: BTreeSet<&str> = named.collect();
            assert!(named.iter().eq(&parts.iter().copied().collect::<BTreeSet<_>>()), "{id}");
            assert!(!page.about.is_empty() && !both.contains("  "), "{id}");
        }
    }

    #[test]
    fn a_part_is_put_in_as_it_is() {
        let note = no_clock("a", "{why}", "100 %}");
        assert_eq!(note.text, "a/{why} cannot be read: 100 %}");
        assert_eq!(
            stepped(1.0, 2.4).text,
            "the wall clock was stepped by +1.000 s before second 2 \
                                            of the run; no wait depends on it"
        );
    }
}
