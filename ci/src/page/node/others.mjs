// others.mjs FOLDER TOOL: opens the page of `TOOL browser` in Firefox ESR, by Marionette, and in
// WebKitGTK's MiniBrowser, by WebDriver, from a file and isolated. Prints one line of JSON for each check.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { check, is, pause, served } from './browser.mjs';

const [folder, tool] = process.argv.slice(2);
const free = () => new Promise(done => {
  const server = net.createServer().listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => done(port)); });
});
// Something that may not be there yet: a server that starts, or a page that measures.
const patiently = async (of, seconds) => {
  for (let left = seconds * 5; ; left--) {
    try { const got = await of(); if (got) return got; } catch (e) { if (left <= 0) throw e; }
    if (left <= 0) throw new Error(`not within ${seconds} s`);
    await pause(200);
  }
};
// A browser that does not answer for so long hangs, in milliseconds.
const LIMIT = 60_000;
// The program and all that it started: each is a group of its own.
const ended = program => { try { process.kill(-program.pid, 'SIGTERM'); } catch { /* it has ended */ } };

// Marionette: lines of JSON with their length in front, over TCP.
const firefox = async home => {
  const port = await free();
  fs.writeFileSync(path.join(home, 'user.js'), `user_pref("marionette.port", ${port});\n`);
  const program = spawn('firefox-esr', ['--headless', '--no-remote', '--marionette', '--profile', home], {
    detached: true, stdio: 'ignore', env: { ...process.env, HOME: home, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
  });
  const socket = await patiently(() => new Promise((done, failed) => {
    const made = net.connect(port, '127.0.0.1', () => done(made)).on('error', failed);
  }), 60);
  let text = Buffer.alloc(0), last = 0;
  const waiting = new Map();
  socket.on('error', () => {}).on('data', more => {
    text = Buffer.concat([text, more]);
    for (;;) {
      const colon = text.indexOf(':'), size = Number(text.subarray(0, colon));
      if (colon < 0 || text.length < colon + 1 + size) return;
      const answer = JSON.parse(text.subarray(colon + 1, colon + 1 + size));
      text = text.subarray(colon + 1 + size);
      if (Array.isArray(answer)) waiting.get(answer[1])?.(answer);
    }
  });
  const ask = (name, values) => new Promise((done, failed) => {
    const line = JSON.stringify([0, ++last, name, values]);
    const late = setTimeout(() => failed(new Error(`no answer to ${name}`)), LIMIT).unref();
    waiting.set(last, ([, , error, result]) => {
      clearTimeout(late);
      if (error) failed(new Error(error.message)); else done(result?.value);
    });
    socket.write(`${Buffer.byteLength(line)}:${line}`);
  });
  await ask('WebDriver:NewSession', {});
  return {
    open: url => ask('WebDriver:Navigate', { url }),
    run: script => ask('WebDriver:ExecuteScript', { script, args: [] }),
    end: () => { socket.destroy(); ended(program); },
  };
};

const webkit = async home => {
  const port = await free();
  const program = spawn('xvfb-run', ['--auto-servernum', 'WebKitWebDriver', `--port=${port}`], {
    detached: true, stdio: 'ignore', env: { ...process.env, HOME: home, LIBGL_ALWAYS_SOFTWARE: '1' },
  });
  const post = async (where, body) => {
    const options = { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(LIMIT) };
    const answer = await fetch(`http://127.0.0.1:${port}/session${where}`, options);
    const { value } = await answer.json();
    if (value?.error) throw new Error(value.message);
    return value;
  };
  const { sessionId } = await patiently(() => post('', { capabilities: { alwaysMatch: {} } }), 60);
  return {
    open: url => post(`/${sessionId}/url`, { url }),
    run: script => post(`/${sessionId}/execute/sync`, { script, args: [] }),
    end: async () => {
      const options = { method: 'DELETE', signal: AbortSignal.timeout(5000) };
      await fetch(`http://127.0.0.1:${port}/session/${sessionId}`, options).catch(() => {});
      ended(program);
    },
  };
};

// What the page shows: whether it is ready, and its findings with their evidence.
const SHOWN = `
  const text = (of, what) => of.querySelector(what)?.textContent ?? '';
  return {
    ready: !document.getElementById('save').hidden, status: text(document, '#status'),
    overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    findings: Object.fromEntries([...document.querySelectorAll('.findings details')].map(it =>
      [text(it, 'summary code'), text(it, 'summary') + ' ' + text(it, 'ul')])),
  };`;
const file = `${folder}/browser.html`;
execFileSync(tool, ['browser', '-o', file]);
const server = await served(tool);
for (const [name, launch, isolated, otherwise] of [['Firefox', firefox, '20 us', '1 ms'], ['WebKitGTK', webkit, '20 us', '1 ms']]) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'chronoscope-browser-'));
  let browser;
  await check(`${name}: it starts`, async () => { browser = await launch(home); });
  for (const [how, url, step] of browser ? [['file', `file://${file}`, otherwise], ['isolated', server.address, isolated]] : []) {
    let shown;
    await check(`${name}, ${how}: it measures`, async () => {
      let start;
      const measured = async () => {
        start = Date.now();
        await browser.open(url);
        await patiently(async () => { shown = await browser.run(SHOWN); return shown.ready; }, 60)
          .catch(e => { throw new Error(`${shown?.status ?? ''} ${e.message}`); });
      };
      // On a busy machine, a browser may hang; a page that cannot measure cannot do so again.
      await measured().catch(async e => {
        console.error(`${name}, ${how}: ${e.message}; once more`);
        await browser.end();
        browser = await launch(home);
        await measured();
      });
      console.error(`${name}, ${how}: ready after ${((Date.now() - start) / 1000).toFixed(1)} s`);
    });
    if (!shown?.ready) continue;
    await check(`${name}, ${how}: the steps of performance.now are as documented`, () => {
      const clamp = shown.findings['browser-clamp'] ?? '';
      is(clamp.includes(`steps of ${step} `) && !clamp.includes('not what was measured'), shown.findings);
    });
    await check(`${name}, ${how}: nested timers are named, and nothing went back`, () => {
      is(shown.findings['nested-timers'] && !shown.findings['browser-backwards'] && !shown.overflow, shown);
    });
  }
  await browser?.end();
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
server.end();
