#!/usr/bin/env node
"use strict";

// Starts the program of the package for this system, which npm chose among the optional
// dependencies of this one.

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

// An npm that does not know the field `libc` installs both packages of Linux, of which the one for
// musl runs everywhere, but measures another C library.
function musl() {
  return process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
}

function program() {
  const name = `chronoscope-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "chronoscope.exe" : "chronoscope";
  for (const one of musl() ? [`${name}-musl`] : [name, `${name}-musl`]) {
    try {
      return require.resolve(`${one}/${file}`);
    } catch {
      // Not installed.
    }
  }
  console.error(
    `chronoscope: the package ${name} is not installed: there is none for this system, or npm was told to omit optional dependencies`,
  );
  process.exit(1);
}

const file = program();
// Before the program is started, so that no signal ends this process alone. A terminal sends Ctrl-C
// to both; chronoscope counts two signals at a time as one.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`chronoscope: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
