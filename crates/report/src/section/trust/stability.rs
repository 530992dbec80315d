//! How steady clocks ran, by the measures of time and frequency metrology.

use super::super::{Detail, Spec, columns, shown};
use crate::block::{Block, Cell};
use crate::number::short;
use chronoscope_model::trust::{Series, Stability};

/// The table of each clock of the series.
pub fn page(series: Option<&Series>, steady: &[(&str, Vec<Stability>)]) -> Vec<Block> {
    let Some(series) = series.filter(|_| !steady.is_empty()) else {
        let why = "There is no series of at least 8 evenly spaced points: run `chronoscope trust` \
                   for a minute or more.";
        return vec![Block::paragraph(why)];
    };
    let mut blocks = Vec::new();
    for (id, rows) in steady {
        blocks.push(Block::noted(format!("Stability of {id}"), format!("by {}", series.against)));
        blocks.push(shown(stability(), Detail::Full, rows));
    }
    let legend = "Steps, jumps and a constant rate are left out of both deviations. The intervals \
                  are those of the noise that makes them widest (NIST SP 1065). What a clock has \
                  in common with the one that it is compared with, such as the oscillator, is in \
                  none of the figures.";
    blocks.push(Block::legend(legend));
    blocks
}

fn stability() -> Vec<Spec<Stability>> {
    columns! { row in Stability;
        "tau_s" "averaging time" [full right] Cell::text(short(row.tau_s * 1e9));
        "adev" "Allan deviation" [full right] Cell::text(relative(row.adev));
        "" "95 %" [full right] within(row.adev_95, relative);
        "tdev_ns" "time deviation" [full right] Cell::text(short(row.tdev_ns));
        "" "95 %" [full right] within(row.tdev_95_ns, short);
        "mtie_ns" "MTIE" [full right] Cell::text(short(row.mtie_ns));
    }
}

fn relative(value: f64) -> String {
    format!("{value:.2e}")
}

fn within(ends: Option<[f64; 2]>, words: fn(f64) -> String) -> Cell {
    Cell::words(ends.map(|[low, high]| format!("{} to {}", words(low), words(high))))
}
