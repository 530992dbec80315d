// Draws what was found as the tool draws its pages, and keeps the report.
const make = (name, at = {}, ...within) => {
  const svg = ['svg', 'circle', 'line', 'text', 'g'].includes(name);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(at)) if (value !== undefined && value !== '') made.setAttribute(key, value);
  made.append(...within.flat().filter(it => it !== undefined && it !== null && it !== ''));
  return made;
};
// Backticks stand around what can be typed.
const prose = words => words.split('`').map((part, at) => (at % 2 ? make('code', {}, part) : part));
const part = id => document.getElementById(`${id}-body`);

// The places of durations on an axis from 1 us to 2 s.
const [FROM, TO] = [Math.log10(1e3), Math.log10(2e9)];
const place = ns => `${((Math.log10(Math.min(Math.max(ns, 1e3), 2e9)) - FROM) / (TO - FROM) * 100).toFixed(2)}%`;
const LABELS = [[1e3, '1 us'], [1e4, ''], [1e5, '100 us'], [1e6, ''], [1e7, '10 ms'], [1e8, ''], [1e9, '1 s']];
const axis = () => make('div', { class: 'row-head', 'aria-hidden': 'true' }, make('svg', { width: '100%', height: 20, overflow: 'visible' },
  LABELS.filter(([, label]) => label).map(([ns, label]) => make('text', { class: 'tick', x: place(ns), y: 14, 'text-anchor': ns < 1e4 ? 'start' : ns > 5e8 ? 'end' : 'middle' }, label))));
const strip = wait => {
  const at = ['50', '90'].map(name => wait.overshoot[`p${name}_ns`]), most = wait.s.max;
  const mark = (ns, name) => `${human(ns)} · ${name} of ${wait.id}`;
  const reach = (to, kind) => make('line', { class: `${kind} report0`, x1: place(at[0] ?? most), x2: place(to), y1: 11, y2: 11, 'data-t': mark(to, kind === 'p90' ? '90th percentile' : 'largest') });
  return make('svg', { class: 'row', width: '100%', height: 22, 'aria-hidden': 'true' }, LABELS.map(([ns]) => make('line', { class: 'grid', x1: place(ns), x2: place(ns), y1: 0, y2: 22 })),
    reach(most, 'p99'), at[1] !== undefined ? reach(at[1], 'p90') : '',
    make('circle', { class: 'worst report0', cx: place(most), cy: 11, r: 1.6 }),
    at[0] !== undefined ? make('circle', { class: 'median report0', cx: place(at[0]), cy: 11, r: 3.8, 'data-t': mark(at[0], 'median') }) : '');
};

// A table: each column has its head, its kind and what it shows of a row.
const kinds = { name: '', text: '', num: 'n', lead: 'n lead', strip: 'strip' };
const line = (name, columns, row, best = false) => {
  const cell = ({ head, kind, of }) => {
    const { text, value, tone } = { text: '', ...of(row) };
    if (kind === 'name') return make('th', { scope: 'row', class: 'id' }, make('code', { class: 'whole' }, text));
    return make('td', { class: `${kinds[kind]} ${tone ?? ''}`.trim(), 'data-v': Number.isFinite(value) ? value : undefined, 'data-h': kind === 'strip' ? undefined : head }, ...[text].flat());
  };
  return make('tr', { id: `${name}/${row.id}${row.ms ? `/${row.ms}` : ''}`, class: best ? 'best' : undefined }, columns.map(cell));
};
const table = (name, columns, rows, best = () => false) => {
  const head = ({ head, kind }) => make('th', { scope: 'col', class: kinds[kind], 'data-key': kind === 'strip' ? undefined : kind === 'num' || kind === 'lead' ? 'num' : 'text' },
    make('span', kind === 'strip' ? { class: 'quiet' } : {}, head), kind === 'strip' ? axis() : '');
  const made = make('table', { 'data-name': name, 'aria-labelledby': name },
    make('thead', {}, make('tr', {}, columns.map(head))),
    make('tbody', {}, rows.map(row => line(name, columns, row, best(row)))));
  return make('div', { class: 'fits' }, made);
};
// In one line if there is room.
const call = it => {
  const code = make('code', {}, it.call);
  return it.call.length > 26 || it.why ? code : make('span', { class: 'key' }, code);
};
const figure = (ns, spread) => ({ value: ns, text: [human(ns), spread ? [' ', make('span', { class: 'pm' }, `±${human(spread)}`)] : ''].flat() });

