//! Ids as users write them: whole, as a prefix, or as a glob, in any case of letters.

use crate::Error;
use chronoscope_measure::runtimes::Wanted;
use chronoscope_model::advice::LANGUAGES;
use chronoscope_model::packed;
use chronoscope_model::spec::Disturbance;
use chronoscope_probes::clocks::{ALL, Entry, PEERS, every};
use chronoscope_runtimes::Runtime;
use std::collections::HashSet;
use std::path::PathBuf;

/// Selects the items of `all` that the patterns match, in the order of `all`; everything if there
/// is no pattern. A pattern is an id, a glob, or the beginning of ids.
///
/// # Errors
/// A pattern matches nothing.
pub fn select<'a, T>(
    what: &str,
    all: &[&'a T],
    id: impl Fn(&T) -> &str,
    patterns: &[String],
) -> Result<Vec<&'a T>, Error> {
    if patterns.is_empty() {
        return Ok(all.to_vec());
    }
    let mut chosen = vec![false; all.len()];
    for pattern in patterns {
        // Ids have no capitals.
        let low = pattern.to_lowercase();
        let whole = all.iter().any(|item| id(item) == low);
        let mut any = false;
        for (item, chosen) in all.iter().zip(&mut chosen) {
            let name = id(item);
            let hit =
                if whole { name == low } else { name.starts_with(&low) || matches(&low, name) };
            *chosen |= hit;
            any |= hit;
        }
        if !any || pattern.is_empty() {
            return Err(unknown(what, all.iter().map(|item| id(item)), pattern));
        }
    }
    Ok(all.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(item, _)| *item).collect())
}

/// Whether a glob matches a whole id. A `*` also matches slashes, unlike in a path.
fn matches(glob: &str, id: &str) -> bool {
    let plain = |text: &str| text.replace('/', ":");
    !glob.starts_with('!') && glob_match::glob_match(&plain(glob), &plain(id))
}

/// Selects the clocks that the patterns match; all of them if there is no pattern. Those of other
/// libraries are included if `peers` is set, or if a pattern matches nothing else.
///
/// # Errors
/// A pattern matches nothing.
pub fn clocks(patterns: &[String], peers: bool) -> Result<Vec<&'static Entry>, Error> {
    let named = |all: &[&'static Entry], pattern: &String| {
        select("clock", all, |entry| entry.id, std::slice::from_ref(pattern)).is_ok()
    };
    let (own, others): (Vec<String>, Vec<String>) =
        patterns.iter().cloned().partition(|p| named(&ALL, p));
    if let Some(stray) = others.iter().find(|p| !named(&PEERS, p)) {
        let unknown = || unknown("clock", every().map(|entry| entry.id), stray);
        return Err(of_a_runtime(stray).unwrap_or_else(unknown));
    }
    let mut chosen = Vec::new();
    if others.is_empty() || !own.is_empty() {
        chosen.extend(select("clock", &ALL, |entry| entry.id, &own)?);
    }
    if peers || !others.is_empty() {
        let wanted = if peers { &[] } else { others.as_slice() };
        chosen.extend(select("clock", &PEERS, |entry| entry.id, wanted)?);
    }
    Ok(chosen)
}

/// Selects the clocks that the patterns match; none if there is no pattern, so that the measurement
/// chooses.
///
/// # Errors
/// A pattern matches nothing.
pub fn some_clocks(patterns: &[String]) -> Result<Vec<&'static Entry>, Error> {
    if patterns.is_empty() { Ok(Vec::new()) } else { clocks(patterns, false) }
}

/// Other names of languages, as users write them.
const NICKNAMES: &[(&str, &str)] = &[
    ("cpp", "C++"),
    ("csharp", "C#"),
    ("cs", "C#"),
    (".net", "C#"),
    ("dotnet", "C#"),
    ("golang", "Go"),
    ("js", "JavaScript"),
    ("nodejs", "JavaScript"),
    ("py", "Python"),
    ("python3", "Python"),
    ("rb", "Ruby"),
    ("rs", "Rust"),
    ("wasi", "WebAssembly"),
    ("wasm", "WebAssembly"),
];

/// The language of this name, in any case of letters; that of a runtime by the runtime's id.
pub fn language(name: &str) -> Option<&'static str> {
    let called = |known: &str| known.eq_ignore_ascii_case(name);
    let nickname = NICKNAMES.iter().find(|(short, _)| called(short)).map(|(_, language)| *language);
    let runtimes = chronoscope_runtimes::ALL.iter().map(|one| one.language);
    nickname
        .or_else(|| LANGUAGES.into_iter().chain(runtimes).find(|known| called(known)))
        .or_else(|| chronoscope_runtimes::find(name).map(|one| one.language))
}

