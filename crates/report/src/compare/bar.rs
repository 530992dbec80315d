//! A change and its 95 % interval as a bar in characters, around a line that stands for no change.

use crate::scale::{self, Unit};
use chronoscope_model::compare::Row;

/// Columns of a bar: one for no change, and ten on each side.
const WIDTH: usize = 21;
const HALF: usize = WIDTH / 2;

/// The least and the largest change that the end of a scale stands for.
const ENDS: (f64, f64) = (0.1, 1.0);
/// The end of a scale is a multiple of this.
const STEP: f64 = 0.05;

/// A linear scale from a decrease to an increase by the same share.
#[derive(Clone, Copy)]
pub(super) struct Scale(f64);

impl Scale {
    /// The scale that holds the intervals of the rows, up to a doubling.
    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let far = rows.map(|row| row.change_low.abs().max(row.change_high.abs()));
        let most = far.filter(|far| far.is_finite()).fold(0.0, f64::max);
        Self(((most / STEP).ceil() * STEP).clamp(ENDS.0, ENDS.1))
    }

    /// The same scale as the axis of a column of strips.
    pub(super) fn axis(self) -> scale::Scale {
        scale::Scale::linear(Unit::Change, -self.0, self.0)
    }

    /// The labels above the bars: `-10 %      0     +10 %`.
    pub(super) fn head(self) -> String {
        let end = format!("{:.0} %", self.0 * 100.0);
        let (left, right) = (format!("-{end}"), format!("+{end}"));
        let rest = WIDTH - HALF - 1;
        format!("{left:HALF$}0{right:>rest$}")
    }

    /// The bar of a row. What lies beyond an end of the scale is an arrow there.
    pub(super) fn bar(self, row: &Row) -> String {
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
