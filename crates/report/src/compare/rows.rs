//! The figures of a comparison: a table of those that changed, with each change and its 95 %
//! interval as a bar around a line that stands for no change, and what is said of the others.

use super::words;
use crate::block::chart::{Mark, What};
use crate::block::{Block, Cell, Column, Item, Rank, Table, Text, Tone, Value};
use crate::number::{percent, short, three};
use crate::scale::{self, Unit};
use crate::section::{Detail, by_key, capitalized};
use chronoscope_model::compare::{
    Change, Figure, Key, Method, Quantity, Row, Section, Shared, Verdict,
};
use chronoscope_model::load::Load;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Changed rows that a screen shows if not everything is asked for.
const MOST: usize = 12;
/// The percentile that stands for a wait whose change is not judged.
const USUAL: &str = "p90";

/// A row in each change; absent where a report does not have it.
struct Joined<'a> {
    key: &'a Key,
    on: Vec<Option<&'a Row>>,
}

impl<'a> Joined<'a> {
    fn rows(&self) -> impl Iterator<Item = &'a Row> {
        self.on.iter().copied().flatten()
    }

    fn changed(&self) -> bool {
        self.rows().any(|row| row.verdict.changed())
    }

    fn is_same(&self) -> bool {
        self.rows().all(|row| row.verdict == Verdict::Same)
    }

    /// The largest change, for the order.
    fn most(&self) -> f64 {
        self.rows().map(|row| (1.0 + row.change).ln().abs()).fold(0.0, f64::max)
    }
}

/// Rows that are shown in one table: those of a section, a quantity and a load.
struct Group<'a> {
    section: Section,
    quantity: Quantity,
    load: Option<Load>,
    rows: Vec<Joined<'a>>,
}

impl<'a> Group<'a> {
    /// Whether the section is about this first of all.
    fn is_main(&self) -> bool {
        let loaded = self.section != Section::Waits && self.load.is_some();
        !loaded && !matches!(self.quantity, Quantity::Ordered | Quantity::Cold | Quantity::First)
    }

    fn name(&self) -> String {
        let load = self.load.filter(|_| self.section != Section::Waits);
        let load = load.map_or(String::new(), |load| format!(", load {}", load.name()));
        format!("{}{load}", self.quantity.name())
    }

    fn unjudged(&self) -> bool {
        self.all().all(|row| row.p.is_none())
    }

    fn all(&self) -> impl Iterator<Item = &'a Row> + Clone {
        self.rows.iter().flat_map(|joined| joined.on.iter().copied().flatten())
    }
}

/// The rows of every change next to each other, the most important groups first.
fn groups<'a>(changes: &[&'a Change]) -> Vec<Group<'a>> {
    let mut at: HashMap<&Key, usize> = HashMap::new();
    let mut joined: Vec<Joined<'a>> = Vec::new();
    for (nth, change) in changes.iter().enumerate() {
        for row in &change.rows {
            let place = *at.entry(&row.key).or_insert_with(|| {
                joined.push(Joined { key: &row.key, on: vec![None; changes.len()] });
                joined.len() - 1
            });
            joined[place].on[nth] = Some(row);
        }
    }
    let keyed = joined.into_iter().map(|row| {
        let Key { section, quantity, load, .. } = *row.key;
        ((section, quantity, load), row)
    });
    let groups = by_key(keyed).into_iter();
    let group = |((section, quantity, load), rows)| Group { section, quantity, load, rows };
    let mut groups: Vec<Group<'a>> = groups.map(group).collect();
    groups.sort_by_key(|it| (it.section, Reverse(it.is_main()), it.load, it.quantity));
    groups
}

/// How a comparison is shown.
struct View {
    /// How many reports are compared with the first.
    changes: usize,
    method: Method,
    detail: Detail,
    /// Whether changes are strips, as on a page, rather than drawn in characters.
    strips: bool,
}

/// The sections that the reports share, and what the changed rows have in common.
pub(super) fn view(
    changes: &[&Change],
    method: Method,
    detail: Detail,
    strips: bool,
) -> Vec<Block> {
    let view = View { changes: changes.len(), method, detail, strips };
    let mut blocks = Vec::new();
    for section in groups(changes).chunk_by(|a, b| a.section == b.section) {
        let (main, other): (Vec<_>, Vec<_>) = section.iter().partition(|it| it.is_main());
        for group in &main {
            blocks.extend(of_group(group, &view));
        }
        if main.is_empty() {
            blocks.push(Block::heading(capitalized(section[0].section.name())));
        }
        for group in other {
            if detail == Detail::Everything {
                blocks.extend(of_group(group, &view));
            } else {
                blocks.push(Block::paragraph(in_short(group, &view)));
            }
        }
    }
    blocks.extend(changes.iter().enumerate().flat_map(|(at, change)| {
        let of = words::of_report(changes.len() > 1, at + 1, ": ");
        let line = move |it: &Shared| Block::toned(Tone::Strong, of.clone() + &words::shared(it));
        change.shared.iter().map(line)
    }));
    blocks
}

