// check.mjs FOLDER: opens FOLDER/pages/*.html and prints one line of JSON for each check; pictures
// go to FOLDER.
import fs from 'node:fs';
import { launch, open, until } from './browser.mjs';

const folder = process.argv[2];
const browser = await launch();
const file = name => `${folder}/pages/${name}.html`;
const names = fs.readdirSync(`${folder}/pages`).filter(it => it.endsWith('.html')).map(it => it.slice(0, -5)).sort();
const shot = (page, name, fullPage = false) => page.screenshot({ path: `${folder}/${name}.png`, fullPage });

const check = async (name, of) => {
  let why = null;
  try { await of(); } catch (e) { why = String(e?.message ?? e).split('\n').slice(0, 3).join(' '); }
  console.log(JSON.stringify({ name, why }));
};
const is = (so, why) => { if (!so) throw new Error(typeof why === 'string' ? why : JSON.stringify(why)); };
const wide = page => page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
const widest = page => page.evaluate(() => {
  const right = e => e.getBoundingClientRect().right;
  return [...document.querySelectorAll('main *, header *')].reduce((a, b) => (right(b) > right(a) ? b : a)).outerHTML.slice(0, 160);
});
// Labels of an axis that lie on one another.
const crowded = page => page.evaluate(() => [...document.querySelectorAll('svg.area, svg.row, svg.side')].flatMap(of => {
  const shown = [...of.querySelectorAll('text.tick')].filter(it => it.checkVisibility());
  const boxes = shown.map(it => [it.getBoundingClientRect(), it.textContent]);
  return boxes.flatMap(([a, name], nth) => boxes.slice(nth + 1)
    .filter(([b]) => a.left < b.right && b.left < a.right && a.top < b.bottom - 4 && b.top < a.bottom - 4)
    .map(([, other]) => `${name} on ${other}`));
}));
const tip = page => page.evaluate(() => { const t = document.getElementById('tip'); return t.hidden ? '' : t.textContent; });
const box = (page, s, n = 0) => page.evaluate(([s, n]) => {
  const e = document.querySelectorAll(s)[n];
  e.scrollIntoView({ block: 'center' });
  const r = e.getBoundingClientRect();
  return { x: r.left, y: r.top, w: r.width, h: r.height };
}, [s, n]);
const close = page => page.context().close();
const having = async (s, f, options) => {
  for (const name of ['main', ...names]) {
    const page = await open(browser, file(name), options);
    if (await page.evaluate(s => document.querySelector(s) !== null, s)) {
      try { return await f(page); } finally { await close(page); }
    }
    await close(page);
  }
  throw new Error(`no page has ${s}`);
};

// Every page: quiet, drawn, legible, narrow. Pages allow no eval, so axe-core comes as the debugger's.
const axe = fs.readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const violations = (page, options) => page.evaluate(options => window.axe.run(document, options).then(found => found.violations.map(v => {
  const { target, any, all } = v.nodes[0];
  return `${v.id} x${v.nodes.length} ${target} ${[...any, ...all][0]?.message ?? ''}`;
})), options);
for (const name of names) {
  const page = await open(browser, file(name));
  await check(`${name}: no error and one request`, () => is(!page.errors.length && page.requests.length === 1, [page.errors, page.requests.slice(1)]));
  await check(`${name}: every chart has marks, and places are finite`, async () => {
    const bad = await page.evaluate(() => {
      const bare = [...document.querySelectorAll('svg.area')].filter(a => !a.querySelector('.marks')?.children.length);
      const odd = [...document.querySelectorAll('svg *')].filter(e => [...e.attributes].some(a => /^(c?[xy][12]?|r|width|height|d|viewBox)$/.test(a.name) && /NaN|inf|undefined/i.test(a.value)));
      return [...bare, ...odd].slice(0, 3).map(e => e.outerHTML.slice(0, 120));
    });
    is(!bad.length, bad);
  });
  await check(`${name}: nothing hostile ran`, async () => is(await page.evaluate(() => window.__evil === undefined), 'it ran'));
  await check(`${name}: ids are unique`, async () => {
    const twice = await page.evaluate(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i); });
    is(!twice.length, twice.slice(0, 3));
  });
  if (['main', 'waits', 'several', 'compare', 'hostile', 'empty', 'trust', 'sweep'].includes(name)) await shot(page, `${name}-desktop`, true);
  // Pages that differ in their figures or names only have the same elements as others.
  if (!['extreme', 'hundred', 'hostile', 'hostile-waits', 'sections'].includes(name)) {
    const debugged = await page.context().newCDPSession(page);
    await debugged.send('Runtime.evaluate', { expression: `${axe}; 0` });
    await check(`${name}: axe-core finds nothing`, async () => {
      const found = await violations(page, { runOnly: ['wcag2a', 'wcag2aa', 'best-practice'] });
      is(!found.length, found.join(' | '));
    });
    await page.emulateMedia({ colorScheme: 'dark' });
    await check(`${name}: legible in the dark`, async () => {
      const found = await violations(page, { runOnly: { type: 'rule', values: ['color-contrast'] } });
      is(!found.length, found.join(' | '));
    });
    if (name === 'main') await shot(page, 'main-dark', true);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  // Numbers of 309 digits, which no machine has, take a table that is wider.
  if (name !== 'extreme') await check(`${name}: no sideways scrolling at 1280 px`, async () => {
    const [w, room] = await wide(page);
    is(w <= room, `${w} px in ${room}: ${await widest(page)}`);
  });
  await check(`${name}: labels of axes do not overlap`, async () => {
    for (const width of [1280, 1000, 800, 600, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const found = await crowded(page);
      is(found.length === 0, `at ${width} px: ${found.slice(0, 5)}`);
    }
    await page.setViewportSize({ width: 1280, height: 844 });
  });
  await check(`${name}: no sideways scrolling at 390 px`, async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const [w, room] = await wide(page);
    if (['main', 'waits', 'compare'].includes(name)) await shot(page, `${name}-phone`, true);
    is(w <= room, `${w} px in ${room}: ${await widest(page)}`);
  });
  await close(page);
}