const CLOCK_COLUMNS = [
  { head: 'clock', kind: 'name', of: it => ({ text: it.id }) },
  { head: 'call', kind: 'text', of: it => ({ text: call(it) }) },
  { head: 'read', kind: 'lead', of: it => (it.cost ? figure(it.cost.value_ns, Math.max(it.cost.high_ns - it.cost.value_ns, it.cost.value_ns - it.cost.low_ns)) : {}) },
  { head: 'step', kind: 'num', of: it => figure(stepOf(it.resolution)) },
  { head: 'steps come', kind: 'text', of: it => ({ text: it.frames && !it.why ? 'with frames' : it.jitter ? (it.jitter.moved ? 'with jitter' : 'regularly') : '' }) },
  { head: 'no change', kind: 'num', of: it => (it.seen ? { value: it.seen.same / it.seen.tries, text: percent(it.seen.same / it.seen.tries) } : {}) },
  { head: 'backwards', kind: 'num', of: it => (it.backwards ? { value: it.backwards.violations, text: `${count(it.backwards.violations)} of ${count(it.backwards.tries)}`, tone: it.backwards.violations ? 'bad' : '' } : {}) },
  { head: 'verdict', kind: 'text', of: it => ({ text: it.why || judge(it).text, tone: it.why ? 'dim' : { avoid: 'warn' }[judge(it).grade] }) },
];
const late = (ns, tick) => ({ value: ns, text: ns > -tick && ns < tick ? `< ${human(tick)}` : human(ns) });
const WAIT_COLUMNS = [
  { head: 'wait', kind: 'name', of: it => ({ text: it.id }) },
  { head: 'call', kind: 'text', of: it => ({ text: [call(it), it.why ? make('span', { class: 'dim' }, ` ${it.why}`) : ''] }) },
  { head: 'asked for', kind: 'num', of: it => (it.why ? {} : { value: it.ms, text: it.ms ? human(it.ms * NS) : '0' }) },
  { head: 'late, median', kind: 'lead', of: it => (it.why ? {} : late(it.s.median, it.tick)) },
  { head: 'mean', kind: 'num', of: it => (it.why ? {} : figure(it.s.mean)) },
  { head: 'largest', kind: 'num', of: it => (it.why ? {} : late(it.s.max, it.tick)) },
  { head: 'early', kind: 'num', of: it => (it.why ? {} : { value: it.early, text: `${count(it.early)} of ${count(it.late.length)}` }) },
  { head: 'picture', kind: 'strip', of: it => (it.why ? {} : { text: strip(it) }) },
];
const key = (mark, words) => make('span', { class: 'key' }, make('svg', { width: 20, height: 12, 'aria-hidden': 'true' }, mark), words);

const drawShort = made => {
  const also = waitAdvice();
  const card = it => make('div', {}, make('dt', {}, it.short), make('dd', {}, make('b', {}, it.figure.split(', ')[0]), ' ', make('span', { class: 'dim' }, it.figure.split(', ').slice(1).join(', ')), ' ', make('code', {}, it.clock)));
  const all = [...made.advice, ...(also ? [also] : [])];
  const tone = { info: 'dim', warning: 'warn', error: 'bad' };
  part('short').replaceChildren(
    make('dl', { class: 'advice' }, all.map(card)),
    ...all.map(it => make('p', {}, it.why)),
    make('div', { class: 'findings' }, made.findings.map(it => make('details', {},
      make('summary', {}, make('span', { class: tone[it.level] }, it.level), ' ', it.title, ' ', make('code', { class: 'dim' }, it.id)),
      make('ul', {}, it.evidence.map(line => make('li', {}, prose(line)))),
      it.fix ? make('p', {}, make('b', {}, 'Fix: '), prose(it.fix)) : ''))));
};

