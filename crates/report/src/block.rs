//! What a section is made of before any format has seen it: headings, facts, tables, paragraphs.
//! Sections make blocks, formats write them, and neither knows the other.

pub mod chart;

use crate::scale::Scale;
use chart::{Chart, Mark, Share};
use chronoscope_model::Estimate;
use std::borrow::Cow;

/// The role of a piece of text. A screen gives it a colour, a document an emphasis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A title, or the name of something recommended.
    Strong,
    /// What a reader may skip: units, reasons, legends.
    Dim,
    Good,
    /// Good within limits; a warning.
    Warn,
    /// Bad; an error.
    Bad,
    /// A name that can be typed: an id, a command.
    Name,
}

/// A piece of text in one tone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The text may come from outside; a format makes it safe.
    pub text: String,
    pub tone: Option<Tone>,
}

/// Text whose pieces have tones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Span>);

impl Text {
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self(vec![Span { text: text.into(), tone: Some(tone) }])
    }

    #[must_use]
    pub fn and(mut self, other: impl Into<Self>) -> Self {
        self.0.extend(other.into().0);
        self
    }

    /// Texts with a dot between each two: ` · `.
    pub fn dotted(texts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(texts, " · ")
    }
    pub fn joined(texts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        texts.into_iter().reduce(|all, text| all.and(between).and(text)).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.text.trim().is_empty())
    }

    pub fn plain(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(vec![Span { text, tone: None }])
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

#[derive(Clone, Debug)]
pub enum Block {
    Heading {
        title: String,
        /// The text after the title; may be empty.
        remark: Text,
    },
    /// Names and what is known about them.
    Facts(Vec<Fact>),
    Table(Table),
    /// Charts that follow each other may stand next to each other.
    Chart(Chart),
    Paragraph(Text),
    /// An explanation of the blocks above, set apart from them.
    Legend(Text),
    /// An entry of a list that is cut, rather than continued, at the end of a line.
    Line(Text),
    /// An entry of a list, and the lines that belong to it.
    Item {
        head: Text,
        /// Lines that belong to the head.
        details: Vec<Text>,
    },
    /// Lines of code, by language.
    Code(Vec<(String, String)>),
}

impl Block {
    pub fn heading(title: impl Into<String>) -> Self {
        Self::remarked(title, "")
    }

    pub fn remarked(title: impl Into<String>, remark: impl Into<Text>) -> Self {
        Self::Heading { title: title.into(), remark: remark.into() }
    }

    /// A heading and its remark, which a reader may skip.
    pub fn noted(title: impl Into<String>, remark: impl Into<String>) -> Self {
        Self::remarked(title, Text::toned(Tone::Dim, remark))
    }

    /// An entry of a list in one line.
    pub fn item(head: impl Into<Text>) -> Self {
        Self::Item { head: head.into(), details: Vec::new() }
    }

    pub fn legend(text: impl Into<Text>) -> Self {
        Self::Legend(text.into())
    }

    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self::Paragraph(Text::toned(tone, text))
    }

    pub fn paragraph(text: impl Into<Text>) -> Self {
        Self::Paragraph(text.into())
    }
    /// The head and the details of an entry of a list.
    pub fn entry(&self) -> Option<(&Text, &[Text])> {
        match self {
            Self::Line(head) => Some((head, &[])),
            Self::Item { head, details } => Some((head, details)),
            _ => None,
        }
    }
}

/// A name and what is known about it. The name has a page (see [`terms`](crate::terms)).
#[derive(Clone, Debug)]
pub struct Fact {
    pub name: Cow<'static, str>,
    pub value: Text,
}

impl Fact {
    pub fn new(name: impl Into<Cow<'static, str>>, value: impl Into<Text>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

/// How the cells of a column are aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    #[default]
    Left,
    Right,
    /// At the decimal point if there is room, otherwise on the right.
    Decimal,
}

/// How important a column is on a screen that has no room for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rank {
    /// A name of the row: every table that holds some of the columns begins with the names.
    Name,
    /// Always shown.
    #[default]
    Primary,
    /// Shown next to the primary columns if there is room, and otherwise as `More`. The first of
    /// them gives way first.
    Spare,
    /// Moved to a separate table, which narrow screens show only if everything is asked for.
    More,
    /// Left out.
    Optional,
}

