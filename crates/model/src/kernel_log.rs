//! What Linux writes to its log about time: each message as the kernel's source has it, the kernels
//! that print it, and what it proves. Also what programs that steer clocks log, and what commands
//! print about clocks.
//!
//! A fault is ruled out by a log only if every line of its topic was understood. So the table also
//! holds what is harmless, and [`alarming`] says of any other line which topic it may be about.

use crate::Page;
use crate::packed::{self, packed};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Whether a clock source, mostly the TSC, can be trusted.
    Stability,
    /// The rate of a counter and how it was calibrated.
    Rate,
    /// Timers, their interrupts and what keeps the kernel from serving them.
    Timers,
    /// The wall clock: leap seconds, suspension, and what a hypervisor did to the machine.
    Time,
}

/// A message of the kernel.
#[derive(Debug)]
pub struct Message {
    /// Its text, with a name in braces where the kernel puts a value. Runs of spaces count as one.
    pub text: &'static str,
    /// The versions of Linux that print it.
    pub kernels: &'static str,
    /// The file that prints it.
    pub file: &'static str,
    /// What it is about.
    pub topic: Topic,
    /// The faults that it proves.
    pub faults: Vec<&'static str>,
    /// Faults of which it leaves open which one it is, unless another line says so.
    pub open: Vec<&'static str>,
    /// Faults that it contradicts, whatever other lines say.
    pub against: Vec<&'static str>,
    /// The field that must be further from 0 than this, for it to mean anything.
    limit: Option<(&'static str, f64)>,
    /// Whether kernels print it while they start, before anything can be overwritten.
    pub boot: bool,
    /// What it means.
    pub means: &'static str,
    /// What it means in a virtual machine, if that is something else; it is then harmless there.
    pub guest: &'static str,
    /// What to do; empty if there is nothing to do.
    pub act: &'static str,
}

impl Message {
    /// A message as `kernel_log.txt` has it; `None` for a heading.
    fn parse(block: &'static str) -> Option<Self> {
        let mut lines = block.lines();
        let text = lines.next()?.strip_prefix("> ")?;
        let (kernels, file) = lines.next()?.split_once(" | ")?;
        let entry = |key: &str| {
            let mut lines = block.lines().skip(2);
            lines.find_map(|line| line.strip_prefix(key)).unwrap_or_default()
        };
        let mut words = entry("is: ").split(' ');
        let topic = match words.next()? {
            "stability" => Topic::Stability,
            "rate" => Topic::Rate,
            "timers" => Topic::Timers,
            _ => Topic::Time,
        };
        let (limits, words): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('>'));
        let limit = limits.first().and_then(|word| word.split_once('>'));
        let limit = limit.and_then(|(field, most)| Some((field, most.parse().ok()?)));
        let boot = words.contains(&"boot");
        let open = words.iter().filter_map(|word| word.strip_prefix('?')).collect();
        let against = words.iter().filter_map(|word| word.strip_prefix('!')).collect();
        let faults = words.iter().filter(|word| **word != "boot" && !word.starts_with(['?', '!']));
        let (means, guest, act) = (entry("means: "), entry("guest: "), entry("act: "));
        let faults = faults.copied().collect();
        Some(Self {
            text,
            kernels,
            file,
            topic,
            faults,
            open,
            against,
            limit,
            boot,
            means,
            guest,
            act,
        })
    }

    /// The command that prints it, if it is no message of a log.
    pub fn command(&self) -> Option<&'static str> {
        let service = self.kernels.strip_prefix("the service ");
        self.kernels.strip_prefix("the command ").or(service)
    }

    /// Whether it proves no fault here.
    pub fn is_harmless(&self, guest: bool) -> bool {
        (self.faults.is_empty() && self.open.is_empty()) || (guest && !self.guest.is_empty())
    }

    /// What it means on this kind of machine.
    pub fn meaning(&self, guest: bool) -> &'static str {
        if guest && !self.guest.is_empty() { self.guest } else { self.means }
    }

    /// The message as a page: what `explain` shows of a line that was pasted.
    pub const fn page(&'static self) -> Page {
        Page {
            names: std::slice::from_ref(&self.text),
            title: "A message of the kernel",
            about: self.means,
            how: self.kernels,
            act: if self.act.is_empty() { "Nothing has to be done." } else { self.act },
            references: std::slice::from_ref(&self.file),
            ..Page::EMPTY
        }
    }
}

/// A line that is a message of the table.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// The message.
    pub message: &'static Message,
    /// The values of its fields, by name.
    pub fields: Vec<(&'static str, &'a str)>,
}