/// The runtimes that an id matches, or those of the language that it names.
fn runtimes_named(id: &str) -> Result<Vec<&'static Runtime>, Error> {
    let all = *chronoscope_runtimes::ALL;
    select("runtime", all, |runtime| runtime.id, &[id.to_owned()]).or_else(|unknown| {
        let language = language(id).ok_or_else(|| of_a_runtime(id).unwrap_or(unknown))?;
        Ok(all.iter().copied().filter(|runtime| runtime.language == language).collect())
    })
}

/// The beginning of the ids of builds that `build` names, as they are written.
fn build(runtime: &Runtime, build: &str) -> Result<String, Error> {
    let builds = runtime.builds();
    let wanted = format!("{}:{build}", runtime.id);
    let begins = |id: &&String| {
        id.get(..wanted.len()).is_some_and(|start| start.eq_ignore_ascii_case(&wanted))
    };
    if let Some(found) = builds.iter().find(begins).filter(|_| !build.is_empty()) {
        return Ok(found[..wanted.len()].to_owned());
    }
    let (name, asked) = (runtime.name, shown(&wanted));
    Err(Error::Unknown(match &builds[..] {
        [only] if *only == runtime.id => {
            format!("{name} has no builds to choose from: write {only} instead of {asked}")
        }
        several => {
            let several = several.join(", ");
            format!("there is no build '{asked}'; those of {name} are {several}")
        }
    }))
}

/// Selects the runtimes that the ids name; all of them if there is no id. An id names a runtime,
/// one of its builds or a language, or is a pattern. A runtime with a given place is taken from
/// there.
///
/// # Errors
/// An id matches nothing, or a relative place has no current directory.
pub fn runtimes(ids: &[String], places: &[(String, String)]) -> Result<Vec<Wanted>, Error> {
    let all = *chronoscope_runtimes::ALL;
    let mut placed: Vec<(&str, PathBuf)> = Vec::new();
    for (id, path) in places {
        let Some(runtime) = chronoscope_runtimes::find(id) else {
            return Err(unknown("runtime", all.iter().map(|one| one.id), id));
        };
        // The probe runs in a directory of its own.
        let path = std::path::absolute(path).map_err(|error| Error::Invalid(error.to_string()))?;
        placed.push((runtime.id, path));
    }
    let wanted = |runtime: &'static Runtime, rows| Wanted {
        runtime,
        place: placed.iter().rev().find(|(id, _)| *id == runtime.id).map(|(_, at)| at.clone()),
        rows,
    };
    if ids.is_empty() {
        return Ok(all.iter().map(|runtime| wanted(runtime, Vec::new())).collect());
    }
    let mut chosen: Vec<Wanted> = Vec::new();
    for id in ids {
        let (family, of_it) = id.split_once(':').map_or((&**id, None), |(id, it)| (id, Some(it)));
        for runtime in runtimes_named(family)? {
            let row = of_it.map_or(Ok(runtime.id.to_owned()), |it| build(runtime, it))?;
            match chosen.iter_mut().find(|one| one.runtime.id == runtime.id) {
                Some(one) => one.rows.push(row),
                None => chosen.push(wanted(runtime, vec![row])),
            }
        }
    }
    Ok(chosen)
}

/// Selects the one clock that the id matches, including those of other libraries.
///
/// # Errors
/// The id matches no clock, or several.
pub fn clock(pattern: &str) -> Result<&'static Entry, Error> {
    let all: Vec<&'static Entry> = every().collect();
    match select("clock", &all, |entry| entry.id, &[pattern.to_owned()])?.as_slice() {
        [one] => Ok(one),
        several => {
            let names: Vec<&str> = several.iter().take(6).map(|entry| entry.id).collect();
            let more = if several.len() > 6 { ", ..." } else { "" };
            let (pattern, number, names) = (shown(pattern), several.len(), names.join(", "));
            Err(Error::Invalid(format!("'{pattern}' names {number} clocks: {names}{more}")))
        }
    }
}

