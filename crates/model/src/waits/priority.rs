//! The priority that waiting threads are asked to have.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The priority of waiting threads, as `--priority` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Priority {
    /// SCHED_FIFO at this priority (Linux).
    Fifo(u32),
    /// The priority class of the process (Windows).
    Class(Class),
}

/// A priority class of Windows that a run may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// That of an ordinary program.
    Normal,
    /// Above normal.
    Above,
    /// High.
    High,
    /// Real-time, which takes a privilege.
    Realtime,
}

impl Class {
    /// Every class, lowest first.
    pub const ALL: [Self; 4] = [Self::Normal, Self::Above, Self::High, Self::Realtime];

    /// Its name, as `--priority` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Above => "above",
            Self::High => "high",
            Self::Realtime => "realtime",
        }
    }
}

impl FromStr for Priority {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(class) = Class::ALL.into_iter().find(|c| c.name().eq_ignore_ascii_case(text)) {
            return Ok(Self::Class(class));
        }
        text.parse().map(Self::Fifo).map_err(|_| {
            let names = Class::ALL.map(Class::name).join(", ");
            format!("a priority is 1 to 49 (Linux), or one of {names} (Windows)")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_priority_is_a_number_or_the_name_of_a_class() {
        assert_eq!("40".parse(), Ok(Priority::Fifo(40)));
        for class in Class::ALL {
            assert_eq!(class.name().parse(), Ok(Priority::Class(class)));
            let json = serde_json::to_string(&Priority::Class(class)).expect("a word");
            assert_eq!(json, format!("\"{}\"", class.name()));
        }
        let error = "hihg".parse::<Priority>().expect_err("no priority");
        assert!(error.contains("1 to 49") && error.contains("realtime"), "{error}");
    }
}
