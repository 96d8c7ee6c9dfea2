
// The server: what the upstreams still allow, and what was asked of them.

const callsShown = 100;

class ServerView {
  constructor(root) {
    this.calls = [];
    this.last = new Map();
    const trouble = h('div');
    root.append(h('h1', t('server')), trouble);
    if (index.explorer !== 'all') {
      root.append(h('p.card', t('feedsOnly')));
      return;
    }
    this.figures = h('div.verdict', t('loading'));
    this.cards = h('div.stack');
    this.list = h('tbody');
    this.feeds = h('tbody');
    root.append(h('div.card', this.figures), this.cards,
      wideCard(t('upstreamCalls'), h('h2', t('upstreamCalls')), h('table', heads(t('when'),
        t('feed'), t('window'), t('purpose'), t('took'), t('outcome'), t('left')), this.list)),
      wideCard(t('storedFeeds'), h('h2', t('storedFeeds')), h('table', heads(t('feed'), t('items'),
        t('run'), t('gap'), t('checked'), t('wasRead'), 'MB'), this.feeds)));
    every(1000, trouble, () => this.look());
    every(5000, trouble, () => this.lookAtFeeds());
  }

  async look() {
    const reply = await json('/v1:status');
    const { connections, listeners, store, startedAt, version } = reply;
    const megabytes = (bytes) => count(Math.round(bytes / 1048576));
    this.figures.replaceChildren(...[
      [count(connections), t('connections')], [count(listeners), t('listening')],
      [megabytes(store.bytes), t('megabytesOf', megabytes(store.bytesMax))],
      [count(store.feeds), t('feedsOf', store.feedsMax)], [ago(startedAt), t('started', version)],
    ].map(([figure, label]) => h('div', h('b', figure), h('span', label))));
    const sources = Object.entries(reply.sources).filter(([, { kind }]) => !['file', 'merged'].includes(kind));
    this.cards.replaceChildren(...sources.map(([name, source]) => this.budget(name, source)));
    for (const [name] of sources) await this.lookAtCalls(name);
    this.list.replaceChildren(...this.calls.map((call) => this.callRow(call)));
  }

  budget(name, { budget: { limit, remaining, resetAt }, flights, failure, gaps }) {
    const title = t('budgetOf', name);
    return h('div.card.stack', h('h2', title), h('p.small.soft', [
      leftWords(remaining, limit), resetAt && t('wholeAt', resetAt.slice(11, 16)),
      t('gaps', gaps), ...flights.map(({ feed, page, perPage, purpose }) =>
        `→ ${feed}${page ? ` ${page} × ${perPage}` : ''} (${purpose})`),
      failure && t('failed', failure.outcome, ago(failure.at)),
    ].filter(Boolean).join(' · ')),
    h('meter', { 'aria-label': title, max: limit ?? remaining, value: remaining }));
  }

  async lookAtCalls(name) {
    const { boot, number } = this.last.get(name) ?? { boot: null };
    const query = queryOf({ since: number, limit: 100 });
    const reply = await json(`/v1/${name}:calls${query}`);
    // Another start counts from 1 again.
    const isOther = boot !== null && boot !== reply.boot;
    this.last.set(name, { boot: reply.boot, number: isOther ? 0 : reply.next });
    if (!isOther) this.calls.push(...reply.calls);
    this.calls.sort((a, b) => a.sentAt < b.sentAt ? 1 : -1);
    this.calls.splice(callsShown);
  }

  callRow({ sentAt, feed, page, perPage, purpose, milliseconds, outcome, elements, remaining }) {
    const first = (page - 1) * perPage;
    const asked = page && `${page} × ${perPage} (${count(first)}–${count(first + perPage - 1)})`;
    return h('tr', cells(sentAt.slice(11, 19), h('span.mono', feed), asked || t('oneItem'), purpose,
      `${count(milliseconds)} ms`,
      outcome === 'ok' && elements !== null ? t('itemsOf', elements) : outcome, count(remaining)));
  }

  async lookAtFeeds() {
    const rows = [];
    for (const name of Object.keys(index.sources)) {
      const reply = await json(`/v1/${name}:feeds?limit=20`);
      rows.push(...reply.feeds.map(({ feed, items, runs, gaps, checkedAt, readAt, bytes }) =>
        h('tr', cells(link(`#/feed/${feed}`, feed, 'a.mono'), count(items), count(runs),
          count(gaps), ago(checkedAt), ago(readAt), (bytes / 1048576).toFixed(1)))));
      if (reply.hasMore) rows.push(h('tr', h('td', { colspan: 7 }, t('moreOf', name))));
    }
    this.feeds.replaceChildren(...rows);
  }
}
