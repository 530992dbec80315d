// How late each way to wait ends, by `performance.now`. An overshoot is the time that passed less
// the time that was asked for.

const timeout = ms => new Promise(done => setTimeout(done, ms));
const posted = (options) => scheduler.postTask(() => {}, options);
const noPost = () => (globalThis.scheduler?.postTask ? '' : 'this browser has no scheduler.postTask');
const noShared = () => (shared.cells ? '' : shared.why);

// A chain of callbacks: each sets the next timer. Timers that are nested more deeply than five get
// at least 4 ms (HTML, "timer initialisation steps").
const DEEP = 5;
const chained = (set, times) => new Promise(done => {
  const took = [];
  let last = uses.now();
  const next = () => {
    const now = uses.now();
    took.push(now - last);
    if (took.length < times) { last = uses.now(); set(next); } else done(took);
  };
  set(next);
});

const repeated = (ms, times) => new Promise(done => {
  const took = [];
  let last = uses.now();
  const timer = setInterval(() => {
    const now = uses.now();
    took.push(now - last);
    last = now;
    if (took.length >= times) { clearInterval(timer); done(took); }
  }, ms);
});

// Waits one after the other. A fresh one begins in a task that no timer made, so it is not nested.
const each = async (wait, times, fresh = true) => {
  const took = [];
  for (let at = 0; at < times; at++) {
    if (fresh) await breathe();
    const start = uses.now();
    await wait();
    took.push(uses.now() - start);
  }
  return took;
};

// Each wait: what is asked for, how often, and the lines of code of one.
const WAITS = [
  { id: 'web/set-timeout', call: 'setTimeout(f, ms)', code: 'setTimeout(f, ms);', ms: 0, run: () => each(() => timeout(0), 40) },
  { id: 'web/set-timeout', call: 'setTimeout(f, ms)', code: 'setTimeout(f, ms);', ms: 10, run: () => each(() => timeout(10), 30) },
  {
    id: 'web/set-timeout-nested', call: 'setTimeout(f, 0), set by f', ms: 0, nested: true,
    code: 'const f = () => { setTimeout(f, 0); };\nf();',
    run: async () => (await chained(next => setTimeout(next, 0), 45)).slice(DEEP),
  },
  {
    id: 'web/set-timeout-await', call: 'await new Promise(f => setTimeout(f, 0))', ms: 0, nested: true,
    code: 'await new Promise(f => setTimeout(f, 0));',
    run: async () => (await each(() => timeout(0), 45, false)).slice(DEEP),
  },
  { id: 'web/set-interval', call: 'setInterval(f, ms)', code: 'setInterval(f, ms);', ms: 10, run: () => repeated(10, 30) },
  { id: 'web/request-animation-frame', call: 'requestAnimationFrame(f)', code: 'requestAnimationFrame(f);', ms: 0, frames: true, run: () => chained(next => requestAnimationFrame(next), 30) },
  {
    id: 'web/message-channel', call: 'port.postMessage(0)', ms: 0, run: () => each(breathe, 200, false),
    code: 'const { port1, port2 } = new MessageChannel();\nport1.onmessage = f;\nport2.postMessage(0);',
  },
  { id: 'web/post-task', call: 'scheduler.postTask(f)', code: 'scheduler.postTask(f);', ms: 0, absent: noPost, run: () => each(() => posted({}), 200, false) },
  { id: 'web/post-task-delay', call: 'scheduler.postTask(f, { delay: ms })', code: 'scheduler.postTask(f, { delay: ms });', ms: 10, absent: noPost, run: () => each(() => posted({ delay: 10 }), 30) },
  { id: 'web/atomics-wait', call: 'Atomics.wait(cells, 0, 0, ms)', code: 'Atomics.wait(cells, 0, 0, ms);', ms: 1, absent: noShared, run: () => inWorker(1, 60) },
  { id: 'web/atomics-wait', call: 'Atomics.wait(cells, 0, 0, ms)', code: 'Atomics.wait(cells, 0, 0, ms);', ms: 10, absent: noShared, run: () => inWorker(10, 30) },
];
// Only measured while the page is hidden.
const HIDDEN = {
  id: 'web/set-timeout-hidden', call: 'await new Promise(f => setTimeout(f, 0)), in a hidden page', ms: 0,
  code: 'await new Promise(f => setTimeout(f, 0));',
};

const inWorker = async (ms, times) => {
  const waiting = worker();
  try { return await asked(waiting, { ms, times }); } finally { waiting.terminate(); }
};

// The row of a wait, from how long its waits took, in milliseconds.
const waited = (wait, took, tick, engine) => {
  const late = took.map(ms => (ms - wait.ms) * NS), s = engine.summary(late);
  const [overshoot, intervals] = engine.overshoots(late);
  Object.assign(wait, { late, s, tick, overshoot, intervals, early: late.filter(ns => ns < -tick).length });
};

const measureWaits = async (engine, tick, progress) => {
  for (const wait of WAITS) {
    progress(0.6 + 0.4 * WAITS.indexOf(wait) / WAITS.length);
    await breathe();
    wait.why = wait.absent?.() ?? '';
    if (wait.why) continue;
    try {
      const start = uses.now(), took = await wait.run();
      wait.seconds = (uses.now() - start) / 1000;
      waited(wait, took, tick, engine);
    } catch (error) {
      wait.why = `it failed: ${error.message}`;
    }
  }
};

// Waits while the page is hidden, until it is shown again. Whoever looks at another tab for a
// minute gets 60 of them.
const hiddenWaits = async () => {
  const took = [];
  while (document.visibilityState === 'hidden' && took.length < 300) {
    const start = uses.now();
    await timeout(0);
    if (document.visibilityState === 'hidden') took.push(uses.now() - start);
  }
  return took;
};
