//! Changes the kernel's clock source for a while, with a guard that puts the original one back
//! whatever ends this program (kernel, Documentation/ABI/testing/sysfs-devices-system-cpu and
//! drivers/base `clocksource0`).

use chronoscope_model::clock_source::FOLDER as CLOCKSOURCE;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

/// The argument that makes a program the guard. The folder and the original source follow it.
const GUARD: &str = "--chronoscope-restores";
/// The most that is read from a file; names have at most 32 characters (CS_NAME_LEN).
const MOST: u64 = 4096;
/// How often the guard tries to restore the source, and the time between two tries.
const TRIES: u32 = 50;
const BETWEEN: Duration = Duration::from_millis(20);
/// The longest line that the guard takes.
const LINE: u64 = 256;

#[derive(Clone, Debug)]
pub struct Sources(PathBuf);

impl Default for Sources {
    fn default() -> Self {
        Self(PathBuf::from(CLOCKSOURCE))
    }
}

impl Sources {
    /// The clock sources in another folder with the same files, as tests use.
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    fn read(&self, name: &str) -> io::Result<String> {
        let mut text = String::new();
        let file = fs::File::open(self.0.join(name))?;
        file.take(MOST).read_to_string(&mut text)?;
        Ok(text)
    }

    /// The clock source in use; `None` if the system does not report it.
    pub fn current(&self) -> Option<String> {
        let text = self.read("current_clocksource").ok()?;
        let name = text.split_whitespace().next()?;
        Some(name.to_owned())
    }

    /// The clock sources that the kernel can use; empty if it does not report them.
    pub fn available(&self) -> Vec<String> {
        let text = self.read("available_clocksource").unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Checks that the clock source may be changed. Nothing is changed.
    ///
    /// # Errors
    /// The clock source may not be changed; the kind of the error shows whether privilege is
    /// missing.
    pub fn check(&self) -> io::Result<()> {
        let path = self.0.join("current_clocksource");
        OpenOptions::new().write(true).open(path).map(drop)
    }

    /// Changes the clock source. The kernel accepts any name and ignores one that it does not know,
    /// so success is judged by what it uses afterwards.
    ///
    /// # Errors
    /// The reason why the kernel still uses another clock source.
    pub fn set(&self, name: &str) -> Result<(), String> {
        let path = self.0.join("current_clocksource");
        let written = OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(&path)
            .and_then(|mut file| file.write_all(name.as_bytes()));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        match self.current() {
            Some(now) if now == name => Ok(()),
            Some(now) => Err(format!("the kernel still uses {now}")),
            None => Err("the kernel does not say which one it uses".into()),
        }
    }
}

/// A process that restores the original source when this one has ended, however it ended.
#[derive(Debug)]
pub struct Guard {
    child: Child,
    names: Option<ChildStdin>,
}

impl Guard {
    /// Starts this program as a guard. It must call [`requested`] when it starts.
    ///
    /// # Errors
    /// The program cannot be started, or does not become ready.
    pub fn start(program: &Path, sources: &Sources, original: &str) -> Result<Self, String> {
        let mut command = Command::new(program);
        command
            .arg(GUARD)
            .arg(&sources.0)
            .arg(original)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // Ctrl-C reaches every process of the group, and this one must outlive the others.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let failed = |error: io::Error| format!("cannot start {}: {error}", program.display());
        #[cfg(target_os = "linux")]
        let child = crate::group::orphans::spawn_guard(&mut command);
        #[cfg(not(target_os = "linux"))]
        let child = command.spawn();
        let mut child = child.map_err(failed)?;
        let mut ready = [0; 1];
        let answered = child.stdout.take().map(|mut out| out.read_exact(&mut ready));
        let names = child.stdin.take();
        let guard = Self { child, names };
        match answered {
            Some(Ok(())) => Ok(guard),
            _ => Err(format!("{} does not work as a guard", program.display())),
        }
    }

