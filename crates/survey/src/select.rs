//! Ids as users write them: whole, as a prefix, or as a glob.

use crate::error::Error;
use chronoscope_measure::runtimes::Wanted;
use chronoscope_probes::clocks::{ALL, Entry, PEERS, every};
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
        let whole = all.iter().any(|item| id(item) == pattern);
        let mut any = false;
        for (item, chosen) in all.iter().zip(&mut chosen) {
            let name = id(item);
            let hit = if whole {
                name == pattern
            } else {
                name.starts_with(pattern.as_str()) || matches(pattern, name)
            };
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
        patterns.iter().cloned().partition(|p| named(ALL, p));
    if let Some(stray) = others.iter().find(|p| !named(PEERS, p)) {
        return Err(unknown("clock", every().map(|entry| entry.id), stray));
    }
    let mut chosen = Vec::new();
    if others.is_empty() || !own.is_empty() {
        chosen.extend(select("clock", ALL, |entry| entry.id, &own)?);
    }
    if peers || !others.is_empty() {
        let wanted = if peers { &[] } else { others.as_slice() };
        chosen.extend(select("clock", PEERS, |entry| entry.id, wanted)?);
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

/// Selects the runtimes that the ids name; all of them if there is no id. An id names a runtime or
/// one of its builds, or is a pattern. A runtime with a given place is taken from there.
///
/// # Errors
/// An id matches nothing, or a relative place has no current directory.
pub fn runtimes(ids: &[String], places: &[(String, String)]) -> Result<Vec<Wanted>, Error> {
    let all = chronoscope_runtimes::ALL;
    let mut placed: Vec<(&str, PathBuf)> = Vec::new();
    for (id, path) in places {
        if chronoscope_runtimes::find(id).is_none() {
            return Err(unknown("runtime", all.iter().map(|one| one.id), id));
        }
        // The probe runs in a directory of its own.
        let path = std::path::absolute(path).map_err(|error| Error::Invalid(error.to_string()))?;
        placed.push((id, path));
    }
    let wanted = |runtime: &'static chronoscope_runtimes::Runtime, rows| Wanted {
        runtime,
        place: placed.iter().rev().find(|(id, _)| *id == runtime.id).map(|(_, at)| at.clone()),
        rows,
    };
    if ids.is_empty() {
        return Ok(all.iter().map(|runtime| wanted(runtime, Vec::new())).collect());
    }
    let mut chosen: Vec<Wanted> = Vec::new();
    for id in ids {
        let family = id.split_once(':').map_or(id.as_str(), |(family, _)| family);
        for runtime in select("runtime", all, |runtime| runtime.id, &[family.to_owned()])? {
            let row = if id.contains(':') { id } else { runtime.id }.to_owned();
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
            Err(Error::Invalid(format!(
                "'{}' names {} clocks: {}{more}",
                shown(pattern),
                several.len(),
                names.join(", ")
            )))
        }
    }
}

/// A clock of this tool, or a clock of a runtime.
pub enum Chosen {
    /// A clock that the tool reads itself.
    Native(&'static Entry),
    /// A runtime, or a build of one, and the id of its clock, which only its probe knows.
    Runtime(Wanted, String),
}

/// Selects the one clock that the id matches, also if it is that of a runtime: `python/time-ns`,
/// `c:gcc-O2/clock`.
///
/// # Errors
/// The id matches no clock, or several.
pub fn clock_of_any(id: &str) -> Result<Chosen, Error> {
    let unknown = match clock(id) {
        Ok(entry) => return Ok(Chosen::Native(entry)),
        Err(several @ Error::Invalid(_)) => return Err(several),
        Err(unknown) => unknown,
    };
    let (build, clock) = id.split_once('/').unwrap_or((id, ""));
    let family = build.split_once(':').map_or(build, |(family, _)| family);
    let known = chronoscope_runtimes::find(family);
    // A runtime whose builds all have ids of their own is named with one: c/time is not its clock.
    let Some(runtime) = known.filter(|one| one.levels.is_empty() || build.contains(':')) else {
        return Err(unknown);
    };
    if clock.is_empty() {
        let text =
            format!("{} is a runtime: name a clock of it, as in {build}/CLOCK", runtime.name);
        return Err(Error::Invalid(text));
    }
    let mut wanted = runtimes(&[build.to_owned()], &[])?;
    wanted.pop().map(|wanted| Chosen::Runtime(wanted, clock.to_owned())).ok_or(unknown)
}

/// Makes a user's text safe for a terminal.
pub fn shown(wanted: &str) -> String {
    let plain = wanted.chars().filter(|c| !c.is_control());
    plain.take(80).collect()
}

/// Returns the error for an id that does not exist, with the most similar ids that do.
pub fn unknown<'a>(what: &str, ids: impl Iterator<Item = &'a str>, wanted: &str) -> Error {
    let shown = shown(wanted);
    let mut seen = HashSet::new();
    let mut near: Vec<(f64, &str)> = ids
        .filter(|id| seen.insert(*id))
        .map(|id| {
            let variant = id.split_once('/').map_or(id, |(_, variant)| variant);
            let likeness =
                strsim::jaro_winkler(&shown, id).max(strsim::jaro_winkler(&shown, variant));
            (if variant.contains(&shown) && !shown.is_empty() { 1.0 } else { likeness }, id)
        })
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let nearest: Vec<&str> = near.into_iter().take(3).map(|(_, id)| id).collect();
    let hint = match (nearest.as_slice(), what) {
        ([], "clock") => "see chronoscope list clocks".into(),
        ([], "wait") => "see chronoscope list waits".into(),
        ([], "preset") => "see chronoscope list presets".into(),
        ([], "finding") => "see chronoscope list faults".into(),
        ([], "purpose") => "see chronoscope list purposes".into(),
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
    fn an_unknown_id_gets_suggestions() {
        assert!(chosen(&["c/clok"]).unwrap_err().contains("c/clock"));
        assert!(chosen(&["monotonic"]).unwrap_err().contains("posix/monotonic"));
        assert!(chosen(&[""]).is_err() && chosen(&["["]).is_err());
        assert!(chosen(&["\u{1b}[31m"]).unwrap_err().chars().all(|c| !c.is_control()));
        let several = clock("c/").err().map(|error| error.to_string());
        assert!(several.is_some_and(|error| error.contains("c/clock, c/time")));
    }
}
