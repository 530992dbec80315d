//! The rates of clocks against references.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use super::facts::signed;
use crate::block::{Block, Cell};
use crate::number::count;
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
    let table = Rows::shown(columns(), detail).of_all(&trust.rates[..shown]);
    let mut blocks = vec![Block::heading("Rates"), Block::Table(table)];
    if shown < trust.rates.len() {
        let rest = count((trust.rates.len() - shown) as u64);
        blocks.push(Block::paragraph(format!("{rest} more with -v.")));
    }
    blocks
}

fn columns() -> Vec<Spec<RateAgainst>> {
    columns! { rate in RateAgainst;
        "" "watched clock" [full name(12)] Cell::code(&rate.id);
        "" "against" [full gives_way(12)] Cell::code(&rate.against);
        "" "rate" [full unit("ppm") right] Cell::number(rate.ppm).shown(signed(rate.ppm));
        "" "±" [full unit("ppm") right] Cell::number(rate.half_width_ppm());
        "" "oscillator" [full gives_way(12)] Cell::text(rate.standing.name());
    }
}
