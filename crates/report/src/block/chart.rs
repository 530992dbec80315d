//! What pictures are made of: marks, bars, curves, points and cells, with the figures they stand
//! for and the words that a reader gets for each. Formats choose shapes and colours.

use crate::scale::Scale;
use std::borrow::Cow;

/// What a mark of a strip stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// The cost of a read, back to back.
    Read,
    /// The cost of a read after the work before it.
    Ordered,
    /// The cost of a read after the caches were displaced.
    Cold,
    /// The cost in C, next to which another runtime stands.
    Reference,
    Median,
    P90,
    P99,
    Worst,
    /// A change from one report to another.
    Change,
}

/// A figure on a strip.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub what: What,
    /// The figure, and the ends of its 95 % interval; they are equal if none is known. In the unit
    /// of the column's axis.
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// The report that the figure is from, by number.
    pub of: usize,
    /// The exact figure in words.
    pub words: String,
}

impl Mark {
    /// A figure between the ends of its interval.
    pub fn new(what: What, [low, value, high]: [f64; 3], of: usize, words: String) -> Self {
        Self { what, value, low, high, of, words }
    }
}

/// A part of a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// What the part is, in the words of a legend.
    pub name: Cow<'static, str>,
    /// The part, 0 to 1.
    pub share: f64,
    /// Its colour.
    pub hue: Hue,
    /// The exact figure in words.
    pub words: String,
}

/// Why something has a colour of its own. Few things have: colour tells series apart, and one
/// colour is for what is advised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hue {
    /// What a chart of one series shows, or what is advised.
    Accent,
    /// A method that only sleeps: warm colours, by number.
    Sleep(usize),
    /// A method that sleeps and then spins: cool colours, by number.
    Hybrid(usize),
    /// A method that only spins: greys, by number.
    Spin(usize),
    /// One of several reports, by number.
    Report(usize),
    /// One of several parts or series, by number.
    Part(usize),
}

/// A picture of figures on two axes, or of cells.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What the chart shows, as its caption.
    pub title: String,
    /// What is read out instead of the picture: what it shows, in one or two sentences.
    pub alt: String,
    pub drawn: Drawn,
}

impl Chart {
    /// Figures on two axes, the horizontal one first.
    pub fn plane(
        title: String,
        alt: String,
        [x, y]: [Axis; 2],
        series: Vec<Series>,
        notes: Vec<Note>,
    ) -> Self {
        Self { title, alt, drawn: Drawn::Plane(Plane { x, y, series, notes }) }
    }
}

#[derive(Clone, Debug)]
pub enum Drawn {
    Plane(Plane),
    Cells(Cells),
}

/// Figures on two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    pub x: Axis,
    pub y: Axis,
    /// Drawn one above the other, the last one on top.
    pub series: Vec<Series>,
    /// Words at a place.
    pub notes: Vec<Note>,
}

/// An axis: what it shows, with the unit if its labels have none, and where values are.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub name: Cow<'static, str>,
    pub scale: Scale,
}

impl Axis {
    pub fn new(name: impl Into<Cow<'static, str>>, scale: Scale) -> Self {
        Self { name: name.into(), scale }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name, next to the end of a curve or to a point; empty if the chart's title says it.
    pub name: String,
    pub hue: Hue,
    pub shape: Shape,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Bars that stand on the horizontal axis.
    Bars(Vec<Bar>),
    /// A line through places, from left to right; only an indication where `x` is above `sure`.
    Curve { through: Vec<Place>, sure: f64 },
    /// A curve that keeps its value until the next place.
    Steps(Vec<Place>),
    /// Points; those of a series that are `joined` have a line between each two.
    Points { at: Vec<Place>, joined: bool },
    /// The area between two curves, such as a bound.
    Band(Vec<Between>),
}

/// A bar around a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub from: f64,
    pub to: f64,
    pub height: f64,
    /// The exact figures in words.
    pub words: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub x: f64,
    pub y: f64,
    /// Whether a point is drawn as a ring: the same method under another condition.
    pub hollow: bool,
    /// The exact figures in words.
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    pub x: f64,
    pub low: f64,
    pub high: f64,
}

/// Words at a place of a plane, which may have a line through the whole height.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub x: f64,
    pub y: f64,
    pub words: String,
    pub line: bool,
}

/// A table of figures as cells in shades, such as the offset of each CPU from each other one.
#[derive(Clone, Debug)]
pub struct Cells {
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// One line for each row, with one figure for each column; absent where there is none.
    pub values: Vec<Vec<Option<f64>>>,
    /// The shades: the scale's two ends are the strongest ones.
    pub scale: Scale,
    /// What a figure is in words.
    pub words: fn(f64) -> String,
}
