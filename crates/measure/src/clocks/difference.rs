//! What every clock measures for one interval of 100 ms. The ruler times the interval, so this does
//! not check a counter that is the ruler itself.

use crate::engine::Spec;
use crate::engine::host::Values;
use crate::engine::schedule::DIFFERENCE;
use chronoscope_model::clock::Difference;
use chronoscope_probes::clocks::Unit;

#[derive(Clone, Copy, Default)]
struct Mark {
    before: u64,
    value: u64,
    after: u64,
}

/// Reads all subjects, sleeps once, and reads them again. All subjects share the interval, and the
/// ruler measures it for each of them directly around the reads of that subject.
pub fn measure<H: Values>(
    host: &mut H,
    specs: &[Spec],
    subjects: &[usize],
    tick_ns: impl Fn(usize) -> Option<f64>,
    hz: f64,
) -> Vec<Option<Difference>> {
    let first: Vec<Mark> = subjects.iter().map(|subject| mark(host, *subject)).collect();
    host.sleep(DIFFERENCE.limits[0]);
    let second: Vec<Mark> = subjects.iter().map(|subject| mark(host, *subject)).collect();
    let ms = 1e3 / hz;
    subjects
        .iter()
        .zip(first.iter().zip(&second))
        .map(|(subject, (a, b))| {
            let ns_per_unit = specs[*subject].ns_per_unit(hz)?;
            let shortest = b.before.wrapping_sub(a.after) as f64 * ms;
            let longest = b.after.wrapping_sub(a.before) as f64 * ms;
            let reference_ms = (shortest + longest) / 2.0;
            let clock_ms = (b.value.wrapping_sub(a.value) as i64) as f64 * ns_per_unit / 1e6;
            // Two ticks, the duration of the reads, and 500 ppm for a clock that NTP slews (the
            // kernel's fastest slew: MAXFREQ in include/linux/timex.h).
            let tick_ms = tick_ns(*subject).unwrap_or(0.0) / 1e6;
            let tolerance_ms = 2.0 * tick_ms + (longest - shortest) / 2.0 + reference_ms * 500e-6;
            Some(Difference {
                reference_ms,
                clock_ms,
                tolerance_ms,
                agrees: (clock_ms - reference_ms).abs() <= tolerance_ms,
                // The clock's ticks are those of the ruler, or else it would have a rate of its
                // own.
                of_ruler: specs[*subject].unit == Unit::Counter,
            })
        })
        .collect()
}

fn mark<H: Values>(host: &mut H, subject: usize) -> Mark {
    let before = host.ticks();
    Mark { before, value: host.value(subject), after: host.ticks() }
}