/// A group in a line: `ordered: 14 worse · 38 the same, within 2.2 %; +2.9 to +30.2 % (-v)`.
fn in_short(group: &Group, view: &View) -> Text {
    let name = Text::toned(Tone::Dim, format!("{}: ", group.name()));
    if let Some(remark) = not_judged(group, view) {
        return name.and(remark);
    }
    let changed = group.all().filter(|row| row.verdict.changed());
    let text = name.and(words::counts(group.all(), true));
    match changed.clone().next() {
        Some(_) => {
            // A document has no other view.
            let more = if view.detail == Detail::Full { " (-v)" } else { "" };
            text.and(format!("; {}{more}", words::range_of(changed)))
        }
        None => text,
    }
}

fn of_group(group: &Group, view: &View) -> Vec<Block> {
    let detail = view.detail;
    let mut title = capitalized(group.section.name());
    match (group.section, group.load) {
        (Section::Waits, Some(load)) => title += &format!(", load {}", load.name()),
        _ if !group.is_main() || group.quantity == Quantity::Metric => {
            title += &format!(", {}", group.name());
        }
        _ => {}
    }
    let counts = (0..view.changes).map(|at| {
        let counts = words::counts(group.rows.iter().filter_map(move |it| it.on[at]), false);
        match view.changes {
            1 => counts,
            _ => Text::from(words::letter(at + 1) + " ").and(counts),
        }
    });
    let unjudged = group.unjudged();
    let all = not_judged(group, view);
    let reasons = all.is_none();
    let remark = all.map_or_else(|| Text::joined(counts, "; "), Text::from);
    let mut blocks = vec![Block::remarked(title, remark)];
    let is_usual = |it: &Joined| it.key.percentile.as_deref().is_none_or(|at| at == USUAL);
    // Short runs have the median only.
    let none_usual = !group.rows.iter().any(is_usual);
    let usual = |it: &&Joined| none_usual || is_usual(it);
    let mut shown: Vec<&Joined> = match detail {
        Detail::Everything => group.rows.iter().collect(),
        // Without a verdict, the figures are what there is to see.
        Detail::Full if unjudged => group.rows.iter().filter(usual).collect(),
        _ => group.rows.iter().filter(|it| it.changed()).collect(),
    };
    if !unjudged {
        let key = |it: &&Joined| (!it.changed(), it.is_same());
        shown.sort_by(|a, b| key(a).cmp(&key(b)).then(b.most().total_cmp(&a.most())));
    }
    let rest = words::cut(&mut shown, MOST, detail != Detail::Full || unjudged);
    blocks.push(Block::Table(table(group, &shown, view)));
    if !rest.is_empty() {
        let range = words::range_of(rest.iter().flat_map(|it| it.rows()));
        blocks.push(Block::Line(format!("… {} more, {range}: -v", rest.len()).into()));
    }
    if detail != Detail::Everything {
        blocks.extend(others(group, !shown.is_empty()));
    }
    if reasons {
        blocks.extend(undecided(group, view));
    }
    blocks
}

/// That no row of a group is judged, if that has one reason.
fn not_judged(group: &Group, view: &View) -> Option<String> {
    let why = words::why(group.all().next()?, view.method);
    let all = group.unjudged() && group.all().all(|row| words::why(row, view.method) == why);
    all.then(|| format!("not judged ({why})"))
}

/// The rows that are the same, in one line: the largest of their bounds, and the middle one.
fn others(group: &Group, any_changed: bool) -> Option<Block> {
    let same: Vec<&Joined> = group.rows.iter().filter(|it| it.is_same()).collect();
    let mut bounds: Vec<f64> =
        same.iter().flat_map(|it| it.rows()).map(|row| row.at_most).collect();
    bounds.sort_by(f64::total_cmp);
    let (most, half) = (bounds.last()?, bounds[bounds.len() / 2]);
    let who = match (same.len(), any_changed) {
        (1, true) => "1 other is".into(),
        (1, false) => "1 is".into(),
        (number, true) => format!("{number} others are"),
        (number, false) => format!("{number} are"),
    };
    let most = percent(*most);
    let half = match percent(half) {
        half if half == most => String::new(),
        half => format!("; half of them within {half}"),
    };
    Some(Block::paragraph(format!("{who} the same, within {most}{half}.")))
}

/// Ids that a line names.
const NAMED: usize = 3;

