//! What goes wrong when time is measured carelessly, shown on this machine.

use crate::context::Context;
use crate::options;
use crate::task::{Run, Task};
use chronoscope_report::text::{self, ListRow, Page};
use chronoscope_report::{json, terms};
use chronoscope_survey::demo::{DEMOS, Demo, Shown, TIME};
use chronoscope_survey::{Error, may_measure, select};
use std::time::Duration;

/// Show what goes wrong when time is measured carelessly.
#[derive(clap::Args)]
pub struct Args {
    /// What to show; list: what can be shown.
    #[arg(default_value = "list", value_name = "NAME")]
    name: String,
    /// For how long. Default: 1s.
    #[arg(long, value_name = "DURATION", value_parser = options::budget)]
    #[arg(allow_hyphen_values = true)]
    budget: Option<Duration>,
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        if self.name == "list" {
            let rows: Vec<ListRow> = DEMOS.iter().map(row).collect();
            let text = text::list("Demonstrations", &rows, context.detail(), &context.style);
            return Ok(Task::document(json::list("demos", &rows)?, text));
        }
        may_measure()?;
        let known = DEMOS.iter().find(|demo| demo.name.eq_ignore_ascii_case(&self.name));
        let Some(demo) = known else {
            let names = DEMOS.iter().map(|demo| demo.name).chain(["list"]);
            return Err(select::unknown("demo", names, &self.name).into());
        };
        let shown = (demo.run)(self.budget.unwrap_or(TIME));
        let shown = shown.map_err(|why| Error::Nothing(format!("{}: {why}", demo.name)))?;
        let json = json::demo(demo.name, shown.happened, &shown.what, &shown.figures)?;
        let text = text::explain(&page(demo, &shown), &context.style);
        Ok(Task::document(json, text))
    }
}

/// The page on a demonstration; its text states what it is about.
fn about(demo: &Demo) -> Page {
    terms::find(demo.name).first().map(|page| Page::from(*page)).unwrap_or_default()
}

fn row(demo: &Demo) -> ListRow {
    let text = about(demo).body;
    let first = text.split_once(". ").map_or(&*text, |(first, _)| first);
    ListRow::plain(demo.name, &format!("{first}."))
}

/// The page with what happened.
fn page(demo: &Demo, shown: &Shown) -> Page {
    let mut page = about(demo);
    let outcome = if shown.happened { "It happened here" } else { "It did not happen here" };
    page.body = format!("{}\n\n{outcome}. {}", page.body, shown.what);
    page
}
