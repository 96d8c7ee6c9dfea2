
// The drawer: an item's JSON.

function pretty(value, indent = '', name) {
  const label = name === undefined ? [] : [h('span.jk', JSON.stringify(name)), ': '];
  if (value === null || typeof value !== 'object') {
    return [...label, h(typeof value === 'string' ? 'span.js' : 'span.jn', JSON.stringify(value))];
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const entries = Object.entries(value);
  if (!entries.length) return [...label, open + close];
  return [...label, `${open}\n`, ...entries.flatMap(([member, kid], place) => [
    `${indent}  `, ...pretty(kid, `${indent}  `, isList ? undefined : member),
    entries[place + 1] ? ',\n' : '\n',
  ]), indent + close];
}

let drawer = null;

// Opens the JSON of an item: whole where it is stored in the feed, else what is shown of it.
async function openDrawer(view, id, opener) {
  closeDrawer(false);
  const known = view.items.get(id)?.item ?? {};
  const path = view.url({ limit: 1, wait: '0', startAt: `id:${id}`, fields: null });
  const body = h('pre', { tabindex: 0, 'aria-label': 'JSON' }, t('loading'));
  const close = button(t('close'), () => closeDrawer(true), {}, 'button.quiet');
  const element = h('aside.drawer', { test: 'json-drawer', role: 'dialog', 'aria-label': id,
    onkeydown: (event) => { if (event.key === 'Escape') closeDrawer(true); } },
  h('div.head', h('strong.grow.mono', id), link(path, 'JSON'), close), body);
  drawer = { element, opener };
  document.body.append(element);
  close.focus();
  let item = null;
  try {
    // What left the feed is followed there by another.
    if (view.fields) [item] = withOrigins(await json(path)).items;
  } catch { /* What is shown is known. */ }
  body.replaceChildren(...pretty(item && identity(item, view.feed) === id ? item : known));
}

function closeDrawer(givesFocusBack) {
  drawer?.element.remove();
  if (givesFocusBack) drawer?.opener.focus();
  drawer = null;
}
