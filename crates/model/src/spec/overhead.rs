//! The words after `overhead`: an id and up to three numbers. The numbers have an order; the id may
//! stand anywhere among them.

use super::{Disturbance, OverheadSpec};
use crate::units::parse_count;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// What does timing add to my loop?
#[derive(Args)]
struct Words {
    /// The clock's id, or RUNTIME/CLOCK for a clock of a language runtime; it may also stand after
    /// the numbers [default: rust/instant]
    #[arg(allow_negative_numbers = true)]
    id: Option<String>,
    /// Samples to take [default: 9999]
    #[arg(allow_negative_numbers = true)]
    samples: Option<String>,
    /// Iterations of the loop per sample [default: 999]
    #[arg(allow_negative_numbers = true)]
    n: Option<String>,
    /// Integers summed in each iteration [default: 999]
    #[arg(allow_negative_numbers = true)]
    m: Option<String>,
    /// What runs alongside, and with which priority the loops run.
    #[command(flatten)]
    disturbance: Disturbance,
}

impl Args for OverheadSpec {
    fn augment_args(command: Command) -> Command {
        Words::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Words::augment_args_for_update(command)
    }
}

impl FromArgMatches for OverheadSpec {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let Words { id, samples, n, m, disturbance } = Words::from_arg_matches(matches)?;
        of([id, samples, n, m].into_iter().flatten())
            .map(|spec| Self { disturbance, ..spec })
            .map_err(|why| Error::raw(ErrorKind::ValueValidation, format!("{why}\n")))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// 8 MB of integers.
const MOST_INTEGERS: u64 = 1_000_000;

fn of(words: impl Iterator<Item = String>) -> Result<OverheadSpec, String> {
    // No id begins like a number.
    let (ids, numbers): (Vec<String>, Vec<String>) =
        words.partition(|word| word.starts_with(|first: char| first.is_alphabetic()));
    let id = match &ids[..] {
        [] => OverheadSpec::ID.to_owned(),
        [id] => id.clone(),
        _ => return Err(format!("one clock is measured, but these are two: {}", ids.join(" "))),
    };
    if numbers.len() > OverheadSpec::SHAPE.len() {
        let numbers = numbers.join(" ");
        return Err(format!("there are three numbers, SAMPLES N M, but these are four: {numbers}"));
    }
    let mut shape = OverheadSpec::SHAPE;
    for (place, number) in shape.iter_mut().zip(numbers) {
        *place = parse_count(&number).map_err(|error| error.to_string())?;
    }
    let [samples, n, m] = shape;
    if m > MOST_INTEGERS {
        return Err(format!("an iteration sums at most {MOST_INTEGERS} integers"));
    }
    Ok(OverheadSpec { id, samples, n, m, disturbance: Disturbance::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<(String, [u64; 3]), String> {
        let spec = of(line.split_whitespace().map(str::to_owned))?;
        Ok((spec.id, [spec.samples, spec.n, spec.m]))
    }

    #[test]
    fn the_id_is_optional_and_stands_anywhere_among_the_numbers() {
        let default = OverheadSpec::ID;
        for (line, id, shape) in [
            ("", default, OverheadSpec::SHAPE),
            ("9999 999 999", default, [9999, 999, 999]),
            ("100", default, [100, 999, 999]),
            ("c/time", "c/time", OverheadSpec::SHAPE),
            ("c/time 1k 2 3", "c/time", [1000, 2, 3]),
            ("1 c/time 2", "c/time", [1, 2, 999]),
            ("1 2 3 c/time", "c/time", [1, 2, 3]),
        ] {
            assert_eq!(parsed(line), Ok((id.into(), shape)), "{line}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (line, why) in [
            ("c/time 9 rust/instant", "two: c/time rust/instant"),
            ("1 2 3 4", "four: 1 2 3 4"),
            ("0", "above zero"),
            ("-1", "above zero"),
            ("1 1 2M", "at most 1000000"),
        ] {
            let told = parsed(line).expect_err(line);
            assert!(told.contains(why), "{line}: {told}");
        }
    }
}
