//! QEMU's monitor: one JSON document per line (docs/interop/qmp-spec.txt of QEMU).

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// QEMU answers at once, unless the host is very busy. `migrate` answers when it has started.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection to the monitor.
pub struct Monitor {
    commands: ChildStdin,
    lines: Receiver<Value>,
}

impl Monitor {
    /// Talks to a QEMU with `-qmp stdio`.
    pub fn new(commands: ChildStdin, answers: ChildStdout) -> Self {
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
    pub fn execute(&mut self, command: &str, arguments: &Value) -> Result<Value> {
        let line = json!({"execute": command, "arguments": arguments});
        writeln!(self.commands, "{line}").context("QEMU has ended")?;
        self.commands.flush()?;
        loop {
            let answer = self.lines.recv_timeout(PATIENCE);
            let mut answer = answer.with_context(|| format!("QEMU did not answer `{command}`"))?;
            if let Some(error) = answer.get("error") {
                bail!("QEMU refused `{command}`: {error}");
            }
            // What else arrives is the greeting and events.
            if let Some(result) = answer.get_mut("return") {
                return Ok(result.take());
            }
        }
    }
}
