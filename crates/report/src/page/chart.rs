//! A chart as SVG whose horizontal places are percentages and whose vertical ones are pixels: text
//! keeps its size at any width, and no script is needed to draw.

use crate::block::chart::Chart;
use maud::{Markup, html};

/// The chart with its caption and its axes. `id` is unique on the page.
pub(super) fn figure(chart: &Chart, id: &str) -> Markup {
    html! { figure id=(id) { figcaption { (chart.title) } } }
}
