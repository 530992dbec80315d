//! How far repeated work varies, and what made it vary.

use super::shared::{Rows, Spec, columns, each, finding};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Tone};
use crate::number::{count, plural, short};
use crate::page::Input;
use chronoscope_model::Report;
use chronoscope_model::noise::{Noise, NoiseCause};
use chronoscope_model::units::percent;

pub const SECTION: Section = Section {
    id: "noise",
    records: &[("noise", "noise")],
    measured: true,
    terms: include_str!("noise.md"),
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
        let none = "No noise was measured.";
        return if detail == Detail::Brief { Vec::new() } else { vec![Block::paragraph(none)] };
    };
    let mut blocks = vec![Block::paragraph(sentence(noise))];
    if detail == Detail::Brief {
        return blocks;
    }
    blocks.push(Block::paragraph(taken(noise)));
    blocks.push(Block::Table(Rows::shown(columns(), detail).of_all(&noise.causes)));
    if !noise.unseen.is_empty() {
        let unseen = noise.unseen.join(", ");
        let text = format!("Cannot be seen here: {unseen}. What they did is unexplained.");
        blocks.push(Block::toned(Tone::Warn, text));
    }
    let legend = "samples: those with this cause; one with several counts for the first that took \
                  the CPU away. lost: time beyond that of a good sample, of all time. unexplained: \
                  nothing was seen.";
    blocks.push(Block::legend(legend));
    blocks
}

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    each(inputs, |input| {
        let sentence = input.report.noise.as_ref().map(sentence).unwrap_or_default();
        let mut blocks = vec![Block::remarked("Noise", finding(sentence))];
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

fn columns() -> Vec<Spec<NoiseCause>> {
    columns! { cause in NoiseCause;
        "cause" "cause" [full also_name] Cell::text(&cause.cause);
        "" "samples" [full right] Cell::text(percent(cause.pieces));
        "samples_share" "samples" [] Cell::number(cause.pieces);
        "" "lost" [full right] Cell::text(percent(cause.lost));
        "lost_share" "lost" [] Cell::number(cause.lost);
    }
}
