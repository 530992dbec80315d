//! How busy the machine is.

use chronoscope_model::Environment;

use super::root::Root;

/// Fills in the load averages (proc(5), `/proc/loadavg`).
pub fn fill(root: &Root, env: &mut Environment) {
    let Ok(text) = root.text("/proc/loadavg") else {
        return;
    };
    let mut averages = text.split_whitespace().map_while(|word| {
        word.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
    });
    if let (Some(one), Some(five), Some(fifteen)) =
        (averages.next(), averages.next(), averages.next())
    {
        env.load = Some([one, five, fifteen]);
    }
}