const drawFacts = state => {
  const facts = [
    ['browser', browserName(state.engine)], ['user agent', navigator.userAgent],
    ['isolated', state.isolated ? 'yes, so steps are finer' : 'no, so steps are coarser, and SharedArrayBuffer cannot be used'],
    ['opened from', location.protocol === 'file:' ? 'a file, which no header can isolate' : location.origin],
    ['measured in', `${state.seconds.toFixed(1)} s`],
    ['machine', 'unknown: a browser shows nothing of it to a page'],
  ];
  part('browser').replaceChildren(make('dl', { class: 'facts' }, facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)))));
};

const save = state => {
  const text = `${JSON.stringify(state.report, null, 2)}\n`;
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = make('a', { href: address, download: `chronoscope-${state.engine.name.toLowerCase().replaceAll(' ', '-')}${state.isolated ? '-isolated' : ''}.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

const draw = state => {
  state.report = report(state);
  drawShort(state.report);
  part('clocks').replaceChildren(table('clocks', CLOCK_COLUMNS, CLOCKS, it => it.id === 'web/performance-now'));
  part('waits').replaceChildren(
    make('div', { class: 'keys' }, key(make('circle', { class: 'median report0', cx: 10, cy: 6, r: 3.8 }), 'median'), key(make('line', { class: 'p90 report0', x1: 1, x2: 19, y1: 6, y2: 6 }), 'to the 90th percentile'), key([make('line', { class: 'p99 report0', x1: 1, x2: 10, y1: 6, y2: 6 }), make('circle', { class: 'worst report0', cx: 10, cy: 6, r: 1.6 })], 'to the largest')),
    table('waits', WAIT_COLUMNS, WAITS));
  drawFacts(state);
};

const hex = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');

const main = async () => {
  const bar = document.getElementById('progress'), status = document.getElementById('status');
  const progress = share => { bar.value = share; };
  const drawn = crypto.getRandomValues(new Uint8Array(12));
  const state = {
    id: hex(drawn.slice(0, 8)), seed: new Uint32Array(drawn.buffer.slice(8))[0] || 1,
    engine: engineHere(), isolated: globalThis.crossOriginIsolated === true, wasHidden: false,
    version: document.getElementById('estimators').dataset.version,
  };
  const engine = await estimators(document.getElementById('estimators').textContent);
  if (document.visibilityState === 'hidden') {
    status.textContent = 'Measuring begins when this page is shown: timers of a hidden page are throttled.';
    await new Promise(done => document.addEventListener('visibilitychange', done, { once: true }));
  }
  const noticed = () => { state.wasHidden = true; };
  document.addEventListener('visibilitychange', noticed);
  status.textContent = 'Measuring clocks. Leave this page in front.';
  state.started = new Date().toISOString();
  const start = performance.now();
  await frame();
  Object.assign(state, await measureClocks(engine, state.seed, progress));
  state.support = engine.tick(row('web/performance-now').seen.steps.map(step => round(step * NS)))?.support ?? 1;
  status.textContent = 'Measuring waits. Leave this page in front.';
  await measureWaits(engine, state.tick, progress);
  document.removeEventListener('visibilitychange', noticed);
  state.seconds = (performance.now() - start) / 1000;
  state.finished = new Date().toISOString();
  draw(state);
  bar.remove();
  status.textContent = state.wasHidden
    ? 'This page was hidden for a while, which falsifies the figures. Open it again.'
    : 'Done. To measure the timers of a hidden page as well, look at another tab for ten seconds or more, and come back.';
  const button = document.getElementById('save');
  button.hidden = false;
  button.addEventListener('click', () => save(state));
  behave();
  document.addEventListener('visibilitychange', async () => {
    if (document.visibilityState !== 'hidden' || HIDDEN.running) return;
    HIDDEN.running = true;
    const took = await hiddenWaits();
    HIDDEN.running = false;
    if (took.length < 2) return;
    waited(HIDDEN, took, state.tick, engine);
    state.report = report(state);
    drawShort(state.report);
    document.getElementById(`waits/${HIDDEN.id}`)?.remove();
    part('waits').querySelector('tbody').append(line('waits', WAIT_COLUMNS, HIDDEN));
    status.textContent = `Measured ${took.length} waits while the page was hidden.`;
  });
};
main().catch(error => {
  document.getElementById('status').textContent = `This browser cannot measure: ${error.message}`;
});