/// A clock of this tool, or a clock of a runtime.
pub enum Chosen {
    /// A clock that the tool reads itself.
    Native(&'static Entry),
    /// A runtime, or a build of one, and the id of its clock, which is one that its probe may have.
    Runtime(Wanted, String),
}

/// Selects the one clock that the id matches, also if it is that of a runtime: `python/time-ns`,
/// `c:gcc-O2/clock`.
///
/// # Errors
/// The id matches no clock, or several; a runtime's process gets no priority.
pub fn clock_of_any(id: &str, disturbance: &Disturbance) -> Result<Chosen, Error> {
    match clock(id) {
        Ok(entry) => return Ok(Chosen::Native(entry)),
        Err(several @ Error::Invalid(_)) => return Err(several),
        Err(_) => {}
    }
    let unknown = || {
        let of_runtimes: Vec<String> = clocks_of_runtimes().collect();
        let own = every().map(|entry| entry.id);
        unknown("clock", own.chain(of_runtimes.iter().map(String::as_str)), id)
    };
    let (build, clock) = id.split_once('/').unwrap_or((id, ""));
    let family = build.split_once(':').map_or(build, |(family, _)| family);
    let known = chronoscope_runtimes::find(family);
    // A runtime whose builds all have ids of their own is named with one: c/time is not its clock.
    let Some(runtime) = known.filter(|one| one.levels.is_empty() || build.contains(':')) else {
        return Err(unknown());
    };
    if clock.is_empty() {
        let text =
            format!("{} is a runtime: name a clock of it, as in {build}/CLOCK", runtime.name);
        return Err(Error::Invalid(text));
    }
    if disturbance.priority.is_some() {
        let id = shown(id);
        return Err(Error::Invalid(format!(
            "{id}: a runtime reads its clocks in its own process, without --priority"
        )));
    }
    let mut wanted = runtimes(&[build.to_owned()], &[])?;
    let source = packed::text(runtime.source.packed);
    let is_known = chronoscope_runtimes::clocks_in(&source).iter().any(|known| known[0] == clock);
    let wanted = wanted.pop().filter(|_| is_known).ok_or_else(unknown)?;
    Ok(Chosen::Runtime(wanted, clock.to_owned()))
}

/// The ids of the clocks that runtimes may have: `python/time-ns`, and `c:gcc-O2/time` if each
/// build has an id of its own.
pub fn clocks_of_runtimes() -> impl Iterator<Item = String> {
    chronoscope_runtimes::ALL.iter().flat_map(|runtime| {
        let source = packed::text(runtime.source.packed);
        let clocks = chronoscope_runtimes::clocks_in(&source);
        let of = |row: String| clocks.iter().map(move |[id, ..]| format!("{row}/{id}"));
        runtime.builds().into_iter().flat_map(of).collect::<Vec<_>>()
    })
}

/// The error for a clock of a runtime where clocks of the tool, or whole runtimes, are measured.
fn of_a_runtime(id: &str) -> Option<Error> {
    let (runtime, _) = id.split_once('/')?;
    let is_known = clocks_of_runtimes().any(|known| known == id);
    is_known.then(|| {
        let all = format!("chronoscope runtimes {runtime} measures it with the others");
        let one = "calls, deltas and overhead measure it alone";
        Error::Unknown(format!("'{id}' is a clock of a runtime: {all}; {one}"))
    })
}

/// Makes a user's text safe for a terminal.
pub fn shown(wanted: &str) -> String {
    let plain = wanted.chars().filter(|c| !c.is_control());
    plain.take(80).collect()
}

/// The likeness, from 0 to 1, above which an id is suggested, and how much less alike than the best
/// one it may be.
const ALIKE: (f64, f64) = (0.75, 0.15);

/// The ids that are most like a name, each once, the most similar first.
pub fn nearest<'a>(ids: impl Iterator<Item = &'a str>, wanted: &str) -> Vec<&'a str> {
    nearest_of(ids.collect(), wanted)
}