impl Known<'_> {
    /// The value of the field with this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.0 == name).map(|field| field.1)
    }

    /// The same as a number: hexadecimal if the field's name begins with `0x`.
    pub fn number(&self, name: &str) -> Option<f64> {
        let text = self.get(name)?;
        if name.starts_with("0x") {
            let digits = text.trim_start_matches("0x");
            return u64::from_str_radix(digits, 16).ok().map(|value| value as f64);
        }
        text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Whether it proves this fault: a fault of the TSC is one only if the line is about the TSC.
    pub fn proves(&self, fault: &str, guest: bool) -> bool {
        let message = self.message;
        let proof = message.faults.contains(&fault) && self.is_beyond();
        !message.is_harmless(guest) && proof && self.of_tsc()
    }

    /// Whether its figure is as large as the message has to have it; so is one without a limit.
    pub fn is_beyond(&self) -> bool {
        let beyond = |(field, most)| self.number(field).is_some_and(|value| value.abs() > most);
        self.message.limit.is_none_or(beyond)
    }

    /// Whether it leaves open whether it is this fault.
    pub fn leaves_open(&self, fault: &str, guest: bool) -> bool {
        !self.message.is_harmless(guest) && self.message.open.contains(&fault) && self.of_tsc()
    }

    /// Whether the clock source that the line names, if it names one, is the TSC.
    fn of_tsc(&self) -> bool {
        let named = self.get("source");
        self.message.topic != Topic::Stability || named.is_none_or(|name| name.starts_with("tsc"))
    }
}

/// The message that this line of a log is, wherever in the line it begins.
pub fn recognise(line: &str) -> Option<Known<'_>> {
    // Only messages whose longest word the line has need be compared.
    let words = line.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    // Those without a word begin with one of these signs.
    let words = words.chain(line.contains(['^', '#']).then_some(""));
    let held = words.filter_map(|word| BY_WORD.get(word)).flatten();
    let mut held: Vec<usize> = held.copied().collect();
    held.sort_unstable();
    held.into_iter().find_map(|at| {
        let message = &messages()[at];
        Some(Known { message, fields: fields(message.text, line)? })
    })
}

/// The messages by the longest word that is in each line of theirs.
static BY_WORD: LazyLock<HashMap<&str, Vec<usize>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, message) in messages().iter().enumerate() {
        let pieces: Vec<&str> = message.text.split(['{', '}']).step_by(2).collect();
        let words = pieces.iter().enumerate().flat_map(|(nr, piece)| {
            let mut words: Vec<&str> = piece.split(|c: char| !c.is_ascii_alphabetic()).collect();
            // A word at the edge of a value may go on in it.
            words.truncate(words.len() - usize::from(nr + 1 < pieces.len()));
            words.drain(..usize::from(nr > 0).min(words.len()));
            words
        });
        let longest = words.filter(|word| word.len() > 1).max_by_key(|word| word.len());
        let longest = longest.unwrap_or_default();
        all.entry(longest).or_default().push(at);
    }
    all
});

/// The message that a line is, or that a part of one, as people paste and search them, belongs to.
pub fn about(words: &str) -> Option<&'static Message> {
    /// Shorter parts are in lines about other things too.
    const LEAST: usize = 12;
    let words = words.trim().trim_end_matches(['.', ':', '!']);
    let part = words.len() >= LEAST && words.contains(' ');
    let holds = |message: &&Message| part && message.text.contains(words);
    let piece = |message: &&Message| {
        let pieces = message.text.split(['{', '}']).step_by(2).map(str::trim);
        pieces.filter(|piece| piece.len() >= LEAST).any(|piece| words.contains(piece))
    };
    let whole = recognise(words).map(|known| known.message);
    whole.or_else(|| messages().iter().find(holds)).or_else(|| messages().iter().find(piece))
}

/// A message with one sign for each value, whether the kernel has filled it in or not.
pub fn without_values(text: &str) -> String {
    let mut plain = String::new();
    let mut end = None;
    for c in text.to_lowercase().chars() {
        match (end, c) {
            (Some(last), c) if c == last => end = None,
            (Some(_), _) => continue,
            (None, '{') => end = Some('}'),
            (None, '\'') if text.matches('\'').count() >= 2 => end = Some('\''),
            (None, c) if !c.is_ascii_digit() => {
                plain.push(c);
                continue;
            }
            (None, _) => {}
        }
        if !plain.ends_with('#') {
            plain.push('#');
        }
    }
    plain
}

