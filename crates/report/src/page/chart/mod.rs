//! A chart as SVG whose horizontal places are percentages and whose vertical ones are pixels: text
//! keeps its size at any width, and no script is needed to draw.

mod cells;
pub(super) mod draw;
pub(super) mod plane;

use crate::block::chart::{Chart, Drawn, Plane};
use crate::scale::Tick;
use draw::{anchor, clean, hue, pc, room, rooms, wide};
use maud::{Markup, html};
use plane::{HEIGHT, TOP};

/// The room below the area for the labels of the horizontal axis, in pixels.
pub(super) const FOOT: f64 = 22.0;

/// The most room that the names of series have, in pixels.
const MOST: f64 = 210.0;

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
    let ticks = plane.x.scale.ticks();
    let longest = |all: &mut dyn Iterator<Item = &str>| all.map(wide).fold(0f64, f64::max).ceil();
    let left = longest(&mut side.iter().map(|tick| &*tick.label)).clamp(24.0, 120.0);
    let right = 24.0 + longest(&mut drawing.names.iter().map(|name| &*name.words)).min(MOST);
    let y = |tick: &Tick| TOP + (1.0 - tick.at) * (HEIGHT - TOP);
    html! {
        p.axis { (clean(&plane.y.name)) }
        @if named {
            p.legend aria-hidden="true" {
                @for name in &drawing.names { span class=(hue(name.hue)) { (clean(&name.words)) } }
            }
        }
        div.plot.named[named] {
            svg.side width=(left) height=(total) aria-hidden="true" {
                @for tick in &side {
                    text.tick x="100%" y=(format!("{:.1}", y(tick) + 3.5)) text-anchor="end" {
                        (tick.label)
                    }
                }
            }
            svg.area height=(total) tabindex="0" role="img" aria-label=(clean(alt))
                data-points=(points) {
                @for (tick, from) in ticks.iter().zip(rooms(&ticks)) {
                    @let f = format!("{:.5}", tick.at);
                    g class=(room(tick, from)) {
                        line.grid data-f=(f) x1=(pc(tick.at)) x2=(pc(tick.at)) y1=(TOP)
                            y2=(HEIGHT) {}
                        text.tick data-f=(f) x=(pc(tick.at)) y=(HEIGHT + 15.0)
                            text-anchor=(anchor(tick)) { (tick.label) }
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
                svg.names width=(right) height=(total) aria-hidden="true" {
                    @for name in &drawing.names {
                        @let (from, y) = (name.from, name.y);
                        g class=(format!("name s{} {}", name.series, hue(name.hue)))
                            data-s=(name.series) {
                            path.leader
                                d=(format!("M2 {from:.1}C8 {from:.1} 8 {y:.1} 14 {y:.1}")) {}
                            text x="18" y=(format!("{:.1}", y + 4.0)) {
                                (short(&name.words))
                                title { (clean(&name.words)) }
                            }
                        }
                    }
                }
            }
            p.axis.below { (clean(&plane.x.name)) }
        }
    }
}

/// A name that is not wider than the room of names.
pub(super) fn short(name: &str) -> String {
    let name = clean(name);
    if wide(&name) <= MOST {
        return name;
    }
    let last = (MOST / wide("n")) as usize - 1;
    name.chars().take(last).chain(['…']).collect()
}
