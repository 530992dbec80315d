//! A grid of shaded cells: a table, or a bitmap if there are too many to read.

use super::draw::clean;
use crate::block::chart::Cells;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};

/// The most rows or columns that are a table.
const MOST: usize = 64;
/// The most rows or columns of a bitmap: what is beyond is left out.
const LARGEST: usize = 2048;
/// The colours of the lowest, the middle and the highest shade of a bitmap, legible on both themes.
const SHADES: [[f64; 3]; 3] = [[154.0, 74.0, 0.0], [238.0, 238.0, 238.0], [10.0, 92.0, 184.0]];

pub(super) fn table(cells: &Cells, alt: &str) -> Markup {
    if cells.rows.len().max(cells.columns.len()) > MOST {
        return bitmap(cells, alt);
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label=(clean(alt)) {
            table.cells {
                thead {
                    tr { td {} @for name in &cells.columns { th scope="col" { (clean(name)) } } }
                }
                tbody {
                    @for (name, values) in cells.rows.iter().zip(&cells.values) {
                        tr {
                            th scope="row" { (clean(name)) }
                            @for value in values.iter().take(cells.columns.len()) {
                                @match value {
                                    Some(v) => td class=(class(cells, *v)) {
                                        (clean(&(cells.words)(*v)))
                                    },
                                    None => td {},
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How strong a shade is: -1 at the scale's lower end, 1 at its upper one.
fn strength(cells: &Cells, value: f64) -> f64 {
    cells.scale.at(value).clamp(0.0, 1.0) * 2.0 - 1.0
}

/// One of three shades on each side of the middle; `c0` for what is not far from it.
fn class(cells: &Cells, value: f64) -> String {
    let strength = (strength(cells, value) * 3.0).round();
    format!("{}{}", if strength < 0.0 { "w" } else { "c" }, strength.abs())
}

fn bitmap(cells: &Cells, alt: &str) -> Markup {
    let wide = cells.columns.len().clamp(1, LARGEST);
    let high = cells.values.len().clamp(1, LARGEST);
    let mut pixels = vec![0u8; wide * high * 4];
    for (row, values) in cells.values.iter().take(high).enumerate() {
        for (column, value) in values.iter().take(wide).enumerate() {
            let Some(value) = value else { continue };
            let strength = strength(cells, *value);
            let end = if strength < 0.0 { SHADES[0] } else { SHADES[2] };
            let mixed = [0, 1, 2].map(|i| SHADES[1][i] + (end[i] - SHADES[1][i]) * strength.abs());
            let at = (row * wide + column) * 4;
            let [r, g, b] = mixed.map(|c| c.round() as u8);
            pixels[at..at + 4].copy_from_slice(&[r, g, b, 255]);
        }
    }
    let image = encoded(&pixels, wide as u32, high as u32).unwrap_or_default();
    let source = format!("data:image/png;base64,{}", STANDARD.encode(image));
    html! { img.bitmap alt=(clean(alt)) src=(source) width=(wide) height=(high); }
}

/// RGBA pixels as PNG.
fn encoded(pixels: &[u8], wide: u32, high: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, wide, high);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(out)
}