/// A column of a table. Its name has a page (see [`terms`](crate::terms)).
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// The name for programs; empty if the column is for people only.
    pub key: &'static str,
    pub head: Cow<'static, str>,
    /// The name on narrow screens; `\n` stacks the words.
    pub narrow: Option<&'static str>,
    /// The unit of the figures; empty if each cell has a unit of its own, or none.
    pub unit: &'static str,
    pub align: Align,
    /// Spaces before the column on a screen with little room.
    pub gap: usize,
    /// How narrow the column may become by wrapping; absent if its width is kept.
    pub gives_way: Option<usize>,
    /// Whether a value may become a line of its own above the rows that share that value, if the
    /// columns do not fit otherwise.
    pub stacks: bool,
    pub rank: Rank,
    /// The part of the table that the column belongs to.
    pub part: usize,
    /// Whether estimates are shown with their uncertainty.
    pub spread: bool,
    /// Whether programs get the statistics of estimates.
    pub statistics: bool,
    pub brief: bool,
    /// Whether the section's own screen shows the column.
    pub full: bool,
    /// The axis of the column's strips; absent if it is the logarithmic one in nanoseconds that
    /// holds all their values.
    pub axis: Option<Scale>,
}

/// How a column is described, word by word: `Column::new("p90").right().close()`.
impl Column {
    pub fn new(head: impl Into<Cow<'static, str>>) -> Self {
        Self { head: head.into(), gap: 2, ..Self::default() }
    }

    /// Names the row, and wraps down to this width.
    pub fn name(self, narrowest: usize) -> Self {
        self.also_name().gives_way(narrowest)
    }

    /// Names the row, and is never broken: the name becomes a line of its own instead.
    pub fn whole_name(self) -> Self {
        Self { stacks: true, ..self.also_name() }
    }
}

