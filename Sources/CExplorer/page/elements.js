
// ---- Elements and words ----

const $ = (selector, root = document) => root.querySelector(selector);

function put(element, properties, kids) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'text') element.textContent = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const kid of kids.flat(3)) {
    if (kid !== null && kid !== undefined && kid !== false) element.append(kid);
  }
  return element;
}

/** An element of HTML. */
const h = (tag, properties, ...kids) => put(document.createElement(tag), properties, kids);

/** An element of SVG. */
const s = (tag, properties, ...kids) =>
  put(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, kids);

/** A number for people; a dash where there is none. */
const count = (n) => n === null || n === undefined ? '–' : Number(n).toLocaleString('en-US');

/** A number and its noun: 1 run, 2 runs. */
const some = (n, noun) => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;

/** Tells a screen reader. */
const say = (text) => { $('#live').textContent = text; };

const clamp = (n, low, high) => Math.min(high, Math.max(low, n));

/** How long ago a time was: 5 s, 3 min, 2 h, 9 d. */
function ago(time, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

/** A link's address, where it is one of the web. */
function safeURL(text) {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch {
    return null;
  }
}

/** A part of a path as people read it. */
function readable(path) {
  try { return decodeURIComponent(path); } catch { return path; }
}

const moves = () => !matchMedia('(prefers-reduced-motion: reduce)').matches;

function sleep(milliseconds, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
  });
}

/** Does something again and again while the page is seen, until the view is left. */
async function every(milliseconds, signal, body) {
  while (!signal.aborted) {
    if (!document.hidden) {
      try { await body(); } catch (error) {
        if (!(error instanceof Problem) && error.name !== 'AbortError') throw error;
      }
    }
    await sleep(milliseconds, signal);
  }
}

/** A table's head. */
const heads = (...texts) =>
  h('thead', {}, h('tr', {}, texts.map((text) => h('th', { scope: 'col', text }))));

/** A card that may be wider than the screen. */
const wideCard = (label, ...kids) =>
  h('div', { class: 'card scrollx', role: 'region', 'aria-label': label, tabindex: '0' }, kids);
