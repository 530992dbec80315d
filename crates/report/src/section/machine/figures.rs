//! Rates and their errors in words.

use crate::number::three;

/// A frequency to three digits, for orientation: `2.60 GHz`.
pub(super) fn round_hz(hz: f64) -> String {
    let (value, unit) = match hz {
        hz if !hz.is_finite() || hz < 0.0 => return "-".into(),
        hz if hz >= 999.5e6 => (hz / 1e9, "GHz"),
        hz if hz >= 999.5e3 => (hz / 1e6, "MHz"),
        hz if hz >= 999.5 => (hz / 1e3, "kHz"),
        hz => (hz, "Hz"),
    };
    format!("{} {unit}", three(value))
}

/// A rate with the digits that the bound on its error allows: `2.599998 GHz`.
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
        format!("{}{} ppm", if ppm > 0.0 { "+" } else { "" }, three(ppm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_the_digits_that_its_bound_allows() {
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
