//! What was found: one line for each question, and a verdict in at most three sentences.

use super::many_tries;
use crate::block::{Fact, Span, Text, Tone};
use crate::number::{count, plural, short, stepped, three};
use crate::section::capitalized;
use chronoscope_model::Report;
use chronoscope_model::clock::{Kind, Standing};
use chronoscope_model::trust::{Pause, Paused, RateAgainst, Trust, Wall, Watch, Watched};

/// A read that costs more than this many times as much with all threads is contended.
const CONTENDED: f64 = 1.5;

pub(super) fn facts(report: &Report, trust: &Trust) -> Vec<Fact> {
    let mut facts = vec![
        Fact::new("steps back", backwards(trust)),
        Fact::new("CPUs", cpus(trust)),
        Fact::new("rate held against", rate(trust)),
    ];
    facts.extend(trust.wall.as_ref().map(|wall| Fact::new("wall clock", wall_clock(wall))));
    if !trust.sandwiches.is_empty() {
        facts.push(Fact::new("vDSO", sandwich(trust)));
    }
    facts.push(Fact::new("intercepted", traps(trust)));
    if !trust.contention.is_empty() {
        facts.push(Fact::new("contention", contention(trust)));
    }
    facts.push(Fact::new("jumps", jumps(&trust.watched)));
    facts.push(Fact::new("pauses", pauses(report, &trust.watched)));
    facts.push(Fact::new("/dev/vmclock0", vmclock(&trust.watched)));
    facts.extend(trust.outside.iter().map(|outside| {
        let text = if outside.used {
            Text::from(format!("compared: {}", outside.text))
        } else {
            outside.text.as_str().into()
        };
        Fact::new(format!("outside: {}", outside.id), text)
    }));
    facts
}

/// `none of 12,000`, or how many, in a tone.
fn bad_of(bad: u64, tries: u64, one: &str, many: &str) -> Text {
    let tries = plural(tries, one, many);
    match bad {
        0 => format!("none of {tries}").into(),
        n => Text::toned(Tone::Bad, format!("{} of {tries}", count(n))),
    }
}

fn backwards(trust: &Trust) -> Text {
    let (mut tries, mut bad) = (0u64, 0u64);
    let (mut early_of, mut early, mut worst) = (0u64, 0u64, 0f64);
    for watch in &trust.clocks {
        let ordered = watch.ordered();
        tries = tries.saturating_add(ordered.tries);
        bad = bad.saturating_add(ordered.violations);
        if let Some(handed) = watch.unordered() {
            early_of = early_of.saturating_add(handed.turns);
            early = early.saturating_add(handed.backwards);
            worst = worst.max(handed.worst_ns);
        }
    }
    let unordered = (early > 0).then(|| {
        let (early, all, by) = (count(early), count(early_of), short(worst));
        Text::from(format!("of unordered ones, {early} of {all}, by up to {by}"))
    });
    let ordered = bad_of(bad, tries, "ordered read", "ordered reads");
    Text::dotted([ordered].into_iter().chain(unordered))
}

fn cpus(trust: &Trust) -> Text {
    let matrix = &trust.matrix;
    let seen: Vec<_> = matrix.pairs.iter().filter(|pair| pair.in_step().is_some()).collect();
    let Some(in_step) = matrix.in_step() else {
        let why = matrix.left_out.as_deref().unwrap_or("no time");
        return format!("not compared: {why}").into();
    };
    let backwards: u64 = seen.iter().map(|pair| pair.handed.backwards).sum();
    let turns: u64 = seen.iter().map(|pair| pair.handed.turns).sum();
    let pairs = plural(seen.len() as u64, "pair", "pairs");
    let verdict = if in_step {
        Text::from(format!("{pairs} in step"))
    } else {
        let bad = matrix.out_of_step().count() as u64;
        Text::toned(Tone::Bad, format!("{} of {pairs} out of step", count(bad)))
    };
    let handed = bad_of(backwards, turns, "hand-over", "hand-overs").and(" backwards");
    let paces = seen.iter().filter_map(|pair| pair.per_second());
    let slowest = paces.min_by(f64::total_cmp).map(|pace| {
        let pace = format!("{} per second", many_tries(pace.round() as u64));
        match seen.len() {
            1 => pace.into(),
            _ => format!("at least {pace}").into(),
        }
    });
    Text::dotted([verdict, handed].into_iter().chain(slowest))
}

