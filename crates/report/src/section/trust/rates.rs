//! The rates of clocks against references.

use super::super::Detail;
use super::super::columns::{Of, Rows, column};
use super::facts::signed;
use super::terms;
use crate::block::{Block, Cell};
use crate::number::{count, three};
use chronoscope_model::trust::{RateAgainst, Trust};

/// The rows that a screen shows unless everything is asked for.
const SHOWN: usize = 16;

pub(super) fn blocks(trust: &Trust, detail: Detail) -> Vec<Block> {
    if trust.rates.is_empty() {
        return Vec::new();
    }
    let shown = match detail {
        Detail::Everything => trust.rates.len(),
        _ => trust.rates.len().min(SHOWN),
    };
    let table = Rows::shown(columns(), detail, &[]).of_all(&trust.rates[..shown]);
    let mut blocks = vec![Block::heading("Rates"), Block::Table(table)];
    if shown < trust.rates.len() {
        let rest = count((trust.rates.len() - shown) as u64);
        blocks.push(Block::paragraph(format!("{rest} more with -v.")));
    }
    blocks
}

fn columns() -> Vec<Of<RateAgainst>> {
    vec![
        column("", &terms::ID, |rate: &RateAgainst| Cell::code(&rate.id)).full(0).name(12),
        column("", &terms::AGAINST, |rate: &RateAgainst| Cell::code(&rate.against))
            .full(0)
            .gives_way(12),
        column("", &terms::PPM, |rate: &RateAgainst| {
            Cell::number(Some(rate.ppm)).shown(signed(rate.ppm))
        })
        .full(0)
        .head("rate")
        .unit("ppm")
        .right(),
        column("", &terms::PPM, |rate: &RateAgainst| {
            let half = rate.half_width_ppm();
            Cell::number(Some(half)).shown(three(half))
        })
        .full(0)
        .head("±")
        .unit("ppm")
        .right(),
        column("", &terms::STANDING, |rate: &RateAgainst| Cell::text(rate.standing.name()))
            .full(0)
            .gives_way(12),
    ]
}
