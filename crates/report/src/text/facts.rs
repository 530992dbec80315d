//! Facts in words: how a thing that is known, and one that is not, is said.

use super::style::clean;
use chronoscope_model::Environment;

/// `unknown (reason)`, the reason being the environment's note on one of these subjects.
///
/// A note begins with its subject and a colon: `power: there is no …`.
pub(super) fn unknown(env: &Environment, subjects: &[&str]) -> String {
    let reason = env.notes.iter().find_map(|note| {
        let (subject, reason) = note.split_once(':')?;
        let subject = subject.trim();
        subjects
            .iter()
            .any(|s| s.eq_ignore_ascii_case(subject))
            .then(|| clean(reason))
    });
    match reason {
        Some(reason) if !reason.is_empty() => format!("unknown ({reason})"),
        _ => "unknown (the system does not say)".to_owned(),
    }
}

/// The text, or that it is unknown.
pub(super) fn known(value: Option<&str>, env: &Environment, subjects: &[&str]) -> String {
    match value.map(clean) {
        Some(value) if !value.is_empty() => value,
        _ => unknown(env, subjects),
    }
}

/// A name and a value.
pub(super) fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

/// `yes` or `no`
pub(super) fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

/// Frequency to three digits where it is a figure of orientation: `2.60 GHz`.
pub(super) fn round_hz(hz: f64) -> String {
    let (value, unit) = match hz {
        hz if !hz.is_finite() || hz < 0.0 => return "-".into(),
        hz if hz >= 999.5e6 => (hz / 1e9, "GHz"),
        hz if hz >= 999.5e3 => (hz / 1e6, "MHz"),
        hz if hz >= 999.5 => (hz / 1e3, "kHz"),
        hz => (hz, "Hz"),
    };
    format!("{} {unit}", super::number::three(value))
}

/// A rate with the digits that its error bound leaves: `2.599998 GHz`.
pub(super) fn exact_hz(hz: f64, error_ppm: Option<f64>) -> String {
    if !hz.is_finite() || hz < 0.0 {
        return "-".into();
    }
    let (value, unit) = match hz {
        hz if hz >= 1e9 => (hz / 1e9, "GHz"),
        hz if hz >= 1e6 => (hz / 1e6, "MHz"),
        hz if hz >= 1e3 => (hz / 1e3, "kHz"),
        hz => return format!("{hz:.0} Hz"),
    };
    let places = match error_ppm {
        Some(ppm) if ppm > 0.0 && ppm.is_finite() => {
            (-(value * ppm * 1e-6).log10().floor()).clamp(1.0, 9.0) as usize
        }
        _ => 6,
    };
    format!("{value:.places$} {unit}")
}

/// A bound in parts per million, to two digits: `0.42 ppm`.
pub(super) fn bound(ppm: f64) -> String {
    if !ppm.is_finite() || ppm < 0.0 {
        return "-".into();
    }
    let places = match ppm {
        p if p >= 9.95 || p == 0.0 => 0,
        p => (1.0 - p.log10().floor()).clamp(1.0, 6.0) as usize,
    };
    format!("{ppm:.places$} ppm")
}

/// A difference in parts per million: `+0.4 ppm`.
pub(super) fn ppm(ppm: f64) -> String {
    if !ppm.is_finite() {
        "-".into()
    } else if ppm.abs() < 0.05 {
        "0.0 ppm".into()
    } else if ppm.abs() < 999.5 {
        format!("{ppm:+.1} ppm")
    } else {
        format!(
            "{}{} ppm",
            if ppm > 0.0 { "+" } else { "" },
            super::number::three(ppm)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_says_why() {
        let env = Environment {
            notes: vec!["power: no cpufreq\u{1b}[2J".into()],
            ..Environment::default()
        };
        assert_eq!(unknown(&env, &["Power"]), "unknown (no cpufreq [2J)");
        assert_eq!(
            known(None, &env, &["vdso"]),
            "unknown (the system does not say)"
        );
        assert_eq!(known(Some("tsc"), &env, &[]), "tsc");
    }

    #[test]
    fn rates_have_the_digits_of_their_bound() {
        assert_eq!(exact_hz(2_599_998_140.0, Some(0.42)), "2.599998 GHz");
        assert_eq!(exact_hz(2_599_998_140.0, Some(40.0)), "2.6000 GHz");
        assert_eq!(exact_hz(3_579_545.0, None), "3.579545 MHz");
        assert_eq!(round_hz(2.599_998e9), "2.60 GHz");
        assert_eq!(bound(0.42), "0.42 ppm");
        assert_eq!(bound(17.3), "17 ppm");
        assert_eq!(ppm(-0.7), "-0.7 ppm");
        assert_eq!(ppm(1e5), "+100,000 ppm");
    }
}