/// The best known rate of the counter, or of the clock in its place, against an independent clock,
/// and the first of all rates.
fn best_rates(trust: &Trust) -> (Option<&RateAgainst>, Option<&RateAgainst>) {
    let first = trust.rates.first();
    let independent = trust.rates.iter().filter(|rate| {
        rate.standing == Standing::Independent && first.is_some_and(|first| first.id == rate.id)
    });
    let width = |rate: &RateAgainst| rate.half_width_ppm();
    (independent.min_by(|a, b| width(a).total_cmp(&width(b))), first)
}
/// The item with the largest figure.
fn most<T>(items: impl Iterator<Item = T>, figure: impl Fn(&T) -> f64) -> Option<T> {
    items.max_by(|a, b| figure(a).total_cmp(&figure(b)))
}

fn rate(trust: &Trust) -> Text {
    match best_rates(trust) {
        (Some(rate), _) => format!(
            "{} runs {} ±{} ppm off {}",
            rate.id,
            signed_ppm(rate.ppm),
            three(rate.half_width_ppm()),
            rate.against
        )
        .into(),
        (None, Some(rate)) => Text::toned(Tone::Warn, "unverified").and(format!(
            ": {} agrees with {} to {} ±{} ppm",
            rate.id,
            rate.against,
            signed_ppm(rate.ppm),
            three(rate.half_width_ppm())
        )),
        (None, None) => Text::toned(Tone::Warn, "unverified").and(": no rate was compared"),
    }
}

/// A rate with its sign, and no digit beyond a thousandth.
pub(super) fn signed_ppm(ppm: f64) -> String {
    let rounded = (ppm * 1e3).round() / 1e3;
    match rounded {
        0.0 => "0".into(),
        some if some.abs() >= 1000.0 => format!("{some:+.0}"),
        some => format!("{some:+.3}"),
    }
}

fn wall_clock(wall: &Wall) -> Text {
    let steps = wall.steps.len() as u64 + wall.more_steps;
    let mut parts = vec![match steps {
        0 => Text::from(format!("no step in {}", plural(wall.looks, "check", "checks"))),
        n => Text::toned(Tone::Bad, plural(n, "step", "steps")),
    }];
    if let Some(slew) = &wall.slew {
        parts.push(
            format!("slewed by {} ±{} ppm", signed_ppm(slew.ppm), three(slew.error_ppm)).into(),
        );
    }
    let suspended = wall.suspended_ns.filter(|ns| *ns > 0.0);
    let suspended = suspended.map(|ns| format!("suspended for {}", short(ns)));
    parts.extend(suspended.map(|text| Text::toned(Tone::Warn, text)));
    parts.extend(wall.left_out.iter().map(|what| what.as_str().into()));
    Text::dotted(parts)
}

fn sandwich(trust: &Trust) -> Text {
    let all = trust.sandwiches.iter();
    let tries = all.clone().map(|one| one.tries).sum();
    let bad = all.clone().map(|one| one.below + one.above).sum();
    let text = bad_of(bad, tries, "read", "reads").and(" outside of two system calls");
    match most(all.filter(|one| one.disagrees()), |one| one.worst_ns) {
        Some(one) => text.and(format!(", at worst {} by {}", short(one.worst_ns), one.id)),
        None => text,
    }
}

fn traps(trust: &Trust) -> Text {
    let trapped = trust.traps.iter().filter(|trap| trap.trapped == Some(true));
    let trapped: Vec<&str> = trapped.map(|trap| trap.evidence.as_str()).collect();
    let unknown = trust.traps.iter().filter(|trap| trap.trapped.is_none()).count();
    match (trapped.is_empty(), trust.traps.len()) {
        (_, 0) => "not tested".into(),
        (false, _) => Text::toned(Tone::Warn, trapped.join("; ")),
        (true, all) if unknown == 0 => {
            format!("none in {}", plural(all as u64, "test", "tests")).into()
        }
        (true, all) => {
            let known = all - unknown;
            format!("none in {known} of {all} tests; the others are unknown").into()
        }
    }
}

fn contention(trust: &Trust) -> Text {
    let found = trust.contention.iter().filter_map(|one| Some((one, one.factor()?)));
    let Some((worst, factor)) = most(found, |(_, factor)| *factor) else {
        let why = trust.left_out.iter().find(|it| it.what == "contention");
        let why = why.map_or("this process may run on one CPU only", |it| &it.why);
        return format!("not tested: {why}").into();
    };
    let threads = worst.points.last().map_or(0, |point| point.threads);
    let text = match three(factor) {
        // It is as much, to the digits that are shown.
        much if factor <= 1.0 || much == "1.00" => {
            format!("with {threads} threads, reads cost no more than with one")
        }
        much => {
            format!("with {threads} threads, reads cost up to {much} times as much ({})", worst.id)
        }
    };
    if factor > CONTENDED { Text::toned(Tone::Warn, text) } else { text.into() }
}

