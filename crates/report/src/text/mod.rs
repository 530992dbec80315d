//! The screens. A screen is a function of blocks and of a [`Style`], so tests can check every
//! character.

pub mod brief;
pub mod explain;
pub mod list;

mod layout;
pub(crate) mod plot;
mod screen;
mod strip;
mod style;
mod table;
mod wrapping;

pub use explain::Page;
pub use list::ListRow;
pub use style::{Style, columns};

use crate::block::Block;
use crate::section::{self, Detail, Section};
use chronoscope_model::Report;
use screen::Screen;

/// The most lines of a summary, so that it is seen at once.
const LINES: usize = 48;

/// The clocks of a kind in a summary: always as many, so that the rows are the same from run to
/// run, unless so much was found that they do not fit.
const CLOCKS: usize = 3;

/// The summary: the sections of the report at a glance, with a few clocks of each kind.
pub fn summary(report: &Report, style: &Style) -> String {
    let with = |clocks| {
        let views = section::ALL.iter().map(|section| match section.glance {
            Some(glance) => glance(report, clocks),
            None => (section.view)(report, Detail::Brief),
        });
        render(views, Detail::Brief, style)
    };
    let fits = |screen: &String| screen.lines().count() <= LINES;
    (1..=CLOCKS).rev().map(with).find(fits).unwrap_or_else(|| with(1))
}

/// Every section of the report, with everything that it holds, between the heading of the summary
/// and the answer at its end.
pub fn everything(report: &Report, style: &Style) -> String {
    let (run, advice) = (&section::run::SECTION, &section::advice::SECTION);
    let sections = section::ALL.iter().filter(|section| section.id != run.id);
    let whole = sections.map(|section| (section.view)(report, Detail::Everything));
    let brief = |section: &Section| (section.view)(report, Detail::Brief);
    let views = std::iter::once(brief(run)).chain(whole);
    render(views.chain([brief(advice)]), Detail::Everything, style)
}

/// One section on its own, with what belongs on every screen: whether the run was interrupted,
/// notes, and findings, which are brief next to advice, as that is an answer. If everything is
/// asked for, the machine and the ruler come first.
pub fn section(section: &Section, report: &Report, detail: Detail, style: &Style) -> String {
    let machine = &section::machine::SECTION;
    let circumstances = match detail {
        Detail::Everything if section.id != machine.id => (machine.view)(report, Detail::Brief),
        _ => Vec::new(),
    };
    let view = |section: &Section| (section.view)(report, detail);
    let unless_shown =
        |other: &Section| if other.id == section.id { Vec::new() } else { view(other) };
    let findings = &section::findings::SECTION;
    let views = [
        unless_shown(&section::run::SECTION),
        circumstances,
        view(section),
        unless_shown(&section::notes::SECTION),
        match detail {
            Detail::Full if section.id == section::advice::SECTION.id => {
                (findings.view)(report, Detail::Brief)
            }
            _ => unless_shown(findings),
        },
    ];
    render(views, detail, style)
}

/// Blocks about the findings, with what else belongs on every screen: whether the run was
/// interrupted, and notes.
pub fn around(blocks: Vec<Block>, report: &Report, style: &Style) -> String {
    let of = |section: &Section| (section.view)(report, Detail::Full);
    let views = [of(&section::run::SECTION), blocks, of(&section::notes::SECTION)];
    render(views, Detail::Full, style)
}

/// Tables, and below them what belongs on every screen. Of a run that goes on, the screen begins
/// like that of its end.
pub fn above(blocks: Vec<Block>, report: &Report, detail: Detail, style: &Style) -> String {
    let below = [&section::run::SECTION, &section::notes::SECTION, &section::findings::SECTION];
    let below = below.map(|section| (section.view)(report, detail));
    render(std::iter::once(blocks).chain(below), detail, style)
}

/// Blocks that are not a section of their own.
pub fn blocks(blocks: Vec<Block>, style: &Style) -> String {
    detailed(blocks, Detail::Full, style)
}

/// The same, with as much of them as is asked for.
pub fn detailed(blocks: Vec<Block>, detail: Detail, style: &Style) -> String {
    render([blocks], detail, style)
}

/// Lines of text, wrapped at words.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    wrapping::wrap(text, width, "", "")
}

/// A message wrapped at words.
pub fn message(text: &str, width: usize) -> String {
    wrapping::wrap(text, width, "", "  ").join("\n")
}

fn render(views: impl IntoIterator<Item = Vec<Block>>, detail: Detail, style: &Style) -> String {
    let mut screen = Screen::new(style);
    for view in views {
        // Add space before a view that does not begin with a heading.
        if let Some(Block::Paragraph(_) | Block::Item { .. }) = view.first() {
            screen.gap();
        }
        for block in &view {
            screen.block(block, detail);
        }
    }
    screen.finish()
}
