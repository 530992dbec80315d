// The probe of JavaScript runtimes with Node's interface: Node.js 16 or later, Deno, Bun. See
// PROTOCOL.md.
'use strict';

const fs = require('node:fs');
const promises = require('node:timers/promises');

const stopwatch = process.hrtime.bigint;

// id, call, kind, units per second, claimed resolution in nanoseconds, the body of a read as a
// number, and as a read that depends on the value before.
const CLOCKS = [
  ['hrtime-bigint', 'process.hrtime.bigint()', 'monotonic', 1e9, 1, 'process.hrtime.bigint()'],
  ['performance-now', 'performance.now()', 'monotonic', 1e3, undefined, 'performance.now()'],
  ['date-now', 'Date.now()', 'wall', 1e3, 1e6, 'Date.now()'],
  ['hrtime', 'process.hrtime()', 'monotonic', 1e9, 1, 'process.hrtime()'],
];
if (process.versions.bun) {
  CLOCKS.push(
    ['bun-nanoseconds', 'Bun.nanoseconds()', 'monotonic', 1e9, 1, 'Bun.nanoseconds()']);
}

// Each clock has loops of its own, compiled from text: the engine specialises a loop for what it
// finds there, and one clock must not change how another is called. The sink keeps the values.
// `process` and `performance` are the global ones, as in most programs: Node.js has an accessor
// there, which is part of what a read costs.
function loopsOf(read, isArray) {
  const made = (name, body) =>
    new Function(
      'sink',
      `'use strict';
       return function ${name}(reads, zero) {
         const readers = [() => ${read}, () => ${read}];
         let value = ${read};
         const start = process.hrtime.bigint();
         for (let at = 0; at < reads; at++) {
           value = ${body};
         }
         const stop = process.hrtime.bigint();
         sink.value = value;
         return [start, stop];
       };`,
    )(sink);
  const place = isArray ? 'value[0] < zero ? 1 : 0' : 'value < zero ? 1 : 0';
  return {
    throughput: made('throughput', read),
    latency: made('latency', `readers[${place}]()`),
  };
}

const sink = { value: 0, zero: 0, one: 1 };

const TIMED = new Map([['empty', loopsOf('sink.one', false)]]);
const READERS = new Map();
for (const [id, , , , , read] of CLOCKS) {
  TIMED.set(id, loopsOf(read, id === 'hrtime'));
  // As a number or a bigint, in the clock's unit.
  const body = id === 'hrtime' ? `{ const t = ${read}; return t[0] * 1e9 + t[1]; }` : read;
  READERS.set(id, new Function(`return () => ${body};`)());
}

// Deno and Bun also state the versions of Node.js and V8 that they are compatible with.
function described() {
  const { bun, deno, node, v8, webkit } = process.versions;
  if (bun) return { runtime: 'Bun', version: bun, build: `JavaScriptCore ${webkit}` };
  if (deno) return { runtime: 'Deno', version: deno, build: `V8 ${v8}` };
  return { runtime: 'Node.js', version: node, build: `V8 ${v8}` };
}

function hello() {
  return {
    protocol: 2,
    ...described(),
    stopwatch: { call: 'process.hrtime.bigint()', hz: 1e9 },
    clocks: CLOCKS.map(([id, call, kind, hz, claimed]) => ({
      id,
      call,
      kind,
      hz,
      claimed_ns: claimed,
      modes: ['throughput', 'latency'],
    })),
    sleeps: [
      { id: 'set-timeout', call: 'setTimeout(f, ms)', unit_ns: 1e6 },
      { id: 'atomics-wait', call: 'Atomics.wait(cells, 0, 0, ms)', unit_ns: 1 },
    ],
    // Bun updates the size of its heap only when it collects it.
    allocations: !process.versions.bun,
    waits: [...WAITS.keys()],
    // The clocks of Deno and Bun have another origin: their start.
    monotonic: process.platform === 'linux' && !process.versions.deno && !process.versions.bun,
  };
}

function batch(id, mode, reads, warm) {
  const loop = TIMED.get(id)[mode];
  loop(Number(warm), sink.zero);
  const [start, stop] = loop(Number(reads), sink.zero);
  return { start, ticks: stop - start };
}

