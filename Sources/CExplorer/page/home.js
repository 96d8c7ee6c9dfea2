
// ---- Home: one card for each source ----

async function showHome(root, signal) {
  root.append(h('h1', { text: 'Feeds without a seam' }),
    h('p', { class: 'soft', text: 'What this server serves. All of it is read from its public '
      + 'JSON, and nothing is asked of anywhere else.' }),
    h('div', { class: 'cards' }, Object.entries(index.sources).map(([name, source]) =>
      sourceCard(name, source.feeds.map(({ pattern }) => pattern), signal))),
    h('h2', { class: 'next', text: 'Try it' }), tryIt());
}

function sourceCard(name, patterns, signal) {
  const open = patterns.filter((pattern) => !pattern.includes(':'));
  const rest = patterns.filter((pattern) => pattern.includes(':'));
  const main = open[0];
  const words = h('p', { class: 'small soft', text: main ? '…' : 'Each feed asks for a name.' });
  const picture = h('div');
  if (main) tellKnown(name, main, words, picture, signal);
  return h('div', { class: 'card stack', 'data-testid': 'source' },
    h('h2', { text: name }), picture, words,
    h('div', { class: 'row' },
      open.map((path) => h('a', { class: 'button', href: `#/feed/${name}/${path}`, text: path })),
      main ? h('a', { class: 'small', href: `#/map/${name}/${main}`, text: 'map' }) : null),
    rest.length ? moreFeeds(name, rest) : null);
}

/** Feeds whose path has a part that is asked for. */
function moreFeeds(source, patterns) {
  const pattern = h('select', { 'aria-label': 'Feed' },
    patterns.map((text) => h('option', { value: text, text })));
  const name = h('input', { placeholder: 'name', 'aria-label': 'Name', required: true, size: 12 });
  const form = h('form', { class: 'row' }, pattern, name, h('button', { text: 'Open' }));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const path = pattern.value.replace(/:[^/]+/g, encodeURIComponent(name.value.trim()));
    go(`#/feed/${source}/${path}`);
  });
  return h('details', {},
    h('summary', { class: 'small soft', text: `${some(patterns.length, 'more feed')}` }), form);
}

async function tellKnown(source, path, words, picture, signal) {
  try {
    const told = await json(`/v1/${source}/${path}:status`, { signal });
    if (!told.items) { words.textContent = 'Nothing was read yet.'; return; }
    const { limit, remaining } = told.budget;
    const calls = limit && limit < 1e6
      ? ` · ${count(remaining)} of ${count(limit)} upstream calls left` : '';
    words.textContent = `${count(told.items)} of ${count(told.total?.value)} items known · `
      + `${some(told.runs.length, 'run')}, ${some(told.gaps.length, 'gap')}${calls}`;
    picture.replaceChildren(miniStrip(told));
  } catch (error) {
    if (error.name !== 'AbortError') words.textContent = error.message;
  }
}

/** The map in small. */
function miniStrip(status) {
  const parts = mapParts(status);
  const scale = 100 / parts.end;
  return s('svg', { viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true',
    width: '100%', height: '10' },
    s('rect', { x: 0, y: 0, width: 100, height: 6, rx: 1, class: 'ground' }),
    parts.filter(({ kind }) => kind === 'run').map(({ from, to, run }) => s('rect', {
      class: ageState(run.provenAt, status.policy), x: from * scale, y: 0,
      width: Math.max(0.4, (to - from) * scale - 0.2), height: 6 })));
}

function tryIt() {
  const [name, source] = Object.entries(index.sources)[0] ?? [];
  const names = Object.keys(index.sources);
  const chosen = names.includes('qiita') ? 'qiita' : name;
  const feeds = (index.sources[chosen] ?? source)?.feeds ?? [];
  const path = feeds.find(({ pattern }) => !pattern.includes(':'))?.pattern ?? 'items';
  const feed = `${location.origin}/v1/${chosen}/${path}`;
  const lines = [
    ['a slice', `curl -s '${feed}?limit=3'`], ['what changes', `curl -sN '${feed}:events'`],
    ['the whole feed', `tsugi walk ${feed} --format table`],
  ];
  return h('div', { class: 'stack' }, lines.map(([what, text]) => {
    const code = h('pre', { class: 'grow', tabindex: '0', 'aria-label': what, text });
    return h('div', { class: 'row' }, code, h('button', { text: 'Copy',
      'aria-label': `Copy: ${what}`,
      onclick: async () => { await copyText(code); say('Copied'); } }));
  }));
}
