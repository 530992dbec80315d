// load.mjs COUNT PAGE…: the milliseconds from navigation until each page was usable, one line of
// JSON for each page.
import { launch, open } from './browser.mjs';

const [count, ...files] = process.argv.slice(2);
const browser = await launch();
const times = new Map(files.map(file => [file, []]));
for (let i = 0; i < Number(count); i++) {
  for (const file of files) {
    const page = await open(browser, file);
    times.get(file).push(await page.evaluate(() => window.__ready));
    await page.context().close();
  }
}
for (const file of files) console.log(JSON.stringify(times.get(file)));
await browser.close();
