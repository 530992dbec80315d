// Opens pages in Debian's Chromium. The pages allow no eval, which Playwright's own waiting needs.
import { chromium } from 'playwright-core';

export const launch = () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
export const pause = ms => new Promise(done => setTimeout(done, ms));

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
