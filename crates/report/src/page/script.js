'use strict';
// What a page does besides being read; everything is drawn without it. It looks for:
//   svg.area[data-points]  a chart: [[place 0 to 1, height in px, series, words], ...]; in it,
//                          [data-f] is a place (or two), .stretch holds curves, .s0 a series
//   svg.row [data-t]       a mark in a row of a table, with its words
//   th[data-key], td[data-v], tr.group   tables; data-unit is the unit of data-v
const all = (s, e = document) => [...e.querySelectorAll(s)];
const root = document.documentElement;
const element = (name, at) => Object.assign(document.createElement(name), at);
const on = (e, names, f) => { for (const name of names.split(' ')) e.addEventListener(name, f); };
const within = (v, low, high) => Math.max(low, Math.min(high, v));
const modified = e => e.ctrlKey || e.metaKey || e.altKey;

// The exact figure: next to the pointer, and read out if it was asked for by a key.
const tip = document.getElementById('tip');
let keyed = false;
const show = (text, x, y, key = false) => {
  const [head, ...rest] = text.split(' · ');
  keyed = key;
  tip.ariaLive = key ? 'polite' : 'off';
  tip.hidden = false;
  tip.replaceChildren(element('b', { textContent: head }), ` ${rest.join(' · ')}`);
  const { offsetWidth: w, offsetHeight: h } = tip;
  tip.style.left = `${Math.max(4, Math.min(x + 14, root.clientWidth - w - 6))}px`;
  tip.style.top = `${y - h - 12 < 4 ? y + 16 : y - h - 12}px`;
};
const hide = () => { tip.hidden = true; };

on(document.getElementById('theme'), 'click', () => {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.dataset.theme = (root.dataset.theme ?? dark) === 'dark' ? 'light' : 'dark';
});

// Marks in rows: the one nearest to the pointer.
const middle = r => [r.left + r.width / 2, r.top + r.height / 2];
on(document, 'pointermove pointerdown', e => {
  const row = e.target.closest?.('svg.row');
  let best, least = 40;
  for (const mark of row ? all('[data-t]', row) : []) {
    const r = mark.getBoundingClientRect(), x = e.clientX, y = e.clientY;
    const out = [x - within(x, r.left, r.right), y - within(y, r.top, r.bottom)];
    const d = Math.hypot(...out, (x - middle(r)[0]) / 8);
    if (d < least) [best, least] = [mark, d];
  }
  if (best) show(best.dataset.t, e.clientX, e.clientY);
  else if (!keyed && !e.target.closest?.('.area')) hide();
});
on(root, 'pointerleave', hide);

// One of several elements is in the order of Tab; two keys move within those that are shown.
const rove = (table, selector, back, forth) => {
  const items = all(selector, table);
  const only = e => { for (const o of items) o.tabIndex = o === e ? 0 : -1; };
  only(items[0]);
  for (const e of items) {
    on(e, 'focus', () => only(e));
    on(e, 'keydown', k => {
      const step = { [back]: -1, [forth]: 1 }[k.key];
      if (!step || k.target !== e) return;
      k.preventDefault();
      const shown = all(selector, table).filter(o => o.offsetParent);
      shown[shown.indexOf(e) + step]?.focus();
    });
  }
  return items;
};

