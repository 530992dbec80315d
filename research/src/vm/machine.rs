//! A running machine, and the connection to the emulator.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How to start a machine.
pub struct Start<'a> {
    pub program: &'a str,
    /// A folder for what the machine writes: the file of each serial port, `serial0` and so on, and
    /// what QEMU itself has to say, `qemu`.
    pub folder: &'a Path,
    pub ports: usize,
    pub kernel: &'a Path,
    pub initramfs: &'a Path,
    pub append: &'a str,
    /// By how much the machine gives way to other programs, as in nice(1): 10, or 0 if what runs in
    /// it has time limits.
    pub niceness: u8,
    /// Further arguments of QEMU: the processor, their number, memory, devices.
    pub args: &'a [&'a str],
}

/// A running machine. It ends when this value is dropped, or when this program ends.
pub struct Running {
    child: Child,
    monitor: Monitor,
    ports: Vec<PathBuf>,
}

impl Start<'_> {
    /// Starts the machine with empty files for its serial ports.
    pub fn boot(&self) -> Result<Running> {
        fs::create_dir_all(self.folder)?;
        for port in self.files() {
            fs::write(port, "")?;
        }
        self.start(&[])
    }

    /// Starts the machine from a stream that [`Running::save`] wrote to a file in the folder. The
    /// machine goes on writing to its serial ports.
    pub fn restore(&self, file: &str) -> Result<Running> {
        let mut running = self.start(&["-incoming", &format!("exec:cat {file}")])?;
        running.until(PATIENCE, |machine| {
            let status = machine.monitor.execute("query-status", &json!({}))?;
            Ok(status["status"] != "inmigrate")
        })?;
        running.proceed()?;
        Ok(running)
    }

    fn files(&self) -> Vec<PathBuf> {
        let name = |port| self.folder.join(format!("serial{port}"));
        (0..self.ports).map(name).collect()
    }

    fn start(&self, more: &[&str]) -> Result<Running> {
        let ports = self.files();
        // `setpriv` has the kernel kill QEMU if this program ends, however it ends. Both programs
        // replace themselves by the next, so the child that is killed is QEMU itself.
        let mut command = Command::new("nice");
        command.args(["-n", &self.niceness.to_string()]);
        command.args(["setpriv", "--pdeathsig", "KILL", self.program]);
        command.args(["-accel", "tcg", "-nic", "none", "-display", "none"]);
        command.args(["-no-reboot", "-qmp", "stdio"]);
        for (port, file) in ports.iter().enumerate() {
            let mut words = OsString::from(format!("file,append=on,id=port{port},path="));
            words.push(file);
            command.arg("-chardev").arg(words);
            command.args(["-serial", &format!("chardev:port{port}")]);
        }
        command.arg("-kernel").arg(self.kernel);
        command.arg("-initrd").arg(self.initramfs);
        command.args(["-append", self.append]).args(self.args);
        let mut child = command
            .args(more)
            .current_dir(self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::options().create(true).append(true).open(self.folder.join("qemu"))?)
            .spawn()
            .with_context(|| format!("cannot run {}", self.program))?;
        let (Some(commands), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("{} has no pipes", self.program);
        };
        let mut running = Running { child, monitor: Monitor::new(commands, answers), ports };
        running.monitor.execute("qmp_capabilities", &json!({}))?;
        Ok(running)
    }
}

/// Time that QEMU itself may take to save or restore a machine.
const PATIENCE: Duration = Duration::from_secs(60);

impl Running {
    /// What the machine has written to a serial port, without carriage returns.
    pub fn written(&self, port: usize) -> Result<String> {
        let file = self.ports.get(port).context("no such serial port")?;
        Ok(String::from_utf8_lossy(&fs::read(file)?).replace('\r', ""))
    }

    /// Waits until the machine has written this text.
    pub fn wait_for(&mut self, port: usize, text: &str, limit: Duration) -> Result<()> {
        let ended = self.until(limit, |machine| Ok(machine.written(port)?.contains(text)));
        ended.with_context(|| format!("the machine did not write `{text}`"))
    }

    /// Executes a command of the monitor for people, such as `log nochain`.
    pub fn command(&mut self, line: &str) -> Result<String> {
        let answer =
            self.monitor.execute("human-monitor-command", &json!({"command-line": line}))?;
        Ok(answer.as_str().unwrap_or_default().to_owned())
    }

    /// Stops the virtual processors and the machine's clocks, except its real-time clock.
    pub fn pause(&mut self) -> Result<()> {
        self.monitor.execute("stop", &json!({})).map(drop)
    }

    /// Resumes a paused machine.
    pub fn proceed(&mut self) -> Result<()> {
        self.monitor.execute("cont", &json!({})).map(drop)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Writes the paused machine's state to a file in its folder.
    pub fn save(&mut self, file: &str) -> Result<()> {
        let to = json!({"uri": format!("exec:cat > {file}")});
        self.monitor.execute("migrate", &to)?;
        self.until(PATIENCE, |machine| {
            let migration = machine.monitor.execute("query-migrate", &json!({}))?;
            match migration["status"].as_str() {
                Some("completed") => Ok(true),
                Some("failed" | "cancelled") => bail!("QEMU could not save it: {migration}"),
                _ => Ok(false),
            }
        })
    }

    pub fn end(&mut self) {
        // Both fail if QEMU has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Calls `ask` again and again until it returns true.
    fn until(
        &mut self,
        limit: Duration,
        mut ask: impl FnMut(&mut Self) -> Result<bool>,
    ) -> Result<()> {
        let start = Instant::now();
        while !ask(self)? {
            if let Some(status) = self.child.try_wait()? {
                // The answer may have become yes just before QEMU ended.
                return match ask(self) {
                    Ok(true) => Ok(()),
                    _ => succeeded(status).and_then(|()| bail!("the machine powered off")),
                };
            }
            if start.elapsed() > limit {
                bail!("waited {} s", limit.as_secs());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

fn succeeded(status: ExitStatus) -> Result<()> {
    ensure!(status.success(), "QEMU: {status}");
    Ok(())
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// QEMU answers at once, unless the host is very busy. `migrate` answers when it has started.
const ANSWER: Duration = Duration::from_secs(30);

/// QEMU's monitor: one JSON document per line (docs/interop/qmp-spec.txt of QEMU).
struct Monitor {
    commands: ChildStdin,
    lines: Receiver<Value>,
}

impl Monitor {
    /// Talks to a QEMU with `-qmp stdio`.
    fn new(commands: ChildStdin, answers: ChildStdout) -> Self {
        let (sender, lines) = channel();
        // The thread ends when QEMU does.
        std::thread::spawn(move || {
            for line in BufReader::new(answers).lines().map_while(Result::ok) {
                let Ok(value) = serde_json::from_str(&line) else {
                    continue;
                };
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        Self { commands, lines }
    }

    /// Runs a command and returns its result.
    fn execute(&mut self, command: &str, arguments: &Value) -> Result<Value> {
        let line = json!({"execute": command, "arguments": arguments});
        writeln!(self.commands, "{line}").context("QEMU has ended")?;
        self.commands.flush()?;
        loop {
            let answer = self.lines.recv_timeout(ANSWER);
            let mut answer = answer.with_context(|| format!("QEMU did not answer `{command}`"))?;
            if let Some(error) = answer.get("error") {
                bail!("QEMU refused `{command}`: {error}");
            }
            // Anything else is the greeting or an event.
            if let Some(result) = answer.get_mut("return") {
                return Ok(result.take());
            }
        }
    }
}
