//! Pictures of charts stay finite and harmless, whatever a report contains.

use chronoscope_report::block::chart::{
    Axis, Bar, Between, Chart, Drawn, Hue, Note, Place, Plane, Series, Shape,
};
use chronoscope_report::page::pictures;
use chronoscope_report::scale::{Scale, Unit};

const ODD: [f64; 8] = [f64::NAN, f64::INFINITY, -1e308, 1e308, 0.0, 5e-324, -1.0, 20.0];
const HOSTILE: &str = "</script><script>alert(1)</script>\u{0}\u{1b}\"'&";

fn chart(values: &[f64]) -> Chart {
    let place = |v: &f64| Place { x: *v, y: *v, hollow: *v > 0.0, words: HOSTILE.into() };
    let places: Vec<Place> = values.iter().map(place).collect();
    let bar = |v: &f64| Bar { from: *v, to: *v + 1.0, height: *v, words: HOSTILE.into() };
    let shapes = [
        Shape::Bars(values.iter().map(bar).collect()),
        Shape::Curve { through: places.clone(), sure: 1.0 },
        Shape::Steps(places.clone()),
        Shape::Points { at: places, joined: true },
        Shape::Band(values.iter().map(|v| Between { x: *v, low: -v, high: *v }).collect()),
    ];
    let series = |(nth, shape)| Series { name: HOSTILE.into(), hue: Hue::Part(nth), shape };
    let note = |v: &f64| Note { x: *v, y: *v, words: HOSTILE.into(), line: true };
    Chart {
        title: HOSTILE.into(),
        alt: HOSTILE.into(),
        drawn: Drawn::Plane(Plane {
            x: Axis { name: HOSTILE.into(), scale: Scale::log(Unit::Ns, values.iter().copied()) },
            y: Axis { name: "".into(), scale: Scale::linear(Unit::Ns, 0.0, 1e308) },
            series: shapes.into_iter().enumerate().map(series).collect(),
            notes: values.iter().map(note).collect(),
        }),
    }
}

#[test]
fn odd_figures_and_hostile_names_are_harmless() {
    for values in [&ODD[..], &[]] {
        let svg = pictures::chart(&chart(values));
        for bad in ["NaN", "inf", "<script", "\u{0}", "\u{1b}", "var(", "vector-effect"] {
            assert!(!svg.contains(bad), "{bad} in {svg}");
        }
    }
}