fn jumps(watched: &Watched) -> Text {
    let jumps = watched.jumps.len() as u64 + watched.more_jumps.unwrap_or(0);
    match jumps {
        0 => format!("none in {}", plural(watched.looks, "check", "checks")).into(),
        n => Text::toned(Tone::Bad, plural(n, "jump", "jumps")),
    }
}

fn pauses(report: &Report, watched: &Watched) -> Text {
    let longest = format!("longest time between two checks {}", short(watched.longest_ns));
    let machine = |pause: &&Pause| pause.paused == Paused::Machine;
    let of_machine = watched.pauses.iter().filter(machine).count() as u64;
    let standstills = watched.standstills.len() as u64;
    let of_machine = of_machine + standstills;
    let pauses = watched.pauses.len() as u64 + standstills;
    let first: Text = match (pauses, of_machine) {
        (0, _) => "none".into(),
        (n, 0) => {
            let of_process = |pause: &Pause| pause.paused == Paused::Process;
            let whose = match watched.pauses.iter().all(of_process) {
                true => "process, which was stopped or frozen",
                false => "watching thread",
            };
            format!("{} of the {whose}", plural(n, "pause", "pauses")).into()
        }
        (_, n) => {
            let by = report.environment.below_kernel();
            let text = format!("{} by the {by}", plural(n, "pause", "pauses"));
            Text::toned(Tone::Warn, text)
        }
    };
    let more = watched.more_pauses.map(|n| plural(n, "shorter one", "shorter ones"));
    let more = more.map(|more| format!("{more} not listed").into());
    Text::dotted([Some(first), more, Some(longest.into())].into_iter().flatten())
}

fn vmclock(watched: &Watched) -> Text {
    let Some(page) = &watched.vmclock else {
        let why = watched.no_vmclock.as_deref().unwrap_or("not looked at");
        return why.into();
    };
    let status = format!("its clock is {}", page.status);
    let what = match (page.restored(), page.disrupted()) {
        (true, _) => Text::toned(Tone::Bad, "restored from a snapshot during the run"),
        (_, true) => Text::toned(Tone::Bad, "disrupted during the run, as by migration"),
        _ => "not disrupted".into(),
    };
    Text::dotted([what, status.into()])
}

// What the run showed, in at most three sentences: what alarms comes first.

/// The most sentences.
const MOST: usize = 3;
/// The most clocks that a sentence names.
const NAMED: usize = 2;

pub(super) fn verdict(trust: &Trust) -> Text {
    Text::joined(sentences(trust), " ")
}

/// Alarms, then warnings, then what was found to be sound: a text for each sentence.
pub(super) fn sentences(trust: &Trust) -> Vec<Text> {
    let mut sentences: Vec<(Option<Tone>, String)> = Vec::new();
    let bad = [went_back(trust), cpus_differ(trust), jumped(trust), stood_still(trust)];
    let bad = bad.into_iter().chain([contradicted(trust), disrupted(trust)]);
    sentences.extend(bad.flatten().map(|text| (Some(Tone::Bad), text)));
    let warnings = [was_set(trust), was_paused(trust)];
    sentences.extend(warnings.into_iter().flatten().map(|text| (Some(Tone::Warn), text)));
    let sound = [agree(trust), Some(keeps_time(trust)), early(trust)];
    sentences.extend(sound.into_iter().flatten().map(|text| (None, text)));
    let hidden = sentences.iter().skip(MOST).filter(|(tone, _)| tone.is_some()).count();
    sentences.truncate(MOST);
    if let Some((_, last)) = sentences.last_mut().filter(|_| hidden > 0) {
        *last += &format!("; {hidden} more: see below");
    }
    let text = |(tone, text): (Option<Tone>, String)| Text(vec![Span { text: text + ".", tone }]);
    sentences.into_iter().map(text).collect()
}

/// Whether the wall clock was set while this clock, which follows it, was watched.
fn excused(watch: &Watch, trust: &Trust) -> bool {
    let mut steps = trust.wall.iter().flat_map(|wall| &wall.steps);
    watch.kind == Kind::Wall && steps.any(|step| step.by_ns < 0.0)
}