    /// Announces to the guard that the source will be changed to this one.
    ///
    /// # Errors
    /// The guard has ended: then nothing may be changed.
    pub fn announce(&mut self, name: &str) -> Result<(), String> {
        let names = self.names.as_mut().ok_or("the guard has ended")?;
        let told = writeln!(names, "{name}").and_then(|()| names.flush());
        told.map_err(|error| format!("the guard has ended: {error}"))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // The end of its input is what the guard waits for.
        self.names = None;
        let _ = self.child.wait();
    }
}

/// Does the work of a guard, and returns its exit code; `None` if this process is not one.
pub fn requested() -> Option<i32> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != GUARD {
        return None;
    }
    let sources = Sources(PathBuf::from(args.next()?));
    let original = args.next()?.into_string().ok()?;
    let mut out = io::stdout();
    let ready = out.write_all(b"\n").and_then(|()| out.flush());
    if ready.is_err() {
        return Some(3);
    }
    let announced = announced(io::stdin().lock());
    Some(i32::from(!restore(&sources, &original, &announced)))
}

/// The names that the parent announces until it ends.
fn announced(mut from: impl BufRead) -> Vec<String> {
    let mut names = Vec::new();
    let mut line = String::new();
    loop {
        line.clear();
        match from.by_ref().take(LINE).read_line(&mut line) {
            Ok(0) => return names,
            Ok(_) => {
                let name = line.trim().to_owned();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Bytes that are not text are not a name, and there is nobody to report to.
            Err(_) => return names,
        }
    }
}

/// Restores the original source if the one in use is one that was announced. What somebody else has
/// chosen meanwhile, perhaps the kernel itself, stays.
fn restore(sources: &Sources, original: &str, announced: &[String]) -> bool {
    for _ in 0..TRIES {
        match sources.current() {
            Some(now) if now == original => return true,
            Some(now) if !announced.contains(&now) => return true,
            _ => {}
        }
        if sources.set(original).is_ok() {
            return true;
        }
        crate::time::sleep(BETWEEN);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(current: &str) -> (tempfile::TempDir, Sources) {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a file");
        };
        write("current_clocksource", current);
        write("available_clocksource", "tsc hpet acpi_pm \n");
        let sources = Sources::at(folder.path());
        (folder, sources)
    }

    #[test]
    fn a_source_is_changed_and_read_back() {
        let (_folder, sources) = folder("tsc\n");
        assert_eq!(sources.available(), ["tsc", "hpet", "acpi_pm"]);
        assert!(sources.check().is_ok());
        assert_eq!(sources.set("hpet"), Ok(()));
        assert_eq!(sources.current().as_deref(), Some("hpet"));
    }

    #[test]
    fn a_folder_that_does_not_exist_has_no_sources() {
        let sources = Sources::at(Path::new("/nonexistent"));
        assert!(sources.current().is_none() && sources.available().is_empty());
        assert_eq!(sources.check().expect_err("nothing").kind(), ErrorKind::NotFound);
        assert!(sources.set("tsc").is_err());
    }

    #[test]
    fn what_was_announced_is_undone_and_what_others_chose_is_not() {
        let announced = ["hpet".to_owned(), "acpi_pm".to_owned()];
        for (now, after) in [("hpet", "tsc"), ("acpi_pm", "tsc"), ("tsc", "tsc"), ("xen", "xen")] {
            let (_folder, sources) = folder(now);
            assert!(restore(&sources, "tsc", &announced));
            assert_eq!(sources.current().as_deref(), Some(after), "{now}");
        }
    }

    #[test]
    fn a_guard_takes_names_until_its_input_ends_and_survives_garbage() {
        let names = announced(&b"hpet\nacpi_pm\nhpet\n"[..]);
        assert_eq!(names, ["hpet", "acpi_pm"]);
        assert_eq!(announced(&b"hpet\n\xff\xfe\n"[..]), ["hpet"]);
        let long = "x".repeat(100_000);
        assert!(announced(long.as_bytes()).iter().all(|name| name.len() <= LINE as usize));
    }
}
