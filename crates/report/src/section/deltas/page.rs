//! The differences on a page: the usual ones, all of them, and further facts.

use super::super::page::{each, finding};
use super::{Pair, charts, described, loaded};
use crate::block::Block;
use crate::number::{count, percent, plural, short};
use crate::page::Input;
use crate::under_load::{conditions, name};
use chronoscope_model::deltas::Deltas;

pub(super) fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    let all = inputs.iter().flat_map(|input| &input.report.deltas);
    let mut undisturbed = all.filter(|deltas| deltas.load.is_none());
    let sentence = undisturbed.next().map(sentence).unwrap_or_default();
    let mut blocks = vec![Block::remarked("What lies between two reads", finding(sentence))];
    let mut clocks = each(inputs, one);
    // The page's heading has said it of the first clock.
    if let Some(Block::Heading { remark, .. }) = clocks.first_mut() {
        *remark = "".into();
    }
    blocks.append(&mut clocks);
    blocks
}

/// The clocks of one report, each under a heading of its own.
fn one(input: &Input<'_>) -> Vec<Block> {
    let all = &input.report.deltas;
    let mut blocks = Vec::new();
    for deltas in all.iter().filter(|deltas| deltas.load.is_none()) {
        let under: Vec<Pair> = all
            .iter()
            .filter(|it| it.id == deltas.id && it.load.is_some())
            .map(|it| (deltas, it))
            .collect();
        blocks.push(Block::remarked(&deltas.id, sentence(deltas)));
        blocks.extend(pair(deltas, ""));
        for (_, under) in &under {
            blocks.extend(pair(under, &format!(", load {}", name(under.load))));
        }
        blocks.push(described(input.report, deltas));
        blocks.extend(super::rows(deltas, super::Detail::Full, "the report holds them"));
        blocks.extend(loaded(deltas, &under, super::Detail::Full));
    }
    blocks.extend(conditions(input.report));
    blocks
}

fn pair(deltas: &Deltas, about: &str) -> impl Iterator<Item = Block> {
    let both = [charts::near(deltas, about), charts::far(deltas, about)];
    both.into_iter().flatten().map(Block::Chart)
}

/// What is usual, what is not, and whether the clock went back.
fn sentence(deltas: &Deltas) -> String {
    let reads =
        format!("{} of {}", plural(deltas.reads, "successive read", "successive reads"), deltas.id);
    let back = match deltas.negative {
        0 => "None went backwards".to_owned(),
        n => format!("{} went backwards", count(n)),
    };
    let Some(longest) = charts::longest(deltas) else {
        return format!("{reads} showed no time between them. {back}.");
    };
    let longest_words = short(longest);
    match charts::usual(deltas).zip(charts::share_of_usual(deltas)) {
        Some((usual, share)) if usual < longest => format!(
            "Of {reads}, {} came within {} of the one before; the longest gap was \
             {longest_words}. {back}.",
            percent(share),
            short(usual)
        ),
        _ => format!(
            "Of {reads}, none came later than {longest_words} after the one before. {back}."
        ),
    }
}
