//! What the system reports about the moment at which a wait went wrong. All of it is read from
//! files that change while they are read, so each part stands alone and may be absent.

use chronoscope_model::why::Interrupts;
use std::collections::HashMap;
use std::path::Path;

/// The most lines of `/proc/interrupts` that are kept; a server has a few hundred.
const MOST_LINES: usize = 4096;

/// Interrupts counted since boot, by line and by CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    cpus: Vec<usize>,
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    id: String,
    name: String,
    counts: Vec<u64>,
}

/// The counts at present; `None` if the system does not report them.
pub fn interrupts() -> Option<Counts> {
    std::fs::read_to_string("/proc/interrupts").ok().and_then(|text| parse(&text))
}

/// The soft interrupts at present, likewise (`/proc/softirqs`).
pub fn softirqs() -> Option<Counts> {
    let text = std::fs::read_to_string("/proc/softirqs").ok()?;
    let mut counts = parse(&text)?;
    counts.lines.iter_mut().for_each(|line| line.name = "soft interrupt".into());
    Some(counts)
}

/// The first line names the CPUs. Each further line is an interrupt: its name and a colon, a count
/// for each CPU, and a description (Documentation/filesystems/proc.rst, 1.2).
fn parse(text: &str) -> Option<Counts> {
    let mut lines = text.lines();
    let cpus: Vec<usize> = lines
        .next()?
        .split_ascii_whitespace()
        .map_while(|word| word.strip_prefix("CPU")?.parse().ok())
        .collect();
    if cpus.is_empty() {
        return None;
    }
    let lines = lines.take(MOST_LINES).filter_map(|line| {
        let (id, rest) = line.split_once(':')?;
        let mut rest = rest.trim_start();
        let mut counts = Vec::with_capacity(cpus.len());
        while counts.len() < cpus.len() {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let Ok(count) = word.parse() else { break };
            counts.push(count);
            rest = after.trim_start();
        }
        // `ERR` and `MIS` have one count for the whole machine.
        (counts.len() == cpus.len()).then(|| Line {
            id: id.trim().to_owned(),
            name: rest.split_whitespace().collect::<Vec<_>>().join(" "),
            counts,
        })
    });
    let lines: Vec<Line> = lines.collect();
    Some(Counts { cpus, lines })
}

impl Counts {
    /// The interrupts counted since `before`, on one CPU or on all, the most frequent first.
    pub fn since(&self, before: &Self, cpu: Option<usize>) -> Vec<Interrupts> {
        let column = cpu.and_then(|cpu| self.cpus.iter().position(|&c| c == cpu));
        let of = |line: &Line| match column {
            Some(column) => line.counts.get(column).copied().unwrap_or(0),
            None => line.counts.iter().sum(),
        };
        let old: HashMap<&str, u64> = before.lines.iter().map(|l| (&*l.id, of(l))).collect();
        let mut counted: Vec<Interrupts> = self
            .lines
            .iter()
            .filter_map(|line| {
                let count = of(line).saturating_sub(*old.get(&*line.id)?);
                (count > 0).then(|| Interrupts {
                    id: line.id.clone(),
                    name: line.name.clone(),
                    count,
                    ns: None,
                })
            })
            .collect();
        counted.sort_by_key(|line| std::cmp::Reverse(line.count));
        counted
    }
}

/// The frequency of a CPU at this moment, in kHz, if the system reports it.
pub fn khz(cpu: usize) -> Option<u64> {
    let folder = Path::new("/sys/devices/system/cpu").join(format!("cpu{cpu}/cpufreq"));
    let text = std::fs::read_to_string(folder.join("scaling_cur_freq")).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BEFORE: &str = "           CPU0       CPU2
 24:          1          0  IO-APIC   5-edge      ACPI:Ged
LOC:     208383     232720   Local timer interrupts
ERR:          0
";
    const AFTER: &str = "           CPU0       CPU2
 24:          1          2  IO-APIC   5-edge      ACPI:Ged
LOC:     208383     232730   Local timer interrupts
RES:          9          9   Rescheduling interrupts
ERR:          0
";

    #[test]
    fn interrupts_in_between_are_counted_by_cpu() {
        let (before, after) = (parse(BEFORE).expect("counts"), parse(AFTER).expect("counts"));
        let on = |cpu| {
            let counted = after.since(&before, cpu).into_iter();
            counted.map(|i| (i.id, i.name, i.count)).collect::<Vec<_>>()
        };
        let loc = ("LOC".to_owned(), "Local timer interrupts".to_owned(), 10);
        let ged = ("24".to_owned(), "IO-APIC 5-edge ACPI:Ged".to_owned(), 2);
        assert_eq!(on(Some(2)), [loc.clone(), ged.clone()]);
        assert_eq!(on(Some(0)), []);
        assert_eq!(on(None), [loc, ged]);
    }

    #[test]
    fn text_of_another_form_gives_no_counts() {
        assert_eq!(parse(""), None);
        assert_eq!(parse("nonsense\n1: 2"), None);
        assert_eq!(parse("CPU0\nLOC: 99999999999999999999 x").map(|c| c.lines.len()), Some(0));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(
            a in "(CPU[0-9]+ ?){0,3}\n([A-Z0-9]+:( [0-9]+)*.*\n)*",
            b in ".*",
        ) {
            if let (Some(a), Some(b)) = (parse(&a), parse(&b)) {
                let _ = (a.since(&b, Some(0)), b.since(&a, None));
            }
        }
    }
}
