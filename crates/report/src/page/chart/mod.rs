//! A chart as SVG whose horizontal places are percentages and whose vertical ones are pixels: text
//! keeps its size at any width, and no script is needed to draw.

mod cells;
pub(super) mod draw;
pub(super) mod plane;

use crate::block::chart::{Chart, Drawn, Plane};
use crate::scale::Tick;
use draw::{clean, hue, pc};
use maud::{Markup, html};
use plane::{HEIGHT, TOP};

/// The room below the area for the labels of the horizontal axis, in pixels.
pub(super) const FOOT: f64 = 22.0;

/// The chart with its caption and its axes. `id` is unique on the page.
pub(super) fn figure(chart: &Chart, id: &str) -> Markup {
    html! {
        figure.chart id=(id) {
            figcaption { (clean(&chart.title)) }
            @match &chart.drawn {
                Drawn::Plane(plane) => (area(plane, &chart.alt)),
                Drawn::Cells(cells) => (cells::table(cells, &chart.alt)),
            }
        }
    }
}

fn area(plane: &Plane, alt: &str) -> Markup {
    let drawing = plane::draw(plane);
    let total = HEIGHT + FOOT;
    let points = drawing.points.iter().map(|point| {
        let f = (point.at.0 * 1e4).round() / 1e4;
        (f, point.at.1.round(), point.series, clean(&point.words))
    });
    let points = serde_json::to_string(&points.collect::<Vec<_>>()).unwrap_or_default();
    let named = !drawing.names.is_empty();
    let side: Vec<Tick> = plane.y.scale.ticks().into_iter().filter(|it| it.level < 2).collect();
    let y = |tick: &Tick| TOP + (1.0 - tick.at) * (HEIGHT - TOP);
    html! {
        p.axis { (clean(&plane.y.name)) }
        @if named {
            p.legend aria-hidden="true" {
                @for name in &drawing.names { span class=(hue(name.hue)) { (clean(&name.words)) } }
            }
        }
        div.plot.named[named] {
            svg.side height=(total) aria-hidden="true" {
                @for tick in &side {
                    text.tick x="100%" y=(format!("{:.1}", y(tick) + 3.5)) text-anchor="end" {
                        (tick.label)
                    }
                }
            }
            svg.area height=(total) tabindex="0" role="img" aria-label=(clean(alt))
                data-points=(points) {
                @for tick in plane.x.scale.ticks() {
                    @let f = format!("{:.5}", tick.at);
                    g class=(format!("t{}", tick.level)) {
                        line.grid data-f=(f) x1=(pc(tick.at)) x2=(pc(tick.at)) y1=(TOP)
                            y2=(HEIGHT) {}
                        text.tick data-f=(f) x=(pc(tick.at)) y=(HEIGHT + 15.0)
                            text-anchor="middle" { (tick.label) }
                    }
                }
                @for tick in &side {
                    @let y = format!("{:.1}", y(tick));
                    line.grid x1="0" x2="100%" y1=(y) y2=(y) {}
                }
                line.base x1="0" x2="100%" y1=(HEIGHT) y2=(HEIGHT) {}
                svg.marks x="0" y="0" width="100%" height=(HEIGHT) overflow="visible" {
                    @for element in &drawing.elements { (element.html(HEIGHT, true)) }
                }
            }
            @if named {
                svg.names height=(total) aria-hidden="true" {
                    @for name in &drawing.names {
                        @let (from, y) = (name.from, name.y);
                        g class=(format!("name s{} {}", name.series, hue(name.hue)))
                            data-s=(name.series) {
                            path.lead d=(format!("M2 {from:.1}C8 {from:.1} 8 {y:.1} 14 {y:.1}")) {}
                            text x="18" y=(format!("{:.1}", y + 4.0)) { (clean(&name.words)) }
                        }
                    }
                }
            }
        }
        p.axis.below { (clean(&plane.x.name)) }
    }
}