/// The names of clocks as the subject of a sentence.
fn names(ids: &[&str]) -> String {
    match ids {
        [] => String::new(),
        [one] => (*one).into(),
        [first, second] => format!("{first} and {second}"),
        [first @ .., _] => {
            let named = first[..NAMED.min(first.len())].join(", ");
            format!("{named} and {}", plural((ids.len() - NAMED) as u64, "other", "others"))
        }
    }
}

fn went_back(trust: &Trust) -> Option<String> {
    let back = trust.clocks.iter().filter(|watch| !excused(watch, trust));
    let back = back.filter(|watch| watch.ordered().violations > 0);
    let worst = most(back.clone(), |watch| watch.ordered().worst_ns)?;
    let (ids, found) = (back.map(|watch| watch.id.as_str()).collect::<Vec<_>>(), worst.ordered());
    let (times, by) = (count(found.violations), short(found.worst_ns));
    let reads = plural(found.tries, "read", "reads");
    Some(match ids[..] {
        [id] => format!("{id} went back in {times} of {reads}, by up to {by}"),
        _ => format!("{} went back, by up to {by} ({})", names(&ids), worst.id),
    })
}

fn cpus_differ(trust: &Trust) -> Option<String> {
    let pairs = trust.matrix.out_of_step().filter_map(|pair| Some((pair, pair.best()?)));
    let worst = most(pairs, |(_, best)| best.offset_ns.abs() - best.uncertainty_ns);
    let pair = worst.map(|(pair, _)| pair).or(trust.matrix.out_of_step().next())?;
    let [mut behind, mut ahead] = pair.handed.cpus;
    match worst.map(|(_, offset)| offset).filter(|offset| offset.differs()) {
        Some(offset) => {
            if offset.offset_ns < 0.0 {
                std::mem::swap(&mut behind, &mut ahead);
            }
            let (by, open) = (short(offset.offset_ns.abs()), short(offset.uncertainty_ns.round()));
            Some(format!("CPU {ahead} is ahead of CPU {behind} by {by} ±{open}"))
        }
        None => {
            let back = count(pair.handed.backwards);
            let turns = plural(pair.handed.turns, "value", "values");
            Some(format!("Between CPUs {behind} and {ahead}, {back} of {turns} went back"))
        }
    }
}

fn jumped(trust: &Trust) -> Option<String> {
    let watched = &trust.watched;
    let worst = most(watched.jumps.iter(), |jump| jump.ns.abs())?;
    let (by, against) = (short(worst.ns.abs()), &worst.against);
    let all = watched.jumps.len() as u64 + watched.more_jumps.unwrap_or(0);
    Some(match all {
        1 => format!("{} jumped by {by} against {against}", worst.id),
        n => format!("Clocks jumped {} times, {} by {by} against {against}", count(n), worst.id),
    })
}

fn stood_still(trust: &Trust) -> Option<String> {
    let frozen = trust.clocks.iter().filter(|watch| watch.frozen && watch.kind != Kind::Cpu);
    let ids: Vec<&str> = frozen.map(|watch| watch.id.as_str()).collect();
    (!ids.is_empty()).then(|| format!("{} stood still", names(&ids)))
}

fn contradicted(trust: &Trust) -> Option<String> {
    let all = trust.sandwiches.iter().filter(|one| one.disagrees());
    let worst = most(all, |one| one.worst_ns)?;
    let (id, by) = (&worst.id, short(worst.worst_ns));
    Some(format!("{id} differs between vDSO and system call by up to {by}"))
}

fn disrupted(trust: &Trust) -> Option<String> {
    let page = trust.watched.vmclock.as_ref().filter(|page| page.disrupted())?;
    let how =
        if page.restored() { "restored from a snapshot" } else { "disrupted, as by migration" };
    Some(format!("The machine was {how}"))
}

fn was_set(trust: &Trust) -> Option<String> {
    let wall = trust.wall.as_ref()?;
    let worst = most(wall.steps.iter(), |step| step.by_ns.abs())?;
    let by = match worst.by_ns {
        0.0 => "by too little to see".to_owned(),
        ns => stepped(ns),
    };
    Some(match wall.steps.len() as u64 + wall.more_steps {
        1 => format!("The wall clock was set {by}"),
        n => format!("The wall clock was set {} times, at most {by}", count(n)),
    })
}

