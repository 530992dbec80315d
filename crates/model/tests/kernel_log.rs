//! Lines of real kernels, as they print them: each is the message that it should be, proves what it
//! should prove, and nothing else.

use chronoscope_model::kernel_log::{
    about, alarming, begins_at_boot, date, leap_was_due, messages, recognise,
};

#[test]
fn each_line_is_its_message_and_proves_its_fault() {
    let rows = include_str!("kernel_log.txt").lines().filter(|row| !row.starts_with('#'));
    assert!(rows.clone().count() >= 60);
    for row in rows {
        let (row, field) = row.rsplit_once('|').expect("a field");
        let (line, fault) = row.rsplit_once('|').expect("a fault");
        let (line, fault, field) = (line.trim_end(), fault.trim(), field.trim());
        let known = recognise(line).unwrap_or_else(|| panic!("{line} is not known"));
        let message = known.message;
        let open = if message.open.is_empty() { "" } else { "?" };
        let proves = message.faults.first().copied().unwrap_or(open);
        assert_eq!(proves, fault, "{line} is {}", message.text);
        assert!(alarming(line).is_none(), "{line}");
        if let Some((name, value)) = field.split_once('=') {
            assert_eq!(known.get(name), Some(value), "{line}: {:?}", known.fields);
        }
        // Whatever a log writes before it.
        for before in ["[   12.345678] ", "Nov 27 05:43:52 host kernel: ", "<4>"] {
            let again = format!("{before}{line}");
            let again = recognise(&again).map(|known| known.message.text);
            assert_eq!(again, Some(message.text), "{before}{line}");
        }
    }
}

#[test]
fn entries_are_complete_and_none_hides_another() {
    for message in messages() {
        assert!(!message.means.is_empty() && message.file.contains(['/', '.']), "{}", message.text);
        assert!(!message.kernels.is_empty(), "{}", message.text);
        let parts = message.text.split(['{', '}']).enumerate();
        let filled: String = parts.map(|(at, part)| if at % 2 == 1 { "7" } else { part }).collect();
        let found = recognise(&filled).map(|known| known.message.text);
        assert_eq!(found, Some(message.text), "{filled}");
    }
    let blocks = include_str!("../src/kernel_log.txt").lines();
    assert_eq!(blocks.filter(|line| line.starts_with("> ")).count(), messages().len());
}

#[test]
fn a_guest_is_not_alarmed_by_what_its_hypervisor_leaves_out() {
    for line in [
        "[Firmware Bug]: TSC doesn't count with P0 frequency!",
        "tsc: Marking TSC unstable due to running on Hyper-V",
    ] {
        let known = recognise(line).expect("a message of the table");
        assert!(known.message.is_harmless(true) && !known.message.is_harmless(false), "{line}");
    }
}

#[test]
fn a_log_that_was_overwritten_does_not_begin_at_boot() {
    let log = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<String>>();
    assert!(begins_at_boot(&log(&["tsc: Detected 2599.998 MHz processor"])));
    assert!(!begins_at_boot(&log(&["clocksource: Switched to clocksource hpet"])));
    assert!(!begins_at_boot(&log(&[])));
}

#[test]
fn a_part_of_a_line_leads_to_its_message() {
    for (words, fault) in [
        ("Marking clocksource 'tsc' as unstable because the skew is too large", "tsc-skew"),
        ("TSC doesn't count with P0 frequency!", "tsc-not-p0"),
        ("read-back delay of 131500ns, attempt 4, marking unstable", "watchdog-false-positive"),
        ("TSC_DEADLINE disabled due to Errata", "tsc-deadline-off"),
        ("TSC ADJUST differs", "tsc-adjust-differs"),
        ("Long readout interval", "readout-stall"),
        ("RT throttling activated", "rt-throttling"),
    ] {
        let message = about(words).unwrap_or_else(|| panic!("{words}"));
        assert_eq!(message.faults.first().copied(), Some(fault), "{words}: {}", message.text);
    }
    for words in ["", "tsc", "unstable", "clock_gettime", "how late is a sleep"] {
        assert!(about(words).is_none(), "{words}");
    }
}

#[test]
fn a_leap_second_is_judged_by_the_day_of_its_line() {
    for (head, due) in [
        ("2016-12-31T23:59:59.123+0000 host kernel: ", Some(true)),
        ("[Sun Jan  1 00:59:59 2017] ", Some(true)),
        ("2017-07-01 01:59:59 ", Some(false)),
        ("2026-12-31T23:59:59Z ", Some(false)),
        ("2027-01-01T00:59:59,5+01:00 ", Some(false)),
        ("2027-07-01T00:59:59+01:00 ", None),
        ("Jun 30 23:59:59 host kernel: ", None),
        ("08-31 ", Some(false)),
        ("Aug 31 ", Some(false)),
        ("[86399.000000] ", None),
        ("0000-00-99 Jan web-01 ", None),
    ] {
        let line = format!("{head}Clock: inserting leap second 23:59:60 UTC");
        assert_eq!(date(&line).and_then(leap_was_due), due, "{line}");
    }
}
