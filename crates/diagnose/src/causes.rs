//! What makes waits end late: a page for each cause, what to do about it, and the rows that it
//! dominates.

use chronoscope_model::packed::packed;
use chronoscope_model::page::pages;
use chronoscope_model::units::{percent, plural, short_ns};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::why::{Cause, Later, Why};
use chronoscope_model::{Page, Report};
use std::sync::LazyLock;

/// What the ids begin with.
const PREFIX: &str = "cause/";

/// The page with this id, such as `cause/run-queue`, or of the name that screens print: `run
/// queue`.
pub fn find(name: &str) -> Option<&'static Page> {
    let bare = |name: &str| {
        let name = name.to_lowercase();
        name.strip_prefix(PREFIX).unwrap_or(&name).replace('-', " ")
    };
    let wanted = bare(name);
    ALL.iter().find(|page| bare(page.name()) == wanted || bare(page.title) == wanted)
}

/// Every cause, in the order in which they come after a deadline.
pub static ALL: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let all = pages(packed!("causes.md"));
    all.zip(Cause::ALL).map(|(page, cause)| Page { title: cause.words(), ..page }).collect()
});

/// A cause of this share of the lateness dominates it.
const DOMINANT: f64 = 0.5;

/// A row whose late wake-ups one cause dominates.
#[derive(Clone, Copy)]
pub(crate) struct Late<'a> {
    pub(crate) wait: &'a Wait,
    pub(crate) why: &'a Why,
    pub(crate) later: &'a Later,
    cause: Cause,
}

impl Late<'_> {
    /// The mean time that the cause took from one of these wake-ups, in nanoseconds.
    pub(crate) fn mean_ns(&self) -> f64 {
        self.later.mean_ns() * self.later.share(self.cause)
    }

    pub(crate) fn line(&self) -> String {
        let wait = self.wait;
        let asked =
            wait.requested_ns.map_or(String::new(), |ns| format!(" of {}", short_ns(ns as f64)));
        let slack =
            wait.slack_ns.map_or(String::new(), |ns| format!(", slack {}", short_ns(ns as f64)));
        let load = match wait.load {
            Load::None => String::new(),
            load => format!(" next to the {} load", load.name()),
        };
        let (late, all) = (self.later.waits, self.why.all().map_or(0, |all| all.waits));
        let all = plural(all, "wake-up", "wake-ups");
        let [than, mean] = [self.later.than_ns as f64, self.later.mean_ns()].map(short_ns);
        let (share, cause) = (percent(self.later.share(self.cause)), self.cause.words());
        format!(
            "{}{asked}{slack}{load}: {late} of {all} later than {than}, {mean} on average, {share} \
             of it {cause}",
            wait.id
        )
    }
}

/// The rows whose latest wake-ups this cause dominates and delays by more than `least_ns`, the
/// worst first. Rows with too few waits prove nothing.
pub(crate) fn late_by(report: &Report, cause: Cause, least_ns: f64) -> Vec<Late<'_>> {
    const ENOUGH: u64 = 5;
    let rows = report.waits.iter().filter_map(|wait| {
        let why = wait.why.as_ref()?;
        let later = why.tail()?;
        Some(Late { wait, why, later, cause })
    });
    let mut rows: Vec<Late> = rows
        .filter(|late| late.later.waits >= ENOUGH && late.later.share(cause) >= DOMINANT)
        .filter(|late| late.mean_ns() >= least_ns)
        .collect();
    rows.sort_by(|a, b| b.mean_ns().total_cmp(&a.mean_ns()));
    rows
}

pub(crate) fn late_lines(rows: &[Late]) -> Vec<String> {
    const MOST: usize = 3;
    let mut lines: Vec<String> = rows.iter().take(MOST).map(Late::line).collect();
    if let Some(more) = rows.len().checked_sub(MOST).filter(|more| *more > 0) {
        lines.push(plural(more as u64, "more row", "more rows"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_one_page_with_whole_sentences() {
        let ids = Cause::ALL.iter().map(|cause| format!("cause/{}", cause.name()));
        assert!(ids.eq(ALL.iter().map(Page::name)));
        for (page, cause) in ALL.iter().zip(Cause::ALL) {
            assert_eq!(page.title, cause.words());
            for text in [page.about, page.how, page.act] {
                assert!(text.is_empty() || text.ends_with('.'), "{}: {text}", page.name());
            }
        }
        for cause in Cause::ALL {
            let id = format!("cause/{}", cause.name());
            for name in [cause.name(), cause.words(), &format!("Cause/{}", cause.words())] {
                assert_eq!(find(name).map(Page::name), Some(&*id), "{name}");
            }
        }
        assert!(find("cause/").is_none() && find("").is_none());
    }
}