function sumOf(values) {
  let sum = 0;
  for (let at = 0; at < values.length; at++) {
    sum += values[at];
  }
  return sum;
}

function around(id, turns, count) {
  const read = READERS.get(id);
  if (!read && id !== 'empty') throw new Error('no such clock');
  const values = Array.from({ length: Math.min(Number(count), 1000000) }, (_, at) => at);
  const loop = read ? timedSums : sums;
  const most = Number(turns);
  const start = stopwatch();
  sink.value = loop(most, values, read);
  return { start, ticks: stopwatch() - start };
}

function sums(turns, values) {
  let all = 0;
  for (let at = 0; at < turns; at++) {
    all += sumOf(values);
  }
  return all;
}

function timedSums(turns, values, read) {
  let all = 0;
  for (let at = 0; at < turns; at++) {
    const start = read();
    all += sumOf(values);
    sink.elapsed = read() - start;
  }
  return all;
}

function deltas(id, count) {
  const read = READERS.get(id);
  const values = new Array(Math.min(Number(count), 1000000)).fill(read());
  for (let at = 0; at < values.length; at++) {
    values[at] = read();
  }
  kept = values;
  return more(0);
}

// The reads of the last deltas.
let kept = [];

function more(from) {
  const start = Number(from);
  return { values: kept.slice(start, start + 20000).map((value) => value - kept[0]) };
}

function spins(id, count) {
  const read = READERS.get(id);
  const most = Math.min(Number(count), 2000);
  const steps = [];
  const reads = [];
  const limit = stopwatch() + 500000000n;
  let last = read();
  let tries = 0;
  let first = true;
  while (steps.length < most) {
    const now = read();
    tries++;
    if (now !== last) {
      if (!first) {
        steps.push(now - last);
        reads.push(tries);
      }
      first = false;
      last = now;
      tries = 0;
    }
    if (tries % 100 === 0 && stopwatch() > limit) {
      break;
    }
  }
  return { steps, reads };
}

function watch(id, count) {
  const read = READERS.get(id);
  const most = Number(count);
  const limit = stopwatch() + 2000000000n;
  let last = read();
  const none = last - last;
  let smallest = none;
  let longest = none;
  let worst = none;
  let same = 0;
  let backwards = 0;
  let done = 0;
  while (done < most) {
    const now = read();
    const step = now - last;
    last = now;
    done++;
    if (step > longest) longest = step;
    if (step > none && (step < smallest || smallest === none)) smallest = step;
    if (step === none) same++;
    if (step < none) {
      backwards++;
      if (-step > worst) worst = -step;
    }
    if (done % 1000 === 0 && stopwatch() > limit) break;
  }
  return { reads: done, same, smallest, longest, backwards, worst };
}

async function sleep(id, ns, count) {
  const ms = Number(ns) / 1e6;
  const cells = new Int32Array(new SharedArrayBuffer(4));
  const slept = [];
  for (let at = 0; at < Math.min(Number(count), 1000); at++) {
    const start = stopwatch();
    if (id === 'set-timeout') {
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(ms)));
    } else if (id === 'atomics-wait') {
      Atomics.wait(cells, 0, 0, ms);
    } else {
      throw new Error('no such sleep');
    }
    slept.push(stopwatch() - start);
  }
  return { slept };
}

// The way of each wait: it takes how long to wait, in nanoseconds, and calls `next` when that is
// over, which returns how long the next one is, or undefined. A wait that returns a promise is
// awaited as in most programs.
const timer = (ns) => Math.ceil(ns / 1e6);

function called(wait) {
  return (next) =>
    new Promise((resolve) => {
      const go = () => {
        const ns = next();
        if (ns === undefined) resolve();
        else wait(ns, go);
      };
      go();
    });
}

function awaited(wait) {
  return async (next) => {
    for (let ns = next(); ns !== undefined; ns = next()) await wait(ns);
  };
}

