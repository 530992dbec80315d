//! docs/RESULTS.md: measured performance. Each part is written by the command that it names, once
//! for each maker of processors: a figure from one is only a guess for the other.

use anyhow::{Result, ensure};
use chronoscope_ci::sh;
use serde_json::Value;
use xshell::Shell;

/// Prints the named part, and writes it unless this is a dry run.
pub fn publish(sh: &Shell, name: &str, part: &str, dry: bool) -> Result<()> {
    println!("{part}");
    if dry { Ok(()) } else { replace(sh, name, part) }
}

/// Replaces the named part for this maker of processors, or adds it if it does not exist.
fn replace(sh: &Shell, name: &str, part: &str) -> Result<()> {
    let path = sh::root().join("docs/RESULTS.md");
    let maker = maker(&sh.read_file("/proc/cpuinfo").unwrap_or_default());
    let text = replaced(&sh.read_file(&path)?, name, maker, part);
    sh.write_file(&path, text)?;
    println!("docs/RESULTS.md: {name}, {maker}");
    Ok(())
}

/// Describes the machine of a report in one line.
pub fn machine(report: &Value) -> String {
    let (environment, ruler) = (&report["environment"], &report["ruler"]);
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let parts = [
        word(&environment["cpu"]["model"]),
        word(&environment["hypervisor"]["name"]).map(|name| format!("under {name}")),
        word(&environment["os"]),
        word(&environment["kernel"]).map(|release| format!("kernel {release}")),
        word(&environment["clocksource"]["current"]).map(|name| format!("clock source {name}")),
        word(&ruler["id"]).map(|id| format!("ruler {id}")),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// Describes this machine in one line, for measurements whose programs do not report it.
pub fn this_machine(sh: &Shell) -> String {
    let cpuinfo = sh.read_file("/proc/cpuinfo").unwrap_or_default();
    let kernel = sh.read_file("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{}, Linux {}.\n\n", cpus(&cpuinfo), kernel.trim())
}

/// The processor, and how many CPUs it has here.
fn cpus(cpuinfo: &str) -> String {
    let is_cpu = |line: &&str| line.split(':').next().is_some_and(|key| key.trim() == "processor");
    let guest = cpuinfo.split_whitespace().any(|word| word == "hypervisor");
    format!(
        "Machine: {}, {} CPUs{}",
        chronoscope_ci::processor(cpuinfo, &["cpu family", "model", "stepping"]),
        cpuinfo.lines().filter(is_cpu).count(),
        if guest { " of a virtual machine" } else { "" }
    )
}

/// Who made the processor, by the lines of /proc/cpuinfo.
fn maker(cpuinfo: &str) -> &'static str {
    const MAKERS: [(&str, &str); 2] = [("GenuineIntel", "Intel"), ("AuthenticAMD", "AMD")];
    let mut makers = MAKERS.iter();
    let found = makers.find(|(vendor, _)| cpuinfo.contains(vendor));
    found.map_or("another processor", |(_, maker)| maker)
}

/// The text with this part, whose heading gets the maker's name. A new part follows the other parts
/// of the same name.
fn replaced(text: &str, name: &str, maker: &str, part: &str) -> String {
    let (heading, rest) = part.split_once('\n').unwrap_or((part, ""));
    let (part, name_of) =
        (format!("{heading} ({maker})\n{}\n", rest.trim_end()), format!("{name}, {maker}"));
    chronoscope_ci::replaced(text, &name_of, &part).unwrap_or_else(|| {
        let same = text.rfind(&format!("<!-- end {name}, "));
        let after = same.and_then(|from| Some(from + text.get(from..)?.find('\n')? + 1));
        let (before, after) = text.split_at(after.unwrap_or(text.len()));
        let before = before.trim_end();
        format!("{before}\n\n<!-- begin {name_of} -->\n{part}<!-- end {name_of} -->\n{after}")
    })
}

/// The median, by which several runs are compared.
pub fn median(values: impl IntoIterator<Item = f64>) -> Result<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    ensure!(!values.is_empty(), "nothing was measured");
    values.sort_by(f64::total_cmp);
    Ok(f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_a_part_leaves_the_others_unchanged() {
        let one = replaced("# Results\n", "one", "AMD", "## A\n1");
        let both = replaced(&one, "two", "AMD", "## B\n2\n");
        let again = replaced(&both, "one", "AMD", "## A\n3");
        assert!(again.starts_with("# Results\n"));
        assert!(again.contains("<!-- begin one, AMD -->\n## A (AMD)\n3\n<!-- end one, AMD -->\n"));
        assert!(again.contains("<!-- begin two, AMD -->\n## B (AMD)\n2\n"));
        assert!(!again.contains("\n1\n"));
        assert_eq!(replaced(&again, "one", "AMD", "## A\n1"), both);
    }

    #[test]
    fn a_processor_is_named_by_what_the_kernel_reports() {
        let one = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\
                   stepping\t: 1\nflags\t\t: fpu hypervisor\n";
        let two = format!("{one}\n{}", one.replace("\t: 0", "\t: 1"));
        assert_eq!(
            cpus(&two),
            "Machine: AMD EPYC (family 25, model 1, stepping 1), 2 CPUs of a virtual machine"
        );
        assert_eq!(cpus("processor\t: 0\n"), "Machine: an unnamed processor, 1 CPUs");
    }

    #[test]
    fn another_processor_has_a_part_of_its_own_next_to_the_first() {
        let one = replaced("# Results\n", "one", "AMD", "## A\n1");
        let both = replaced(&one, "two", "AMD", "## B\n2\n");
        let three = replaced(&both, "one", "Intel", "## A\n3");
        let headings: Vec<&str> = three.lines().filter(|l| l.starts_with("## ")).collect();
        assert_eq!(headings, ["## A (AMD)", "## A (Intel)", "## B (AMD)"]);
        assert_eq!(maker("vendor_id\t: AuthenticAMD\n"), "AMD");
        assert_eq!(maker("vendor_id\t: GenuineIntel\n"), "Intel");
        assert_eq!(maker(""), "another processor");
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert!(median([]).is_err());
        assert_eq!(median([3.0, 1.0, 2.0]).unwrap(), 2.0);
        assert_eq!(median([4.0, 1.0]).unwrap(), 2.5);
    }
}
