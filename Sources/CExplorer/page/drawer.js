
// ---- The drawer: an item's JSON ----

/** JSON in colours, as text and spans. */
function pretty(value, indent = '', name) {
  const label = name === undefined
    ? [] : [h('span', { class: 'jk', text: JSON.stringify(name) }), ': '];
  if (value === null || typeof value !== 'object') {
    const kind = typeof value === 'string' ? 'js' : 'jn';
    return [...label, h('span', { class: kind, text: JSON.stringify(value) })];
  }
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (!entries.length) return [...label, open + close];
  const lines = entries.flatMap(([member, kid], index) => [
    `${indent}  `, ...pretty(kid, `${indent}  `, isList ? undefined : member),
    index < entries.length - 1 ? ',\n' : '\n',
  ]);
  return [...label, open, '\n', ...lines, indent, close];
}

let drawer = null;

/** Opens the JSON of an item: whole where it is served by itself, else as the feed has it. */
async function openDrawer(feed, id, opener) {
  closeDrawer(false);
  const path = `/v1/${feed.source}/items/${encodeURIComponent(id)}`;
  const isServed = feed.source in presets && feed.path.endsWith('items');
  const known = feed.items.get(id)?.item ?? {};
  const body = h('pre', { tabindex: '0', 'aria-label': 'JSON', text: 'Loading…' });
  const close = h('button', { class: 'quiet', text: 'Close', 'aria-label': 'Close JSON',
    onclick: () => closeDrawer(true) });
  const own = h('aside', { class: 'drawer', 'data-testid': 'json-drawer', role: 'dialog',
    'aria-label': `JSON of ${id}` },
    h('div', { class: 'head' },
      h('strong', { class: 'grow mono', text: isServed ? path : id }), close),
    body);
  own.addEventListener('keydown', (event) => { if (event.key === 'Escape') closeDrawer(true); });
  drawer = { element: own, opener };
  document.body.append(own);
  close.focus();
  try {
    body.replaceChildren(...pretty(isServed ? await json(path) : known));
  } catch (error) {
    body.replaceChildren(...pretty(known), `\n\n${error.message}`);
  }
}

function closeDrawer(givesFocusBack) {
  if (!drawer) return;
  drawer.element.remove();
  if (givesFocusBack) drawer.opener?.focus();
  drawer = null;
}
