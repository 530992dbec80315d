// What was found, in sentences and as a report that the tool reads (schema `chronoscope.report/1`).

const UNITS = [['ns', 1], ['us', 1e3], ['ms', 1e6], ['s', 1e9]];
// Three digits: 43.1 ns, 100 us.
const human = ns => {
  if (ns === undefined || ns === null || !Number.isFinite(ns)) return '';
  const size = Math.abs(ns);
  const [unit, by] = UNITS.findLast(([, by]) => Number((size / by).toPrecision(3)) >= 1) ?? UNITS[0];
  return `${Number((ns / by).toPrecision(3))} ${unit}`;
};
// A duration that is shorter than a step of the clock is only known to be that.
const above = (ns, tick) => (ns < tick ? `less than ${human(tick)}` : human(ns));
const percent = share => `${Number((share * 100).toPrecision(3))} %`;
const count = n => n.toLocaleString('en-US');

// The engines, how a page recognises them, and the step of performance.now that they document: of a
// page that is isolated, and of any other, in nanoseconds. Sources: MDN, "High precision timing";
// Chromium, time_clamper.h; WebKit, Performance.cpp.
const ENGINES = [
  { name: 'Firefox', mark: /\bFirefox\/([\d.]+)/, isolated: 20e3, otherwise: 1e6 },
  { name: 'Edge', mark: /\bEdg\/([\d.]+)/, isolated: 5e3, otherwise: 100e3 },
  { name: 'Chromium', mark: /\b(?:Headless)?Chrome\/([\d.]+)/, isolated: 5e3, otherwise: 100e3 },
  { name: 'WebKit', mark: /\bAppleWebKit\/([\d.]+)/, isolated: 20e3, otherwise: 1e6 },
];
const engineHere = () => {
  const found = ENGINES.find(({ mark }) => mark.test(navigator.userAgent));
  if (!found) return { name: 'an unknown browser', version: '' };
  return { ...found, version: found.mark.exec(navigator.userAgent)[1].split('.')[0] };
};
const browserName = ({ name, version }) => `${name} ${version}`.trim();

const ISOLATE = 'Send `Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp` with the page';

// The verdict on a clock, in a few words.
const judge = clock => {
  if (clock.why) return undefined;
  const tick = human(stepOf(clock.resolution));
  const steps = clock.resolution?.verdict === 'tick' ? `${tick} steps` : 'no steps above a read';
  const moved = clock.jitter?.moved ? ', with jitter' : '';
  if (clock.backwards.violations && clock.kind !== 'wall') return { grade: 'avoid', text: 'it went backwards' };
  const [grade, text] = {
    'web/timeline': ['avoid', 'changes with each frame only'],
    'web/shared-counter': ['limited', 'takes a CPU; its rate varies'],
    'web/time-origin': ['limited', `${steps}${moved}; misses steps of the system's time`],
  }[clock.id] ?? ['limited', `${steps}${moved}${clock.kind === 'wall' ? '; may step' : ''}`];
  return { grade, text };
};

const row = id => CLOCKS.find(clock => clock.id === id);
const measured = (id, ms) => WAITS.find(wait => wait.id === id && !wait.why && (ms === undefined || wait.ms === ms));

