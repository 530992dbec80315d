//! The thread that looks after the waits: it starts and ends them with their load, and looks at the
//! machine once a second.

use crate::Error;
use chronoscope_measure::deltas::Slices;
use chronoscope_measure::engine::{Ruler, notes};
use chronoscope_measure::run::session::distrust;
use chronoscope_measure::waits::{ClockWatch, Live, Plan, Tap};
use chronoscope_model::Note;
use chronoscope_model::recording::{Event, LoadSince, Machine, NoteAt, Pause, Row, SCHEMA, Start};
use chronoscope_model::run::{self, Noise};
use chronoscope_model::waits::{Load, LoadRun};
use chronoscope_probes::clocks::Entry;
use chronoscope_probes::machine::affinity::{self, PinGuard};
use chronoscope_probes::machine::{self, Root, noise};
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::os;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::Duration;

/// The span of the ruler's calibration, as in a run of waits.
const CALIBRATION: Duration = Duration::from_millis(50);
/// How often this thread looks.
const TICK: Duration = Duration::from_millis(100);

/// What is asked of this thread at first.
pub(super) struct Asked {
    pub(super) plan: Plan,
    /// A CPU on which no waits are measured.
    pub(super) elsewhere: Option<usize>,
    pub(super) load: Load,
    pub(super) clock: Option<&'static Entry>,
}

/// What is asked of it later.
pub(super) enum Order {
    Load(Load),
    Clock(Option<&'static Entry>),
    Pause,
    Resume,
    Stop,
}

/// What it sends to whoever drains, in this order.
pub(super) enum Item {
    Event(Box<Event>),
    /// Threads have begun to wait, and this takes what they have to show.
    Began(Box<Tap>),
    /// They have ended.
    Ended,
}

/// Looks after the waits until the end. `ready` is told whether they could be started.
pub(super) fn look(
    asked: Asked,
    orders: &Receiver<Order>,
    say: Sender<Item>,
    ready: &Sender<Result<(), Error>>,
) {
    let mut looking = match Looking::start(asked, say) {
        Ok(looking) => looking,
        Err(why) => return drop(ready.send(Err(why))),
    };
    let _ = ready.send(Ok(()));
    loop {
        match orders.try_recv() {
            Ok(Order::Load(load)) => looking.change(load),
            Ok(Order::Clock(entry)) => looking.read(entry),
            Ok(Order::Pause) => looking.pause(),
            Ok(Order::Resume) => looking.resume(),
            Ok(Order::Stop) | Err(TryRecvError::Disconnected) => break,
            // Orders and waiting threads end this early.
            Err(TryRecvError::Empty) => chronoscope_probes::time::park(looking.until_tick()),
        }
        looking.look();
        if looking.until_tick().is_zero() {
            looking.tick();
        }
    }
    looking.look();
    looking.count();
    looking.end();
}

struct Looking {
    plan: Arc<Plan>,
    ruler: Ruler,
    elsewhere: Option<usize>,
    pin: Option<PinGuard>,
    say: Sender<Item>,
    /// The start, by the clock that timers run on.
    origin: u64,
    load: Load,
    live: Option<Live>,
    slices: Option<Slices>,
    ticked: Instant,
    /// When a pause began that was asked for.
    paused: Option<u64>,
    counts: Counts,
    /// The rows whose failure has been noted.
    failed: Vec<bool>,
    is_load_lost: bool,
    is_over: bool,
}

impl Looking {
    fn start(asked: Asked, say: Sender<Item>) -> Result<Self, Error> {
        let Asked { plan, elsewhere, load, clock } = asked;
        let environment = machine::environment(&Root::host());
        let ruler = Ruler::new(distrust(&environment), CALIBRATION);
        let (origin, wall_ns) = (os::monotonic(), os::wall());
        let mut looking = Self {
            counts: Counts::new(plan.cpus.first().copied()),
            failed: vec![false; plan.methods.len()],
            is_load_lost: false,
            is_over: false,
            plan: Arc::new(plan),
            ruler,
            elsewhere,
            pin: None,
            say,
            origin,
            load,
            live: None,
            slices: None,
            ticked: Instant::now(),
            paused: None,
        };
        let live = Live::start(&looking.plan, load, &looking.ruler);
        let live = live.map_err(Error::Invalid)?;
        let rows = live.rows(&looking.ruler);
        if rows.iter().all(|row| row.unavailable_reason.is_some()) {
            live.stop();
            let why = |row: &Row| row.unavailable_reason.clone().unwrap_or_default();
            let all = rows.iter().map(|row| format!("{} ({})", row.id, why(row)));
            let all = all.collect::<Vec<_>>().join(", ");
            return Err(Error::Nothing(format!("no wait can be measured: {all}")));
        }
        for (failed, row) in looking.failed.iter_mut().zip(&rows) {
            *failed = row.unavailable_reason.is_some();
        }
        let alone = looking.elsewhere.is_none().then(notes::watched_alone);
        let start = Start {
            schema: SCHEMA.into(),
            tool_version: env!("CARGO_PKG_VERSION").into(),
            wall_ns,
            rows,
            clock: clock.map(|entry| entry.id.into()),
            notes: live.notes().into_iter().chain(alone).collect(),
            ruler: Some(looking.ruler()),
            argv: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
            environment,
        };
        looking.tell(Event::Start(Box::new(start)));
        looking.began(live);
        looking.read(clock);
        Ok(looking)
    }