/// The message that proves a fault and within which a pager or a terminal cut this line.
pub fn cut(line: &str) -> Option<&'static Message> {
    /// Shorter beginnings are the ends of other lines.
    const LEAST: usize = 16;
    /// A console that is too narrow writes the last letters over each other.
    const ANYWHERE: usize = 28;
    static PROVING: LazyLock<Vec<(String, &Message)>> = LazyLock::new(|| {
        let all = messages().iter().filter(|it| !it.faults.is_empty() || !it.open.is_empty());
        all.map(|message| (without_values(message.text), message)).collect()
    });
    let line = without_values(line.trim_end_matches(['>', '\u{2026}', ' ']));
    let ends = |text: &str| {
        let mut starts = (LEAST..text.len()).filter_map(|end| text.get(..end));
        starts.any(|start| line.ends_with(start))
    };
    let begins = |text: &str| text.get(..ANYWHERE).is_some_and(|start| line.contains(start));
    PROVING.iter().find(|(text, _)| ends(text) || begins(text)).map(|it| it.1)
}

/// The values in a line that has this text; `None` if it has another.
fn fields<'a>(text: &'static str, line: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    let mut parts = text.split('{');
    let (before, mut rest) = after(line, parts.next()?)?;
    let mut found = Vec::new();
    for part in parts {
        let (name, literal) = part.split_once('}')?;
        let (value, left) = if literal.is_empty() { (rest, "") } else { after(rest, literal)? };
        // A text that begins with a value has what other lines begin with before it.
        let begins = found.is_empty() && before.is_empty() && text.starts_with('{');
        let value = value.trim();
        let value = if begins { value.rsplit(' ').next()? } else { value };
        // A value is a number or a name, but for the last one, which may be any text.
        let last = literal.trim().is_empty();
        if value.is_empty() || (!last && value.contains(char::is_whitespace)) {
            return None;
        }
        found.push((name, value));
        rest = left;
    }
    Some(found)
}

/// What is before and after the first place that has this text, however many spaces it has.
fn after<'a>(line: &'a str, text: &str) -> Option<(&'a str, &'a str)> {
    // Most lines have not even its first word.
    let word = text.split_whitespace().next().unwrap_or_default();
    let spaces = text.len() - text.trim_start().len();
    line.match_indices(word).find_map(|(at, _)| {
        let before = &line[..at];
        let start = if spaces > 0 { before.trim_end().len() } else { at };
        Some((&line[..start], matched(&line[start..], text)?))
    })
}

fn matched<'a>(line: &'a str, text: &str) -> Option<&'a str> {
    let (mut rest, mut wanted) = (line, text.chars().peekable());
    while let Some(next) = wanted.next() {
        if next.is_whitespace() {
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() {
                return None;
            }
            rest = trimmed;
            while wanted.next_if(|c| c.is_whitespace()).is_some() {}
        } else {
            rest = rest.strip_prefix(next)?;
        }
    }
    Some(rest)
}

/// The day that a line of a log states: its year, which syslog leaves out, month and day, as in
/// `2017-01-01T00:59:59+0100`, `Jan  1 00:59:59` or `01-01`.
pub fn date(line: &str) -> Option<(Option<u32>, u32, u32)> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> =
        line.split([' ', '[', ']', 'T', ',']).filter(|it| !it.is_empty()).collect();
    let year = |word: &str| word.parse().ok().filter(|year| (1990..2100).contains(year));
    let found = words.iter().enumerate().find_map(|(at, word)| {
        if let Some(month) = MONTHS.iter().position(|month| month == word) {
            let years = words.iter().filter_map(|word| year(word)).next();
            return Some((years, month as u32 + 1, words.get(at + 1)?.parse().ok()?));
        }
        let parts: Vec<&str> = word.split('-').collect();
        let (month, day) = (parts.iter().rev().nth(1)?.parse().ok()?, parts.last()?.parse().ok()?);
        match parts[..] {
            [first, _, _] => Some((Some(year(first)?), month, day)),
            [_, _] => Some((None, month, day)),
            _ => None,
        }
    });
    found.filter(|(_, month, day)| (1..=12).contains(month) && (1..=31).contains(day))
}

/// Whether a leap second was due around midnight of this day, wherever its time zone; `None` if
/// that is not known (IERS Bulletin C).
pub fn leap_was_due((year, month, day): (Option<u32>, u32, u32)) -> Option<bool> {
    /// The ends of half years that had one, since 1990, and the year up to which that is known.
    const ALL: &str = "1990-12 1992-6 1993-6 1994-6 1995-12 1997-6 1998-12 2005-12 2008-12 \
                       2012-6 2015-6 2016-12";
    const KNOWN: u32 = 2026;
    let half = match (month, day) {
        (6, 30) | (7, 1) => 6,
        (12, 31) | (1, 1) => 12,
        _ => return Some(false),
    };
    let ended = year? - u32::from(month == 1);
    let at = format!("{ended}-{half}");
    (1990..=KNOWN).contains(&ended).then(|| ALL.split(' ').any(|one| one == at))
}