const findings = (state) => {
  const { engine, isolated } = state, now = row('web/performance-now'), found = [];
  const add = (id, level, title, evidence, fix) => found.push({
    id, level, certainty: 'measured', about: 'machine', title, evidence: evidence.filter(Boolean), fix,
  });
  const tick = now.resolution.tick_ns;
  if (now.resolution.verdict === 'tick') {
    const documented = isolated ? engine.isolated : engine.otherwise;
    const off = documented && Math.abs(tick / documented - 1) > 0.01;
    add('browser-clamp', 'info', `performance.now() has steps of ${human(tick)}`, [
      `all but ${percent(1 - state.support)} of ${count(now.resolution.changes)} changes are multiples of ${human(tick)}`,
      documented && `documented for ${engine.name}: ${human(documented)} in a page that is ${isolated ? '' : 'not '}isolated${off ? ', which is not what was measured' : ''}`,
    ], isolated ? 'Measure intervals that are much longer than a step, or many repetitions together.'
      : `${ISOLATE}${engine.isolated ? `: ${engine.name} documents ${human(engine.isolated)} then` : ''}.`);
  }
  if (now.jitter?.moved) {
    add('browser-jitter', 'info', 'The steps of performance.now() come at random moments', [
      `a quarter of the steps take more than ${count(round(now.jitter.upper))} reads, and a twentieth more than ${count(round(now.jitter.most))}, which is ${percent(now.jitter.more)} more; of regular steps, it would be some percent more`,
    ], `Do not align with a step to gain precision: a moment is uncertain by ${human(tick)} either way. Take the mean of many intervals.`);
  }
  for (const clock of CLOCKS.filter(it => !it.why && it.kind === 'monotonic' && it.backwards.violations)) {
    add('browser-backwards', 'error', `${clock.call} went backwards`, [
      `${count(clock.backwards.violations)} of ${count(clock.backwards.tries)} reads, by up to ${human(clock.backwards.worst_ns)}`,
    ], 'Use performance.now(), and report this to the maker of the browser.');
  }
  const nested = measured('web/set-timeout-nested'), first = measured('web/set-timeout', 0);
  if (nested && nested.s.median > 3.5e6) {
    add('nested-timers', 'info', `A timer that is set by a timer takes ${human(nested.s.median)}`, [
      `setTimeout(f, 0) ${DEEP} deep or more: ${human(nested.s.median)} in the median`,
      first && `set by another task: ${above(first.s.median, state.tick)}`,
      'HTML gives timers that are nested more than five deep at least 4 ms',
    ], 'Use a MessageChannel or scheduler.postTask() to yield.');
  }
  const hidden = HIDDEN.late && HIDDEN;
  if (hidden) {
    const throttled = hidden.s.median > 100e6;
    add('hidden-timers', throttled ? 'warning' : 'info',
      throttled ? 'Timers of a hidden page are throttled' : 'Timers of this page were not throttled while it was hidden', [
        `${count(hidden.late.length)} waits of setTimeout(f, 0) while the page was hidden: ${human(hidden.s.median)} in the median, ${human(hidden.s.max)} at most`,
      ], throttled ? 'Do not measure with timers in a hidden page.' : '');
  }
  return found;
};

const advice = state => {
  const { engine, isolated } = state, now = row('web/performance-now'), tick = human(now.resolution.tick_ns);
  const finer = !isolated && engine.isolated ? ` Isolate the page for ${human(engine.isolated)}.` : '';
  const read = clock => human(clock.cost?.value_ns);
  const steps = clock => human(stepOf(clock.resolution));
  const chosen = [{
    purpose: 'interval', title: 'Measure a duration in this page', short: 'Measure a duration', clock: now.id,
    why: `Use performance.now(), which cannot resolve less than ${tick} here and did not go back in ${count(now.backwards.tries)} reads.${finer}`,
    cost_ns: now.cost?.value_ns, figure: `${read(now)}, steps of ${tick}`, summary: true,
    code: { JavaScript: 'const t0 = performance.now();\nconst ms = performance.now() - t0;' },
  }];
  const wall = row('web/temporal-now').why ? row('web/date-now') : row('web/temporal-now');
  chosen.push({
    purpose: 'timestamp', title: 'Take the time of day', short: 'Time of day', clock: row('web/date-now').id,
    why: `Use Date.now(), in steps of ${steps(row('web/date-now'))}; it follows the system's time and may step.${wall.id === 'web/temporal-now' ? ` Temporal.Now has steps of ${steps(wall)} here, and a read of it takes ${read(wall)}.` : ''}`,
    cost_ns: row('web/date-now').cost?.value_ns,
    figure: `${read(row('web/date-now'))}, steps of ${steps(row('web/date-now'))}`, summary: true,
    code: { JavaScript: 'const ms = Date.now();' },
  });
  return chosen;
};

