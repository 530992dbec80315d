//! The lines about time in the kernel's log.

use chronoscope_model::{Environment, kernel_log};
use std::borrow::Cow;

use super::os;
use super::root::{Missing, Root, rows};

/// Whether a message of a program counts: it is known what this one says about clocks.
pub fn says_of_clocks(program: &str, message: &str) -> bool {
    rows("steering programs").any(|known| known == program)
        && kernel_log::recognise(message).is_some()
}

/// Whether a line is what a command prints about clocks, and not a program's own text in a journal.
fn is_output(line: &str) -> bool {
    let known = kernel_log::recognise(line).filter(|_| !line.contains("]: "));
    known.is_some_and(|known| known.message.command().is_some())
}

/// More lines than a boot writes about time.
const FIRST: usize = 72;
/// The number of last lines that are kept: enough of a machine that complains every second.
const LAST: usize = 24;
/// The longest line that is kept, in bytes.
const LENGTH: usize = 200;

/// The lines about time, oldest first, or why there are none.
pub struct Log(pub Result<Vec<String>, Missing>);

impl Log {
    /// A log that nothing is asked of.
    pub const fn none() -> Self {
        Self(Err(Missing::Absent))
    }

    pub fn find(&self, part: &str) -> Option<&str> {
        self.lines().iter().map(String::as_str).find(|line| line.contains(part))
    }

    pub fn last(&self, part: &str) -> Option<&str> {
        self.lines().iter().rev().map(String::as_str).find(|line| line.contains(part))
    }

    /// Why the log could not be read.
    pub fn missing(&self) -> Option<&Missing> {
        self.0.as_ref().err()
    }

    fn lines(&self) -> &[String] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// Reads the log: `/dev/kmsg` of this machine, or a recorded one.
pub fn read(root: &Root) -> Log {
    const PATH: &str = "/dev/kmsg";
    let text = if root.is_host() { os::kernel_log() } else { root.long_text(PATH) };
    Log(text.map(|text| select(&text)))
}

/// Keeps the messages that are about time. User space can write to the log too; what it wrote
/// (facility above 0) proves nothing and is skipped.
pub fn select(text: &str) -> Vec<String> {
    let of_time = whole(text).filter(|(_, message)| concerns_time(message));
    let mut lines: Vec<String> =
        of_time.map(|(line, message)| dated(line, &clean(&message))).collect();
    let spare = lines.len().saturating_sub(FIRST + LAST);
    lines.splice(FIRST.min(lines.len())..(FIRST + spare).min(lines.len()), []);
    lines
}

/// A message after the day that its line states, if it depends on that what it means.
fn dated(line: &str, message: &str) -> String {
    let head = line.split_once(message).filter(|_| message.contains("leap second"));
    head.and_then(|(head, _)| kernel_log::date(head)).map_or(
        message.into(),
        |(year, month, day)| {
            let year = year.map_or(String::new(), |year| format!("{year}-"));
            format!("{year}{month:02}-{day:02} {message}")
        },
    )
}

fn concerns_time(message: &str) -> bool {
    rows("words of time").any(|word| message.contains(word))
        || kernel_log::recognise(message).is_some()
        || kernel_log::alarming(message).is_some()
}

/// Whether a text is what a search for time, or a person, left of a log, so that what is not in it
/// may have been in the log. Of the lines of a whole one, a tenth or so are about time.
pub fn is_excerpt(text: &str) -> bool {
    /// In the shortest logs, those of small virtual machines, it is one line in five.
    const PART: usize = 3;
    /// No kernel writes fewer lines while it starts.
    const LEAST: usize = 40;
    // The words of whoever quotes a log are no lines of it.
    let form = form(text);
    let lines = text.lines().filter_map(|line| message(line, form));
    let lines = lines.filter(|message| !message.trim().is_empty());
    let (all, of_time) = lines.fold((0, 0), |(all, of_time), message| {
        (all + 1, of_time + usize::from(concerns_time(message)))
    });
    all < LEAST || of_time * PART > all || !text.contains("Linux version ")
}

/// The messages of a text, each with the line that it begins in. One that a mail program broke is
/// put together again.
fn whole(text: &str) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
    /// The most lines that one is broken into.
    const PARTS: usize = 4;
    let form = form(text);
    let mut lines = text.lines();
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let Some(first) = or_plain(line, form) else { return Some((line, Cow::Borrowed(""))) };
        let of_time = rows("words of time").any(|word| first.contains(word));
        if !of_time || kernel_log::recognise(first).is_some() {
            return Some((line, Cow::Borrowed(first)));
        }
        let (mut joined, mut rest) = (first.to_owned(), lines.clone());
        for _ in 1..PARTS {
            let more =
                rest.next().filter(|line| form == Form::Plain || message(line, form).is_none());
            let Some(more) = more else { break };
            if kernel_log::recognise(more).is_some() {
                break;
            }
            joined = format!("{} {}", joined.trim_end(), more.trim());
            if kernel_log::recognise(&joined).is_some() {
                lines = rest;
                return Some((line, Cow::Owned(joined)));
            }
        }
        Some((line, Cow::Borrowed(first)))
    })
}

