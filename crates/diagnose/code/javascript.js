//: hrtime-bigint for interval, micro
const t0 = process.hrtime.bigint();
const ns = process.hrtime.bigint() - t0;
//: performance-now for interval, micro
const t0 = performance.now();
const ms = performance.now() - t0;
//: hrtime-bigint for cross-process, trace
const ns = process.hrtime.bigint();
//: performance-now for coarse, trace
const ms = performance.now();
//: date-now for timestamp
const ms = Date.now();  // since 1970
//: cpu-usage for cpu
const { user, system } = process.cpuUsage();  // in us
//: os-uptime for boot
const s = require("node:os").uptime();  // 10 ms steps on Linux