// Charts. A page may have hundreds: nothing is read before a chart is used.
const chart = area => {
  const points = JSON.parse(area.dataset.points || '[]'), plot = area.parentNode, lines = [];
  points.forEach((p, i) => (lines[p[2]] ??= []).push(i));
  const order = lines.filter(Boolean);
  for (const line of order) line.sort((a, b) => points[a][0] - points[b][0]);
  const marks = area.querySelector('.marks');
  const put = (e, at) => { for (const k in at) e.setAttribute(k, at[k]); return e; };
  const set = (e, at) => { for (const k in at) e.setAttribute(k, `${at[k] * 100}%`); };
  const hidden = { visibility: 'hidden' }, visible = { visibility: 'visible' };
  const added = name => put(area.appendChild(document.createElementNS(area.namespaceURI, name)), hidden);
  const brush = put(added('rect'), { class: 'brush', height: marks.getAttribute('height') });
  const ring = put(added('circle'), { class: 'cursor', r: 5 });
  let from = 0, to = 1, at = -1, down = null;
  const place = f => (f - from) / (to - from);
  const focus = s => {
    plot.classList.toggle('faded', s !== null);
    for (const e of all('.on', plot)) e.classList.remove('on');
    if (s !== null) for (const e of all(`.s${+s}`, plot)) e.classList.add('on');
  };
  const leave = () => { put(ring, hidden); focus(null); hide(); };
  const zoom = (a, b) => {
    [from, to] = b - a > 0.001 && b - a < 0.999 ? [a, b] : [0, 1];
    for (const e of all('[data-f]', area)) {
      const p = e.dataset.f.split(',').map(v => place(+v)), [a, b] = [p[0], p.at(-1)];
      e.style.visibility = Math.max(a, b) < -0.002 || Math.min(a, b) > 1.002 ? 'hidden' : '';
      const left = within(a, 0, 1);
      set(e, { rect: { x: left, width: within(b, 0, 1) - left }, circle: { cx: a }, line: { x1: a, x2: b } }[e.tagName] ?? { x: a });
    }
    for (const e of all('.stretch', area)) {
      const v = e.viewBox.baseVal;
      e.setAttribute('viewBox', `${from * 1000} ${v.y} ${(to - from) * 1000} ${v.height}`);
    }
    marks.style.overflow = to - from < 1 ? 'hidden' : '';
    plot.classList.toggle('near', to - from < 0.55);
    plot.classList.toggle('nearer', to - from < 0.2);
    leave();
  };
  const around = (c, half) => { c = within(c, half, 1 - half); zoom(c - half, c + half); };
  const point = (i, key) => {
    if (!points[i]) return;
    const [f, y, s, text] = points[at = i];
    if (key && (f < from || f > to)) around(f, (to - from) / 2);
    const r = area.getBoundingClientRect();
    set(ring, { cx: place(f) });
    put(ring, { cy: y, ...visible });
    if (plot.classList.contains('named')) focus(s);
    show(text, r.left + place(f) * r.width, r.top + y, key);
  };
  const dragged = e => {
    const r = area.getBoundingClientRect(), x = (e.clientX - r.left) / r.width;
    return [x, within(Math.min(x, down), 0, 1), within(Math.max(x, down), 0, 1), r];
  };
  const hover = e => {
    const [x, low, high, r] = dragged(e);
    if (down !== null) {
      set(brush, { x: low, width: high - low });
      put(brush, visible);
      return hide();
    }
    let best = -1, least = 1600;
    points.forEach(([f, y], i) => {
      const p = place(f), up = y - (e.clientY - r.top);
      const d = ((p - x) * r.width) ** 2 + up * up * (order.length > 1 ? 1 : 0.02);
      if (p >= 0 && p <= 1 && d < least) [best, least] = [i, d];
    });
    if (best < 0) leave(); else point(best);
  };
  const release = e => {
    if (down === null) return;
    const [, low, high, r] = dragged(e), wide = to - from;
    down = null;
    put(brush, hidden);
    if (e.type === 'pointerup' && (high - low) * r.width > 8) zoom(from + low * wide, from + high * wide);
  };
  const keydown = e => {
    if (modified(e) || !points.length) return;
    const line = lines[points[at]?.[2]] ?? order[0], i = line.indexOf(at), last = line.length - 1;
    const next = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: last }[e.key];
    const down = { ArrowUp: order.length - 1, ArrowDown: 1 }[e.key];
    const half = { '+': 0.25, '=': 0.25, '-': 1 }[e.key] * (to - from), f = points[at]?.[0];
    if (e.key === 'Escape') zoom(0, 1);
    else if (half) { around(f ?? (from + to) / 2, half); point(at, true); }
    else if (next !== undefined || (down && at < 0)) point(line[within(next ?? 0, 0, last)], true);
    else if (down) {
      const off = i => Math.abs(points[i][0] - f), other = order[(order.indexOf(line) + down) % order.length];
      point(other.reduce((a, b) => (off(b) < off(a) ? b : a)), true);
    } else return;
    e.preventDefault();
  };
  const pointerdown = e => {
    if (e.pointerType === 'touch') return hover(e);
    if (e.button) return;
    down = dragged(e)[0];
    area.setPointerCapture(e.pointerId);
  };
  on(area, 'pointermove', hover);
  on(area, 'pointerdown', pointerdown);
  on(area, 'pointerup pointercancel', release);
  on(area, 'pointerleave blur', leave);
  on(area, 'dblclick', () => zoom(0, 1));
  on(area, 'keydown', keydown);
  for (const n of all('.name', plot)) {
    on(n, 'pointerenter', () => focus(n.dataset.s));
    on(n, 'pointerleave', () => focus(null));
  }
};
for (const area of all('svg.area[data-points]')) {
  on(area.parentNode, 'pointerover focusin', () => { if (!area.querySelector('.cursor')) chart(area); });
}

