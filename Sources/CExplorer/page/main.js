
// ---- The frame: an address becomes a view ----

/** The sources, and how much the server shows: what /v1 says. Read with the first view. */
let index = null;
let current = null;

/** Goes to an address; shows it anew where it is the present one. */
function go(hash) {
  if (location.hash === hash) render(); else location.hash = hash;
}

const errorBox = (error) => h('div', { class: 'errorrow', role: 'alert',
  'data-testid': 'error-row', 'data-code': error.code, text: error.message });

/** The view, source, path and parameters that the address names. */
function place() {
  const [path, query = ''] = (location.hash.slice(1) || '/').split(/\?(.*)/s);
  const [, view = '', source, ...rest] = path.split('/');
  return { view, source, path: rest.join('/'), params: new URLSearchParams(query) };
}

/** The feed that the links of the frame lead to: the one in view, else the first there is. */
function mainFeed({ source, path }) {
  if (source && path) return `${source}/${path}`;
  const name = 'qiita' in index.sources ? 'qiita' : Object.keys(index.sources)[0];
  const open = index.sources[name]?.feeds.find(({ pattern }) => !pattern.includes(':'));
  return `${name}/${open?.pattern ?? 'items'}`;
}

function showLinks(at) {
  const feed = mainFeed(at);
  const links = [['Home', '#/', ''], ['Feed', `#/feed/${feed}`, 'feed'],
    ['Map', `#/map/${feed}`, 'map'], index.demo ? ['Why', '#/why', 'why'] : null,
    ['Server', '#/server', 'server'], ['API', '#/api', 'api']].filter(Boolean);
  $('#nav').replaceChildren(...links.map(([text, href, view]) =>
    h('a', { href, text, 'aria-current': at.view === view ? 'page' : null })));
}

async function render() {
  current?.abort();
  current = new AbortController();
  const { signal } = current;
  closeDrawer(false);
  const root = $('#main');
  root.replaceChildren();
  const at = place();
  document.title = at.view === 'feed' ? `${at.source}/${readable(at.path)} – Tsugi` : 'Tsugi';
  try {
    index ??= await json('/v1', { signal });
    showLinks(at);
    scrollTo(0, 0);
    await show(at, root, signal);
  } catch (error) {
    if (error.name === 'AbortError') return;
    if (!$('h1', root)) root.append(h('h1', { text: 'Tsugi' }));
    root.append(errorBox(error), h('button', { text: 'Try again', onclick: render }));
  }
}

async function show({ view, source, path, params }, root, signal) {
  if (view === 'feed' && path) await new FeedView(root, source, path, params, signal).start();
  else if (view === 'map' && path) new MapView(root, source, path, params, signal);
  else if (view === 'why' && index.demo) new WhyView(root, params, signal);
  else if (view === 'server') new ServerView(root, signal);
  else if (view === 'api') new APIView(root, signal);
  else await showHome(root, signal);
}

const theme = {
  dark: matchMedia('(prefers-color-scheme: dark)'),
  get chosen() { try { return localStorage.getItem('tsugi.theme'); } catch { return null; } },
  apply() {
    const name = theme.chosen || (theme.dark.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = name;
    $('#theme').textContent = name === 'dark' ? 'Light' : 'Dark';
  },
  turn() {
    const name = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    try { localStorage.setItem('tsugi.theme', name); } catch { /* Not kept. */ }
    theme.apply();
    document.documentElement.dataset.theme = name;
  },
};

async function tellReady() {
  let isReady = false;
  try { isReady = (await fetch('/readyz', { cache: 'no-store' })).ok; } catch { /* It is not. */ }
  $('#ready .dot').className = `dot ${isReady ? 'ok' : 'bad'}`;
  $('#ready .text').textContent = isReady ? 'ready' : 'not ready';
}

$('#theme').addEventListener('click', theme.turn);
theme.dark.addEventListener('change', theme.apply);
theme.apply();
$('.skip').addEventListener('click', (event) => { event.preventDefault(); $('#main').focus(); });
history.scrollRestoration = 'manual';
addEventListener('hashchange', render);
every(5000, new AbortController().signal, tellReady);
render();
