// Runs a program for WASI in Node.js: node wasi.cjs PROGRAM
'use strict';
const { WASI } = require('node:wasi');
const { readFileSync } = require('node:fs');

const wasi = new WASI({ version: 'preview1' });
WebAssembly.instantiate(readFileSync(process.argv[2]), wasi.getImportObject())
  .then(({ instance }) => wasi.start(instance));