/// The undecided rows, by the reason, which says what would decide them.
fn undecided(group: &Group, view: &View) -> Vec<Block> {
    let open = group.all().filter(|row| row.verdict == Verdict::CannotTell);
    let reasons = by_key(open.map(|row| (words::why(row, view.method), row)));
    let line = |(why, mut rows): (String, Vec<&Row>)| {
        let line = Text::from(format!("{} undecided ({why})", rows.len()));
        rows.sort_by(|a, b| b.change.abs().total_cmp(&a.change.abs()));
        let name = |row: &&Row| {
            let by = format!(" {}", words::signed(row.change));
            Text::toned(Tone::Name, words::title(row)).and(by)
        };
        let named = if view.detail == Detail::Everything { rows.len() } else { NAMED };
        let more = rows.len().saturating_sub(named);
        let more = (more > 0).then(|| Text::from(format!("{more} more")));
        let names = Text::dotted(rows.iter().take(named).map(name).chain(more));
        Block::item(line.and(": ").and(names))
    };
    reasons.into_iter().map(line).collect()
}

fn table(group: &Group, shown: &[&Joined], view: &View) -> Table {
    let View { changes, detail, strips, .. } = *view;
    let waits = group.section == Section::Waits;
    // What is not about nanoseconds is shown with its unit, and its interval apart.
    let apart = waits || group.section == Section::Commands;
    let metric = group.quantity == Quantity::Metric;
    let has = |of: fn(&Key) -> bool| shown.iter().any(|row| of(row.key));
    let (slack, slice) = (has(|it| it.slack_ns.is_some()), has(|it| it.slice_ns.is_some()));
    let head = if waits { "method".into() } else { group.name() };
    let mut columns = vec![Column::new(head).whole_name()];
    let name = |head: &'static str| Column::new(head).also_name().right().close();
    columns.extend(slack.then(|| name("slack")));
    columns.extend(slice.then(|| name("slice")));
    columns.extend(waits.then(|| name("wait")));
    columns.extend(waits.then(|| name("at")));
    let figure = |at: usize| {
        let letter = words::letter(at);
        match apart {
            true => Column::new(letter).right().part(at),
            false => Column::new(format!("{letter} ns")).decimal().close().part(at),
        }
    };
    let range = |head: String, at: usize| Column::new(head).right().part(at).optional();
    columns.push(figure(0));
    columns.extend(apart.then(|| range("A\n95 %".into(), 0)));
    for at in 1..=changes {
        columns.push(figure(at));
        columns.extend(apart.then(|| range(words::letter(at) + "\n95 %", at)));
        columns.push(Column::new("change").right().close().part(at));
    }
    let alone = changes == 1;
    let scale = Scale::of(shown.iter().flat_map(|it| it.rows()));
    if strips {
        columns.push(Column::new("change").axis(scale.axis()).part(1));
    }
    if alone {
        // Next to the verdicts, which say more, the bars are shown only if there is room for all.
        let bar = if detail == Detail::Full { Rank::Spare } else { Rank::Optional };
        columns.extend((!strips).then(|| Column::new(scale.head()).rank(bar).part(1)));
        columns.push(Column::new("95 %").part(1).optional());
        columns.extend((detail != Detail::Full).then(|| Column::new("verdict").part(1)));
    }
    let cells = |it: &&Joined| {
        let ns = |ns: Option<u64>| Cell::whole_ns(ns).or("");
        let policy = it.key.policy.map_or(String::new(), |policy| format!("+{}", policy.name()));
        let mut cells = vec![Cell::code(&it.key.id).shown(format!("{}{policy}", it.key.id))];
        cells.extend(slack.then(|| ns(it.key.slack_ns)));
        cells.extend(slice.then(|| ns(it.key.slice_ns)));
        cells.extend(waits.then(|| ns(it.key.requested_ns)));
        cells.extend(waits.then(|| Cell::words(it.key.percentile.as_deref())));
        let figures = |figure: Option<Figure>| {
            let Some(Figure { value_ns, low_ns, high_ns }) = figure else {
                return vec![Cell::default(); 1 + usize::from(apart)];
            };
            match apart {
                true => {
                    let [low, high] = [low_ns, high_ns].map(if metric { three } else { short });
                    let value = if metric { Cell::number(value_ns) } else { Cell::ns(value_ns) };
                    vec![value, Cell::text(format!("{low} to {high}"))]
                }
                false => vec![Cell::within(value_ns, low_ns, high_ns)],
            }
        };
        cells.extend(figures(it.rows().next().map(|row| row.a)));
        for row in &it.on {
            cells.extend(figures(row.map(|row| row.b)));
            cells.push(change(*row, alone));
        }
        cells.extend(strips.then(|| Cell::new(Value::Strip(marks(&it.on)))));
        if let (true, Some(row)) = (alone, it.rows().next()) {
            let range = words::range(row.change_low, row.change_high);
            cells.extend((!strips).then(|| Cell::new(Value::Drawing(scale.bar(row)))));
            cells.push(Cell::text(range));
            cells.push(Cell::text(words::verdict(row)));
        }
        Item::from(cells)
    };
    let items = shown.iter().map(cells).collect();
    Table { columns, items, ..Table::default() }
}