    fn ruler(&self) -> run::Ruler {
        let ruler = self.ruler.report(0.0, self.plan.cpus.first().copied(), Noise::default());
        run::Ruler { id: self.ruler.id_of_waits(), ..ruler }
    }

    /// Nanoseconds since the start.
    fn now(&self) -> u64 {
        os::monotonic().saturating_sub(self.origin)
    }

    fn tell(&self, event: Event) {
        // Nobody receives the events of a run that has been given up.
        let _ = self.say.send(Item::Event(Box::new(event)));
    }

    fn note(&self, note: Note) {
        self.tell(Event::Note(NoteAt { at_ns: self.now(), note }));
    }

    /// Announces threads that have begun to wait.
    fn began(&mut self, live: Live) {
        self.tell(Event::Load(LoadSince { at_ns: self.now(), load: self.load }));
        let _ = self.say.send(Item::Began(Box::new(live.tap(self.origin))));
        self.counts.spent = live.spent();
        (self.is_load_lost, self.is_over) = (false, false);
        self.live = Some(live);
        // Only now, because what this thread starts inherits its CPUs.
        self.pin = self.elsewhere.and_then(|cpu| affinity::pin(cpu).ok());
    }

    /// Starts threads and load again.
    fn begin(&mut self) -> bool {
        self.pin = None;
        match Live::start(&self.plan, self.load, &self.ruler) {
            Ok(live) => {
                self.began(live);
                true
            }
            Err(why) => {
                self.note(notes::load("load-refused", why));
                false
            }
        }
    }

    /// Ends threads and load.
    fn end(&mut self) {
        self.look();
        let Some(live) = self.live.take() else { return };
        self.counts.moved += live.take_moved();
        let load = live.stop();
        if let Some(loss) = load.as_ref().and_then(LoadRun::loss)
            && !self.is_load_lost
        {
            self.note(notes::load("load-not-whole", loss));
        }
        let _ = self.say.send(Item::Ended);
    }

    fn change(&mut self, load: Load) {
        let before = std::mem::replace(&mut self.load, load);
        if self.paused.is_some() || self.live.is_some() && before == load {
            return;
        }
        self.end();
        if !self.begin() {
            self.load = before;
            self.begin();
        }
    }

    fn pause(&mut self) {
        if self.live.is_some() {
            self.end();
            self.paused = Some(self.now());
        }
    }

    fn resume(&mut self) {
        let Some(at_ns) = self.paused.take() else { return };
        self.begin();
        self.tell(Event::Pause(Pause { at_ns, until_ns: self.now(), is_gap: false }));
    }

    /// Reads another clock, or none.
    fn read(&mut self, entry: Option<&'static Entry>) {
        self.slices = None;
        if let Some(entry) = entry {
            match Slices::open(entry, &self.ruler) {
                Ok(slices) => self.slices = Some(slices),
                Err(why) => self.note(notes::clock_not_watched(entry.id, &why)),
            }
        }
    }

