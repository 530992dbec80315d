//! The scenarios: one row each, in a file for each subject.

use super::scenario::Scenario;

/// Rows of a table: the name, where the tool runs, what is planted, the command that proves it and
/// what that prints, and further fields.
macro_rules! scenarios {
    ($($name:literal $place:expr => $plants:literal,
        proof $proof:expr => $proves:literal $(, $field:ident: $value:expr)*;)*
    ) => {
        #[allow(clippy::needless_update, reason = "a row may have every field")]
        pub(super) const ALL: &[Scenario] = &[$(Scenario {
            name: $name,
            place: $place,
            plants: $plants,
            proof: $proof,
            proves: $proves,
            $($field: $value,)*
            ..SCENARIO
        }),*];
    };
}

macro_rules! subjects {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*

        const SUBJECTS: &[&[Scenario]] = &[$($file::ALL),*];
    };
}

subjects! {
    healthy,
    source,
    counter,
    wall,
    events,
    power,
    arm,
    process,
}

/// Every scenario, in the order in which they run.
pub fn all() -> impl Iterator<Item = &'static Scenario> {
    SUBJECTS.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::super::scenario::Place;
    use super::all;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_fit_a_path_and_a_command_line() {
        let mut names = BTreeSet::new();
        for scenario in all() {
            let name = scenario.name;
            assert!(names.insert(name), "{name} exists twice");
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!name.is_empty() && name.chars().all(fits), "{name}");
        }
    }

    #[test]
    fn each_scenario_proves_what_it_plants() {
        for scenario in all() {
            let during = match &scenario.place {
                Place::Machine(machine) => machine.during,
                Place::Process(_) => "",
            };
            let shows = !scenario.proof.is_empty() || !during.is_empty();
            assert!(shows && !scenario.proves.is_empty(), "{}", scenario.name);
            assert!(!scenario.plants.is_empty(), "{}", scenario.name);
            let doubled = |id: &&&str| scenario.finds.iter().any(|finding| finding.id == **id);
            assert!(!scenario.may.iter().any(|id| doubled(&id)), "{}", scenario.name);
        }
    }
}
