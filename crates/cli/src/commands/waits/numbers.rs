//! Plain numbers among the arguments: the wait in milliseconds and the number of passes, as the
//! programs take them that compare waits on Windows.

use crate::error::Usage;
use chronoscope_model::units::{parse_count, parse_duration, short_ns};
use chronoscope_survey::WaitSpec;

/// Takes the numbers out of the ids, and returns how they were read.
///
/// # Errors
/// A number is out of range or one too many, or ids stand next to an option that chooses the
/// methods.
pub fn read(spec: &mut WaitSpec) -> Result<Option<String>, Usage> {
    let is_number = |text: &String| text.parse::<f64>().is_ok();
    let (numbers, ids): (Vec<String>, Vec<String>) = spec.ids.drain(..).partition(is_number);
    spec.ids = ids;
    let chooses = [("--all", spec.all), ("--preset", spec.preset.is_some())];
    if let (Some((option, _)), [id, ..]) = (chooses.iter().find(|it| it.1), &spec.ids[..]) {
        return Err(Usage(format!("{option} chooses the methods: leave out {option} or '{id}'")));
    }
    let mut read = Vec::new();
    if let Some(ms) = numbers.first() {
        if !spec.wait.is_empty() || spec.period.is_some() {
            return Err(Usage(format!(
                "{ms} would be the wait in milliseconds, but an option sets it: use --count for \
                 the number of waits"
            )));
        }
        let wait = parse_duration(&format!("{ms}ms")).map_err(|error| Usage(error.to_string()))?;
        let (plain, shown) = (format!("{ms} ms"), short_ns(wait.as_nanos() as f64));
        let other = if plain == shown { String::new() } else { format!(" ({shown})") };
        spec.wait.push(wait);
        read.push(format!("{ms} is read as {plain}{other}"));
    }
    if let Some(count) = numbers.get(1) {
        if spec.count.is_some() {
            let line = format!("{count} would be the number of waits, but --count sets it");
            return Err(Usage(line));
        }
        let parsed = parse_count(count).map_err(|error| Usage(format!("{count}: {error}")))?;
        spec.count = Some(parsed);
        read.push(format!("{parsed} waits"));
    }
    if let Some(third) = numbers.get(2) {
        let line = format!("{third} is one number too many: a wait in milliseconds and a count");
        return Err(Usage(line));
    }
    Ok((!read.is_empty()).then(|| read.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn asked(ids: &[&str], wait: &[Duration]) -> Result<(WaitSpec, Option<String>), String> {
        let ids = ids.iter().map(ToString::to_string).collect();
        let mut spec = WaitSpec { ids, wait: wait.to_vec(), ..WaitSpec::default() };
        let read = read(&mut spec).map_err(|error| error.0)?;
        Ok((spec, read))
    }

    #[test]
    fn numbers_are_a_wait_in_milliseconds_and_a_count() {
        for ids in [&["10", "500"][..], &["10", "linux/*", "500"], &["linux/*", "10", "500"]] {
            let (spec, read) = asked(ids, &[]).expect("two numbers");
            assert_eq!((&spec.wait[..], spec.count), (&[Duration::from_millis(10)][..], Some(500)));
            assert_eq!(spec.ids.len(), ids.len() - 2);
            assert_eq!(read.as_deref(), Some("10 is read as 10 ms; 500 waits"));
        }
        let (spec, read) = asked(&["0.5"], &[]).expect("one number");
        assert_eq!((&spec.wait[..], spec.count), (&[Duration::from_micros(500)][..], None));
        assert_eq!(read.as_deref(), Some("0.5 is read as 0.5 ms (500 us)"));
        let wait = [Duration::from_micros(20)];
        assert_eq!(asked(&["linux/*"], &wait).expect("an option").1, None);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_in_one_line() {
        for (ids, wait, word) in [
            (&["10", "500", "3"][..], &[][..], "too many"),
            (&["0"], &[], "above zero"),
            (&["10", "0.5"], &[], "0.5"),
            (&["500"], &[Duration::from_millis(10)], "--count"),
        ] {
            let error = asked(ids, wait).expect_err(word);
            assert!(error.contains(word) && !error.contains('\n'), "{error}");
        }
    }
}