fn was_paused(trust: &Trust) -> Option<String> {
    let watched = &trust.watched;
    let pauses = watched.pauses.iter().filter(|pause| pause.paused == Paused::Machine);
    let times = pauses.map(|pause| pause.ns).chain(watched.standstills.iter().map(|one| one.ns));
    let times: Vec<f64> = times.collect();
    let longest = short(times.iter().copied().fold(0.0, f64::max));
    let suspended = trust.wall.as_ref().and_then(|wall| wall.suspended_ns);
    match (times.len() as u64, suspended.filter(|ns| *ns > 0.0)) {
        (0, None) => None,
        (0, Some(ns)) => Some(format!("The machine was suspended for {}", short(ns))),
        (1, _) => Some(format!("The machine was paused for {longest}")),
        (n, _) => {
            let least = if watched.more_pauses.is_some() { "at least " } else { "" };
            Some(format!("The machine was paused {least}{} times, for up to {longest}", count(n)))
        }
    }
}

/// Neither clocks nor CPUs are at fault; absent if both are.
fn agree(trust: &Trust) -> Option<String> {
    let set = trust.clocks.iter().any(|w| excused(w, trust) && w.ordered().violations > 0);
    let tested = trust.clocks.iter().filter(|watch| watch.tries() > 0).count();
    let one_thread = |watch: &&Watch| watch.tries() > 0 && watch.handed.is_none();
    let one_thread = trust.clocks.iter().filter(one_thread).count();
    let clocks = match one_thread {
        _ if went_back(trust).is_some() => None,
        _ if tested == 0 => Some("No clock was tested".into()),
        _ if set => Some("Apart from the wall clock, clocks never went back".into()),
        0 => Some("Clocks never went back".into()),
        all if all == tested => Some("Clocks never went back on one thread".into()),
        n => Some(format!("Clocks never went back ({n} of {tested} were read on one thread only)")),
    };
    // The furthest that the true offset of any pair can be from 0.
    let pairs = trust.matrix.pairs.iter().filter_map(|pair| pair.best());
    let furthest = pairs.map(|best| best.offset_ns.abs() + best.uncertainty_ns);
    let within = furthest.fold(0.0, f64::max);
    let cpus = match trust.matrix.in_step() {
        Some(true) if within > 0.0 => Some(format!("CPUs agree within ±{}", short(within.ceil()))),
        Some(true) => Some("CPUs agree".into()),
        Some(false) => None,
        None => Some("CPUs were not compared".into()),
    };
    match (clocks, cpus) {
        (Some(clocks), Some(cpus)) => Some(format!("{clocks}, and {cpus}")),
        (clocks, cpus) => clocks.or(cpus),
    }
}

/// Whether the wall clock was left alone, and what the rates were compared with.
fn keeps_time(trust: &Trust) -> String {
    let wall = trust.wall.as_ref().filter(|wall| wall.steps.is_empty());
    let wall = wall.map(|wall| {
        match wall.slew.map(|slew| (signed_ppm(slew.ppm), slew.ppm.abs() > slew.error_ppm)) {
            Some((ppm, true)) if ppm != "0" => format!("The wall clock was slewed by {ppm} ppm"),
            Some(_) => "The wall clock was neither set nor slewed".into(),
            None => "The wall clock was not set".to_owned(),
        }
    });
    let rate = rate_verdict(trust);
    match wall {
        Some(wall) => format!("{wall}; {rate}"),
        None => capitalized(&rate),
    }
}

/// What holds the rate of the counter, or of the clock in its place, and how well.
fn rate_verdict(trust: &Trust) -> String {
    match best_rates(trust) {
        (Some(rate), _) => format!(
            "the rate was verified against {}: {} ±{} ppm",
            rate.against,
            signed_ppm(rate.ppm),
            three(rate.half_width_ppm())
        ),
        (None, Some(rate)) => format!("no rate is verified, because {}", rate.why),
        (None, None) => "no rate was compared".into(),
    }
}

/// The clocks whose reads the processor took early, on a machine whose CPUs are in step.
fn early(trust: &Trust) -> Option<String> {
    let early = |watch: &&Watch| watch.unordered().is_some_and(|handed| handed.backwards > 0);
    let early = trust.clocks.iter().filter(early);
    let ids: Vec<&str> = early.map(|watch| watch.id.as_str()).collect();
    let in_step = trust.matrix.in_step() == Some(true);
    (in_step && !ids.is_empty())
        .then(|| format!("{} can be read out of order between threads: see below", names(&ids)))
}