const WAITS = new Map([
  ['settimeout', called((ns, go) => setTimeout(go, timer(ns)))],
  ['settimeout-await', awaited((ns) => new Promise((done) => setTimeout(done, timer(ns))))],
  ['timers-promises', awaited((ns) => promises.setTimeout(timer(ns)))],
  [
    'setinterval',
    // The interval is that of the first wait; the deadlines follow from each call.
    (next) =>
      new Promise((resolve) => {
        const ns = next();
        if (ns === undefined) return resolve();
        const interval = setInterval(() => {
          if (next() !== undefined) return;
          clearInterval(interval);
          resolve();
        }, timer(ns));
      }),
  ],
  [
    'setimmediate',
    awaited(async (ns) => {
      const deadline = stopwatch() + BigInt(ns);
      while (stopwatch() < deadline) await new Promise((done) => setImmediate(done));
    }),
  ],
  [
    'atomics-wait',
    awaited((ns) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ns / 1e6);
    }),
  ],
]);
if (process.versions.bun) {
  WAITS.set('sleep', awaited((ns) => Bun.sleep(timer(ns))));
  WAITS.set('sleep-sync', awaited((ns) => Bun.sleepSync(timer(ns))));
}

async function waits(id, length, count, start, work) {
  if (!WAITS.has(id)) throw new Error('no such wait');
  const ns = BigInt(length);
  const busy = BigInt(work);
  const first = BigInt(start);
  const times = new Array(Math.min(Number(count), 1000) * 3).fill(0n);
  let at = 0;
  let deadline = 0n;
  let cpu;
  const next = () => {
    let now = stopwatch();
    if (cpu === undefined) {
      cpu = process.cpuUsage();
      deadline = first > now ? first : now + ns;
    } else {
      times[at + 2] = now;
      at += 3;
      while (stopwatch() < now + busy);
      const late = now - deadline;
      deadline += ns * (1n + (late > 0n ? late / ns : 0n));
    }
    // Deadlines that have passed are waits that take no time.
    for (; at < times.length; at += 3) {
      now = stopwatch();
      if (first === 0n) deadline = now + ns;
      times[at] = now;
      times[at + 1] = deadline;
      if (deadline > now) return Number(deadline - now);
      times[at + 2] = now;
      deadline += ns * (1n + (now - deadline) / ns);
    }
    cpu = process.cpuUsage(cpu);
    return undefined;
  };
  await WAITS.get(id)(next);
  const begin = times[0] ?? stopwatch();
  return {
    start: begin,
    times: times.map((time) => time - begin),
    cpu_ns: (cpu.user + cpu.system) * 1000,
    thread: process.platform === 'linux' ? process.pid : undefined,
  };
}

// Few enough reads that no collection comes in between: what is used can then only grow.
function allocations(id, reads) {
  const loop = TIMED.get(id).throughput;
  const before = process.memoryUsage().heapUsed;
  loop(Number(reads), sink.zero);
  const bytes = process.memoryUsage().heapUsed - before;
  return bytes < 0 ? { error: 'the heap was collected meanwhile' } : { bytes };
}

const REQUESTS = {
  hello, batch, around, deltas, more, spins, watch, sleep, waits, allocations,
};

// JSON has no bigint, but its integers have no limit.
function json(value) {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
  if (value && typeof value === 'object') {
    const known = Object.entries(value).filter(([, held]) => held !== undefined);
    return `{${known.map(([key, held]) => `${JSON.stringify(key)}:${json(held)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

// Blocking reads and writes: a batch must not share its time with the event loop.
function* lines() {
  const buffer = Buffer.alloc(4096);
  let text = '';
  for (;;) {
    const end = text.indexOf('\n');
    if (end >= 0) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
      continue;
    }
    let read = 0;
    try {
      read = fs.readSync(0, buffer);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      if (error.code !== 'EOF') throw error;
    }
    if (read === 0) return;
    text += buffer.toString('latin1', 0, read);
  }
}

async function main() {
  for (const line of lines()) {
    const [name, ...words] = line.trim().split(' ');
    if (name === 'quit') break;
    let answer;
    try {
      if (!Object.hasOwn(REQUESTS, name)) throw new Error('no such request');
      answer = await REQUESTS[name](...words);
    } catch (error) {
      answer = { error: String(error).slice(0, 200) };
    }
    fs.writeSync(1, `${json(answer)}\n`);
  }
}

main();