/// Words of a message that may report a fault, by the topic that it would be about.
const ALARMS: [(Topic, &str); 4] = [
    (
        Topic::Stability,
        "unstable|instable|not stable|broken|inconsisten|jump|skew|warp|unsynchron|not synchron|\
         out of sync|reliable|dysfunctional|backward|tsc adjust|read-back delay|timed out|halts|\
         warning: cpu",
    ),
    (Topic::Rate, "calibrat|differs from|invalid rate|khz"),
    (Topic::Timers, "interrupt took|stuck|throttl|errat"),
    (Topic::Time, "leap second"),
];
/// What a line must name for its words to be about time.
const SUBJECTS: &str = "tsc|clocksource|clock source|sched_clock|hpet|pm-timer|kvm-clock|\
                        arch_timer|arch timer|pvclock|hrtimer|clock:|timekeeping|watchdog|\
                        rt throttling|apic timer|lapic|at kernel/time/";

/// The topic of a line that is no message of the table, if it may report a fault.
pub fn alarming(line: &str) -> Option<Topic> {
    let lower = line.to_lowercase();
    let has = |words: &str| words.split('|').any(|word| lower.contains(word));
    if recognise(line).is_some() || !has(SUBJECTS) {
        return None;
    }
    let alarm = ALARMS.into_iter().find(|(_, words)| has(words)).map(|(topic, _)| topic);
    alarm.or_else(|| cut(line).map(|message| message.topic))
}

/// Whether a log begins where the kernel started. One whose oldest lines were overwritten has none
/// of the messages that every kernel prints then.
pub fn begins_at_boot<'a>(lines: impl IntoIterator<Item = &'a String>) -> bool {
    lines.into_iter().any(|line| recognise(line).is_some_and(|known| known.message.boot))
}

/// Every message that is known, from `kernel_log.txt`. The first that a line has counts, so special
/// texts come before general ones.
pub fn messages() -> &'static [Message] {
    static ALL: LazyLock<Vec<Message>> = LazyLock::new(|| {
        let text: &str = packed::text(packed!("kernel_log.txt")).leak();
        let blocks = text.split("\n\n");
        blocks.filter_map(|block| Message::parse(block.trim_start())).collect()
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_whatever_comes_first_and_however_it_is_spaced() {
        let line = "[ 12.5] clocksource:    Watchdog          hpet interval:    503987021ns";
        let known = recognise(line).expect("a message of Linux 7.1");
        assert_eq!(
            (known.get("watchdog"), known.number("wd_ns")),
            (Some("hpet"), Some(503987021.))
        );
        let line = "clocksource: 'hpet' wd_now: 54c0f25 wd_last: 4eafe44 mask: ffffffff";
        let known = recognise(line).expect("a message of Linux 5.4");
        assert_eq!(known.number("0xwd_now"), Some(f64::from(0x54c_0f25)));
        assert!(recognise("").is_none() && recognise("tsc: \u{1f600}{}").is_none());
    }

    #[test]
    fn a_line_about_another_clock_source_proves_nothing_about_the_tsc() {
        let line = |name: &str| format!("Clocksource {name} unstable (delta = -5 ns)");
        assert!(recognise(&line("tsc")).is_some_and(|known| known.proves("tsc-skew", false)));
        assert!(!recognise(&line("hpet")).is_some_and(|known| known.proves("tsc-skew", false)));
    }

    #[test]
    fn what_is_not_understood_alarms() {
        let unknown = "tsc: Marking TSC unstable due to the phase of the moon";
        assert_eq!(alarming(unknown), Some(Topic::Stability));
        assert_eq!(alarming("tsc: Marking TSC unstable due to boot parameter"), None);
        assert_eq!(alarming("CPU: Your system may be unstable."), None);
        assert_eq!(alarming("tsc: Fast TSC calibration went to lunch"), Some(Topic::Rate));
        assert_eq!(
            alarming("WARNING: CPU: 0 PID: 1 at kernel/time/new.c:7 f+0x5"),
            Some(Topic::Stability)
        );
        // What a pager leaves of a line that does not fit.
        for cut in [
            "clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as uns>",
            "clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as\u{2026}",
            "tsc: Measured 7309500619 cycles TSC wa",
            "clocksource: Long readout interval, skipping watchdog check: cs_7",
        ] {
            assert_eq!(alarming(cut), Some(Topic::Stability), "{cut}");
        }
        assert_eq!(alarming("clocksource: Switched to clocksource tsc"), None);
        assert_eq!(alarming("tsc: the line ends with a Marking"), None);
    }
}