// Charts.
await check('hover shows a figure', () => having('svg.area[data-points]', async page => {
  const [f, y] = await page.evaluate(() => JSON.parse(document.querySelector('svg.area').dataset.points)[0]);
  const b = await box(page, 'svg.area');
  await page.mouse.move(b.x + f * b.w, b.y + y);
  is(/\d/.test(await tip(page)), 'no figure');
  await shot(page, 'hover');
}));
await check('hover over a row shows a figure', () => having('svg.row [data-t]', async page => {
  const b = await box(page, 'svg.row [data-t]');
  await page.mouse.move(b.x + b.w / 2, b.y + b.h / 2);
  is(/\d/.test(await tip(page)), 'no figure');
}));
await check('keys go along a series, between series, and to its ends', () => having('svg.area[data-points]', async page => {
  await page.evaluate(() => document.querySelector('svg.area').focus());
  const press = async key => { await page.keyboard.press(key); return tip(page); };
  const first = await press('ArrowRight'), second = await press('ArrowRight'), last = await press('End');
  is(first && second && first !== second, [first, second]);
  is(await press('Home') === first && last, 'Home is not the first');
  is(await press('ArrowDown'), 'no other series');
}));
await check('keys go between rows, and between their marks', () => having('tr [data-t]', async page => {
  await page.evaluate(() => document.querySelector('tr [data-t]').closest('tr').focus());
  await page.keyboard.press('ArrowRight');
  is(/\d/.test(await tip(page)), 'no figure');
  const row = () => page.evaluate(() => document.activeElement.rowIndex);
  const before = await row();
  await page.keyboard.press('ArrowDown');
  is(await row() > before, 'the focus did not move');
  is(await page.evaluate(() => [...document.querySelectorAll('table')].every(t => t.querySelectorAll('tr[tabindex="0"]').length <= 1)), 'several rows of a table are in the order of Tab');
}));
const places = page => page.evaluate(() => [...document.querySelector('svg.area').querySelectorAll('.stretch, [data-f]')].map(e => {
  const at = e.getAttribute('viewBox') ?? e.getAttribute('x') ?? e.getAttribute('x1') ?? e.getAttribute('cx');
  return at.split(' ').map(v => Math.round(parseFloat(v) * 10) / 10);
}).join());
await check('zoom by drag and by keys, and back', () => having('svg.area[data-points]', async page => {
  const before = await places(page), b = await box(page, 'svg.area');
  await page.mouse.move(b.x + b.w * 0.3, b.y + b.h * 0.5);
  await page.mouse.down();
  await page.mouse.move(b.x + b.w * 0.6, b.y + b.h * 0.5, { steps: 4 });
  await page.mouse.up();
  is(await places(page) !== before, 'a drag changes nothing');
  await shot(page, 'zoom');
  await page.mouse.dblclick(b.x + b.w * 0.5, b.y + b.h * 0.5);
  is(await places(page) === before, 'a double click does not go back');
  await page.evaluate(() => document.querySelector('svg.area').focus());
  await page.keyboard.press('+');
  is(await places(page) !== before, '+ changes nothing');
  await page.keyboard.press('Escape');
  is(await places(page) === before, 'Escape does not go back');
}));

