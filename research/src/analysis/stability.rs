//! The deviations of a stored series of `trust`, next to those of allantools, which PyPI has.

use super::engines::folder;
use anyhow::{Context, Result, ensure};
use chronoscope_ci::runtimes::from_pypi;
use chronoscope_ci::sh;
use chronoscope_ci::tally::Done;
use chronoscope_diagnose::stability::of;
use chronoscope_model::trust::{Course, Series, Stability};
use serde_json::json;
use xshell::{Shell, cmd};

/// Versions that are known to work.
const PACKAGES: [&str; 3] = ["allantools==2024.6", "numpy==2.4.6", "scipy==1.17.1"];
/// The most by which figures may differ, relative.
const WITHIN: f64 = 1e-9;

/// A series of one clock.
struct Clock {
    name: &'static str,
    tau0: f64,
    /// In nanoseconds.
    offsets: Vec<f64>,
}

/// The 1,000 points of NIST SP 1065, section 12.4, as frequencies in billionths; and what clocks do
/// that are read with an error and whose rate wanders.
fn clocks() -> Vec<Clock> {
    let mut number = 1_234_567_890_u64;
    let mut published = vec![0.0];
    for _ in 0..1000 {
        published.push(published.last().unwrap_or(&0.0) + number as f64 / 2_147_483_647.0);
        number = 16_807 * number % 2_147_483_647;
    }
    let mut rng = fastrand::Rng::with_seed(5);
    let mut random = |name, tau0: f64, points, read: f64, walk: f64| {
        let (mut rate, mut ahead, mut offsets) = (12_000.0, 0.0, Vec::new());
        for _ in 0..points {
            offsets.push(ahead + read * (rng.f64() - 0.5));
            rate += walk * (rng.f64() - 0.5);
            ahead += rate * tau0;
        }
        Clock { name, tau0, offsets }
    };
    vec![
        random("an exact clock that wanders", 1.0, 512, 20.0, 50.0),
        random("a coarse clock", 1.0, 300, 4e6, 1.0),
        random("a night", 64.0, 450, 200.0, 5.0),
        random("the fewest points", 2.0, 8, 100.0, 10.0),
        Clock { name: "the points of SP 1065", tau0: 1.0, offsets: published },
    ]
}

/// Compares every figure of every series.
pub fn suite(sh: &Shell, done: &mut Done) -> Result<()> {
    let packages = from_pypi(sh, &folder().join("allantools"), &PACKAGES, "allantools/ci.py")?;
    let clocks = clocks();
    let phases = |it: &Clock| it.offsets.iter().map(|ns| ns * 1e-9).collect::<Vec<f64>>();
    let series = |it: &Clock| json!({"tau0": it.tau0, "phases": phases(it)});
    let file = folder().join("series.json");
    sh.write_file(&file, json!(clocks.iter().map(series).collect::<Vec<_>>()).to_string())?;
    let script = cmd!(sh, "python3 -B research/python/stability.py {file}");
    let text = sh::read(script.env("PYTHONPATH", packages))?;
    let mut theirs = text.lines();
    for Clock { name, tau0, offsets } in clocks {
        let at_s = (0..offsets.len()).map(|nth| nth as f64 * tau0).collect();
        let course = Course { id: name.into(), offset_ns: offsets, ..Course::default() };
        let series = Series { at_s, clocks: vec![course], ..Series::default() };
        let (_, rows) = of(&series).pop().context("no row")?;
        let mut same = || {
            for row in &rows {
                let line = theirs.next().context("allantools has fewer rows")?;
                compare(row, tau0, &serde_json::from_str::<Vec<f64>>(line)?)?;
            }
            Ok(())
        };
        done.check(&format!("allantools finds the same in {name}"), same());
    }
    ensure!(theirs.next().is_none(), "allantools has more rows");
    Ok(())
}

fn compare(row: &Stability, tau0: f64, theirs: &[f64]) -> Result<()> {
    let Stability { tau_s, adev, adev_95, tdev_ns, tdev_95_ns, mtie_ns } = *row;
    let ([low, high], [tdev_low, tdev_high]) =
        adev_95.zip(tdev_95_ns).context("an interval has no end")?;
    let [m, of_theirs @ ..] = theirs else { anyhow::bail!("an empty row") };
    let ours = [adev, tdev_ns * 1e-9, mtie_ns * 1e-9, low, high, tdev_low * 1e-9, tdev_high * 1e-9];
    ensure!(tau_s == m * tau0 && of_theirs.len() == ours.len(), "{row:?} and {theirs:?}");
    for (nth, (a, b)) in ours.iter().zip(of_theirs).enumerate() {
        // It approximates the degrees of freedom of TDEV by a part of their sum, from m = 34 on.
        let within = if nth > 4 && *m > 33.0 { 1e-3 } else { WITHIN };
        ensure!((a - b).abs() <= within * b.abs(), "{m} points, figure {nth}: {a:e}, not {b:e}");
    }
    Ok(())
}
