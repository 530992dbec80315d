// Opens pages in Debian's Chromium. The pages allow no eval, which Playwright's own waiting needs.
import { spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

export const launch = () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
export const pause = ms => new Promise(done => setTimeout(done, ms));

// One line of JSON for each check.
export const check = async (name, of) => {
  let why = null;
  try { await of(); } catch (e) { why = String(e?.message ?? e).split('\n').slice(0, 3).join(' '); }
  console.log(JSON.stringify({ name, why }));
};
export const is = (so, why) => { if (!so) throw new Error(typeof why === 'string' ? why : JSON.stringify(why)); };

// `TOOL browser --serve`: its address, and how to end it.
export const served = tool => new Promise((done, failed) => {
  const server = spawn(tool, ['browser', '--serve'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  server.stderr.on('data', more => {
    text += more;
    const found = /http:\S+/.exec(text);
    if (found) done({ address: found[0], end: () => server.kill() });
  });
  server.on('exit', () => failed(new Error(`it ended: ${text}`)));
});

export const until = async (what, of) => {
  for (let i = 0; i < 500; i++) {
    const got = await of();
    if (got) return got;
    await pause(20);
  }
  throw new Error(`${what}: not within ten seconds`);
};

// A page with what it requested and what went wrong; opened once its script says that it is ready.
export const open = async (browser, file, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.errors = [];
  page.requests = [];
  page.on('pageerror', e => page.errors.push(String(e)));
  page.on('console', m => { if (m.type() === 'error') page.errors.push(m.text()); });
  page.on('request', r => page.requests.push(r.url()));
  await page.goto(`file://${file}`);
  if (options.javaScriptEnabled !== false) await until('ready', () => page.evaluate(() => window.__ready > 0));
  return page;
};
