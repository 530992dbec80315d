//! Waits that go on until they are stopped, seen as they happen: what `chronoscope watch` shows,
//! records and keeps.

mod looking;

use crate::run::check_started;
use crate::{Error, select};
use chronoscope_measure::waits::{Plan, Tap};
use chronoscope_model::recording::{Event, Start};
use chronoscope_model::waits::{Load, Slack, WaitSpec};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::waits::{ALL, os};
use looking::{Asked, Item, Order};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The methods if none are named: a sleep, and the library's own wait.
const METHODS: [&str; 2] = ["rust/thread-sleep", "chronoscope/wait"];

/// What to watch.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Ids, prefixes or globs of wait methods; empty: `rust/thread-sleep` and `chronoscope/wait`.
    pub ids: Vec<String>,
    /// The period of the grid whose deadlines are waited for.
    pub period: Duration,
    /// What runs alongside at first.
    pub load: Load,
    /// The CPU of the waiting threads; by default the last one that the process may use.
    pub cpu: Option<usize>,
    /// The id of a clock whose deltas are watched. It is read for a millisecond ten times a second,
    /// on the thread that looks after the waits, and so on another CPU than theirs if there is one.
    pub clock: Option<String>,
    /// Whether the names of tasks that made waits late are not read.
    pub no_names: bool,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            period: Duration::from_millis(1),
            load: Load::None,
            cpu: None,
            clock: None,
            no_names: false,
        }
    }
}

impl Watch {
    /// What a recording was of, under this load.
    ///
    /// # Errors
    /// This version would watch other waits.
    pub fn again(start: &Start, load: Load) -> Result<Self, Error> {
        let row = start.rows.first();
        let watch = Self {
            ids: start.rows.iter().map(|row| row.id.clone()).collect(),
            period: Duration::from_nanos(row.map_or(0, |row| row.requested_ns)),
            cpu: row.and_then(|row| row.cpu),
            clock: start.clock.clone(),
            load,
            no_names: false,
        };
        let methods = watch.plan()?.0.methods;
        if !methods.iter().map(|it| it.id).eq(start.rows.iter().map(|row| &*row.id)) {
            let why =
                "the recording cannot be resumed: this version has its waits in another order";
            return Err(Error::Invalid(why.into()));
        }
        Ok(watch)
    }

    /// The plan that follows, and a CPU for everything else, if there is another one.
    fn plan(&self) -> Result<(Plan, Option<usize>), Error> {
        let usual = METHODS.map(String::from);
        let ids = if self.ids.is_empty() { &usual[..] } else { &self.ids };
        let mut allowed = affinity::allowed();
        // The last allowed CPU is used: on most machines the first one serves most interrupts.
        let cpu = self.cpu.or(allowed.last().copied());
        allowed.retain(|other| Some(*other) != cpu);
        let spec = WaitSpec {
            period: Some(self.period),
            slack: vec![Slack::Default],
            slice: vec![Slack::Default],
            // Without an end.
            duration: Some(Duration::MAX),
            why: true,
            no_names: self.no_names,
            ..WaitSpec::default()
        };
        let plan = Plan {
            methods: select::select("wait", &ALL, |entry| entry.id, ids)?,
            spec,
            cpus: cpu.into_iter().collect(),
            seed: fastrand::u64(..),
            watched: true,
            ..Plan::default()
        };
        plan.check().map_err(Error::Invalid)?;
        Ok((plan, allowed.last().copied()))
    }
}

/// Waits in progress. They end, with their load, when this is dropped.
///
/// A process that is stopped and goes on has a gap: its waits are no samples, and an
/// [`Event::Pause`] says how long it was. Whoever handles SIGCONT takes this away, because it is
/// known from that signal, which [`start_up`](crate::start_up()) keeps pending.
pub struct Live {
    cpu: Option<usize>,
    orders: Sender<Order>,
    items: Receiver<Item>,
    tap: Option<Tap>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// Starts to wait, on threads of its own, and returns when they do.
    ///
    /// # Errors
    /// The program was not prepared by [`start_up`](crate::start_up()), an id does not exist, or
    /// what was asked for is impossible here.
    pub fn start(watch: &Watch) -> Result<Self, Error> {
        check_started()?;
        let (plan, elsewhere) = watch.plan()?;
        let cpu = plan.cpus.first().copied();
        let clock = watch.clock.as_deref().map(select::clock).transpose()?;
        let asked = Asked { plan, elsewhere, load: watch.load, clock };
        os::hold_signals();
        let ((orders, ordered), (say, items)) = (channel(), channel());
        let (ready, begun) = channel();
        let thread = std::thread::Builder::new().name("watch".into());
        let thread = thread.spawn(move || looking::look(asked, &ordered, say, &ready));
        let thread = thread.map_err(|why| Error::Nothing(format!("no thread: {why}")))?;
        let live = Self { cpu, orders, items, tap: None, thread: Some(thread) };
        let ended = || Err(Error::Nothing("the thread that looks after the waits ended".into()));
        begun.recv().unwrap_or_else(|_| ended())?;
        Ok(live)
    }

    /// Returns what has happened since the last call, and never blocks. The first event of all is
    /// [`Event::Start`]. Call it some ten times a second: a ring holds the waits of
    /// four seconds, but 16,384 at most.
    pub fn drain(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        self.collect(&mut events);
        if let Some(tap) = &mut self.tap {
            tap.take(&mut events, false);
        }
        events
    }

    /// Takes what the looking thread has sent, and the last waits of threads that have ended.
    fn collect(&mut self, events: &mut Vec<Event>) {
        for item in self.items.try_iter() {
            match item {
                Item::Event(event) => events.push(*event),
                Item::Began(tap) => self.tap = Some(*tap),
                Item::Ended => {
                    if let Some(mut tap) = self.tap.take() {
                        tap.take(events, true);
                    }
                }
            }
        }
    }

    /// The CPU of the waiting threads. The caller belongs on another one, if there is one.
    pub fn cpu(&self) -> Option<usize> {
        self.cpu
    }

    /// Changes the load soon: [`Event::Load`] says when, or a note why not.
    pub fn set_load(&mut self, load: Load) {
        self.order(Order::Load(load));
    }

    /// Changes the clock whose deltas are watched.
    ///
    /// # Errors
    /// There is no such clock.
    pub fn set_clock(&mut self, id: Option<&str>) -> Result<(), Error> {
        self.order(Order::Clock(id.map(select::clock).transpose()?));
        Ok(())
    }

    /// Ends waits and load until [`resume`](Self::resume).
    pub fn pause(&mut self) {
        self.order(Order::Pause);
    }

    /// Goes on after a pause; [`Event::Pause`] says how long that was.
    pub fn resume(&mut self) {
        self.order(Order::Resume);
    }

    fn order(&self, order: Order) {
        // If the thread has ended, its last note says why.
        let _ = self.orders.send(order);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Ends waits and load, and returns the last events.
    pub fn stop(mut self) -> Vec<Event> {
        self.end();
        let mut events = Vec::new();
        self.collect(&mut events);
        events
    }

    fn end(&mut self) {
        self.order(Order::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic of that thread has been printed.
            let _ = thread.join();
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end();
    }
}
