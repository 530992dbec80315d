// What a read of each clock costs here, in which steps its value changes, and whether those steps
// come at moments of their own. All durations are in nanoseconds, by `performance.now`.
const NS = 1e6;
const round = Math.round;
const uses = performance;

// The engine's own estimators, compiled to WebAssembly.
const estimators = async text => {
  const bytes = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const { exports: engine } = (await WebAssembly.instantiate(bytes)).instance;
  const of = (samples, name, ...more) => {
    for (const sample of samples) engine.put(sample);
    return Array.from({ length: engine[name](...more) }, (_, at) => engine.figure(at));
  };
  const named = (names, figures) =>
    (figures.length ? Object.fromEntries(names.map((name, at) => [name, figures[at]])) : null);
  return {
    mode: (samples, quantum, seed) => named(['value', 'low', 'high'], of(samples, 'mode', quantum, seed)),
    summary: samples => named(['min', 'median', 'mad', 'p99', 'max', 'mean', 'sd'], of(samples, 'summary')),
    share: (samples, at) => of(samples, 'share', at)[0],
    tick: samples => named(['tick', 'support'], of(samples, 'common_tick')),
    overshoots: samples => {
      const text = String.fromCharCode(...of(samples, 'overshoots'));
      return text ? JSON.parse(text) : [undefined, undefined];
    },
  };
};

// Numbers that repeat with their seed (Marsaglia 2003, Xorshift RNGs).
const random = seed => {
  let state = seed || 1;
  return below => {
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return (state >>> 0) % below;
  };
};

// Lets the browser draw and handle events. A message is not throttled, as timers are.
const breathe = () => new Promise(done => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); done(); };
  port2.postMessage(0);
});
const frame = () => new Promise(done => requestAnimationFrame(done));

// The values are kept, so that no read can be left out.
const sink = { value: 0, one: 1 };
const shared = { cells: null };
const epoch = globalThis.Temporal?.Now ? Temporal.Now.instant().epochNanoseconds : null;

// Each clock has a loop of its own, because an engine specialises a loop for what it calls. `unit`
// is that of a value in nanoseconds, and `read` returns a value as a number.
const CLOCKS = [
  {
    id: 'web/performance-now', call: 'performance.now()', kind: 'monotonic', unit: NS, common: true,
    read: () => uses.now(),
    many: n => { let v = 0; for (let i = 0; i < n; i++) v += performance.now(); sink.value = v; },
  },
  {
    id: 'web/date-now', call: 'Date.now()', kind: 'wall', unit: NS, nominal: NS, common: true,
    read: () => Date.now(),
    many: n => { let v = 0; for (let i = 0; i < n; i++) v += Date.now(); sink.value = v; },
  },
  {
    id: 'web/time-origin', call: 'performance.timeOrigin + performance.now()', kind: 'wall', unit: NS, common: true,
    alternative: 'web/date-now',
    read: () => uses.timeOrigin + uses.now(),
    many: n => { let v = 0; for (let i = 0; i < n; i++) v += performance.timeOrigin + performance.now(); sink.value = v; },
  },
  {
    id: 'web/event-timestamp', call: "new Event('').timeStamp", kind: 'monotonic', unit: NS,
    alternative: 'web/performance-now',
    read: () => new Event('').timeStamp,
    many: n => { let v = 0; for (let i = 0; i < n; i++) v += new Event('').timeStamp; sink.value = v; },
  },
  {
    id: 'web/timeline', call: 'document.timeline.currentTime', kind: 'monotonic', unit: NS, frames: true,
    absent: () => (document.timeline?.currentTime == null ? 'this browser has no document timeline' : ''),
    read: () => document.timeline.currentTime,
    many: n => { let v = 0; for (let i = 0; i < n; i++) v += document.timeline.currentTime; sink.value = v; },
  },
  {
    id: 'web/temporal-now', call: 'Temporal.Now.instant().epochNanoseconds', kind: 'wall', unit: 1, nominal: 1,
    alternative: 'web/date-now',
    absent: () => (epoch === null ? 'this browser has no Temporal' : ''),
    read: () => Number(Temporal.Now.instant().epochNanoseconds - epoch),
    many: n => { let v; for (let i = 0; i < n; i++) v = Temporal.Now.instant().epochNanoseconds; sink.value = v; },
  },
  {
    id: 'web/shared-counter', call: 'Atomics.load(cells, 0)', kind: 'counter', unit: 0, counter: true,
    absent: () => (shared.cells ? '' : shared.why),
    read: () => Atomics.load(shared.cells, 0) >>> 0,
    many: n => { const { cells } = shared; let v = 0; for (let i = 0; i < n; i++) v += Atomics.load(cells, 0); sink.value = v; },
  },
];
const EMPTY = { many: n => { let v = 0; for (let i = 0; i < n; i++) v += sink.one; sink.value = v; } };

