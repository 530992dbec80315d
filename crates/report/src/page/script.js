// What a page does besides being read: exact figures on hover and by keys, zoom, sorting, filters,
// copies and links. Everything is drawn without it. The elements that it looks for:
//   svg.area[data-points]  a chart: [[place 0 to 1, height in px, series, words], ...]; in it,
//                          [data-f] is a place (or two), .stretch holds curves; .name[data-s] and
//                          .s0, .s1, ... belong to a series
//   [data-t]               a mark outside of charts, with its words
//   th[data-key], td[data-v], tr.group, tr[id]   tables; data-unit is the unit of data-v
//   #tip, #theme           both optional
(() => {
  'use strict';
  const all = (s, e = document) => [...e.querySelectorAll(s)];
  const root = document.documentElement;
  const element = (name, at = {}) => Object.assign(document.createElement(name), at);
  const on = (e, names, f) => { for (const name of names.split(' ')) e.addEventListener(name, f); };
  const within = (v, low, high) => Math.max(low, Math.min(high, v));

  // The exact figure: next to the pointer, and read out if it was asked for by a key.
  const tip = document.getElementById('tip') ?? document.body.appendChild(element('div', { id: 'tip', role: 'status' }));
  const show = (text, x, y, key) => {
    const [head, ...rest] = String(text).split(' · ');
    tip.ariaLive = key ? 'polite' : 'off';
    tip.hidden = false;
    tip.replaceChildren(element('b', { textContent: head }), rest.join(' · '));
    const w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = `${Math.max(4, Math.min(x + 14, root.clientWidth - w - 6))}px`;
    tip.style.top = `${y - h - 12 < 4 ? y + 16 : y - h - 12}px`;
  };
  const hide = () => { tip.hidden = true; };
  on(window, 'beforeprint', hide);

  const theme = document.getElementById('theme');
  if (theme) on(theme, 'click', () => {
    const now = root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  });

  // Marks in rows and cells: the nearest one. Arrows go from mark to mark, and from row to row.
  const middle = m => { const r = m.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; };
  const nearest = (marks, x, y, least) => {
    let best;
    for (const m of marks) {
      const r = m.getBoundingClientRect();
      const d = Math.hypot(x - within(x, r.left, r.right), y - within(y, r.top, r.bottom), (x - (r.left + r.right) / 2) / 8);
      if (d < least) { least = d; best = m; }
    }
    return best;
  };
  const say = (m, key) => show(m.dataset.t, ...middle(m), key);
  const marksOf = e => all('[data-t]', e);
  const hosts = new Set(all('[data-t]').filter(m => !m.closest('svg.area')).map(m => {
    let svg = m.closest('svg') ?? m.parentNode;
    while (svg.parentNode?.closest?.('svg')) svg = svg.parentNode.closest('svg');
    return svg;
  }));
  for (const host of hosts) {
    on(host, 'pointermove pointerdown', e => {
      const m = nearest(marksOf(host), e.clientX, e.clientY, 40);
      if (m) show(m.dataset.t, e.clientX, e.clientY); else hide();
    });
    on(host, 'pointerleave', hide);
    if (host.closest('tr')) continue;
    // A picture of cells: each arrow goes to the nearest mark on its side.
    let now;
    host.removeAttribute('aria-hidden');
    host.tabIndex = 0;
    on(host, 'blur', () => { now = undefined; hide(); });
    on(host, 'keydown', e => {
      if (e.key === 'Escape') return hide();
      const side = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[e.key];
      const marks = marksOf(host);
      if (e.key === 'Home') now = marks[0];
      else if (e.key === 'End') now = marks.at(-1);
      else if (!side) return;
      else if (!now) now = marks[0];
      else {
        const [x, y] = middle(now);
        let best, least = Infinity;
        for (const m of marks) {
          const [a, b] = middle(m), along = (a - x) * side[0] + (b - y) * side[1];
          const d = along + 4 * Math.abs((a - x) * side[1] + (b - y) * side[0]);
          if (along > 1 && d < least) { least = d; best = m; }
        }
        now = best ?? now;
      }
      e.preventDefault();
      say(now, true);
    });
  }

  // One of several elements is in the order of Tab; arrows move within them.
  const rove = (items, keys) => {
    items.forEach((e, i) => { e.tabIndex = i ? -1 : 0; });
    for (const e of items) {
      on(e, 'focus', () => { for (const o of items) o.tabIndex = o === e ? 0 : -1; });
      on(e, 'keydown', k => {
        const step = { [keys[0]]: -1, [keys[1]]: 1 }[k.key];
        if (!step || k.target !== e) return;
        k.preventDefault();
        const here = e.parentNode.tagName === 'TR' ? items : items.filter(o => o.offsetParent).sort((a, b) => a.rowIndex - b.rowIndex);
        here[here.indexOf(e) + step]?.focus();
      });
    }
  };

  // Charts. A page may have hundreds: nothing is read before a chart is used.
  const svg = (name, at) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const k in at) e.setAttribute(k, at[k]);
    return e;
  };
  const chart = area => {
    let points = [];
    try { points = JSON.parse(area.dataset.points); } catch { /* A chart without figures. */ }
    const plot = area.parentNode, named = plot.querySelector('.name');
    const height = area.querySelector('.marks')?.getAttribute('height') ?? '100%';
    const ring = svg('circle', { class: 'cursor', r: 5, visibility: 'hidden' });
    const brush = svg('rect', { class: 'brush', visibility: 'hidden', y: 0, height });
    area.append(brush, ring);
    const order = [...new Set(points.map(p => p[2]))].sort((a, b) => a - b);
    const series = s => points.map((p, i) => i).filter(i => points[i][2] === s).sort((a, b) => points[a][0] - points[b][0]);
    let from = 0, to = 1, at = -1, down = null;
    const place = f => (f - from) / (to - from);
    const show1 = (e, yes) => e.setAttribute('visibility', yes ? 'visible' : 'hidden');
    const focus = s => {
      plot.classList.toggle('faded', s !== null);
      for (const e of all('.on', plot)) e.classList.remove('on');
      if (s !== null) for (const e of all(`.s${+s}`, plot)) e.classList.add('on');
    };
    const leave = () => { show1(ring, false); focus(null); hide(); };
    const zoom = (a, b) => {
      [from, to] = b - a > 0.001 && b - a < 0.999 ? [a, b] : [0, 1];
      for (const e of all('[data-f]', area)) {
        const p = e.dataset.f.split(',').map(v => place(+v));
        const out = p.every(v => v < -0.002) || p.every(v => v > 1.002);
        e.style.visibility = out ? 'hidden' : '';
        const set = (k, v) => e.setAttribute(k, `${v * 100}%`);
        if (e.tagName === 'rect') {
          const [l, r] = [within(p[0], 0, 1), within(p[1] ?? p[0], 0, 1)];
          set('x', l); set('width', r - l);
        } else if (e.tagName === 'circle') set('cx', p[0]);
        else if (e.tagName === 'line') { set('x1', p[0]); set('x2', p[1] ?? p[0]); }
        else set('x', p[0]);
      }
      for (const e of all('.stretch', area)) {
        const v = e.viewBox.baseVal;
        e.setAttribute('viewBox', `${from * 1000} ${v.y} ${(to - from) * 1000} ${v.height}`);
        e.style.overflow = to - from < 1 ? 'hidden' : '';
      }
      plot.classList.toggle('near', to - from < 0.55);
      plot.classList.toggle('nearer', to - from < 0.2);
      leave();
    };
    const point = (i, key) => {
      if (!points[i]) return;
      const [f, y, s, text] = points[at = i];
      if (key && (f < from || f > to)) {
        const half = (to - from) / 2, c = within(f, half, 1 - half);
        zoom(c - half, c + half);
      }
      const r = area.getBoundingClientRect();
      ring.setAttribute('cx', `${place(f) * 100}%`);
      ring.setAttribute('cy', y);
      show1(ring, true);
      if (named) focus(s);
      show(text, r.left + place(f) * r.width, r.top + y, key);
    };
    const x = e => { const r = area.getBoundingClientRect(); return (e.clientX - r.left) / r.width; };
    const hover = e => {
      const r = area.getBoundingClientRect();
      if (down !== null) {
        const l = within(Math.min(x(e), down), 0, 1), w = within(Math.max(x(e), down), 0, 1) - l;
        brush.setAttribute('x', `${l * 100}%`);
        brush.setAttribute('width', `${w * 100}%`);
        show1(brush, true);
        return hide();
      }
      let best = -1, least = 1600;
      points.forEach(([f, y], i) => {
        const p = place(f);
        if (p < 0 || p > 1) return;
        const d = ((p - x(e)) * r.width) ** 2 + (y - (e.clientY - r.top)) ** 2 * (order.length > 1 ? 1 : 0.02);
        if (d < least) { least = d; best = i; }
      });
      if (best < 0) leave(); else point(best);
    };
    const key = e => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.key === 'Escape') zoom(0, 1);
      else if (e.key === '+' || e.key === '=' || e.key === '-') {
        const c = at < 0 ? (from + to) / 2 : points[at][0], half = (to - from) * (e.key === '-' ? 1 : 0.25);
        const left = within(c - half, 0, Math.max(0, 1 - 2 * half));
        zoom(left, Math.min(1, left + 2 * half));
        point(at, true);
      } else if (at < 0 && /^(Arrow|Home|End)/.test(e.key)) point(series(order[0])[0], true);
      else if (/^Arrow(Left|Right)$|^Home$|^End$/.test(e.key)) {
        const line = series(points[at][2]), i = line.indexOf(at);
        const next = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: line.length - 1 }[e.key];
        point(line[within(next, 0, line.length - 1)], true);
      } else if (/^Arrow(Up|Down)$/.test(e.key)) {
        const [f, , s] = points[at], n = order.length;
        const line = series(order[(order.indexOf(s) + (e.key === 'ArrowDown' ? 1 : n - 1)) % n]);
        point(line.reduce((a, b) => Math.abs(points[b][0] - f) < Math.abs(points[a][0] - f) ? b : a), true);
      } else return;
      e.preventDefault();
    };
    const press = e => {
      if (e.pointerType === 'touch') return hover(e);
      if (e.button) return;
      down = x(e);
      area.setPointerCapture(e.pointerId);
    };
    const release = e => {
      if (down === null) return;
      const back = v => from + within(v, 0, 1) * (to - from), start = down;
      const far = Math.abs(x(e) - start) * area.getBoundingClientRect().width > 8;
      down = null;
      show1(brush, false);
      if (far && e.type === 'pointerup') zoom(back(Math.min(x(e), start)), back(Math.max(x(e), start)));
    };
    const reset = () => zoom(0, 1);
    const run = { pointermove: hover, pointerdown: press, pointerup: release, pointercancel: release, dblclick: reset, pointerleave: leave, blur: leave, keydown: key };
    return { focus, run };
  };
  for (const area of all('svg.area[data-points]')) {
    let made;
    const get = () => (made ??= chart(area));
    on(area, 'pointermove pointerdown pointerup pointercancel pointerleave dblclick blur keydown', e => get().run[e.type](e));
    for (const n of all('.name[data-s]', area.parentNode)) {
      on(n, 'pointerenter', () => get().focus(n.dataset.s));
      on(n, 'pointerleave', () => get().focus(null));
    }
  }

  // Tables: sorted within groups, filtered, copied.
  const words = cell => {
    const copy = cell.cloneNode(true);
    for (const e of all('[popover], svg, .quiet, .link', copy)) e.remove();
    return copy.textContent.replace(/\s+/g, ' ').trim();
  };
  const isGroup = tr => tr.classList.contains('group');
  const value = cell => (cell ? cell.dataset.v ?? words(cell) : '');
  const number = text => (text.trim() === '' || !isFinite(text) ? NaN : +text);
  // A cell of CSV by RFC 4180; what a spreadsheet would take for a formula begins with an apostrophe.
  const field = text => {
    let t = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
    if (isNaN(number(t)) && /^[=+\-@\t\r]/.test(t)) t = `'${t}`;
    return /[",\r\n]/.test(t) ? `"${t.replaceAll('"', '""')}"` : t;
  };
  const csv = table => {
    const heads = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
    const body = [...table.tBodies].flatMap(b => [...b.rows]);
    const first = body.find(tr => !isGroup(tr));
    const drawn = (head, i) => head.classList.contains('strip') || (first?.cells[i]?.querySelector('svg') && !first.cells[i].dataset.v);
    const kept = heads.map((_, i) => i).filter(i => !drawn(heads[i], i));
    const grouped = body.some(isGroup);
    const head = th => words(th) + (th.dataset.unit ? ` (${th.dataset.unit})` : '');
    const lines = [[...(grouped ? ['group'] : []), ...kept.map(i => head(heads[i]))]];
    let group = '';
    for (const tr of body) {
      if (isGroup(tr)) {
        const name = tr.cells[0].cloneNode(true);
        for (const e of all('.dim', name)) e.remove();
        group = words(name) || words(tr.cells[0]);
      } else if (tr.style.display !== 'none') lines.push([...(grouped ? [group] : []), ...kept.map(i => value(tr.cells[i]))]);
    }
    return lines.map(line => `${line.map(field).join(',')}\r\n`).join('');
  };
  const copied = async (text, by) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* It is not allowed. */ }
    const held = element('textarea', { value: text, readOnly: true, ariaLabel: 'The table as CSV', rows: 4 });
    by.after(held);
    held.select();
    let done = false;
    try { done = document.execCommand('copy'); } catch { /* Nor is this. */ }
    if (done) { held.remove(); by.focus(); } else on(held, 'blur', () => held.remove());
    return done;
  };
  const sorted = (table, th) => {
    const heads = [...th.parentNode.children], at = heads.indexOf(th), was = th.getAttribute('aria-sort');
    const way = { ascending: 'descending', descending: null }[was] ?? (was ? null : 'ascending');
    for (const o of all('thead th', table)) o.removeAttribute('aria-sort');
    if (way) th.setAttribute('aria-sort', way);
    const rows = [...table.tBodies].flatMap(b => [...b.rows]).filter(tr => !isGroup(tr));
    const texts = new Map(rows.map(tr => [tr, value(tr.cells[at])]));
    const figures = [...texts.values()].every(t => !t.trim() || /^(NaN|null|–|-?inf(inity)?)$/i.test(t.trim()) || !isNaN(number(t)));
    const up = way === 'descending' ? -1 : 1;
    const order = (a, b) => {
      if (!way) return a.dataset.at - b.dataset.at;
      const [x, y] = [texts.get(a), texts.get(b)];
      if (!figures) return !x - !y || up * x.localeCompare(y, undefined, { numeric: true });
      const [m, n] = [number(x), number(y)];
      return isNaN(m) - isNaN(n) || (isNaN(m) ? 0 : up * (m - n));
    };
    for (const body of table.tBodies) {
      let part = [];
      const parts = [part];
      for (const tr of [...body.rows]) {
        if (isGroup(tr)) parts.push(part = [tr]); else part.push(tr);
      }
      for (const p of parts) body.append(...p.filter(isGroup), ...p.filter(tr => !isGroup(tr)).sort(order));
    }
  };
  const filters = [];
  for (const table of all('table')) {
    const rows = [...table.tBodies].flatMap(b => [...b.rows]).filter(tr => !isGroup(tr));
    if (!table.tHead || !rows.length) continue;
    rows.forEach((tr, i) => { tr.dataset.at = i; });
    const heads = all('thead:not(.quiet) th[data-key]', table);
    rove(heads, ['ArrowLeft', 'ArrowRight']);
    for (const th of heads) {
      const own = e => !e.target.closest('button, a, [popover]');
      on(th, 'click', e => { if (own(e)) sorted(table, th); });
      on(th, 'keydown', e => { if (own(e) && (e.key === 'Enter' || e.key === ' ')) { e.preventDefault(); sorted(table, th); } });
    }
    // Rows with marks take the focus: up and down between rows, left and right between marks.
    const drawn = rows.filter(tr => tr.querySelector('[data-t]'));
    rove(drawn, ['ArrowUp', 'ArrowDown']);
    for (const tr of drawn) {
      let at = -1;
      const reset = () => { at = -1; hide(); };
      on(tr, 'blur', reset);
      on(tr, 'keydown', e => {
        if (e.target !== tr) return;
        if (e.key === 'Escape') return reset();
        const marks = marksOf(tr).sort((a, b) => middle(a)[0] - middle(b)[0]), last = marks.length - 1;
        const next = { ArrowRight: at + 1, ArrowLeft: at < 0 ? last : at - 1, Home: 0, End: last }[e.key];
        if (next === undefined) return;
        e.preventDefault();
        say(marks[at = within(next, 0, last)], true);
      });
    }
    const tools = element('div', { className: 'tools' });
    if (rows.length > 12) {
      const box = element('input', { type: 'search', placeholder: 'Filter', ariaLabel: 'Filter the rows of this table' });
      const count = element('span', { className: 'count', role: 'status' });
      const filter = () => {
        const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        for (const body of table.tBodies) {
          let head, name = '';
          for (const tr of body.rows) {
            if (isGroup(tr)) { head = tr; name = words(tr); tr.style.display = wanted.length ? 'none' : ''; continue; }
            const text = `${name} ${words(tr)}`.toLowerCase(), fits = wanted.every(w => text.includes(w));
            tr.style.display = fits ? '' : 'none';
            shown += fits;
            if (fits && head) head.style.display = '';
          }
        }
        count.textContent = wanted.length ? `${shown} of ${rows.length}` : '';
      };
      on(box, 'input search', filter);
      on(box, 'keydown', e => { if (e.key === 'Escape') { box.value = ''; filter(); } });
      tools.append(count, box);
      filters.push({ table, box, filter });
    }
    const copy = element('button', { type: 'button', textContent: 'Copy as CSV' });
    on(copy, 'click', async () => {
      copy.textContent = await copied(csv(table), copy) ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => { copy.textContent = 'Copy as CSV'; }, 1500);
    });
    tools.append(copy);
    (table.closest('.fits') ?? table).before(tools);
  }
  on(document, 'keydown', e => {
    if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    const near = filters.find(f => f.table.getBoundingClientRect().bottom > 0) ?? filters[0];
    if (near) { e.preventDefault(); near.box.focus(); near.box.select(); }
  });

  // A row that the address names is shown, whatever hides it.
  const linked = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* Not made by this page. */ }
    const to = id && document.getElementById(id);
    for (const e of all('.linked')) e.classList.remove('linked');
    if (!to) return;
    for (const f of filters) if (f.table.contains(to)) { f.box.value = ''; f.filter(); }
    for (let e = to; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    if (to.tagName === 'TR') { to.classList.add('linked'); to.scrollIntoView({ block: 'center' }); }
  };
  on(window, 'hashchange', linked);
  linked();

  requestAnimationFrame(() => requestAnimationFrame(() => { window.__ready = performance.now(); }));
})();