// Copies: if the clipboard is not allowed, the text is offered.
const copier = (label, text) => {
  const by = element('button', { type: 'button', textContent: label });
  on(by, 'click', async () => {
    let done = true;
    try { await navigator.clipboard.writeText(text()); } catch {
      const held = element('textarea', { value: text(), readOnly: true, ariaLabel: 'The text to copy', rows: 4 });
      by.after(held);
      held.select();
      done = document.execCommand('copy');
      if (done) held.remove(); else on(held, 'blur', () => held.remove());
    }
    by.textContent = done ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => { by.textContent = label; }, 1500);
  });
  return by;
};
for (const pre of all('pre[data-copy]')) {
  const text = pre.textContent, tools = element('div', { className: 'tools' });
  tools.append(copier('Copy', () => pre.dataset.copy || text));
  pre.before(tools);
}

// Tables: sorted within groups, filtered, copied.
const words = (cell, without = 'svg') => {
  const copy = cell.cloneNode(true);
  for (const e of all(`[popover], .quiet, ${without}`, copy)) e.remove();
  return copy.textContent.replace(/\s+/g, ' ').trim();
};
const rowsOf = body => [...body.rows].filter(tr => !tr.matches('.group'));
const groupOf = (body, without) => words(body.querySelector('.group') ?? body.cloneNode(), without);
const value = cell => cell.dataset.v ?? words(cell);
const number = text => (text.trim() && isFinite(text) ? +text : NaN);
// A cell of CSV by RFC 4180; what a spreadsheet would take for a formula begins with an apostrophe.
const field = text => {
  let t = text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
  if (isNaN(number(t)) && /^[=+\-@\t\r]/.test(t)) t = `'${t}`;
  return /[",\r\n]/.test(t) ? `"${t.replaceAll('"', '""')}"` : t;
};
const csv = table => {
  const cells = tr => [...tr.cells].filter((_, i) => !table.tHead.rows[0].cells[i].matches('.strip'));
  const grouped = table.querySelector('tr.group');
  const head = th => words(th, '.unit, svg') + (th.dataset.unit ? ` (${th.dataset.unit})` : '');
  const lines = [['group', ...cells(table.tHead.rows[0]).map(head)]];
  for (const body of table.tBodies) {
    const name = groupOf(body, '.dim');
    for (const tr of rowsOf(body)) if (!tr.style.display) lines.push([name, ...cells(tr).map(value)]);
  }
  return lines.map(line => `${line.slice(grouped ? 0 : 1).map(field).join(',')}\r\n`).join('');
};
const sort = (table, th) => {
  const was = th.getAttribute('aria-sort');
  const way = was ? { ascending: 'descending' }[was] : 'ascending', up = way === 'ascending' ? 1 : -1;
  for (const o of all('thead th', table)) o.removeAttribute('aria-sort');
  if (way) th.setAttribute('aria-sort', way);
  const of = tr => value(tr.cells[th.cellIndex]), figures = th.dataset.key === 'num';
  const order = (a, b) => {
    if (!way) return a.at - b.at;
    const [x, y] = [of(a), of(b)], [m, n] = [number(x), number(y)];
    if (!figures) return !x - !y || up * x.localeCompare(y, undefined, { numeric: true });
    return isNaN(m) - isNaN(n) || (isNaN(m) ? 0 : up * (m - n));
  };
  for (const body of table.tBodies) body.append(...rowsOf(body).sort(order));
};
const filters = [];
const filter = (table, rows) => {
  const box = element('input', { type: 'search', placeholder: 'Filter', ariaLabel: 'Filter the rows of this table' });
  const count = element('span', { className: 'count', role: 'status' });
  const run = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = (tr, yes) => { tr.style.display = yes ? '' : 'none'; return yes; };
    let fit = 0;
    for (const body of table.tBodies) {
      const group = body.querySelector('.group'), name = groupOf(body);
      const fits = tr => wanted.every(w => `${name} ${words(tr)}`.toLowerCase().includes(w));
      const here = rowsOf(body).filter(tr => shown(tr, fits(tr))).length;
      if (group) shown(group, here);
      fit += here;
    }
    count.textContent = wanted.length ? `${fit} of ${rows.length}` : '';
  };
  on(box, 'input search', run);
  on(box, 'keydown', e => { if (e.key === 'Escape') { box.value = ''; run(); } });
  filters.push({ table, box, run });
  return [count, box];
};
for (const table of all('table')) {
  const rows = [...table.tBodies].flatMap(rowsOf);
  if (!table.tHead || !rows.length) continue;
  rows.forEach((tr, i) => { tr.at = i; });
  const heads = rove(table, 'thead:not(.quiet) th[data-key]', 'ArrowLeft', 'ArrowRight');
  for (const th of heads) on(th, 'click keydown', e => {
    if (e.target.closest('button, a, [popover]') || (e.key && !/^(Enter| )$/.test(e.key))) return;
    e.preventDefault();
    sort(table, th);
  });
  // Rows with marks take the focus: up and down between rows, left and right between marks.
  for (const tr of rove(table, 'tbody tr:has([data-t])', 'ArrowUp', 'ArrowDown')) {
    let at = -1;
    on(tr, 'blur', () => { at = -1; hide(); });
    on(tr, 'keydown', e => {
      if (e.target !== tr) return;
      if (e.key === 'Escape') return hide();
      const marks = all('[data-t]', tr).map(m => [...middle(m.getBoundingClientRect()), m.dataset.t]).sort((a, b) => a[0] - b[0]);
      const last = marks.length - 1;
      const next = { ArrowRight: at + 1, ArrowLeft: at < 0 ? last : at - 1, Home: 0, End: last }[e.key];
      if (next === undefined) return;
      e.preventDefault();
      const [x, y, text] = marks[at = within(next, 0, last)];
      show(text, x, y, true);
    });
  }
  const tools = element('div', { className: 'tools' });
  if (rows.length > 12) tools.append(...filter(table, rows));
  tools.append(copier('Copy as CSV', () => csv(table)));
  (table.closest('.fits, .scroll') ?? table).before(tools);
}
on(document, 'keydown', e => {
  if (e.key !== '/' || modified(e) || e.target.matches('input, textarea')) return;
  const near = filters.find(f => f.table.getBoundingClientRect().bottom > 0) ?? filters[0];
  if (!near) return;
  e.preventDefault();
  near.box.select();
});

// What the address names is shown, whatever hides it.
on(window, 'load hashchange', () => {
  const to = document.querySelector(':target');
  for (const f of filters) if (f.table.contains(to)) { f.box.value = ''; f.run(); }
  for (let e = to; e; e = e.parentElement) if (e.matches('details')) e.open = true;
  if (to?.matches('tr')) to.scrollIntoView({ block: 'center' });
});

// On paper, everything is open, except for all but one of several alternatives.
let opened;
on(window, 'beforeprint', () => {
  hide();
  opened = all('details:not([open], [name])');
  for (const e of opened) e.open = true;
});
on(window, 'afterprint', () => { for (const e of opened) e.open = false; });

requestAnimationFrame(() => requestAnimationFrame(() => { window.__ready = performance.now(); }));