// What the worker does: it counts for the shared counter, and waits as only a worker may.
const WORKER = `
  onmessage = ({ data }) => {
    if (data.count) {
      const cells = data.count;
      postMessage('ready');
      while (Atomics.load(cells, 1) === 0) for (let i = 0; i < 1000; i++) Atomics.add(cells, 0, 1);
    } else {
      const { ms, times } = data, cell = new Int32Array(new SharedArrayBuffer(4)), took = [];
      for (let i = 0; i < times; i++) {
        const start = performance.now();
        Atomics.wait(cell, 0, 0, ms);
        took.push(performance.now() - start);
      }
      postMessage(took);
    }
  };`;
const worker = () => {
  const address = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' }));
  const made = new Worker(address);
  URL.revokeObjectURL(address);
  return made;
};
const asked = (of, data) => new Promise((done, failed) => {
  of.onmessage = event => done(event.data);
  of.onerror = event => failed(new Error(event.message || 'the worker did not start'));
  of.postMessage(data);
});

const startCounter = async () => {
  if (!globalThis.crossOriginIsolated || typeof SharedArrayBuffer === 'undefined') {
    shared.why = globalThis.crossOriginIsolated ? 'this browser has no SharedArrayBuffer'
      : 'SharedArrayBuffer needs a page that is isolated: chronoscope browser --serve';
    return null;
  }
  const cells = new Int32Array(new SharedArrayBuffer(8));
  try {
    const counting = worker();
    await asked(counting, { count: cells });
    shared.cells = cells;
    return counting;
  } catch (error) {
    shared.why = `a worker cannot be started: ${error.message}`;
    return null;
  }
};

// The number of reads that take about this long, in milliseconds. Of three tries the shortest counts,
// because something else may have run during the others.
const readsFor = (many, ms) => {
  let n = 64;
  for (;;) {
    const tries = [0, 0, 0].map(() => {
      const start = uses.now();
      many(n);
      return uses.now() - start;
    });
    const took = Math.min(...tries);
    if (took >= 2 || n >= 1 << 26) return Math.max(16, round(n * ms / Math.max(took, 0.5)));
    n *= 2;
  }
};

const ROUNDS = 20;
const BATCH_MS = 10;

// The cost of reads back to back: batches of all clocks in random order, round by round, less the
// empty loop, by the engine's estimator.
const costs = async (clocks, engine, tick, seed, progress) => {
  const below = random(seed);
  const timed = [EMPTY, ...clocks].map(clock => ({ clock, reads: readsFor(clock.many, BATCH_MS), samples: [] }));
  for (let at = 0; at < ROUNDS; at++) {
    progress(at / ROUNDS);
    await breathe();
    const order = [...timed];
    for (let left = order.length; left > 0; left--) {
      const [{ clock, reads, samples }] = order.splice(below(left), 1);
      const start = uses.now();
      clock.many(reads);
      samples.push((uses.now() - start) * NS / reads);
    }
  }
  const estimated = timed.map(({ samples, reads }) => engine.mode(samples, tick / reads, seed));
  const empty = estimated[0];
  timed.slice(1).forEach(({ clock, reads, samples }, at) => {
    const mode = estimated[at + 1], s = engine.summary(samples);
    if (!mode || !empty || !s) return;
    const value = mode.value - empty.value;
    const low = value - Math.hypot(mode.value - mode.low, empty.high - empty.value);
    clock.cost = {
      value_ns: value, low_ns: low,
      high_ns: value + Math.hypot(mode.high - mode.value, empty.value - empty.low),
      min_ns: s.min, median_ns: s.median, mad_ns: s.mad, sd_ns: s.sd, p99_ns: s.p99, max_ns: s.max,
      raw_ns: mode.value, empty_ns: empty.value, batches: samples.length, reads_per_batch: reads,
      disturbed: 0, stopped_by: 'budget', processes: 1, ...(low <= 0 && { below_resolution: true }),
    };
  });
};

// Reads a clock until it has changed so often. `reads` are those from one change to the next.
const changes = ({ read }, wanted, ms) => {
  const steps = [], reads = [], start = uses.now();
  let last = read(), since = 0, tries = 0, same = 0, backwards = 0, worst = 0, first = true;
  while (steps.length < wanted) {
    const now = read();
    tries++; since++;
    if (now === last) same++;
    else {
      if (now < last) { backwards++; worst = Math.max(worst, last - now); }
      // What came before the first change began somewhere within a step.
      else if (!first) { steps.push(now - last); reads.push(since); }
      first = false; last = now; since = 0;
    }
    if ((tries & 255) === 0 && uses.now() - start > ms) break;
  }
  return { steps, reads, tries, same, backwards, worst, watched: (uses.now() - start) * NS, last };
};

