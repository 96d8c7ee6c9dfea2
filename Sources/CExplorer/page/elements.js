
// Elements.

const $ = (selector, root = document) => root.querySelector(selector);

function put(element, properties, kids) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name === 'test' ? 'data-testid' : name, value === true ? '' : value);
  }
  element.append(...kids.flat(3).filter(Boolean));
  return element;
}

// An element with its classes, its properties where it has any, and what is in it.
function h(tag, properties, ...kids) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  if (properties?.constructor === Object) return put(element, properties, kids);
  return put(element, {}, [properties, ...kids]);
}

const s = (tag, properties, ...kids) =>
  put(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, kids);

const link = (href, text, tag = 'a') => h(tag, { href }, text);
const button = (text, onclick, properties = {}, tag = 'button') =>
  h(tag, { type: 'button', onclick, ...properties }, text);

const form = (tag, act, ...kids) =>
  h(tag, { onsubmit: (event) => { event.preventDefault(); act(); } }, ...kids);

const select = (label, choices, chosen, onchange) => h('select', { 'aria-label': label, onchange },
  choices.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));

const heads = (...texts) =>
  h('thead', h('tr', texts.map((text) => h('th', { scope: 'col' }, text))));

const cells = (...kids) => kids.map((kid) => h('td.num', kid));

// A card that may be wider than the screen.
const wideCard = (label, ...kids) =>
  h('div.card.scrollx', { role: 'region', 'aria-label': label, tabindex: 0 }, kids);

const fold = (summary, ...kids) =>
  h('details.fold', { open: wide.matches }, h('summary.small.soft', summary), kids);

const wide = matchMedia('(min-width: 981px)');
wide.addEventListener('change', () => {
  for (const details of document.querySelectorAll('.fold')) details.open = wide.matches;
});

// A dialog that goes when it is closed; the focus goes back to where it was.
function openDialog(test, title, ...kids) {
  const before = document.activeElement;
  const dialog = h('dialog.stack', { test, 'aria-label': title }, h('h2', title), kids,
    button(t('close'), () => dialog.close(), {}, 'button.quiet.close'));
  dialog.addEventListener('close', () => { dialog.remove(); before?.focus(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

const errorBox = ({ code, message }, ...kids) => h('div.errorrow.row',
  { role: 'alert', test: 'error-row', 'data-code': code }, h('span.grow', message), kids);

const say = (text) => { $('#live').textContent = text; };

// A link's address, where it is one of the web.
function safeURL(text) {
  const url = URL.canParse(text) && new URL(text);
  return /^https?:$/.test(url.protocol) ? url.href : null;
}

function readable(path) {
  try { return decodeURIComponent(path); } catch { return path; }
}

// A text that this browser keeps under a name; in the tab alone where that is its area.
function kept(area, name) {
  let own = '';
  return {
    get value() { try { return window[area].getItem(name) ?? own; } catch { return own; } },
    set value(text) {
      own = text;
      try { window[area].setItem(name, text); } catch { /* For this page alone. */ }
    },
  };
}

const moves = () => !matchMedia('(prefers-reduced-motion: reduce)').matches;

// Waits; a view that is left meanwhile waits for ever.
const sleep = (milliseconds, { signal } = current) => new Promise((done) => {
  setTimeout(() => { if (!signal.aborted) done(); }, milliseconds);
});

// Does something again and again while the page is seen, until the view is left.
async function every(milliseconds, trouble, body) {
  for (;;) {
    try {
      if (!document.hidden) {
        await body();
        trouble.replaceChildren();
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      trouble.replaceChildren(errorBox(error));
    }
    await sleep(milliseconds);
  }
}