/// The change of a row in each report but the first, with its interval.
fn marks(on: &[Option<&Row>]) -> Vec<Mark> {
    let mark = |(at, row): (usize, &Option<&Row>)| {
        let Row { change, change_low, change_high, .. } = **row.as_ref()?;
        let of = at + 1;
        let (letter, by) = (words::letter(of), words::signed(change));
        let range = words::range(change_low, change_high);
        let words = format!("{letter}: {by}, 95 % {range}");
        Some(Mark::new(What::Change, [change_low, change, change_high], of, words))
    };
    on.iter().enumerate().filter_map(mark).collect()
}

/// By how much a row changed; next to other changes with the verdict.
fn change(row: Option<&Row>, alone: bool) -> Cell {
    let Some(row) = row else { return Cell::default() };
    let by = words::signed(row.change);
    let words = match row.verdict {
        verdict if alone || !verdict.changed() => by,
        verdict => format!("{by} {}", words::name(verdict)),
    };
    Cell { tone: words::tone(row.verdict), ..Cell::text(words) }
}

/// Columns of a bar: one for no change, and ten on each side.
const WIDTH: usize = 21;
const HALF: usize = WIDTH / 2;

/// The least and the largest change that the end of a scale stands for.
const ENDS: (f64, f64) = (0.1, 1.0);
/// The end of a scale is a multiple of this.
const STEP: f64 = 0.05;

/// A linear scale from a decrease to an increase by the same share.
#[derive(Clone, Copy)]
struct Scale(f64);

impl Scale {
    /// The scale that holds the intervals of the rows, up to a doubling.
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let far = rows.map(|row| row.change_low.abs().max(row.change_high.abs()));
        let most = far.filter(|far| far.is_finite()).fold(0.0, f64::max);
        Self(((most / STEP).ceil() * STEP).clamp(ENDS.0, ENDS.1))
    }

    /// The same scale as the axis of a column of strips.
    fn axis(self) -> scale::Scale {
        scale::Scale::linear(Unit::Change, -self.0, self.0)
    }

    /// The labels above the bars: `-10 %      0     +10 %`.
    fn head(self) -> String {
        let end = format!("{:.0} %", self.0 * 100.0);
        let (left, right) = (format!("-{end}"), format!("+{end}"));
        let rest = WIDTH - HALF - 1;
        format!("{left:HALF$}0{right:>rest$}")
    }

    /// The bar of a row. What lies beyond an end of the scale is an arrow there.
    fn bar(self, row: &Row) -> String {
        let at = |share: f64| {
            // Half a column is none, whatever the last digit of a system's logarithm is.
            let columns = share / self.0 * HALF as f64;
            let columns = (columns.abs() - 1e-6).round().copysign(columns);
            (columns.clamp(-(HALF as f64), HALF as f64) + HALF as f64) as usize
        };
        let (low, high) = (at(row.change_low), at(row.change_high));
        let mut bar: Vec<char> = vec![' '; WIDTH];
        bar[low..=high.max(low)].fill('─');
        bar[HALF] = if bar[HALF] == ' ' { '│' } else { '┼' };
        bar[at(row.change)] = '●';
        if row.change > self.0 {
            bar[WIDTH - 1] = '>';
        } else if row.change < -self.0 {
            bar[0] = '<';
        }
        bar.into_iter().collect::<String>().trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(change: f64, half: f64) -> Row {
        let (change_low, change_high) = (change - half, change + half);
        Row { change, change_low, change_high, ..Row::default() }
    }

    #[test]
    fn a_bar_shows_the_change_and_its_interval() {
        let scale = Scale::of([row(0.057, 0.01)].iter());
        assert_eq!(scale.head(), "-10 %     0     +10 %");
        for (change, half, bar) in [
            (0.057, 0.01, "          │    ─●─"),
            (-0.1, 0.0, "●         │"),
            (0.0, 0.02, "        ──●──"),
            (0.02, 0.03, "         ─┼─●───"),
            (4.0, 0.1, "          │         >"),
            (f64::NAN, 0.0, "●         │"),
        ] {
            assert_eq!(scale.bar(&row(change, half)), bar, "{change}");
        }
        let far = Scale::of([row(f64::INFINITY, 1.0), row(0.31, 0.02), row(9.0, 0.0)].iter());
        assert_eq!(far.head(), "-100 %    0    +100 %");
        assert_eq!(Scale::of([row(0.31, 0.02)].iter()).head(), "-35 %     0     +35 %");
    }
}
