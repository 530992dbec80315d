//! What the figures mean and how they were obtained, for those who ask for everything.

use crate::block::Block;
use chronoscope_model::{Report, units};

pub(super) fn view(report: &Report) -> Vec<Block> {
    let Some(first) = report.waits.iter().find(|w| w.samples > 0) else {
        return Vec::new();
    };
    let ruler = report.ruler.as_ref().map_or(String::new(), |ruler| {
        let compared = ruler.compared.as_ref();
        let compared = compared.map_or(String::new(), |it| format!(", {}", it.standing.name()));
        format!(
            ", measured with {} at {} (error at most {:.2} ppm of {}{compared})",
            ruler.id,
            units::human_hz(ruler.hz),
            ruler.hz_error_ppm,
            ruler.reference
        )
    });
    let clock = first.by_clock.as_ref().map_or(String::new(), |by| {
        format!(
            " by clock: the same waits measured with {}, on which the system's timers run. The \
             ruler favours methods that spin on it, and that clock those that sleep on it.",
            by.clock
        )
    });
    let single = if report.waits.iter().any(|w| w.period_ns.is_some()) {
        "Deadlines form a fixed grid."
    } else {
        "Single waits: each begins after the one before has ended."
    };
    let mut blocks = vec![Block::Legend(
        format!(
            "Overshoot: the time at which the thread ran again minus the deadline{ruler}. early: \
             waits that ended before their deadline. CPU: CPU time of the waiting thread. \
             {single}{clock}"
        )
        .into(),
    )];
    if report.waits.iter().any(|w| w.timer_period_ms.is_some()) {
        blocks.push(Block::paragraph(
            "+period(1): after timeBeginPeriod(1). slack: the resulting period of the clock \
             interrupt, which other programs influence too.",
        ));
    }
    blocks
}