/// Words that describe a column, each with the field that it sets.
macro_rules! words {
    ($($(#[$doc:meta])* $word:ident($($with:ident: $type:ty)?) $field:ident: $value:expr;)*) => {
        impl Column {
            $($(#[$doc])*
            pub fn $word(self $(, $with: $type)?) -> Self {
                Self { $field: $value, ..self }
            })*
        }
    };
}

words! {
    /// Part of the row's name, at its full width.
    also_name() rank: Rank::Name;
    /// May move to a separate table.
    more() rank: Rank::More;
    rank(rank: Rank) rank: rank;
    /// Gives up its place next to the primary columns if there is no room.
    spare() rank: Rank::Spare;
    optional() rank: Rank::Optional;
    narrow(head: &'static str) narrow: Some(head);
    unit(unit: &'static str) unit: unit;
    right() align: Align::Right;
    decimal() align: Align::Decimal;
    /// Closer to the column before it if there is little room.
    close() gap: 1;
    /// Wraps if there is no room, down to this width.
    gives_way(to: usize) gives_way: Some(to);
    spread() spread: true;
    /// Gives programs all statistics of its estimates.
    statistics() statistics: true;
    brief() brief: true;
    /// Shown on the section's own screen. A column that is neither `full` nor `brief` is for
    /// programs only.
    full() full: true;
    /// Shown on the section's own screen on a condition.
    full_if(full: bool) full: full;
    part(part: usize) part: part;
    /// The axis of the column's strips.
    axis(axis: Scale) axis: Some(axis);
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Nothing was measured, or nothing applies.
    #[default]
    Absent,
    Text(String),
    /// A name or a call, as it is typed.
    Code(String),
    Flag(bool),
    Count(u64),
    /// A whole number that may be negative.
    Whole(i64),
    /// A figure in the unit of its column.
    Number(f64),
    /// A duration in nanoseconds.
    Ns(f64),
    /// A share, 0 to 1.
    Share(f64),
    /// A figure in nanoseconds with its uncertainty.
    Estimate(Box<Estimate>),
    /// A length, 0 to 1, to be drawn as a bar; only for people.
    Bar(f64),
    /// A drawing in characters, whose spaces count; only for people.
    Drawing(String),
    /// Figures on the axis that all strips of the column share; only for people.
    Strip(Vec<Mark>),
    /// The parts of a whole, next to each other; only for people.
    Stack(Vec<Share>),
}

impl Value {
    /// Whether the value is drawn, and means nothing to a program or in a document of text.
    pub fn is_picture(&self) -> bool {
        matches!(self, Self::Bar(_) | Self::Drawing(_) | Self::Strip(_) | Self::Stack(_))
    }

    /// The marks of a strip; none for other values.
    pub fn marks(&self) -> &[Mark] {
        if let Self::Strip(marks) = self { marks } else { &[] }
    }

    /// The parts of a stack; none for other values.
    pub fn shares(&self) -> &[Share] {
        if let Self::Stack(shares) = self { shares } else { &[] }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub value: Value,
    /// What people see instead, if that is not simply the value.
    pub words: Option<String>,
    pub tone: Option<Tone>,
}

impl Cell {
    pub fn new(value: Value) -> Self {
        Self { value, ..Self::default() }
    }

    /// The cell with other words for people.
    #[must_use]
    pub fn shown(self, words: impl Into<String>) -> Self {
        Self { words: Some(words.into()), ..self }
    }

    /// The cell with other words for people, if there are any.
    #[must_use]
    pub fn said(self, words: Option<String>) -> Self {
        Self { words: words.or(self.words), ..self }
    }

    /// The cell with these words for people if its value is absent.
    #[must_use]
    pub fn or(self, words: &str) -> Self {
        if self.value == Value::Absent { self.shown(words) } else { self }
    }

    #[must_use]
    pub fn toned(self, tone: Tone) -> Self {
        Self { tone: Some(tone), ..self }
    }

    /// The cell in a tone on a condition.
    #[must_use]
    pub fn toned_if(self, so: bool, tone: Tone) -> Self {
        if so { self.toned(tone) } else { self }
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Value::Text(text.into()))
    }

    pub fn code(text: impl Into<String>) -> Self {
        Self::new(Value::Code(text.into()))
    }

    pub fn flag(flag: bool) -> Self {
        Self::new(Value::Flag(flag))
    }

    pub fn some<T>(value: Option<T>, of: impl FnOnce(T) -> Value) -> Self {
        Self::new(value.map_or(Value::Absent, of))
    }

    pub fn words<T: Into<String>>(text: Option<T>) -> Self {
        Self::some(text, |text| Value::Text(text.into()))
    }

    pub fn count(count: impl Into<Option<u64>>) -> Self {
        Self::some(count.into(), Value::Count)
    }

    pub fn number(number: impl Into<Option<f64>>) -> Self {
        Self::some(number.into(), Value::Number)
    }

    /// A duration in nanoseconds, which may be missing.
    pub fn ns(ns: impl Into<Option<f64>>) -> Self {
        Self::some(ns.into(), Value::Ns)
    }

    /// A duration in whole nanoseconds, which may be missing.
    pub fn whole_ns(ns: impl Into<Option<u64>>) -> Self {
        Self::some(ns.into(), |ns| Value::Ns(ns as f64))
    }

    pub fn estimate(estimate: Option<&Estimate>) -> Self {
        Self::some(estimate, |e| Value::Estimate(Box::new(e.clone())))
    }

    /// A cost, which may be a bound.
    pub fn cost(estimate: Option<&Estimate>) -> Self {
        Self::some(estimate, |e| {
            Value::Estimate(Box::new(Estimate { below_resolution: e.is_bound(), ..e.clone() }))
        })
    }

    /// A cost with its unit, in a column whose figures have several.
    pub fn human_cost(estimate: Option<&Estimate>) -> Self {
        Self::ns(estimate.and_then(Estimate::known_ns)).said(estimate.and_then(Estimate::human))
    }

    /// A figure between the ends of its 95 % interval.
    pub fn within(value_ns: f64, low_ns: f64, high_ns: f64) -> Self {
        Self::estimate(Some(&Estimate { value_ns, low_ns, high_ns, ..Estimate::default() }))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Whether the row is the one to notice.
    pub marked: bool,
    /// One cell for each column.
    pub cells: Vec<Cell>,
}

impl From<Vec<Cell>> for Item {
    fn from(cells: Vec<Cell>) -> Self {
        Self::Row(Row { marked: false, cells })
    }
}

/// A row, or something between rows.
#[derive(Clone, Debug)]
pub enum Item {
    /// The rows below belong together.
    Group {
        name: String,
        /// The text after the name; may be empty.
        remark: String,
    },
    Row(Row),
}

impl Item {
    pub fn row(&self) -> Option<&Row> {
        if let Self::Row(row) = self { Some(row) } else { None }
    }
}
/// Columns that belong together, under a heading of their own.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub title: &'static str,
    /// The text after the title; may be empty.
    pub remark: &'static str,
}

#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The parts that columns belong to; empty if the table has no headings of its own.
    pub parts: &'static [Part],
    pub columns: Vec<Column>,
    pub items: Vec<Item>,
    /// Whether the rows may continue next to each other, as the lines of a newspaper do.
    pub flows: bool,
    /// Whether the cells explain themselves, so that a screen shows no headings above them.
    pub headless: bool,
}

impl Table {
    pub fn rows(&self) -> impl Iterator<Item = &Row> + Clone {
        self.items.iter().filter_map(Item::row)
    }

    /// The cells of a column, by position.
    pub fn column(&self, at: usize) -> impl Iterator<Item = &Cell> + Clone {
        self.rows().filter_map(move |row| row.cells.get(at))
    }

    pub fn is_empty(&self) -> bool {
        self.rows().next().is_none()
    }

    /// Of these columns, those of each part that a document writes by itself, because together they
    /// are too wide; none if they are not.
    pub fn by_part(&self, columns: &[usize]) -> Vec<(&'static Part, Vec<usize>)> {
        const WIDEST: usize = 12;
        let of_part = |nth: usize| {
            let is_in = |at: &usize| {
                let column = &self.columns[*at];
                column.rank == Rank::Name || column.part == nth
            };
            columns.iter().copied().filter(is_in).collect()
        };
        let parts = self.parts.iter().enumerate().filter(|_| columns.len() > WIDEST);
        parts.map(|(nth, part)| (part, of_part(nth))).collect()
    }
}
