//! How far repeated work varies, and what made it vary.

use super::{Detail, Rows, SECTION as PLAIN, Section, Spec, absent, columns, each, shown};
use crate::block::{Block, Cell, Tone};
use crate::late::safe;
use crate::number::{count, plural, short};
use crate::page::Input;
use chronoscope_model::Report;
use chronoscope_model::noise::{Noise, NoiseCause, Taken, TakenAt, TakenBy, Watched};
use chronoscope_model::packed::packed;
use chronoscope_model::units::percent;

pub const SECTION: Section = Section {
    id: "noise",
    records: &[("noise", "noise"), ("watched", "watched")],
    measured: true,
    terms: packed!("noise.md"),
    view,
    page: Some(page),
    table: Some(|report| {
        let rows = report.noise.iter().flat_map(|noise| &noise.causes);
        Rows::data(columns()).of_all(rows)
    }),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let Some(noise) = &report.noise else {
        return match &report.watched {
            Some(watched) => of_command(watched, detail),
            None => absent(detail, "No noise was measured."),
        };
    };
    let mut blocks = vec![Block::paragraph(sentence(noise))];
    if detail == Detail::Brief {
        return blocks;
    }
    blocks.push(Block::paragraph(taken(noise)));
    blocks.push(shown(columns(), detail, &noise.causes));
    if !noise.unseen.is_empty() {
        let unseen = noise.unseen.join(", ");
        let text = format!("Cannot be seen here: {unseen}. What they did is unexplained.");
        blocks.push(Block::toned(Tone::Warn, text));
    }
    let legend = "samples: those with this cause; one with several counts for the first that took \
                  the CPU away. lost: time beyond that of a good sample, of all time. unexplained: \
                  nothing was seen, so these do not count as disturbed.";
    blocks.push(Block::legend(legend));
    blocks
}

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    each(inputs, |input| {
        let report = input.report;
        let of_command = || report.watched.as_ref().map(of_watched);
        let sentence = report.noise.as_ref().map(sentence).or_else(of_command).unwrap_or_default();
        let mut blocks = vec![Block::noted("Noise", sentence)];
        blocks.extend(view(input.report, Detail::Everything).into_iter().skip(1));
        blocks
    })
}

/// What a median is good to, with and without the pieces that were disturbed.
fn sentence(noise: &Noise) -> String {
    let without = noise.undisturbed_good_to.map_or(String::new(), |share| {
        format!("; without the disturbed ones, to ±{}", percent(share))
    });
    format!(
        "A median of {} of {} is good to ±{} here and now{without}.",
        plural(noise.median_of, "sample", "samples"),
        short(noise.piece_ns),
        percent(noise.good_to)
    )
}

fn taken(noise: &Noise) -> String {
    let disturbed = noise.pieces.saturating_sub(noise.undisturbed);
    format!(
        "{} of {} disturbed; {} of the time was lost.",
        count(disturbed),
        plural(noise.pieces, "sample was", "samples were"),
        percent(noise.lost)
    )
}

/// The most characters of a command that are shown.
const LONGEST: usize = 60;
/// Names and moments that a screen shows if not everything is asked for.
const FEW: usize = 5;

/// What was taken from a command, by whom, and when.
fn of_command(watched: &Watched, detail: Detail) -> Vec<Block> {
    let mut blocks = vec![Block::paragraph(of_watched(watched))];
    if detail == Detail::Brief {
        return blocks;
    }
    let most = if detail == Detail::Everything { usize::MAX } else { FEW };
    let mut moments: Vec<&TakenAt> = watched.moments.iter().collect();
    moments.sort_by_key(|it| std::cmp::Reverse(it.ns));
    moments.truncate(most);
    moments.sort_by_key(|it| it.from_ns);
    blocks.push(shown(columns_of_by(), detail, watched.by.iter().take(most)));
    blocks.push(shown(columns_of_moments(), detail, moments));
    if !watched.unseen.is_empty() {
        let text = format!("Cannot be seen here: {}.", watched.unseen.join(", "));
        blocks.push(Block::toned(Tone::Warn, text));
    }
    if !watched.causes.is_empty() {
        blocks.push(Block::legend(
            "run-queue: something else had its CPU. steal: the hypervisor had it. quota: its group \
             had used up its CPU time. by: the tasks that ran on its CPUs meanwhile. Tasks that \
             ended between two looks, 10 ms apart, count as those that were seen.",
        ));
    }
    blocks
}

/// What was taken from a command, in a sentence.
fn of_watched(watched: &Watched) -> String {
    let mut words = watched.command.join(" ");
    if let Some((at, _)) = words.char_indices().nth(LONGEST) {
        words.replace_range(at.., "…");
    }
    let cpu = |ns: u64| format!(", {} of CPU time", short(ns as f64));
    let cpu = watched.cpu_ns.map_or(String::new(), cpu);
    let took = format!("`{words}` took {}{cpu}", short(watched.wall_ns as f64));
    let Some(taken) = watched.taken else {
        return format!("{took}. What was taken from it cannot be seen on this system.");
    };
    let cause = |it: &Taken| format!("{} {}", it.cause, short(it.ns as f64));
    let causes: Vec<String> = watched.causes.iter().map(cause).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(": {}", causes.join(", ")) };
    let taken = percent(taken);
    format!("{took}. Of the time in which it was ready to run, {taken} was taken{causes}.")
}

/// The name of what ran instead.
fn runner(name: Option<&str>, other_user: bool) -> String {
    match name {
        Some(name) => safe(name),
        None if other_user => "another user's".into(),
        None => "unknown".into(),
    }
}

fn columns_of_by() -> Vec<Spec<TakenBy>> {
    columns! { it in TakenBy;
        "by" "by" [full also_name] Cell::text(match it.own {
            true => format!("{} (the command itself)", runner(it.name.as_deref(), it.other_user)),
            false => runner(it.name.as_deref(), it.other_user),
        });
        "tasks" "tasks" [full right] Cell::count(it.tasks);
        "ns" "taken" [full right] Cell::ns(it.ns as f64);
    }
}

fn columns_of_moments() -> Vec<Spec<TakenAt>> {
    columns! { it in TakenAt;
        "from" "from" [full right] Cell::ns(it.from_ns as f64);
        "to" "to" [full right] Cell::ns(it.to_ns as f64);
        "ns" "taken" [full right] Cell::ns(it.ns as f64);
        "cause" "cause" [full also_name] Cell::text(&it.cause);
        "by" "by" [full] Cell::text(match &*it.cause {
            "run-queue" => runner(it.by.as_deref(), it.other_user),
            _ => String::new(),
        });
    }
}

fn columns() -> Vec<Spec<NoiseCause>> {
    columns! { cause in NoiseCause;
        "cause" "cause" [full also_name] Cell::text(&cause.cause);
        "" "samples" [full right] Cell::text(percent(cause.pieces));
        "samples_share" "samples" [] Cell::number(cause.pieces);
        "" "lost" [full right] Cell::text(percent(cause.lost));
        "lost_share" "lost" [] Cell::number(cause.lost);
    }
}