// Tables.
await check('rows are sorted within groups, unknown figures last', () => having('thead th[data-key=num]', async page => {
  const bad = await page.evaluate(() => {
    const th = document.querySelector('thead:not(.quiet) th[data-key=num]'), table = th.closest('table');
    const at = [...th.parentNode.children].indexOf(th);
    const of = () => [...table.tBodies].map(b => [...b.rows].filter(r => !r.classList.contains('group')).map(r => parseFloat(r.cells[at].dataset.v)));
    const sets = of().map(l => l.length);
    const bad = [];
    for (const way of [1, -1]) {
      th.click();
      for (const list of of()) {
        const known = list.filter(v => !isNaN(v));
        if (list.slice(0, known.length).some(isNaN)) bad.push('unknown first');
        if (known.some((v, i) => i && way * (v - known[i - 1]) < 0)) bad.push([way, known]);
      }
      if (th.getAttribute('aria-sort') !== (way > 0 ? 'ascending' : 'descending')) bad.push('aria-sort');
    }
    if (of().map(l => l.length).join() !== sets.join()) bad.push('rows left their group');
    return bad;
  });
  is(!bad.length, bad);
  await page.evaluate(() => [...document.querySelectorAll('thead:not(.quiet) th[data-key]:not([aria-sort])')].find(th => th.checkVisibility()).focus());
  await page.keyboard.press('Enter');
  is(await page.evaluate(() => document.activeElement.hasAttribute('aria-sort')), 'Enter does not sort');
}));
await check('rows are filtered, and Escape shows them again', () => having('input[type=search]', async page => {
  const shown = () => page.evaluate(() => [...document.querySelector('input[type=search]').closest('section').querySelectorAll('tbody tr:not(.group)')].filter(r => r.offsetParent).length);
  const before = await shown();
  await page.keyboard.press('/');
  is(await page.evaluate(() => document.activeElement.type === 'search'), '/ does not go to the filter');
  await page.keyboard.type('posix');
  const some = await shown();
  is(some > 0 && some < before, [some, before]);
  is(/^\d+ of \d+$/.test(await page.evaluate(() => document.activeElement.parentNode.querySelector('.count').textContent)), 'no count');
  await shot(page, 'filter');
  await page.keyboard.press('Escape');
  is(await shown() === before, 'rows are missing');
}));
const table = text => text.trimEnd().split('\r\n');
await check('a table is copied as CSV', () => having('.tools button', async page => {
  await page.evaluate(() => [...document.querySelectorAll('.tools button')].find(b => b.closest('section')?.querySelector('tr.group')).click());
  const text = await until('a copy', () => page.evaluate(() => navigator.clipboard.readText()));
  const lines = table(text), rows = await page.evaluate(() => document.querySelector('tr.group').closest('table').querySelectorAll('tbody tr:not(.group)').length);
  is(lines.length === rows + 1 && lines[0].startsWith('group,'), [lines.length, rows, lines[0]]);
}, { permissions: ['clipboard-read', 'clipboard-write'] }));
await check('without the clipboard, the copy is offered', () => having('.tools button', async page => {
  await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')); document.execCommand = () => false; document.querySelector('.tools button').click(); });
  is(await until('a text', () => page.evaluate(() => document.querySelector('textarea')?.value)), 'no text');
}));
await check('a link shows its row', () => having('tr[id]', async page => {
  const id = await page.evaluate(() => [...document.querySelectorAll('tr[id]')].at(-1).id);
  await page.evaluate(id => { location.hash = encodeURIComponent(id); }, id);
  await until('the row', () => page.evaluate(id => { const r = document.getElementById(id), b = r.getBoundingClientRect(); return r.matches(':target') && b.top >= 0 && b.bottom <= innerHeight; }, id));
}));

await check('a link opens what hides its row', () => having('details tr', async page => {
  const open = await page.evaluate(async () => {
    const row = document.querySelector('details tr'), details = row.closest('details');
    details.open = false;
    row.id = 'hidden';
    location.hash = 'hidden';
    await new Promise(done => setTimeout(done, 200));
    return details.open && row.getBoundingClientRect().height > 0;
  });
  is(open, 'it is closed');
}));
await check('a command is copied as it is', () => having('pre[data-copy]', async page => {
  const wanted = await page.evaluate(() => {
    const pre = document.querySelector('pre[data-copy]');
    pre.previousElementSibling.querySelector('button').click();
    return pre.textContent;
  });
  is(await until('a copy', () => page.evaluate(() => navigator.clipboard.readText())) === wanted, wanted);
}, { permissions: ['clipboard-read', 'clipboard-write'] }));

// The page as a whole.
await check('the theme changes', () => having('#theme', async page => {
  const of = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const before = await of();
  await page.click('#theme');
  is(await of() !== before, before);
}));
await check('a page is printed on A4', async () => {
  const page = await open(browser, file('main'));
  const pdf = await page.pdf({ path: `${folder}/main.pdf`, format: 'A4' });
  const sheets = (pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []).length;
  is(sheets >= 1 && sheets <= 12, `${sheets} pages`);
  await page.emulateMedia({ media: 'print' });
  const closed = () => page.evaluate(() => document.querySelectorAll('details:not([open], [name])').length);
  const before = await closed();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  is(await closed() === 0, 'something is closed on paper');
  await page.setViewportSize({ width: 794, height: 1123 });
  await shot(page, 'main-print', true);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  is(await closed() === before, 'what was closed is open after printing');
  await close(page);
});
for (const name of ['main', 'waits']) await check(`${name}: drawn without a script`, async () => {
  const count = page => page.evaluate(() => document.querySelectorAll('svg path, svg rect, svg circle, svg line').length);
  const [bare, full] = [await open(browser, file(name), { javaScriptEnabled: false }), await open(browser, file(name))];
  const [a, b] = [await bare.locator('svg path, svg rect, svg circle, svg line').count(), await count(full)];
  if (name === 'main') await shot(bare, 'main-noscript', true);
  await close(bare); await close(full);
  is(a > 20 && a === b, [a, b]);
});
await browser.close();