/// The form of a text that holds a kernel's log.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// `priority,sequence,time,flags;message` (kernel, `Documentation/ABI/testing/dev-kmsg`).
    Records,
    /// `time host kernel: message`, of syslog and of journalctl, with other programs between.
    Journal,
    /// `[time] message` of dmesg, perhaps after `<level>` or `facility:level:`.
    Dmesg,
    /// Messages only.
    Plain,
}

/// The kernel's messages in the text of a log, in whichever usual form it is.
pub fn messages(text: &str) -> impl Iterator<Item = &str> {
    let form = form(text);
    text.lines().filter_map(move |line| or_plain(line, form))
}

/// The message of a line, which lacks its time if someone wrote or cut it by hand, and is one of
/// dmesg in what someone put together.
fn or_plain(line: &str, form: Form) -> Option<&str> {
    let other = || match form {
        Form::Dmesg => Some(line).filter(|line| !line.trim_start().starts_with('<')),
        Form::Journal if is_output(line) => Some(line),
        // `journalctl -o short-monotonic` has times in brackets, too: `[time] host program[7]: `.
        Form::Journal => message(line, Form::Dmesg).filter(|message| {
            let program = message.split_once("]: ").and_then(|(head, _)| head.split_once('['));
            program.is_none_or(|(name, _)| !name.contains(' '))
        }),
        Form::Records | Form::Plain => None,
    };
    message(line, form).or_else(other)
}

fn form(text: &str) -> Form {
    let has = |form: &Form| text.lines().any(|line| message(line, *form).is_some());
    [Form::Records, Form::Journal, Form::Dmesg].into_iter().find(has).unwrap_or(Form::Plain)
}

/// Whether a text looks like a kernel's log: by the form of a line, or by what a line says.
pub fn is_log(text: &str) -> bool {
    let known =
        |line: &str| kernel_log::recognise(line).is_some() || kernel_log::alarming(line).is_some();
    form(text) != Form::Plain || text.lines().any(known)
}

