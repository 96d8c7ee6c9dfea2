
// Home: what this is, then a card for each source.

function showHome(root) {
  put(root, {}, [h('h1', t('homeTitle')), h('p', t('homeWhy')),
    index.demo && h('p', link('#/why', t('seeWhy'), 'a.button.primary')),
    h('h2.next', t('homeSources')),
    h('div.cards', Object.entries(index.sources).map(([name, { feeds }]) =>
      sourceCard(name, feeds))),
    h('h2.next', t('tryIt')), tryIt()]);
}

function sourceCard(name, feeds) {
  const open = feeds.filter(({ variables }) => !variables.length).map(({ pattern }) => pattern);
  const rest = feeds.filter(({ variables }) => variables.length);
  const words = h('p.small.soft', t(open.length ? 'loading' : 'asksForName'));
  const [picture, trouble] = [h('div'), h('div')];
  if (open.length) {
    every(10000, trouble, async () => {
      const status = await json(`/v1/${name}/${open[0]}:status`);
      words.textContent = !status.items ? t('nothingRead')
        : [knownWords(status), callsLeft(status.budget)].filter(Boolean).join(' · ');
      if (status.runs.length) picture.replaceChildren(miniStrip(status));
    });
  }
  return h('div.card.stack', { test: 'source' }, h('h2', name), picture, words, trouble,
    h('div.row', open.map((path) => link(`#/feed/${name}/${path}`, path, 'a.button')),
      open.length && link(`#/map/${name}/${open[0]}`, t('map'), 'a.small')),
    rest.length && moreFeeds(name, rest));
}

function moreFeeds(source, feeds) {
  const parts = h('span.row');
  const pattern = select(t('feed'), feeds.map((feed) => [feed.pattern, feed.pattern]), '', ask);
  function ask() {
    parts.replaceChildren(...feeds[pattern.selectedIndex].variables.map((name) =>
      h('input', { name, placeholder: name, 'aria-label': name, required: true, size: 12 })));
  }
  ask();
  const title = h('summary.small.soft', t('moreFeeds', feeds.length));
  return h('details', title, form('form.row', () => {
    const path = pattern.value.replace(/:([^/]+)/g, (_, name) =>
      encodeURIComponent($(`[name="${CSS.escape(name)}"]`, parts).value.trim()));
    go(`#/feed/${source}/${path}`);
  }, pattern, parts, h('button', t('open'))));
}

function miniStrip(status) {
  const parts = mapParts(status);
  const scale = 100 / parts.end;
  return s('svg', { viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true',
    width: '100%', height: 10 },
  s('rect', { width: 100, height: 6, class: 'ground' }),
  parts.filter(({ run }) => run).map(({ from, to, run }) => s('rect', {
    class: ageState(run.provenAt, status.policy), x: from * scale,
    width: Math.max(0.4, (to - from) * scale - 0.2), height: 6 })));
}

function tryIt() {
  const feed = `${location.origin}/v1/${mainFeed({})}`;
  return h('div.card.stack', [
    ['aSlice', `curl -s '${feed}?limit=3'`], ['whatChanges', `curl -sN '${feed}:events'`],
    ['wholeFeed', `tsugi walk ${feed} --format table`],
  ].map(([what, text]) => {
    const code = h('pre.grow', { tabindex: 0, 'aria-label': t(what) }, text);
    return h('div', h('span.small.soft', t(what)),
      h('div.row', code, copyButton(code, { 'aria-label': `${t('copy')}: ${t(what)}` })));
  }));
}
