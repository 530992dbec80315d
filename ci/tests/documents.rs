//! What documents quote from the code: the constants in tables of places, and counts in sentences.

use chronoscope_probes::{clocks, waits};
use std::fs;
use std::path::{Path, PathBuf};
use xtask::sh::root;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A document as one line, so that a sentence is found wherever its lines break.
fn flat(path: &str) -> String {
    read(path).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, "rs")
}

fn files(folder: &Path, ends: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries
        .map(|entry| entry.path())
        .flat_map(|path| if path.is_dir() { files(&path, ends) } else { vec![path] });
    paths.filter(|path| path.extension().is_some_and(|end| end == ends)).collect()
}

/// The expressions that a constant of this name has in these files; of a measurement in the
/// schedule, the time that it takes.
fn expressions(files: &[PathBuf], name: &str) -> Vec<String> {
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let head = format!("const {name}: ");
    let mut found = Vec::new();
    for text in texts {
        let values = text.split(&head).skip(1).filter_map(|text| {
            let (_, value) = text.split_once(';')?.0.split_once('=')?;
            Some(value.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        found.extend(values);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let row = text.split_once(&format!(" {name} = \""));
        let time = row.and_then(|(_, row)| row.split_once('"'));
        let time = time.and_then(|(_, rest)| rest.split(',').nth(1));
        found.extend(time.map(|ms| format!("Duration::from_millis({})", ms.trim())));
    }
    found.dedup();
    found
}

/// The value of a constant: of this file, or of another in its crate, if the constant has moved.
fn constant(file: &str, name: &str) -> String {
    let own = root().join(file);
    let folder = own.ancestors().find(|folder| folder.ends_with("src")).unwrap_or(&own);
    let mut found = expressions(std::slice::from_ref(&own), name);
    if found.is_empty() {
        found = expressions(&rust_files(folder), name);
    }
    match &found[..] {
        [value] => value.clone(),
        other => panic!("{file}: {name} has the values {other:?}"),
    }
}

/// The number of an expression: literals and other constants, `<<`, `*`, and the argument of
/// `Duration::from_…`.
fn number(file: &str, expression: &str) -> f64 {
    let inside = expression.split_once("from_").and_then(|(_, call)| call.split_once('('));
    let text = inside.map_or(expression, |(_, arguments)| arguments.trim_end_matches(')'));
    match (text.split_once("<<"), text.split_once('*')) {
        (Some((base, power)), _) => number(file, base) * f64::exp2(number(file, power)),
        (_, Some((a, b))) => number(file, a) * number(file, b),
        _ => {
            let word = text.split_whitespace().next().unwrap_or_default();
            if word.starts_with(|c: char| c.is_ascii_uppercase()) {
                return number(file, &constant(file, word));
            }
            let digits = word.replace('_', "");
            digits.parse().unwrap_or_else(|_| panic!("`{expression}` of {file} is no number"))
        }
    }
}

fn thousands(number: f64) -> String {
    let digits = number.to_string();
    match digits.len().checked_sub(3) {
        Some(at @ 1..) if number >= 5000.0 && number.fract() == 0.0 => {
            format!("{},{}", &digits[..at], &digits[at..])
        }
        _ => digits,
    }
}

/// How a document may write the value of a constant.
fn forms(file: &str, name: &str, expression: &str) -> Vec<String> {
    let value = number(file, expression);
    let mut forms = vec![value.to_string(), thousands(value)];
    let percent = (value * 1e6).round() / 1e4;
    forms.extend([format!("{percent} %"), format!("{} %", (percent - 100.0).round())]);
    let ns = match (expression, name) {
        (text, _) if text.contains("from_millis") => value * 1e6,
        (text, _) if text.contains("from_micros") => value * 1e3,
        (_, name) if name.ends_with("_S") => value * 1e9,
        (text, _) if text.contains("from_secs") => value * 1e9,
        _ => value,
    };
    for (unit, scale) in [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("h", 3.6e12)] {
        forms.push(format!("{} {unit}", ns / scale));
    }
    forms.extend([format!("2^{}", value.log2()), format!("{} MiB", value / f64::from(1 << 20))]);
    forms.push(format!("1 in {}", (1.0 / value).round()));
    if (0.0..=10.0).contains(&value) && value.fract() == 0.0 {
        let word = words(value as usize);
        forms.extend([word.to_owned(), word[..1].to_uppercase() + &word[1..]]);
    }
    forms
}

/// Whether a text contains these words, and not as part of a longer number.
fn says(text: &str, words: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.match_indices(words).any(|(at, _)| {
        let after = &text[at + words.len()..];
        let more = after.starts_with(['.', ',']) && digit(after.chars().nth(1));
        !digit(text[..at].chars().next_back())
            && !text[..at].ends_with(['.', ',', '^'])
            && !digit(after.chars().next())
            && !more
    })
}

/// The rows of METHOD's table of constants name the file and the constants.
#[test]
fn the_constants_of_the_method_have_the_values_that_it_states() {
    let method = read("docs/METHOD.md");
    let (_, table) = method.split_once("\n## Constants\n").expect("a table of constants");
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.split('|').collect();
        let mut file = String::new();
        for word in cells[3].split('`').skip(1).step_by(2) {
            if word.ends_with(".rs") {
                let inside = if word.starts_with("crates/") { "" } else { "crates/measure/src/" };
                file = format!("{inside}{word}");
                assert!(root().join(&file).exists(), "METHOD names {file}, which is missing");
            } else if word.chars().all(|c| c.is_ascii_uppercase() || c == '_') {
                let value = constant(&file, word);
                checked += 1;
                if !forms(&file, word, &value).iter().any(|form| says(cells[2], form)) {
                    wrong.push(format!("{word} of {file} is {value}, not {}", cells[2].trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 30, "only {checked} constants were found");
}

#[test]
fn values_are_found_as_documents_write_them() {
    assert!(forms("", "CALIBRATION", "Duration::from_millis(25)").contains(&"25 ms".to_owned()));
    assert!(forms("", "MOST", "1 << 20").contains(&"2^20".to_owned()));
    assert!(forms("", "ORDER", "1.2").contains(&"20 %".to_owned()));
    assert!(forms("", "SHORT_WRAP_S", "3_600.0").contains(&"1 h".to_owned()));
    assert!(says("at most 20,000 times", "20,000") && !says("at most 20,000 times", "20"));
}

/// A document, a sentence of it with `{}` in place of a number, and the file and the name of the
/// constant with that number.
const QUOTED: &[(&str, &str, &str, &str)] = &[
    ("watch", "From {} columns on", "watch/src/draw/mod.rs", "WIDE"),
    ("watch", "From {} lines on", "watch/src/draw/mod.rs", "TALL"),
    ("METHOD", "the tightest of {} tries", "measure/src/engine/ruler.rs", "TRIES"),
    ("METHOD", "divided among up to {} processes", "measure/src/engine/rounds.rs", "PROCESSES"),
    (
        "METHOD",
        "{} rounds are made in each process",
        "measure/src/engine/rounds.rs",
        "LEAST_ROUNDS",
    ),
    ("METHOD", "after every {} batches", "measure/src/engine/sampling.rs", "LOOK_EVERY"),
    ("METHOD", "a chain of {} dependent additions", "measure/src/engine/machine.rs", "CYCLES"),
    ("METHOD", "and {} additions in eight", "measure/src/engine/machine.rs", "INDEPENDENT"),
    ("METHOD", "if at least {} others remain", "measure/src/engine/rounds.rs", "ENOUGH_ALONE"),
    ("METHOD", "in chunks of up to {}", "measure/src/engine/resolution.rs", "CHUNK"),
    ("METHOD", "it has changed {} times", "measure/src/engine/resolution.rs", "ENOUGH"),
    ("METHOD", "changed fewer than {} times", "measure/src/engine/resolution.rs", "FEW"),
    ("METHOD", "is also read {} times", "measure/src/engine/resolution.rs", "APART"),
    ("METHOD", "watched for {} and for 1.2 of its", "model/src/clock.rs", "STILL_NS"),
    ("METHOD", "The tool starts itself {} times", "measure/src/clocks/mod.rs", "FIRST_PROCESSES"),
    ("METHOD", "There are {} rounds in random order", "measure/src/clocks/mod.rs", "COLD_ROUNDS"),
    (
        "METHOD",
        "at least 32 MiB and at most 40 MiB, if the time suffices for {} reads",
        "measure/src/clocks/single.rs",
        "FEWEST_COLD",
    ),
    ("METHOD", "of up to {} samples", "measure/src/clocks/single.rs", "SAMPLES"),
    ("METHOD", "as many changes as take {}", "measure/src/clocks/single.rs", "SAMPLE"),
    ("METHOD", "does not change {} times in its share", "measure/src/clocks/single.rs", "FEWEST"),
    ("METHOD", "The reads are in {} groups", "measure/src/engine/ordering.rs", "GROUPS"),
    (
        "METHOD",
        "the thread spins for {} and looks for gaps",
        "measure/src/engine/ruler.rs",
        "WATCHED",
    ),
    (
        "METHOD",
        "The least of {} tries counts. Most",
        "measure/src/clocks/costs.rs",
        "INSTRUCTION_TRIES",
    ),
    ("METHOD", "between two ordered reads, {} times", "measure/src/clocks/costs.rs", "ROWS"),
    ("METHOD", "of an empty one, the least of {}. It", "measure/src/clocks/costs.rs", "EMPTY"),
    ("METHOD", "tried again, up to {} times, if", "measure/src/clocks/costs.rs", "ROW_TRIES"),
    ("METHOD", "takes in {} passes", "measure/src/loops/mod.rs", "PASSES"),
    ("METHOD", "looks {} times before its reads", "measure/src/deltas.rs", "LOOKS"),
    ("trust", "clocks for a while, {} by default", "measure/src/engine/schedule.rs", "TRUST"),
    ("trust", "short tests of about {} each", "measure/src/trust/jobs.rs", "SLICE"),
    ("trust", "at random, up to {} pairs", "measure/src/trust/handover.rs", "MOST_PAIRS"),
    ("trust", "Beyond {} checks, every other", "measure/src/trust/log.rs", "MOST_MOMENTS"),
    ("trust", "cost more than {} of the system call", "measure/src/trust/real.rs", "FALLS_BACK"),
    ("runtimes", "in {} processes of each build", "measure/src/runtimes/mod.rs", "PROCESSES"),
    ("runtimes", "a batch of some {} with the best", "measure/src/runtimes/host.rs", "BATCH_NS"),
    (
        "runtimes",
        "more than {} of these is refused",
        "measure/src/runtimes/probe.rs",
        "MOST_IMPOSSIBLE",
    ),
    ("runtimes", "wrong by more than {}, its measured", "measure/src/runtimes/host.rs", "WRONG"),
    ("runtimes", "of the older half by more than {}", "measure/src/runtimes/series.rs", "FASTER"),
    ("runtimes", "from {} successive reads", "measure/src/runtimes/details.rs", "DELTAS"),
    (
        "runtimes",
        "up to {} changes that were waited for",
        "measure/src/runtimes/details.rs",
        "SPINS",
    ),
    (
        "runtimes",
        "may take longer than {} plus the time",
        "measure/src/runtimes/probe.rs",
        "PATIENCE",
    ),
    ("runtimes", "be longer than {}.", "measure/src/runtimes/probe.rs", "LONGEST"),
    ("waits", "normal` load, in {} (`--budget`", "measure/src/engine/schedule.rs", "OVERVIEW"),
    ("waits", "a wait in progress has {} to end", "measure/src/waits/threads.rs", "PATIENCE"),
    ("waits", "renamed into its place every {}:", "measure/src/waits/mod.rs", "CHECKPOINT"),
    ("waits", "and the last {} overshoots", "measure/src/waits/overshoots.rs", "LAST"),
    ("waits", "Rows of fewer than {} waits", "diagnose/src/advise/wait/mod.rs", "LEAST_WAITS"),
    (
        "waits",
        "if one is more than {} times the other, or",
        "diagnose/src/advise/wait/mod.rs",
        "NEAR_CPU",
    ),
    ("waits", "or {} times if CPU time only", "diagnose/src/advise/wait/mod.rs", "TIED_CPU"),
    ("waits", "Therefore waits of {} and more", "chronoscope/src/wait/slice.rs", "ROOM_NS"),
    ("waits", "begin with a sleep of {} at the", "chronoscope/src/wait/slice.rs", "SLEEP_NS"),
    ("waits", "asks for a slice of {} (", "chronoscope/src/wait/slice.rs", "SHORT_NS"),
    ("waits", "late by more than {}. A wait on", "chronoscope/src/wait/cause.rs", "LATE_NS"),
    ("changes", "the corrected chance is below {}, and", "diagnose/src/compare/rule.rs", "ALPHA"),
    ("changes", "the change is at least {} and 0.1 ns", "diagnose/src/compare/rule.rs", "SMALL"),
    ("changes", "at least 1 % and {} |", "diagnose/src/compare/rule.rs", "SMALL_NS"),
    (
        "changes",
        "interval of the change is below {}, or below",
        "diagnose/src/compare/rule.rs",
        "SAME",
    ),
    ("changes", "or below {} for system calls", "diagnose/src/compare/rule.rs", "SAME_WIDE"),
    ("changes", "is replaced by {} for each run", "diagnose/src/compare/rule.rs", "STEADY"),
    (
        "changes",
        "differences is below {} in nanoseconds",
        "diagnose/src/compare/rule.rs",
        "CALIBRATES",
    ),
    (
        "changes",
        "frequencies differ by more than {}. A change",
        "diagnose/src/compare/rule.rs",
        "SPEEDS",
    ),
    ("changes", "with another ±{}, unless", "diagnose/src/run.rs", "OFF"),
    ("changes", "more than {} of the rounds, or if", "diagnose/src/run.rs", "SHARED"),
    ("changes", "by more than {} below its usual", "diagnose/src/run.rs", "FELL"),
    ("changes", "core, and at least {}.", "diagnose/src/compare/runs.rs", "LEAST_WEIGHT"),
    ("changes", "must be below {}, which five", "diagnose/src/compare/runs.rs", "LEVEL_OF_SETS"),
    ("../SECURITY", "| connections at a time | {} |", "fleet/src/http/mod.rs", "CONNECTIONS"),
    ("../SECURITY", "| time for the head | {} |", "fleet/src/http/mod.rs", "HEAD_TIME"),
    (
        "../SECURITY",
        "| time for taking an answer, but for its last 64 KiB | {} |",
        "fleet/src/http/mod.rs",
        "ANSWER",
    ),
    ("../SECURITY", "| time between two requests | {} |", "fleet/src/http/mod.rs", "IDLE"),
];

#[test]
fn sentences_quote_the_constants_of_the_code() {
    let mut wrong = Vec::new();
    for (document, sentence, file, name) in QUOTED {
        let text = flat(&format!("docs/{document}.md"));
        let file = format!("crates/{file}");
        let value = constant(&file, name);
        if !forms(&file, name, &value).iter().any(|form| says(&text, &sentence.replace("{}", form)))
        {
            wrong.push(format!("{document}: `{sentence}`, but {name} of {file} is {value}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// REPRODUCE says which command measures a figure of a text again, and quotes the words.
#[test]
fn figures_that_can_be_measured_again_stand_where_the_list_says() {
    let page = read("docs/REPRODUCE.md");
    let (_, list) = page.split_once("\n## Figures in ").expect("a list of figures");
    let rows: Vec<Vec<&str>> = list
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    assert!(rows.len() > 10, "{rows:?}");
    for row in &rows[2..] {
        let &[_, words, file, command, _] = row.as_slice() else { panic!("{row:?}") };
        let text = read(file);
        let marks = ["//!", "///"];
        let text: Vec<&str> =
            text.split_whitespace().filter(|word| !marks.contains(word)).collect();
        assert!(text.join(" ").contains(words), "{file} does not say: {words}");
        let tools = ["cargo research ", "cargo test ", "chronoscope "];
        assert!(tools.iter().any(|tool| command.starts_with(tool)), "{command}");
    }
}

/// The names of the subcommands that a program declares: `CrosscheckWaits,` or `Aa(aa::Args),`.
fn commands(path: &str) -> Vec<String> {
    let text = read(path);
    let (_, body) = text.split_once("enum Command {").expect("commands");
    let lines = body.split("\n}").next().unwrap_or_default().lines().map(str::trim);
    let names = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    let names = names.map(|line| line.split(['(', ',']).next().unwrap_or_default());
    let kebab = |name: &str| -> String {
        let letters = name.char_indices().flat_map(|(at, c)| {
            let hyphen = (at > 0 && c.is_ascii_uppercase()).then_some('-');
            hyphen.into_iter().chain([c.to_ascii_lowercase()])
        });
        letters.collect()
    };
    names.map(kebab).collect()
}

#[test]
fn commands_that_documents_name_exist() {
    let chores = commands("xtask/src/main.rs");
    let research = commands("research/src/main.rs");
    let pages = fs::read_dir(root().join("docs")).unwrap().flatten().map(|entry| entry.path());
    let pages = pages.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let own = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "research/README.md"]
        .map(|name| root().join(name));
    let sources = ["ci", "crates", "research", "runtimes", "xtask"]
        .map(|name| rust_files(&root().join(name)));
    let sources = sources.into_iter().flatten().filter(|path| !path.ends_with("documents.rs"));
    let mut seen = 0;
    for page in pages.chain(own).chain(sources) {
        let text = fs::read_to_string(&page).unwrap();
        for (program, known) in [("xtask", &chores), ("research", &research)] {
            for after in text.split(&format!("cargo {program} ")).skip(1) {
                let end = after.find(|c: char| !c.is_ascii_lowercase() && c != '-');
                let name = &after[..end.unwrap_or(after.len())];
                let option = name.is_empty() || name.starts_with('-');
                let exists = option || known.iter().any(|known| known == name);
                assert!(exists, "{}: cargo {program} {name}", page.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "only {seen} commands were found");
}

/// The documents for people: those of the root and of `docs`.
fn documents() -> Vec<String> {
    let names = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".md")).collect::<Vec<_>>()
    };
    let pages = names("docs").into_iter().map(|name| format!("docs/{name}"));
    names(".").into_iter().chain(pages).collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let kept = |c: &char| c.is_alphanumeric() || ['-', '_', ' '].contains(c);
    let anchor = |line: &str| line.trim_start_matches('#').trim().to_lowercase();
    let anchors = headings.map(|line| anchor(line).chars().filter(kept).collect::<String>());
    anchors.map(|anchor| anchor.replace(' ', "-")).collect()
}

#[test]
fn links_of_documents_lead_somewhere() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for document in documents() {
        let text = read(&document);
        let targets = text.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        for target in targets.filter(|target| !target.contains(':')) {
            seen += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = root().join(&document);
            let path = if file.is_empty() { path } else { path.with_file_name(file) };
            let page = fs::read_to_string(&path).unwrap_or_default();
            let known = anchor.is_empty()
                || anchors(&page).iter().any(|known| known == anchor)
                || page.contains(&format!("<a id=\"{anchor}\">"));
            if !path.exists() || !known {
                wrong.push(format!("{document}: {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 100, "only {seen} links were found");
}

/// What a document calls a file of the repository exists, if it names a folder of the root.
#[test]
fn files_that_documents_name_exist() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    let roots = ["crates/", "ci/", "xtask/", "research/", "docs/", "packaging/", "templates/"];
    for document in documents().into_iter().filter(|name| name != "CHANGELOG.md") {
        let text = read(&document);
        for name in text.split('`').skip(1).step_by(2) {
            let path = roots.iter().any(|folder| name.starts_with(folder))
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            seen += usize::from(path);
            if path && !root().join(name).exists() {
                wrong.push(format!("{document}: {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 50, "only {seen} files were found");
}

#[test]
fn the_design_lists_every_crate() {
    let design = read("docs/DESIGN.md");
    let (_, table) = design.split_once("| place |").expect("a table of places");
    let table = table.split("\n\n").next().unwrap_or_default();
    for entry in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let listed = [format!("`crates/{name}`"), format!("`{name}`")];
        assert!(listed.iter().any(|form| table.contains(form)), "DESIGN does not list {name}");
    }
}

/// The tool's commands and options, by their man pages.
#[test]
fn options_that_documents_name_exist() {
    let page = |command: &str| read(&format!("docs/man/{command}.1")).replace("\\-", "-");
    let own = page("chronoscope");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for document in documents() {
        let text = read(&document);
        for (at, name) in text.match_indices("chronoscope ") {
            // The name of a package, and an argument of `compare`.
            if text[..at].ends_with("-p ") || text[..at].ends_with("--run ") {
                continue;
            }
            let words = &text[at + name.len()..];
            let words = words.split(['`', '\n', '#', '|', '\'']).next().unwrap_or_default();
            let command = words.split(' ').next().unwrap_or_default();
            let known = root().join(format!("docs/man/chronoscope-{command}.1")).exists();
            let page = if known { page(&format!("chronoscope-{command}")) } else { own.clone() };
            for option in words.split(' ').filter(|word| word.starts_with("--")) {
                let end = option.find(|c: char| !c.is_ascii_lowercase() && c != '-');
                let option = &option[..end.unwrap_or(option.len())];
                seen += 1;
                if !page.contains(option) {
                    wrong.push(format!("{document}: chronoscope {words}: {option}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 100, "only {seen} options were found");
}

/// What `explain` and the examples of help say to run: the options are in the man pages, and the
/// ids of clocks and waits in the catalogue.
#[test]
fn commands_that_pages_name_can_be_run() {
    let ids = clocks::every().map(|entry| entry.id).chain(waits::ALL.iter().map(|entry| entry.id));
    let ids: Vec<&str> = ids.collect();
    let of_runtime = |word: &str| {
        chronoscope_runtimes::ALL
            .iter()
            .any(|it| word.split_once('/').is_some_and(|(family, _)| family == it.id))
    };
    let option = |word: &str| word.split('=').next().map(str::to_owned).unwrap_or_default();
    let measures = ["calls", "clocks", "deltas", "overhead", "trust", "waits"];
    let (mut wrong, mut seen) = (Vec::new(), 0);
    let pages = files(&root().join("crates"), "md").into_iter();
    for page in pages.filter(|path| path.components().any(|part| part.as_os_str() == "src")) {
        let text = fs::read_to_string(&page).unwrap().replace("\n\n", "`").replace('\n', " ");
        for words in text.split("chronoscope ").skip(1) {
            let ends = ["`", ";", "|", "'", ". "].into_iter().filter_map(|end| words.find(end));
            let words = &words[..ends.min().unwrap_or(words.len())];
            let mut words = words.split([' ', ',']).map(|word| word.trim_matches([':', '.', ')']));
            let command = words.next().unwrap_or_default();
            let man = root().join(format!("docs/man/chronoscope-{command}.1"));
            let Ok(man) = fs::read_to_string(man) else { continue };
            let man = man.replace("\\-", "-");
            for word in words {
                let id = word.contains('/') && measures.contains(&command) && !of_runtime(word);
                let lacks = (word.starts_with("--") && !man.contains(&option(word)))
                    || (id && !ids.iter().any(|id| id.starts_with(word)));
                seen += usize::from(id || word.starts_with("--"));
                if lacks {
                    wrong.push(format!("{}: chronoscope {command} … {word}", page.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 100, "only {seen} options and ids were found");
}

#[test]
fn each_runtime_has_its_notes() {
    let page = read("docs/runtimes.md");
    for runtime in *chronoscope_runtimes::ALL {
        let named = page.contains(&format!("`{}`", runtime.id));
        assert!(
            named || ["c", "cxx"].contains(&runtime.id),
            "{} is not in runtimes.md",
            runtime.id
        );
    }
}

/// Documents say "more than sixty" and the like: the tens below the number in the generated list.
#[test]
fn documents_know_how_many_faults_there_are() {
    let page = read("docs/doctor.md");
    let (_, list) = page.split_once("<!-- begin faults -->").expect("a list of faults");
    let list = list.split("<!-- end faults -->").next().unwrap_or_default();
    let faults = list.matches('`').count() / 2;
    let tens =
        ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let more = format!("more than {} faults", tens[(faults - 1) / 10]);
    assert!(flat("README.md").contains(&more), "README does not say {more}");
}

/// The paths that the exporter answers, and those that SECURITY lists.
#[test]
fn security_lists_every_path_of_the_exporter() {
    let answers = read("crates/fleet/src/http/answer.rs");
    let arms = answers.split("#[cfg(test)]").next().unwrap_or_default().lines().map(str::trim);
    let paths: Vec<&str> = arms
        .filter(|line| line.starts_with("\"/") && line.contains("=>"))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    assert!(paths.len() >= 4, "{paths:?}");
    let security = read("SECURITY.md");
    for path in paths {
        assert!(security.contains(&format!("\n- `{path}`")), "SECURITY does not list {path}");
    }
}

/// PLATFORMS' table of costs quotes the reports that are checked in.
#[test]
fn the_costs_of_platforms_are_those_of_the_reports() {
    let targets = [
        "x86_64-unknown-linux-gnu",
        "x86_64-pc-windows-gnu",
        "aarch64-unknown-linux-gnu",
        "armv7-unknown-linux-gnueabihf",
    ];
    let reports = targets.map(|target| {
        let text = read(&format!("docs/reports/{target}.json"));
        serde_json::from_str::<serde_json::Value>(&text).expect("a report")
    });
    let cost = |report: &serde_json::Value, id: &str| {
        let clock = report["clocks"].as_array()?.iter().find(|clock| clock["id"] == id)?;
        clock["cost"]["throughput"]["value_ns"].as_f64()
    };
    let page = read("docs/PLATFORMS.md");
    let (_, table) = page.split_once("| clocks available,").expect("a table of costs");
    let table = table.split("\n\n").next().unwrap_or_default();
    let mut checked = 0;
    for row in table.lines().filter(|row| row.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let id = cells[1].trim_matches('`');
        for (report, cell) in reports.iter().zip(&cells[2..]) {
            let expected = match cost(report, id) {
                Some(ns) if ns < 99.95 => format!("{ns:.1}"),
                Some(ns) => format!("{ns:.0}"),
                None if *cell == "trapped" => "trapped".into(),
                None => String::new(),
            };
            assert_eq!(*cell, expected, "{id}");
            checked += usize::from(!expected.is_empty());
        }
    }
    assert!(checked > 15, "only {checked} costs were found");
}

/// The loops of a clock: what a reader exports besides what opening it asks for.
#[test]
fn documents_count_the_loops_of_a_clock() {
    let header = read("crates/probes/native/reader.h");
    let (_, reader) = header.split_once("struct cs_reader {").expect("the reader");
    let fields = reader.split("\n};").next().unwrap_or_default().matches("(*").count();
    let asked = ["check", "hz", "nominal"].len();
    let loops = words(fields - asked);
    assert!(flat("docs/METHOD.md").contains(&format!("A clock is {loops} loops")));
    assert!(flat("docs/DESIGN.md").contains(&format!("So a reader is {loops} loops")));
}

#[test]
fn security_lists_the_crates_without_unsafe_code() {
    let mut safe: Vec<String> = Vec::new();
    for crate_ in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let lib = fs::read_to_string(crate_.path().join("src/lib.rs"));
        let main = fs::read_to_string(crate_.path().join("src/main.rs"));
        if lib.or(main).unwrap_or_default().contains("#![forbid(unsafe_code)]") {
            safe.push(crate_.file_name().to_string_lossy().into_owned());
        }
    }
    let text = flat("SECURITY.md");
    let listed = text.split(" forbid it.").next().and_then(|before| before.rsplit(". ").next());
    let listed = listed.unwrap_or_default();
    for name in &safe {
        assert!(listed.contains(&format!("`{name}`")), "{name} in: {listed}");
    }
    let names = listed.split('`').skip(1).step_by(2).filter(|name| *name != "runtimes");
    assert_eq!(names.count(), safe.len(), "{listed}");
}

fn words(number: usize) -> &'static str {
    let all = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    all[number]
}

/// The value of a key in a file of TOML or YAML, without quotes.
fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(key)).expect(key);
    line.trim_start_matches([' ', '=', ':']).trim_matches('"')
}

#[test]
fn the_version_is_the_same_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    let manifest = read("Cargo.toml");
    let own = |line: &&str| line.starts_with("chronoscope") && line.contains("path = ");
    let internal = manifest.lines().filter(own);
    for line in internal {
        assert!(line.contains(&format!("{version}\" }}")), "{line}");
    }
    assert_eq!(value(&read("CITATION.cff"), "version:"), version);
    assert_eq!(value(&read("action.yml"), "default: v"), version);
    let readme = read("README.md") + &read("docs/install.md");
    for form in ["v{}.tar.gz", "_{}-1_amd64.deb", "-{}-1.x86_64.rpm", "chronoscope@v{}"] {
        assert!(
            readme.contains(&form.replace("{}", version)),
            "README and install.md have no {form}"
        );
    }
    let major = version.split('.').next().unwrap();
    assert!(flat("docs/STABILITY.md").contains(&format!("`libchronoscope.so.{major}`")));
    assert!(flat("CHANGELOG.md").contains(&format!("## [{version}]")));
}

#[test]
fn stability_publishes_what_the_tests_pack() {
    let command = format!("`cargo publish {}`", xtask::PUBLISHED.join(" "));
    assert!(flat("docs/STABILITY.md").contains(&command), "STABILITY does not say {command}");
}

#[test]
fn workflows_and_documents_name_the_rust_version_of_the_tests() {
    let rust = value(&read("Cargo.toml"), "rust-version").to_owned();
    let oldest = value(&read("crates/chronoscope/Cargo.toml"), "rust-version").to_owned();
    for workflow in ["ci", "release"] {
        let text = read(&format!(".github/workflows/{workflow}.yml"));
        let named = ["image: rust:", "toolchain: "]
            .iter()
            .flat_map(|start| text.split(start).skip(1))
            .map(|rest| rest.split('-').next().unwrap_or_default());
        let named: Vec<_> = named.collect();
        assert!(
            !named.is_empty() && named.iter().all(|version| *version == rust),
            "{workflow}: {named:?}"
        );
    }
    let promise = format!("{oldest} for `chronoscope` and `chronoscope-tokio`, {rust} for");
    assert!(flat("docs/STABILITY.md").contains(&promise));
}

/// Each published crate is either promised or internal, and the README of an internal one says so.
#[test]
fn internal_crates_say_that_their_interface_is_not_stable() {
    let page = read("docs/STABILITY.md");
    let (_, list) = page.split_once("**Internal crates**: ").unwrap();
    let list = list.split(" are ").next().unwrap();
    let mut internal = 0;
    let folders = fs::read_dir(root().join("crates")).unwrap().flatten().map(|entry| entry.path());
    for folder in folders.chain([root().join("runtimes")]) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if manifest.contains("publish = false") {
            continue;
        }
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        let says = readme.contains("Its interface is not stable: any version may");
        let name = value(&manifest, "name").trim_start_matches("chronoscope");
        assert_eq!(says, !name.is_empty() && list.contains(&format!("{name}`")), "{name}");
        internal += usize::from(says);
        // docs.rs shows what the step `docs` has checked, which is everything.
        let library = folder.join("src/lib.rs").exists() && name != "-capi";
        let all = manifest.contains("[package.metadata.docs.rs]\nall-features = true");
        assert!(all || !library || !manifest.contains("\n[features]\n"), "{name}: docs.rs");
    }
    assert_eq!(internal, list.matches('`').count() / 2);
}
