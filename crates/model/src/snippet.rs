//! Lines of code shared by the entries of the catalogue and the advice.

use std::fmt::Display;

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;

/// Returns `struct timespec duration = { 0, 1000000 };`, for example.
pub fn timespec(name: &str, ns: u64) -> String {
    format!("struct timespec {name} = {{ {}, {} }};", ns / SECOND, ns % SECOND)
}

/// The lines of `snippets.txt` with this name; each value takes the place of its name in braces.
fn filled(name: &str, values: &[(&str, &dyn Display)]) -> String {
    let all = include_str!("snippets.txt").split("\n= ");
    let lines = all.filter_map(|block| block.split_once('\n')).find(|(own, _)| *own == name);
    let lines = lines.map_or("", |(_, lines)| lines.trim_end()).to_owned();
    let fill = |text: String, (name, value): &(&str, &dyn Display)| {
        text.replace(&format!("{{{name}}}"), &value.to_string())
    };
    values.iter().fold(lines, fill)
}

/// Returns a `struct timespec deadline` on CLOCK_MONOTONIC, `ns` nanoseconds from now; each line
/// ends with a line feed.
pub fn deadline(ns: u64) -> String {
    let seconds = match ns / SECOND {
        0 => String::new(),
        seconds => format!("deadline.tv_sec += {seconds};\n"),
    };
    filled("deadline", &[("seconds", &seconds), ("ns", &(ns % SECOND))]) + "\n"
}

/// A spin on CLOCK_MONOTONIC in C, which makes a pause before it spins: lines that each end with a
/// line feed, or none.
pub fn spin(ns: u64, pause: &str) -> String {
    filled("spin", &[("ns", &ns), ("pause", &pause)])
}

/// The `start` and the `duration` of a wait in Rust; each line ends with a line feed.
pub fn rust_start(ns: u64) -> String {
    filled("rust_start", &[("ns", &ns)]) + "\n"
}

/// As [`spin`], on QueryPerformanceCounter.
pub fn qpc_spin(ns: u64, pause: &str) -> String {
    filled("qpc_spin", &[("ns", &ns), ("pause", &pause)])
}

/// A wait for a Windows timer object, in C or C++, created with these flags; it is made once, and
/// closed in the end. A negative due time is relative to now, in units of 100 ns (Microsoft Learn,
/// SetWaitableTimer).
pub fn waitable_timer(flags: &str, ns: u64) -> String {
    filled("waitable_timer", &[("flags", &flags), ("ns", &ns.div_ceil(100))])
}

/// The flag for a timer object that is not bound to the system's timer tick. Headers for systems
/// before Windows 10 do not have its name.
pub const HIGH_RESOLUTION: &str = "2 /* CREATE_WAITABLE_TIMER_HIGH_RESOLUTION */";

/// A loop with a fixed period for each language, or for a language on a system: the first line of
/// each names both, and what stands for the time left in the waits of runtimes.
const LOOPS: &str = include_str!("loops.txt");

/// Whether this code is a loop with a period, with a place for the work.
pub fn is_paced(code: &str) -> bool {
    code.lines().any(|line| matches!(line.trim_start(), "// work" | "# work"))
}

/// A loop that makes a wait in each of its periods.
#[derive(Clone, Copy, Debug)]
pub struct Paced<'a> {
    /// The language, as [`crate::advice::LANGUAGES`] names it.
    pub language: &'a str,
    /// The systems that have the wait, in words.
    pub home: &'a str,
    /// Nanoseconds from one deadline to the next.
    pub period_ns: u64,
}

impl Paced<'_> {
    /// The loop of this language with its first line; none if no loop is known.
    fn frame(&self) -> Option<(&'static str, &'static str)> {
        let fits = |frame: &(&str, &str)| {
            let (language, rest) = frame.0.split_once('|').unwrap_or((frame.0, ""));
            let system = if self.language == "C" { rest } else { "" };
            language == self.language && self.home.contains(system)
        };
        let frames = LOOPS.split("\n= ").filter_map(|frame| frame.split_once('\n'));
        frames.into_iter().find(fits)
    }

    /// The loop with the lines that are needed once, and those that wait until `next`.
    pub fn with(&self, once: &str, wait: &str) -> Option<String> {
        let (_, frame) = self.frame()?;
        let mut all = String::new();
        for line in frame.lines() {
            let indent = &line[..line.len() - line.trim_start().len()];
            let lines = match line.trim_start() {
                "{once}" => once,
                "{wait}" => wait,
                _ => line.trim_start(),
            };
            for line in lines.lines() {
                all += &format!("{indent}{line}\n");
            }
        }
        Some(all.trim_end().replace("{period}", &self.period_ns.to_string()))
    }

    /// The loop around the code of a wait whose duration stands in one of its lines; none if that
    /// line cannot be in a loop by itself.
    pub fn around(&self, text: &str) -> Option<String> {
        const DURATIONS: [&str; 4] = ["{s}", "{ms}", "{us}", "{ns}"];
        const MAIN: &str = "async def main():\n";
        let timed = |text: &str| DURATIONS.iter().any(|it| text.contains(it));
        let mut wait = text.to_owned();
        for (pattern, left) in self.frame()?.0.split('|').filter_map(|it| it.split_once('=')) {
            wait = wait.replace(pattern, left);
        }
        let at = text.lines().position(timed)?;
        let known = wait.lines().zip(text.lines()).filter(|(left, plain)| left != plain).count();
        if timed(&wait) || known != 1 || text.contains("go on") {
            return None;
        }
        // In a coroutine, its first line is the wait, and what starts it follows.
        if let Some((before, body)) = wait.split_once(MAIN) {
            let (wait, after) = body.split_once("\n\n")?;
            if timed(before) || text[..text.find(MAIN)?].lines().count() + 1 != at {
                return None;
            }
            let body = self.with("", wait.trim_start())?;
            let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
            return Some(format!("{before}{MAIN}{body}\n{after}"));
        }
        let lines: Vec<&str> = wait.lines().collect();
        let alone = !lines[at].starts_with(' ') && !text.contains("using var");
        // What ends with a scope ends after the loop, and a part of a statement is none.
        let within = lines[..at].last().is_some_and(|line| line.ends_with(['{', ':']));
        let alone = alone && !within && !text.contains("defer ");
        alone.then(|| self.with(&lines[..at].join("\n"), &lines[at..].join("\n")))?
    }
}