    fn until_tick(&self) -> Duration {
        TICK.saturating_sub(self.ticked.elapsed())
    }

    fn tick(&mut self) {
        self.ticked = Instant::now();
        if let Some(slices) = self.slices.as_mut().filter(|_| self.paused.is_none()) {
            slices.read();
        }
        if self.counts.at.elapsed() >= SECOND {
            self.count();
        }
    }

    /// Looks at the threads.
    fn look(&mut self) {
        let Some(live) = &mut self.live else { return };
        live.look();
        let (pauses, failures) = (live.take_pauses(self.origin), live.failures());
        let is_over = live.is_over();
        for pause in pauses {
            self.counts.paused_ns += pause.until_ns.saturating_sub(pause.at_ns);
            self.tell(Event::Pause(pause));
        }
        for (row, why) in failures.into_iter().enumerate() {
            if let Some(why) = why.filter(|_| !self.failed[row]) {
                self.failed[row] = true;
                self.note(notes::method_failed(self.plan.methods[row].id, &why));
            }
        }
        if is_over && !self.is_over {
            self.is_over = true;
            self.note(notes::none_left());
        }
    }

    /// Describes what the machine did since the last time.
    fn count(&mut self) {
        let now = self.now();
        let machine = self.counts.machine(self.live.as_ref(), self.plan.methods.len(), now);
        self.tell(Event::Machine(machine));
        if let Some(deltas) = self.slices.as_mut().and_then(|slices| slices.take(now)) {
            self.tell(Event::Deltas(deltas));
        }
        let loss = self.live.as_mut().and_then(Live::loss);
        if let Some(loss) = loss.filter(|_| !self.is_load_lost) {
            self.is_load_lost = true;
            self.note(notes::load("load-not-whole", loss));
        }
    }
}

/// How often the machine is described.
const SECOND: Duration = Duration::from_secs(1);

/// The time that a row has waited, and its CPU time, if known, in nanoseconds.
type Spent = (u64, Option<u64>);

/// What was counted since the machine was last described.
struct Counts {
    /// The CPU of the waits.
    cpu: Option<usize>,
    at: Instant,
    clocks: ClockWatch,
    steal_ns: Option<u64>,
    spent: Vec<Spent>,
    /// That of threads that have ended.
    moved: u64,
    paused_ns: u64,
}

impl Counts {
    fn new(cpu: Option<usize>) -> Self {
        Self {
            cpu,
            at: Instant::now(),
            clocks: ClockWatch::default(),
            steal_ns: noise::steal_ns(cpu),
            spent: Vec::new(),
            moved: 0,
            paused_ns: 0,
        }
    }

    /// Describes what the machine did since the last time; `rows` are measured, if any.
    fn machine(&mut self, live: Option<&Live>, rows: usize, at_ns: u64) -> Machine {
        let (steal_ns, kept) = (noise::steal_ns(self.cpu), self.clocks.look());
        let spent = live.map(Live::spent);
        let cpu = match &spent {
            Some(spent) => self.spent.iter().zip(spent).map(|(a, b)| share(*a, *b)).collect(),
            None => vec![None; rows],
        };
        let grown = steal_ns.zip(self.steal_ns);
        let machine = Machine {
            at_ns,
            drift_ppm: kept.drift_ppm,
            steps: kept.steps,
            steal_ns: grown.map(|(after, before)| after.saturating_sub(before)),
            moved: self.moved + live.map_or(0, Live::take_moved),
            paused_ns: self.paused_ns,
            cpu,
        };
        self.spent = spent.unwrap_or_default();
        (self.steal_ns, self.at, self.moved, self.paused_ns) = (steal_ns, Instant::now(), 0, 0);
        machine
    }
}

/// The share of a CPU that a row took, by its waiting time and CPU time before and after.
fn share(before: Spent, after: Spent) -> Option<f64> {
    let passed = after.0.saturating_sub(before.0);
    let ran = after.1?.saturating_sub(before.1?);
    (passed > 0).then(|| (ran as f64 / passed as f64).min(1.0))
}