// A clock that changes with each frame only.
const framed = async ({ read }) => {
  const steps = [], start = uses.now();
  let last = read(), tries = 0, same = 0, backwards = 0, worst = 0;
  while (steps.length < 20 && tries < 60) {
    await frame();
    const now = read();
    tries++;
    if (now === last) same++;
    else if (now < last) { backwards++; worst = Math.max(worst, last - now); }
    else steps.push(now - last);
    last = now;
  }
  return { steps, reads: [], tries, same, backwards, worst, watched: (uses.now() - start) * NS, last };
};

// If steps come at regular moments, no step has many more reads than an undisturbed one, and whatever
// else runs only makes it fewer. If each moment is random within a step, the time between two of them
// has a triangular distribution, whose 95th percentile is 30 % above the upper quartile.
const MOVED = 0.2;
const ENOUGH = 100;

// How far apart two values are that differ: a clock may be finer than it is updated.
const stepOf = resolution => (!resolution?.tick_ns ? undefined
  : resolution.observed_median_ns > 10 * resolution.tick_ns ? resolution.observed_median_ns : resolution.tick_ns);

// The step of a clock. A sum with the time since 1970 has no finer parts than a double of that size
// has, so its steps are that much off, and their mean is the step.
const resolution = (clock, seen, engine) => {
  const { unit } = clock, { steps, reads } = seen;
  const grain = steps.every(Number.isInteger) ? 1 : Math.max(1, Math.abs(seen.last) * 2 ** -52 * unit);
  const found = engine.tick(steps.map(step => round(step * unit / grain)));
  const s = engine.summary(steps.map(step => step * unit));
  const read = clock.cost?.value_ns ?? 0;
  if (reads.length >= ENOUGH) {
    const [middle, upper, most] = [0.5, 0.75, 0.95].map(share => engine.share(reads, share));
    // With few reads in a step, they show nothing of where it began.
    if (middle >= 10) clock.jitter = { more: most / upper - 1, moved: most / upper - 1 > MOVED, upper, most };
  }
  const usual = grain > 1 && s ? steps.map(step => step * unit).filter(step => Math.abs(step - s.median) < 1.5 * grain) : [];
  const tick = usual.length ? engine.summary(usual).mean : found?.tick;
  clock.seen = seen;
  clock.resolution = {
    nominal_ns: clock.nominal, changes: steps.length, watched_ns: seen.watched,
    ...(s && { observed_min_ns: s.min, observed_median_ns: s.median, tick_ns: tick, tick_from: 'seen' }),
    verdict: !s ? 'not-seen' : tick >= read ? 'tick' : 'latency',
  };
  clock.backwards = { tries: seen.tries, violations: seen.backwards, worst_ns: seen.worst * unit };
};

// How much of 100 ms each clock shows; how long a unit of the counter is.
const compared = async (clocks, tick) => {
  const all = clocks.map(clock => ({ clock, start: clock.read() }));
  const start = uses.now();
  await new Promise(done => setTimeout(done, 100));
  for (const one of all) one.stop = one.clock.read();
  const reference = uses.now() - start;
  for (const { clock, start, stop } of all) {
    if (clock.counter) {
      clock.unit = reference * NS / Math.max(1, stop - start);
      continue;
    }
    const ms = (stop - start) * clock.unit / NS;
    // A clock that changes with frames may be as old as the last one.
    const step = clock.frames ? 50 : Math.max(clock.resolution?.tick_ns ?? 0, clock.nominal ?? 0) / NS;
    const tolerance = 2 * Math.max(step, tick / NS) + 0.1;
    clock.difference = {
      reference_ms: reference, clock_ms: ms, tolerance_ms: tolerance,
      agrees: Math.abs(ms - reference) <= tolerance,
    };
  }
};

const measureClocks = async (engine, seed, progress) => {
  const counting = await startCounter();
  for (const clock of CLOCKS) clock.why = clock.absent?.() ?? '';
  const here = CLOCKS.filter(clock => !clock.why);
  // The ruler first: the step of its values is what a batch can be off by.
  const ruler = CLOCKS[0];
  changes(ruler, 200, 40);
  resolution(ruler, changes(ruler, 1000, 400), engine);
  const tick = ruler.resolution.tick_ns ?? NS;
  await costs(here, engine, tick, seed, share => progress(0.05 + 0.4 * share));
  progress(0.45);
  await breathe();
  await compared(here.filter(clock => clock.counter), tick);
  for (const clock of here) {
    progress(0.45 + 0.15 * here.indexOf(clock) / here.length);
    await breathe();
    // The ruler was seen before its cost was known.
    const seen = clock === ruler ? ruler.seen : clock.frames ? await framed(clock) : changes(clock, 1000, 200);
    resolution(clock, seen, engine);
  }
  await compared(here.filter(clock => !clock.counter), tick);
  for (const clock of here) clock.example = clock.read();
  // Its thread would disturb the waits.
  if (counting) { Atomics.store(shared.cells, 1, 1); setTimeout(() => counting.terminate(), 50); }
  return { here, tick };
};
