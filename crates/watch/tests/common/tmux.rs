//! A shell in a terminal of its own, that of tmux on its own socket.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A loaded machine may be slow.
pub const PATIENCE: Duration = Duration::from_secs(180);
const BETWEEN: Duration = Duration::from_millis(50);

/// A shell in a terminal.
pub struct Terminal {
    socket: String,
    /// An empty folder, in which the shell is.
    pub folder: PathBuf,
}

impl Terminal {
    /// Starts the shell; `None`, with a message, if tmux is missing and may be.
    pub fn start(width: u16, height: u16) -> Option<Self> {
        let paths = env::var_os("PATH").unwrap_or_default();
        if !env::split_paths(&paths).any(|folder| folder.join("tmux").is_file()) {
            let all = |name| env::var_os(name).is_some_and(|value| value == "true");
            assert!(
                !all("CI") && !all("CHRONOSCOPE_SKIP_NOTHING"),
                "tmux is missing, and nothing may be skipped"
            );
            eprintln!("skipped: tmux is missing");
            return None;
        }
        let socket = format!("chronoscope-{}-{width}x{height}", std::process::id());
        let folder = env::temp_dir().join(&socket);
        std::fs::create_dir_all(&folder).expect("a folder");
        let terminal = Self { socket, folder };
        let folder = terminal.folder.display().to_string();
        let (width, height) = (width.to_string(), height.to_string());
        let size = ["-x", &width, "-y", &height];
        let start = ["new-session", "-d", "-c", &folder];
        let shell = ["env", "PS1=ready> ", "LC_ALL=C.UTF-8", "NO_COLOR=", "sh"];
        terminal.tmux(&[&["-u", "-f", "/dev/null"], &start[..], &size, &shell].concat());
        terminal.until("a prompt", |screen| screen.starts_with("ready>"));
        terminal.line("stty -g > before");
        Some(terminal)
    }

    fn tmux(&self, args: &[&str]) -> Output {
        let output = Command::new("tmux").args(["-L", &self.socket]).args(args).output();
        let output = output.expect("tmux starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || args == ["kill-server"], "tmux {args:?}: {message}");
        output
    }

    /// Types a text.
    pub fn text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Types a line for the shell.
    pub fn line(&self, text: &str) {
        self.text(text);
        self.key("Enter");
    }

    /// Presses a key, by tmux's name for it.
    pub fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Gives the terminal another size.
    pub fn resize(&self, width: u16, height: u16) {
        let (width, height) = (width.to_string(), height.to_string());
        self.tmux(&["resize-window", "-x", &width, "-y", &height]);
    }

    /// What is on the screen.
    pub fn screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// A variable of tmux, such as `alternate_on`.
    pub fn variable(&self, name: &str) -> String {
        let output = self.tmux(&["display-message", "-p", &format!("#{{{name}}}")]);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Waits until the screen is as it should be.
    pub fn until(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        self.within(PATIENCE, holds).unwrap_or_else(|screen| panic!("no {what} on\n{screen}"))
    }

    /// The screen that is as it should be, or the last one within that time.
    pub fn within(&self, time: Duration, holds: impl Fn(&str) -> bool) -> Result<String, String> {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return Ok(screen);
            }
            if start.elapsed() > time {
                return Err(screen);
            }
            std::thread::sleep(BETWEEN);
        }
    }

    /// Waits for a text on the screen.
    pub fn shows(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    /// Waits until the shell has the terminal again, as it was before.
    pub fn is_restored(&self) {
        self.until("restored terminal", |_| {
            self.variable("alternate_on") == "0" && self.variable("cursor_flag") == "1"
        });
        self.line("clear; stty -g | cmp - before && echo as before");
        self.until("settings as before", |screen| screen.lines().any(|line| line == "as before"));
        self.line("clear");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
