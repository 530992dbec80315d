// library.mjs MODULE: runs the library in WebAssembly on a clock that is as coarse as a browser's and
// jittered, and checks that each bound contains the true time. One line of JSON for each step.
import fs from 'node:fs';

const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const truth = () => Number(process.hrtime.bigint()) / 1e6;

// Chromium's way: a multiple of the step, and the next one from a moment on that is random for each
// multiple, but always the same for one.
const clamped = step => () => {
  const now = truth(), below = Math.floor(now / step);
  const moved = ((Math.imul(below, 2654435761) >>> 0) / 2 ** 32) * step;
  return (now - below * step >= moved ? below + 1 : below) * step;
};

for (const [us, most] of [[5, 100e3], [100, 1e6], [1000, 10e6]]) {
  const now = clamped(us / 1000);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = name.includes('_now_') ? now : () => { throw new Error(name); };
  }
  const { start, took, bound, of_browser: isBrowser } = new WebAssembly.Instance(module, imports).exports;
  let why = null, worst = 0, largest = 0;
  for (let at = 0; at < 60; at++) {
    const before = truth();
    start();
    const after = truth(), until = after + (at % 10) * 0.7;
    while (truth() < until);
    const early = truth(), ns = took(), late = truth(), may = bound();
    const [least, longest] = [(early - after) * 1e6, (late - before) * 1e6];
    if (ns + may < least || ns - may > longest) why = `${ns} ± ${may} ns of ${least} to ${longest}`;
    worst = Math.max(worst, least - ns, ns - longest);
    largest = Math.max(largest, may);
  }
  if (!isBrowser()) why = 'another clock was read';
  if (largest > most || largest < us * 1000) why = `a bound of ${largest} ns on steps of ${us} us`;
  console.log(JSON.stringify({ name: `the library on steps of ${us} us: off by ${Math.round(worst)} ns, bound ${largest} ns`, why }));
}
