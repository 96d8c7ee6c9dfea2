
// The frame: an address becomes a view.

let index = null;
// Ends with the view.
let current = null;
let reader = null;

function go(hash) {
  if (location.hash === hash) render(); else location.hash = hash;
}

function place() {
  const [path, query = ''] = (location.hash.slice(1) || '/').split(/\?(.*)/s);
  const [, view = '', source, ...rest] = path.split('/');
  return { view, source, path: rest.join('/'), params: new URLSearchParams(query) };
}

// The feed that the links of the frame lead to: the one in view, else the first.
function mainFeed({ source, path }) {
  if (feedAt(source, path ?? '')) return `${source}/${path}`;
  const name = 'qiita' in index.sources ? 'qiita' : Object.keys(index.sources)[0];
  const open = index.sources[name]?.feeds.find(({ variables }) => !variables.length);
  return `${name}/${open?.pattern ?? 'items'}`;
}

function showFrame(at) {
  document.documentElement.lang = language();
  const name = theme.value || (darkness.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = name;
  $('#theme').textContent = t(name === 'dark' ? 'light' : 'dark');
  $('#language').textContent = t('otherLanguage');
  $('.skip').textContent = t('skipToContent');
  $('#keys').setAttribute('aria-label', t('keys'));
  line.show();
  if (!index) return;
  const feed = mainFeed(at);
  $('#nav').replaceChildren(...Object.entries({ home: '', feed: `feed/${feed}`, map: `map/${feed}`,
    ...index.demo && { why: 'why' }, server: 'server', api: 'api' }).map(([view, path]) =>
    h('a', { href: `#/${path}`, 'aria-current': at.view === path.split('/')[0] ? 'page' : null },
      t(view))));
}

async function render() {
  current?.abort();
  current = new AbortController();
  closeDrawer(false);
  const root = $('#main');
  const at = place();
  document.title = at.view === 'feed' ? `${at.source}/${readable(at.path)} – Tsugi` : 'Tsugi';
  root.replaceChildren(t('loading'));
  try {
    showFrame(at);
    index ??= await json('/v1');
    showFrame(at);
    root.replaceChildren();
    scrollTo(0, 0);
    show(at, root);
  } catch (error) {
    root.replaceChildren(h('h1', 'Tsugi'), errorBox(error, button(t('again'), render)));
  }
}

function show({ view, source, path, params }, root) {
  reader = null;
  const isFeed = feedAt(source, path);
  if (view === 'feed' && isFeed) {
    reader = new FeedView(root, source, path, params);
    reader.start();
  } else if (view === 'map' && isFeed) {
    new (isFeed.parts ? PartsView : MapView)(root, source, path, params);
  } else if (view === 'why' && index.demo) new WhyView(root, params);
  else if (view === 'server') new ServerView(root);
  else if (view === 'api') new APIView(root);
  else if (!view) showHome(root);
  else {
    root.append(h('p.errorrow', { test: 'unknown', role: 'alert' }, t('unknown'), ' ',
      h('code', readable(location.hash))));
    showHome(root);
  }
}

const theme = kept('localStorage', 'tsugi.theme');
const darkness = matchMedia('(prefers-color-scheme: dark)');

$('#theme').addEventListener('click', () => {
  theme.value = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  showFrame(place());
});
$('#language').addEventListener('click', () => {
  chosenLanguage.value = language() === 'ja' ? 'en' : 'ja';
  render();
});
$('#keys').addEventListener('click', openHelp);
darkness.addEventListener('change', () => showFrame(place()));
$('.skip').addEventListener('click', (event) => { event.preventDefault(); $('#main').focus(); });
history.scrollRestoration = 'manual';
addEventListener('hashchange', render);
line.beat();
render();
