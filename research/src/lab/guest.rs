//! Scenarios in virtual machines. One kernel and one initramfs serve all machines with a board: the
//! kernel's command line names the scenario.

use super::judge::Outcome;
use super::programs::{Programs, folder, sources};
use super::scenario::{Board, Host, Machine, Place, Scenario};
use crate::vm::{self, Initramfs, Running, Start, snapshot};
use anyhow::{Context, Result};
use chronoscope_ci::sh;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Shell, cmd};

/// Booting takes seconds, and twenty times as long if the host is busy.
const BOOTED: Duration = Duration::from_secs(180);
/// The tool takes as long: its budget is five seconds, but it starts and ends slowly.
const ENDED: Duration = Duration::from_secs(300);
/// How often a machine is booted at most, if the host disturbs its boot.
const TRIES: u32 = 4;
/// The files that boot a board.
pub struct Boot {
    kernel: PathBuf,
    initramfs: PathBuf,
}

/// Fetches and builds what a board needs, with the scripts of all of its scenarios.
pub fn prepare(
    sh: &Shell,
    programs: &mut Programs<'_>,
    board: &Board,
    scenarios: &[&'static Scenario],
) -> Result<Boot> {
    let kernel = vm::kernel(sh, board.architecture)?;
    let busybox = match board.busybox {
        "" => PathBuf::from("/bin/busybox"),
        package => vm::unpacked(sh, board.architecture, package)?.join("bin/busybox"),
    };
    let init = sh.read_file(sources().join("init"))?;
    let own = folder().join("boot").join(board.target);
    let files = Initramfs::new(sh, &own, &busybox, &init)?;
    files.program(&programs.tool(board)?, "chronoscope")?;
    files.program(&programs.plant(board.compiler)?, "plant")?;
    for scenario in scenarios {
        let Place::Machine(machine) = &scenario.place else {
            continue;
        };
        let run = format!("chronoscope {}", scenario.run);
        for (name, script) in [
            ("before", machine.before),
            ("proof", scenario.proof),
            ("during", machine.during),
            ("run", &run),
        ] {
            let path = Path::new("lab").join(scenario.name).join(name);
            files.file(path, &format!("{script}\n"))?;
        }
    }
    let initramfs = files.archive()?;
    Ok(Boot { kernel, initramfs })
}

/// The device tree that QEMU makes for a machine, with a property added to its timer.
fn changed_tree(
    sh: &Shell,
    board: &Board,
    args: &[&str],
    own: &Path,
    property: &str,
) -> Result<String> {
    sh.create_dir(own)?;
    let tree = own.join("tree.dtb");
    let dump = format!("dumpdtb={}", tree.display());
    let program = board.program;
    sh::read(cmd!(sh, "{program} {args...} -machine {dump}"))?;
    sh::read(cmd!(sh, "fdtput -t s {tree} /timer {property}"))?;
    Ok(tree.to_string_lossy().into_owned())
}

/// A device tree from the package of a kernel, `usr/lib/linux-image-VERSION/…`.
fn packaged_tree(kernel: &Path, tree: &str) -> Result<String> {
    let name = kernel.file_name().unwrap_or_default().to_string_lossy();
    let version = name.trim_start_matches("vmlinuz-");
    let content = kernel.parent().and_then(Path::parent);
    let content = content.context("the kernel is in no package")?;
    let file = content.join(format!("usr/lib/linux-image-{version}")).join(tree);
    Ok(file.to_string_lossy().into_owned())
}

/// Boots the machine, runs the tool in it, and returns what it wrote.
pub fn run(sh: &Shell, scenario: &Scenario, machine: &Machine, boot: &Boot) -> Result<Outcome> {
    let board = machine.board;
    let own = folder().join(scenario.name);
    let quiet = "quiet panic=-1";
    let append =
        format!("{} {quiet} chronoscope_lab={} {}", board.console, scenario.name, machine.append);
    let mut args = [board.args, machine.cpu, machine.args].concat();
    let tree = match (board.tree, machine.timer) {
        (Some(tree), _) => Some(packaged_tree(&boot.kernel, tree)?),
        (None, "") => None,
        (None, property) => Some(changed_tree(sh, board, &args, &own, property)?),
    };
    args.extend(tree.iter().flat_map(|tree| ["-dtb", tree.as_str()]));
    let start = Start {
        program: board.program,
        folder: &own,
        ports: board.ports,
        kernel: &boot.kernel,
        initramfs: &boot.initramfs,
        append: append.trim_end(),
        niceness: 10,
        args: &args,
    };
    let port = board.ports - 1;
    let mut running = booted(&start, port)?;
    let ended = watch(machine.host, &start, &mut running, port);
    let written = running.written(port)?;
    // The machine has nothing left to do, and not every board can power off.
    drop(running);
    ended.with_context(|| format!("see {}", own.display()))?;
    let part = |name| part(&written, name);
    Ok(Outcome {
        proof: part("proof") + &part("during"),
        report: part("report"),
        errors: part("errors"),
        code: mark(&written, "exit").trim().to_owned(),
    })
}

/// Boots the machine. If the host disturbs its boot, the machine powers off and is booted again.
fn booted(start: &Start<'_>, port: usize) -> Result<Running> {
    let mut tries = 0;
    loop {
        let mut running = start.boot()?;
        tries += 1;
        match running.wait_for(port, "@@ proof\n", BOOTED) {
            Err(_) if tries < TRIES && running.written(port)?.contains("@@ miscalibrated") => {}
            other => return other.map(|()| running),
        }
    }
}

/// Waits for the tool to end, and meanwhile does to the machine what the scenario requires.
fn watch(host: Host, start: &Start<'_>, running: &mut Running, port: usize) -> Result<()> {
    running.wait_for(port, "@@ started", BOOTED)?;
    if host != Host::Nothing {
        running.wait_for(port, "@@ watching", ENDED)?;
    }
    match host {
        Host::Nothing => {}
        Host::Pause(seconds) => {
            running.pause()?;
            std::thread::sleep(Duration::from_secs(seconds));
            running.proceed()?;
        }
        Host::Freeze(seconds) => {
            signal(running.pid(), "STOP")?;
            std::thread::sleep(Duration::from_secs(seconds));
            signal(running.pid(), "CONT")?;
        }
        Host::Restore { seconds, skewed } => {
            running.pause()?;
            running.save("saved")?;
            let saved = start.folder.join("saved");
            if let Some((cpu, ticks)) = skewed {
                let mut stream = fs::read(&saved)?;
                snapshot::add_to_tsc(&mut stream, cpu, ticks)?;
                fs::write(&saved, stream)?;
            }
            running.end();
            std::thread::sleep(Duration::from_secs(seconds));
            *running = start.restore("saved")?;
            fs::remove_file(saved)?;
        }
    }
    running.wait_for(port, "@@ exit ", ENDED)
}

fn signal(pid: u32, name: &str) -> Result<()> {
    let sh = &Shell::new()?;
    let (signal, pid) = (format!("-{name}"), pid.to_string());
    sh::silent(cmd!(sh, "kill {signal} {pid}"))
}

/// What a machine wrote after a mark, up to the next mark.
fn part(written: &str, name: &str) -> String {
    let after = written.split_once(&format!("@@ {name}\n"));
    let text = after.map_or("", |(_, after)| after);
    let end = text.find("@@ ").unwrap_or(text.len());
    text[..end].to_owned()
}

/// The words on the line of a mark.
fn mark<'a>(written: &'a str, name: &str) -> &'a str {
    let after = written.rsplit_once(&format!("@@ {name} "));
    let text = after.map_or("", |(_, after)| after);
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_machine_wrote_is_split_at_its_marks() {
        let written = "kernel\n@@ proof\nhpet\n@@ started\n@@ report\n{}\n@@ errors\n@@ exit 3\n";
        assert_eq!(part(written, "proof"), "hpet\n");
        assert_eq!(part(written, "report"), "{}\n");
        assert_eq!(part(written, "errors"), "");
        assert_eq!(part(written, "log"), "");
        assert_eq!(mark(written, "exit"), "3");
        assert_eq!(mark("", "exit"), "");
    }
}
