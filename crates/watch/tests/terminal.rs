//! The view on a real terminal. This program is the view, too, and the test starts it in the shell
//! of a terminal, which it must always get back as it was.

// An emulated program cannot be started by a shell.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    println!("there is no terminal to test with");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("view") => view::show(args.next().as_deref()),
        _ => checks::all(),
    }
}

/// The view of a run that never ends.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod view {
    use crate::common::events;
    use chronoscope_model::recording::{Deltas, Event};
    use chronoscope_watch::{Command, Source, View};
    use signal_hook::consts::{SIGHUP, SIGTERM};
    use std::io;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    struct Endless {
        events: Vec<Event>,
        /// Panics when there is a file of this name.
        panics: bool,
        stop: Arc<AtomicBool>,
    }

    impl Source for Endless {
        fn events(&mut self) -> io::Result<Vec<Event>> {
            assert!(!self.panics || !Path::new("panic").exists(), "the thread that draws");
            Ok(std::mem::take(&mut self.events))
        }

        fn command(&mut self, command: Command) -> Option<String> {
            if command == Command::Clock {
                let clock = "c/clock".into();
                self.events.push(Event::Deltas(Deltas { clock, ..Deltas::default() }));
            }
            Some(format!("asked for {command:?}"))
        }

        fn over(&mut self) -> bool {
            self.stop.load(Ordering::SeqCst)
        }
    }

    pub fn show(panics: Option<&str>) {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&stop)).expect("a handler");
        }
        if panics == Some("other") {
            std::thread::spawn(|| {
                while !Path::new("panic").exists() {
                    std::thread::sleep(Duration::from_millis(20));
                }
                panic!("another thread");
            });
        }
        let mut source = Endless { events: events(), panics: panics == Some("own"), stop };
        let ended = chronoscope_watch::run(&mut source, View::default());
        println!("ended: {ended:?}");
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod checks {
    use crate::common::tmux::{PATIENCE, Terminal};
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, Instant};

    pub fn all() {
        let Some(terminal) = Terminal::start(80, 24) else { return };
        keys_change_the_picture(&terminal);
        a_stopped_view_comes_back(&terminal);
        signals_and_keys_end_it(&terminal);
        a_panic_of_any_thread_ends_it(&terminal);
        a_terminal_that_goes_away_ends_it(terminal);
        println!("all checks of the terminal passed");
    }

    fn start(terminal: &Terminal, arg: &str) {
        let program = std::env::current_exe().expect("its own path");
        terminal.line(&format!("clear; '{}' view {arg} & echo $! > pid; fg", program.display()));
        terminal.shows("▸ rust/thread-sleep");
        assert_eq!(terminal.variable("alternate_on"), "1");
    }

    fn keys_change_the_picture(terminal: &Terminal) {
        start(terminal, "");
        for (key, text) in [
            ("Down", "▸ chronoscope/wait"),
            ("Up", "▸ rust/thread-sleep"),
            ("?", "q           end"),
            ("Escape", "latest  beyond"),
            ("Enter", "late wake-up 3 of 3"),
            ("Left", "late wake-up 2 of 3"),
            ("Enter", "▸ 14:02:40.115"),
            ("d", "deltas of rust/instant"),
            ("c", "deltas of c/clock"),
            ("l", "asked for Load(High)"),
            ("Space", "asked for Pause"),
            ("Space", "asked for Resume"),
            ("s", "asked for Save"),
            ("r", "\n0 waits"),
        ] {
            terminal.key(key);
            terminal.shows(text);
        }
        for (width, height, text) in
            [(120, 40, "all waits"), (40, 10, "? help  q quit"), (20, 5, "q quit"), (1, 1, "c")]
        {
            terminal.resize(width, height);
            terminal.until("a screen of another size", |screen| {
                let lines: Vec<&str> = screen.lines().collect();
                let fits = lines.iter().all(|line| line.chars().count() <= usize::from(width));
                fits && lines.len() <= usize::from(height) && screen.contains(text)
            });
        }
        terminal.resize(80, 24);
        terminal.shows("latest");
        terminal.key("q");
        terminal.shows("ended: Ok(Quit)");
        terminal.is_restored();
    }

    fn a_stopped_view_comes_back(terminal: &Terminal) {
        start(terminal, "");
        terminal.key("C-z");
        terminal.shows("Stopped");
        terminal.is_restored();
        terminal.line("fg");
        terminal.shows("▸ rust/thread-sleep");
        signalled(terminal, "TSTP");
        terminal.shows("Stopped");
        terminal.is_restored();
        terminal.line("fg");
        terminal.shows("▸ rust/thread-sleep");
        // Nobody can handle this one, so the shell has the terminal as the view had it, where
        // Enter is no end of a line.
        signalled(terminal, "STOP");
        terminal.shows("ready>");
        // The view takes a stop that is this long for one.
        std::thread::sleep(Duration::from_secs(1));
        terminal.text("fg");
        terminal.key("C-j");
        terminal.until("the view", |screen| {
            screen.contains("▸ rust/thread-sleep") && !screen.contains("ready>")
        });
        assert_eq!(terminal.variable("alternate_on"), "1");
        terminal.key("C-c");
        terminal.shows("ended: Ok(Interrupted)");
        terminal.is_restored();
    }

    fn signals_and_keys_end_it(terminal: &Terminal) {
        for signal in ["TERM", "HUP"] {
            start(terminal, "");
            signalled(terminal, signal);
            terminal.shows("ended: Ok(Quit)");
            terminal.is_restored();
        }
        // Those that nothing else handles would leave the terminal as it is.
        for (signal, number) in
            [("QUIT", 3), ("USR1", 10), ("ALRM", 14), ("XCPU", 24), ("PWR", 30), ("64", 64)]
        {
            start(terminal, "");
            signalled(terminal, signal);
            terminal.shows(&format!("ended: Ok(Signal({number}))"));
            terminal.is_restored();
        }
    }

    fn number(terminal: &Terminal) -> String {
        let number = fs::read_to_string(terminal.folder.join("pid")).expect("its number");
        number.trim().to_owned()
    }

    fn signalled(terminal: &Terminal, signal: &str) {
        let pid = number(terminal);
        let kill = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(kill.expect("kill starts").success());
    }

    fn a_panic_of_any_thread_ends_it(terminal: &Terminal) {
        for (which, message) in [("own", "the thread that draws"), ("other", "another thread")] {
            start(terminal, which);
            let file = terminal.folder.join("panic");
            fs::write(&file, "").expect("a file");
            let screen = terminal.shows(message);
            assert!(screen.contains("panicked at"), "{screen}");
            if which == "other" {
                terminal.shows("ended: Ok(Panicked)");
            }
            fs::remove_file(file).expect("the file");
            terminal.is_restored();
        }
    }

    /// Its input ends, and nobody reads what it draws.
    fn a_terminal_that_goes_away_ends_it(terminal: Terminal) {
        start(&terminal, "");
        let process = format!("/proc/{}", number(&terminal));
        drop(terminal);
        let start = Instant::now();
        while Path::new(&process).exists() {
            assert!(start.elapsed() < PATIENCE, "it goes on without a terminal");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
