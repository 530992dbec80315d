//! What was found, one line for each question.

use super::clocks::many;
use crate::block::{Fact, Text, Tone};
use crate::number::{count, plural, short, three};
use chronoscope_model::Report;
use chronoscope_model::comparison::Standing;
use chronoscope_model::trust::{Contention, Paused, RateAgainst, Trust, Wall, Watched};

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
fn of(bad: u64, tries: u64, one: &str, many: &str) -> Text {
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
    let ordered = of(bad, tries, "ordered read", "ordered reads");
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
    let handed = of(backwards, turns, "hand-over", "hand-overs").and(" backwards");
    let paces = seen.iter().filter_map(|pair| pair.per_second());
    let slowest = paces.min_by(f64::total_cmp).map(|pace| {
        let pace = format!("{} per second", many(pace.round() as u64));
        match seen.len() {
            1 => pace.into(),
            _ => format!("at least {pace}").into(),
        }
    });
    Text::dotted([verdict, handed].into_iter().chain(slowest))
}

fn rate(trust: &Trust) -> Text {
    let first = trust.rates.first();
    let same = |rate: &&RateAgainst| first.is_some_and(|first| first.id == rate.id);
    let independent = |rate: &&RateAgainst| rate.standing == Standing::Independent;
    let narrowest =
        |a: &&RateAgainst, b: &&RateAgainst| a.half_width_ppm().total_cmp(&b.half_width_ppm());
    let all = trust.rates.iter().filter(same).filter(independent);
    match (all.min_by(narrowest), first) {
        (Some(rate), _) => format!(
            "{} runs {} ±{} ppm off {}",
            rate.id,
            signed(rate.ppm),
            three(rate.half_width_ppm()),
            rate.against
        )
        .into(),
        (None, Some(rate)) => Text::toned(Tone::Warn, "unverified").and(format!(
            ": {} agrees with {} to {} ±{} ppm",
            rate.id,
            rate.against,
            signed(rate.ppm),
            three(rate.half_width_ppm())
        )),
        (None, None) => Text::toned(Tone::Warn, "unverified").and(": no rate was compared"),
    }
}

/// A rate with its sign, and no digit beyond a thousandth.
pub(super) fn signed(ppm: f64) -> String {
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
        0 => Text::from(format!("no step in {}", plural(wall.looks, "look", "looks"))),
        n => Text::toned(Tone::Bad, plural(n, "step", "steps")),
    }];
    if let Some(slew) = &wall.slew {
        parts.push(format!("slewed by {} ±{} ppm", signed(slew.ppm), three(slew.error_ppm)).into());
    }
    if let Some(ns) = wall.suspended_ns.filter(|ns| *ns > 0.0) {
        parts.push(Text::toned(Tone::Warn, format!("suspended for {}", short(ns))));
    }
    parts.extend(wall.left_out.iter().map(|what| what.as_str().into()));
    Text::dotted(parts)
}

fn sandwich(trust: &Trust) -> Text {
    let all = trust.sandwiches.iter();
    let tries = all.clone().map(|one| one.tries).sum();
    let bad = all.clone().map(|one| one.below + one.above).sum();
    let text = of(bad, tries, "read", "reads").and(" outside of two system calls");
    let worst = all.filter(|one| one.disagrees()).max_by(|a, b| a.worst_ns.total_cmp(&b.worst_ns));
    match worst {
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
    let factor = |one: &&Contention| one.factor().is_some();
    let found = trust.contention.iter().filter(factor);
    let by = |a: &&Contention, b: &&Contention| {
        let [a, b] = [a, b].map(|one| one.factor().unwrap_or(0.0));
        a.total_cmp(&b)
    };
    let Some(worst) = found.max_by(by) else {
        return "not tested: there is one CPU".into();
    };
    let (factor, threads) =
        (worst.factor().unwrap_or(0.0), worst.points.last().map_or(0, |point| point.threads));
    let text = format!(
        "with {threads} threads, reads cost up to {} times as much ({})",
        three(factor),
        worst.id
    );
    if factor > CONTENDED { Text::toned(Tone::Warn, text) } else { text.into() }
}

fn jumps(watched: &Watched) -> Text {
    let jumps = watched.jumps.len() as u64 + watched.more_jumps.unwrap_or(0);
    match jumps {
        0 => format!("none in {}", plural(watched.looks, "look", "looks")).into(),
        n => Text::toned(Tone::Bad, plural(n, "jump", "jumps")),
    }
}

fn pauses(report: &Report, watched: &Watched) -> Text {
    let longest = format!("longest time between two looks {}", short(watched.longest_ns));
    let machine = |pause: &&chronoscope_model::trust::Pause| pause.paused == Paused::Machine;
    let of_machine = watched.pauses.iter().filter(machine).count() as u64;
    let standstills = watched.standstills.len() as u64;
    let of_machine = of_machine + standstills;
    let pauses = watched.pauses.len() as u64 + standstills;
    match (pauses, of_machine) {
        (0, _) => Text::dotted(["none".into(), longest.into()]),
        (n, 0) => {
            let text = format!("{} of the watching thread", plural(n, "pause", "pauses"));
            Text::dotted([text.into(), longest.into()])
        }
        (_, n) => {
            let by = report.environment.below_kernel();
            let text = format!("{} by the {by}", plural(n, "pause", "pauses"));
            Text::dotted([Text::toned(Tone::Warn, text), longest.into()])
        }
    }
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