/// Compiled once, whatever the ids come from.
fn nearest_of<'a>(ids: Vec<&'a str>, wanted: &str) -> Vec<&'a str> {
    let wanted = shown(wanted).to_lowercase();
    let mut seen = HashSet::new();
    let mut near: Vec<(f64, &str)> = ids
        .into_iter()
        .filter_map(|id| {
            let low = id.to_lowercase();
            let variant = low.split_once('/').map_or(&*low, |(_, variant)| variant);
            let alike = |known: &str| strsim::jaro_winkler(&wanted, known);
            let part = !wanted.is_empty() && variant.contains(&wanted);
            let likeness = if part { 1.0 } else { alike(&low).max(alike(variant)) };
            (likeness > ALIKE.0 && seen.insert(low)).then_some((likeness, id))
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let least = near.first().map_or(1.0, |best| best.0) - ALIKE.1;
    near.into_iter().take(3).filter(|(likeness, _)| *likeness >= least).map(|(_, id)| id).collect()
}

/// Returns the error for an id that does not exist, with the most similar ids that do.
pub fn unknown<'a>(what: &str, ids: impl Iterator<Item = &'a str>, wanted: &str) -> Error {
    let shown = shown(wanted);
    let hint = match (nearest(ids, wanted).as_slice(), what) {
        ([], "clock" | "wait" | "runtime" | "preset" | "purpose") => {
            format!("see chronoscope list {what}s")
        }
        ([], "demo") => "see chronoscope demo list".into(),
        ([], "finding") => "see chronoscope list faults".into(),
        ([], "command") => "see chronoscope --help".into(),
        ([], _) => "see chronoscope list".into(),
        (nearest, _) => format!("did you mean {}?", nearest.join(", ")),
    };
    Error::Unknown(format!("there is no {what} '{shown}'; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&&str; 4] = [&"c/clock", &"c/time", &"posix/monotonic", &"posix/monotonic-coarse"];

    fn chosen(patterns: &[&str]) -> Result<Vec<&'static str>, String> {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        select("clock", &ALL, |id| id, &patterns)
            .map(|found| found.into_iter().copied().collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn ids_globs_and_prefixes() {
        assert_eq!(chosen(&[]).unwrap().len(), 4);
        assert_eq!(chosen(&["posix/monotonic"]).unwrap(), ["posix/monotonic"]);
        assert_eq!(chosen(&["posix"]).unwrap().len(), 2);
        assert_eq!(chosen(&["C/Clock", "C/T*"]).unwrap(), ["c/clock", "c/time"]);
        assert!(chosen(&["!c/*"]).is_err());
        assert_eq!(chosen(&["p*{c,s}oarse", "*clo[a-c]k"]).unwrap().len(), 2);
        assert_eq!(chosen(&["*/*coarse", "c/t"]).unwrap(), ["c/time", "posix/monotonic-coarse"]);
        assert_eq!(
            chosen(&["?/*", "p*mono*nic"]).unwrap(),
            ["c/clock", "c/time", "posix/monotonic"]
        );
        assert_eq!(chosen(&["*****************************"]).unwrap().len(), 4);
        assert!(chosen(&["?/clocks"]).is_err() && chosen(&["*?*?*?*?*?*?*?*?*z"]).is_err());
    }

    #[test]
    fn runtimes_are_named_by_id_by_language_and_by_build() {
        let rows = |id: &str| -> Result<Vec<String>, String> {
            let found = runtimes(&[id.to_owned()], &[]).map_err(|error| error.to_string())?;
            Ok(found.into_iter().flat_map(|one| one.rows).collect())
        };
        for (id, first, count) in [
            ("js", "node", 3),
            ("C#", "dotnet-coreclr", 3),
            ("golang", "go", 1),
            ("CPP", "cxx", 1),
            ("py", "python", 2),
            ("Python", "python", 1),
            ("rs", "rust", 1),
            ("c:GCC-o2", "c:gcc-O2", 1),
            ("c:clang", "c:clang", 1),
        ] {
            let rows = rows(id).expect(id);
            assert_eq!((&*rows[0], rows.len()), (first, count), "{id}");
        }
        let told = rows("perl:nope").expect_err("it has one build");
        assert!(told.contains("Perl has no builds") && told.contains("write perl"), "{told}");
        let told = rows("c:nope").expect_err("it has other builds");
        assert!(told.contains("'c:nope'") && told.contains("c:gcc-O2"), "{told}");
        assert!(rows("c:").is_err() && rows("perl:").is_err() && rows("cobol").is_err());
        assert_eq!(
            [language("NODE"), language("cs"), language("x")],
            [Some("JavaScript"), Some("C#"), None]
        );
    }

    #[test]
    fn an_unknown_id_gets_suggestions() {
        assert_eq!(nearest(["seen", "Seen", "soon"].into_iter(), "sen"), ["seen"]);
        assert!(chosen(&["c/clok"]).unwrap_err().contains("c/clock"));
        assert!(chosen(&["monotonic"]).unwrap_err().contains("posix/monotonic"));
        assert!(chosen(&[""]).is_err() && chosen(&["["]).is_err());
        assert!(chosen(&["\u{1b}[31m"]).unwrap_err().chars().all(|c| !c.is_control()));
        let several = clock("c/").err().map(|error| error.to_string());
        assert!(several.is_some_and(|error| error.contains("c/clock, c/time")));
        // A mistyped id names a clock of any kind, if it is of a kind that is measured.
        for (id, meant) in [
            ("posix/monotnic", "did you mean posix/monotonic"),
            ("pyton/perf-counter-ns", "did you mean python/perf-counter-ns"),
            ("python/perf_conter_ns", "did you mean python/perf-counter-ns"),
            ("c:gcc-O2/tme", "did you mean c:gcc-O2/time"),
        ] {
            let error = clock_of_any(id, &Disturbance::default()).err().expect(id).to_string();
            assert!(error.contains(meant), "{error}");
        }
        let one = ["python/perf-counter".to_owned()];
        for error in [clocks(&one, false).err(), runtimes(&one, &[]).err()] {
            let error = error.expect("a clock of a runtime").to_string();
            assert!(error.contains("chronoscope runtimes python measures it"), "{error}");
        }
        let error = clock("python/perf-conter").err().expect("no clock of the tool").to_string();
        assert!(!error.contains("perf-counter"), "{error}");
    }
}