fn message(line: &str, form: Form) -> Option<&str> {
    let kernels = |priority: &str| priority.parse::<u32>().is_ok_and(|number| number < 8);
    match form {
        Form::Records => {
            let (head, message) = line.split_once(';')?;
            let mut fields = head.split(',');
            let own = kernels(fields.next()?);
            (own && fields.take(2).filter(|field| field.parse::<u64>().is_ok()).count() == 2)
                .then_some(message)
        }
        Form::Journal => {
            // `host chronyd[77]: message`: what these programs did is worth the same.
            let own = line.split_once("]: ").and_then(|(head, message)| {
                let program = head.split_once('[')?.0.rsplit(' ').next()?;
                says_of_clocks(program, message).then_some(message)
            });
            if own.is_some() {
                return own;
            }
            // A program's own text can contain `kernel:`, but only after its name and a colon.
            let (head, message) = line.split_once(" kernel: ")?;
            let stamp = |c: char| c.is_ascii_digit() || c == '[';
            (!head.contains(": ") && head.contains(stamp))
                .then(|| stamped(message.trim_start()).unwrap_or(message))
        }
        Form::Dmesg => {
            let line = line.trim_start();
            let line = match line.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
                Some((priority, _)) if !kernels(priority) => return None,
                Some((_, rest)) => rest,
                None => line
                    .strip_prefix("kern")
                    .map_or(line, |rest| rest.find('[').map_or(line, |at| &rest[at..])),
            };
            stamped(line)
        }
        Form::Plain => Some(line),
    }
}

/// The message after a time in brackets: seconds since the start or the line before, or a date.
fn stamped(line: &str) -> Option<&str> {
    let digit = |c: char| c.is_ascii_digit();
    let (time, message) = line.strip_prefix('[')?.split_once(']')?;
    let (time, message) = (time.trim(), message.strip_prefix(' ').unwrap_or(message));
    let seconds = time
        .trim_start_matches(['+', '<', ' '])
        .split_once('.')
        .is_some_and(|(whole, part)| whole.parse::<u64>().is_ok() && part.starts_with(digit));
    // `Jan 5 10:11` or `Mon Jan  5 10:11:12 2026`.
    let date = time.len() >= 11 && time.contains(':') && time.contains(digit);
    (seconds || date).then_some(message)
}

/// The message without control characters, which a terminal would act on, and cut to the longest
/// length.
fn clean(message: &str) -> String {
    let mut end = message.len().min(LENGTH);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    message[..end].chars().filter(|c| !c.is_control()).collect()
}

/// Puts the lines into the report, as evidence for the conclusions drawn from them.
pub fn fill(root: &Root, log: &Log, env: &mut Environment) {
    match &log.0 {
        Ok(lines) => {
            env.kernel_log.clone_from(lines);
            let why = match lines.iter().all(|line| is_output(line)) {
                true => "there is none, only what commands printed",
                false => "it is an excerpt, with little else than lines about time",
            };
            if root.process().log_excerpt {
                env.not_known("kernel log", why);
            }
        }
        Err(_) if !root.is_linux() => {}
        Err(Missing::Absent) => env.not_known("kernel log", "there is no /dev/kmsg"),
        Err(why) => env.not_known(
            "kernel log",
            format!(
                "{why}; root (or anyone, with kernel.dmesg_restrict=0) can read what the kernel \
                 found out about its clocks"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kernels_own_lines_about_time_are_kept() {
        let log = "6,1,58,-;tsc: Detected 2599.998 MHz processor\n SUBSYSTEM=x\n\
                   6,2,60,-;NX protection\n12,3,61,-;tsc: forged by a process\ngarbage\n;tsc\n";
        assert_eq!(select(log), ["tsc: Detected 2599.998 MHz processor"]);
    }

    #[test]
    fn the_first_and_the_last_lines_are_kept() {
        let log: String = (0..1000).map(|n| format!("4,{n},1,-;tsc {n}\n")).collect();
        let kept = select(&log);
        assert_eq!(kept.len(), FIRST + LAST);
        assert_eq!([&*kept[FIRST - 1], &*kept[FIRST]], ["tsc 71", "tsc 976"]);
        assert_eq!(select(&log[..60]).len(), 4);
    }

    #[test]
    fn long_lines_are_cut_between_characters_and_control_codes_dropped() {
        let long = format!("tsc \x1b[31m{}", "é".repeat(LENGTH));
        let cut = clean(&long);
        assert!(cut.len() <= LENGTH && !cut.contains('\x1b'));
    }
}
