//! The screens. A screen is a function of blocks and of a [`Style`], so it can be tested to the
//! character.

pub mod explain;
pub mod list;

mod blocks;
mod layout;
mod screen;
mod style;
mod table;
mod wrapping;

pub use explain::Page;
pub use list::ListRow;
pub use style::Style;

use crate::block::Block;
use crate::section::{self, Detail, Section};
use chronoscope_model::Report;
use screen::Screen;

/// The summary: every section of the report in brief.
pub fn summary(report: &Report, style: &Style) -> String {
    let sections = section::ALL.iter();
    let views = sections.map(|section| (section.view)(report, Detail::Brief));
    render(views, Detail::Brief, style)
}

/// One section on its own, with what belongs on every screen: whether the run was interrupted,
/// notes, and findings.
pub fn section(section: &Section, report: &Report, detail: Detail, style: &Style) -> String {
    let around = [
        &section::run::SECTION,
        section,
        &section::notes::SECTION,
        &section::findings::SECTION,
    ];
    let views = around.map(|section| (section.view)(report, detail));
    render(views, detail, style)
}

/// Blocks that are not a section of their own.
pub fn blocks(blocks: Vec<Block>, style: &Style) -> String {
    render([blocks], Detail::Full, style)
}

fn render(views: impl IntoIterator<Item = Vec<Block>>, detail: Detail, style: &Style) -> String {
    let mut screen = Screen::new(style);
    for view in views {
        // Add space before a view that does not begin with a heading.
        if let Some(Block::Paragraph(_) | Block::Item { .. }) = view.first() {
            screen.gap();
        }
        for block in &view {
            blocks::draw(&mut screen, block, detail, style);
        }
    }
    screen.finish()
}