/// The lines that a language wants at the top of a file, each with the words that need it.
const HEADS: &str = include_str!("heads.txt");

/// Lines of code with what must stand at the top of their file: the headers and imports that they
/// name, and those that their words need.
pub fn complete(language: &str, code: &str) -> String {
    let is_head = |line: &&str| {
        let word = line.split(' ').next().unwrap_or_default();
        let import = matches!(word, "import" | "using" | "#include") && !line.contains('(');
        import && !line.contains(" = ") || *line == "#define _GNU_SOURCE"
    };
    let body: Vec<&str> = code.lines().filter(|line| !is_head(line)).collect();
    let needs = |row: &&str| {
        let mut parts = row.split('|');
        let languages = parts.next().unwrap_or_default();
        let words = parts.nth(1).unwrap_or_default();
        languages.split(", ").any(|one| one == language)
            && words.split(' ').any(|word| code.contains(word))
    };
    let known = HEADS.lines().filter(needs).filter_map(|row| row.split('|').nth(1));
    let mut heads: Vec<&str> = Vec::new();
    for head in known.chain(code.lines().filter(is_head)) {
        if !heads.contains(&head) && !body.contains(&head) {
            heads.push(head);
        }
    }
    let body = match body.iter().position(|line| !line.is_empty()) {
        Some(first) => body[first..].to_vec(),
        None => body,
    };
    let gap = match language {
        "Python" | "Rust" | "JavaScript" => None,
        _ => heads.last().map(|_| ""),
    };
    let gap: Vec<&str> = gap.into_iter().collect();
    [heads, gap, body].concat().join("\n")
}

/// A call as a statement, after the lines that it needs: with a `;` unless it has one, and broken
/// after a `;` or an opening bracket if it is too long for a line of 66 columns.
pub fn statement(before: &str, call: &str) -> String {
    let call = call.trim_end();
    let end = if call.ends_with([';', '}']) { "" } else { ";" };
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{gap}{}{end}", folded(call))
}

fn folded(call: &str) -> String {
    const MOST: usize = 66;
    if call.len() < MOST {
        return call.to_owned();
    }
    let behind = |text: &str| call.find(text).map(|at| at + 1);
    match behind("; ").or_else(|| behind("(")) {
        Some(at) if at < call.len() => {
            let (head, tail) = (&call[..at], call[at..].trim_start());
            let indent = if head.ends_with('(') { "    " } else { "" };
            format!("{head}\n{indent}{tail}")
        }
        _ => call.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_becomes_a_statement_of_short_lines() {
        assert_eq!(statement("", "f()"), "f();");
        assert_eq!(statement("int a;", "while (a) {}"), "int a;\nwhile (a) {}");
        let long = format!("first({}); second()", "x".repeat(60));
        assert_eq!(statement("", &long), format!("first({});\nsecond();", "x".repeat(60)));
        let long = format!("only({})", "x".repeat(60));
        assert_eq!(statement("", &long), format!("only(\n    {});", "x".repeat(60)));
    }

    #[test]
    fn code_gets_the_heads_that_its_words_need_once() {
        let code = complete("C", "struct timespec t;\nclock_gettime(CLOCK_MONOTONIC, &t);");
        assert!(code.starts_with("#include <time.h>\n\nstruct"), "{code}");
        let code = complete("Python", "import time\nimport ctypes\nimport time\ntime.sleep(1)");
        assert_eq!(code, "import time\nimport ctypes\ntime.sleep(1)");
    }

    #[test]
    fn whole_seconds_are_kept_apart() {
        assert_eq!(timespec("t", 1_500_000_000), "struct timespec t = { 1, 500000000 };");
        assert!(deadline(2_000_000_000).contains("deadline.tv_sec += 2;\n"));
        assert!(!deadline(1_000).contains("tv_sec +="));
        assert!(waitable_timer("0", 150).contains("-2LL"));
    }
}
