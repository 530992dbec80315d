// mitata's figures for what the probe of Node.js measures: the cost of a read in each batch. mitata
// calls a function for each read, which stores its result; that is measured too, and subtracted.
import { do_not_optimize, measure } from 'mitata';

const values = [1n, 2n];
let at = 0;
const empty = await measure(() => do_not_optimize(values[(at ^= 1)]), { min_cpu_time: 300e6 });
const read = await measure(() => do_not_optimize(process.hrtime.bigint()), { min_cpu_time: 2000e6 });
const call = empty.samples.reduce((least, ns) => Math.min(least, ns));
console.log(JSON.stringify(Array.from(read.samples, (ns) => ns - call)));
