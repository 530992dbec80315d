//! A grid of shaded cells: a table, or a bitmap if there are too many to read.

use super::draw::clean;
use crate::block::chart::Cells;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use maud::{Markup, html};
use std::io::Write;

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
    let image = png(&pixels, wide, high);
    let source = format!("data:image/png;base64,{}", STANDARD.encode(image));
    html! { img.bitmap alt=(clean(alt)) src=(source) width=(wide) height=(high); }
}

/// RGBA pixels as PNG: its mark, a header, the rows without a filter, and its end.
fn png(pixels: &[u8], wide: usize, high: usize) -> Vec<u8> {
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in pixels.chunks(wide * 4) {
        // A vector takes all that is written to it.
        let _ = rows.write_all(&[0]).and_then(|()| rows.write_all(row));
    }
    let mut header = [wide, high].map(|size| (size as u32).to_be_bytes()).concat();
    // Eight bits for each of red, green, blue and opacity; not interlaced.
    header.extend([8, 6, 0, 0, 0]);
    let rows = rows.finish().unwrap_or_default();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [(b"IHDR", header), (b"IDAT", rows), (b"IEND", Vec::new())] {
        let mut sum = Crc::new();
        sum.update(name);
        sum.update(&content);
        out.extend((content.len() as u32).to_be_bytes());
        out.extend(name);
        out.extend(content);
        out.extend(sum.sum().to_be_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_bitmap_holds_its_rows_and_right_sums() {
        let (pixels, wide, high) = ([7; 24], 2, 3);
        let bytes = png(&pixels, wide, high);
        let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n").expect("the mark of a PNG");
        let mut chunks = Vec::new();
        while let Some((size, after)) = rest.split_first_chunk() {
            let (chunk, after) = after.split_at(u32::from_be_bytes(*size) as usize + 4);
            let (sum, after) = after.split_first_chunk().expect("a sum");
            let mut right = Crc::new();
            right.update(chunk);
            assert_eq!(u32::from_be_bytes(*sum), right.sum());
            chunks.push(chunk.split_at(4));
            rest = after;
        }
        let names: Vec<_> = chunks.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, [b"IHDR", b"IDAT", b"IEND"]);
        assert_eq!(chunks[0].1, [0, 0, 0, 2, 0, 0, 0, 3, 8, 6, 0, 0, 0]);
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(chunks[1].1).read_to_end(&mut rows).expect("rows");
        assert_eq!(rows, [[0, 7, 7, 7, 7, 7, 7, 7, 7]; 3].concat());
    }
}
