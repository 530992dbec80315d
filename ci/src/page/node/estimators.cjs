// Prints what the estimators of a page return: file, samples and deltas.
const [file, text] = process.argv.slice(2);
const { samples, deltas } = JSON.parse(text);
WebAssembly.instantiate(require('fs').readFileSync(file)).then(({ instance }) => {
  const it = instance.exports;
  const of = (all, f) => {
    all.forEach(it.put);
    return Array.from({ length: f() }, (_, at) => it.figure(at));
  };
  console.log(JSON.stringify([
    ...of(samples, () => it.mode(0.25, 3)),
    ...of(samples, it.summary),
    ...of(deltas, it.common_tick),
  ]));
});