// What to do in place of a wait, which is not a purpose of the tool's own.
const waitAdvice = () => {
  const yields = ['web/message-channel', 'web/post-task'].map(id => measured(id)).filter(Boolean)
    .sort((a, b) => a.s.mean - b.s.mean)[0];
  const nested = measured('web/set-timeout-nested');
  return yields && {
    short: 'Yield to the browser', figure: human(Math.max(0, yields.s.mean)), clock: yields.id,
    why: `${yields.call} takes ${human(Math.max(0, yields.s.mean))} on average${nested ? `; a nested setTimeout(f, 0) takes ${human(nested.s.median)}` : ''}.`,
  };
};

const SCOPES = { counter: 'local', monotonic: 'local', wall: 'universal' };
const clockRow = clock => ({
  id: clock.id, call: clock.call, language: 'JavaScript', kind: clock.kind, alternative_to: clock.alternative,
  common: clock.common ?? false, home: 'browsers', available: !clock.why, unavailable_reason: clock.why || undefined,
  cost: clock.cost && { throughput: clock.cost }, resolution: clock.resolution, difference_100ms: clock.difference,
  backwards: clock.backwards, scope: SCOPES[clock.kind], example: clock.why ? undefined : String(clock.example),
  verdict: judge(clock), best: clock.id === 'web/performance-now' || clock.id === 'web/date-now',
});
const waitRow = wait => ({
  id: wait.id, call: wait.call, language: 'JavaScript', kind: 'sleep', facts: { takes: 'duration', unit_ns: NS },
  code: wait.code, available: !wait.why, unavailable_reason: wait.why || undefined,
  ...(wait.why ? { samples: 0, early: 0, min_ns: 0, mean_ns: 0, max_ns: 0 } : {
    requested_ns: wait.ms * NS, samples: wait.late.length, early: wait.early,
    min_ns: round(wait.s.min), mean_ns: wait.s.mean, max_ns: round(wait.s.max), std_dev_ns: wait.s.sd,
    overshoot: wait.overshoot, intervals: wait.intervals, stopped_by: 'count',
  }),
  seconds: wait.seconds ?? 0,
  notes: wait.nested ? [`the first ${DEEP} waits of the chain are left out`] : [],
});

const UNKNOWN = ['processor', 'clock source', 'hypervisor', 'kernel'];
const report = state => {
  const { engine, isolated, tick } = state, where = browserName(engine);
  return {
    schema: 'chronoscope.report/1',
    run: {
      id: state.id, started: state.started, finished: state.finished, argv: ['chronoscope', 'browser'],
      screen: 'summary', tool_version: state.version, order_seed: state.seed, complete: !state.wasHidden,
      seconds: state.seconds,
    },
    environment: {
      os: navigator.userAgentData?.platform ?? '', arch: '', cpu: { model: where, logical: navigator.hardwareConcurrency ?? 0 },
      allowed_cpus: [],
      unknown: UNKNOWN.map(subject => ({ subject, reason: 'a browser does not show it to a page' })),
    },
    ruler: {
      id: 'performance.now', is_counter: false, hz: 1e9 / tick, hz_error_ppm: 0, reference: '',
      cost_ns: row('web/performance-now').cost?.value_ns ?? 0, tick_ns: tick, siblings: [],
      noise: { batches: ROUNDS * (state.here.length + 1), disturbed: 0 },
    },
    clocks: CLOCKS.map(clockRow),
    waits: [...WAITS, ...(HIDDEN.late ? [HIDDEN] : [])].map(waitRow),
    notes: [
      { id: 'browser', text: `measured by a page in ${where}, which is ${isolated ? '' : 'not '}isolated: ${navigator.userAgent}` },
      ...(state.wasHidden ? [{ id: 'hidden', text: 'the page was hidden for a part of the measurement', fix: 'open it again, and leave it in front' }] : []),
    ],
    findings: findings(state),
    advice: advice(state),
  };
};
