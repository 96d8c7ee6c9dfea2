
// ---- The server: what the upstreams still allow, and what was asked of them ----

const callsShown = 100;

class ServerView {
  constructor(root) {
    this.budgets = new Map();
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
      wideCard(t('upstreamCalls'), h('h2', t('upstreamCalls')), h('table', heads(t('when'), t('feed'),
        t('window'), t('purpose'), t('took'), t('outcome'), t('left')), this.list)),
      wideCard(t('storedFeeds'), h('h2', t('storedFeeds')), h('table', heads(t('feed'), t('items'),
        t('run'), t('gap'), t('checked'), t('wasRead'), 'MB'), this.feeds)));
    every(1000, trouble, () => this.look());
    every(5000, trouble, () => this.lookAtFeeds());
  }

  async look() {
    const told = await json('/v1:status');
    const { connections, listeners, store, startedAt, version } = told;
    const megabytes = (bytes) => count(Math.round(bytes / 1048576));
    this.figures.replaceChildren(...[
      [count(connections), t('connections')], [count(listeners), t('listening')],
      [megabytes(store.bytes), t('megabytesOf', megabytes(store.bytesMax))],
      [count(store.feeds), t('feedsOf', store.feedsMax)], [ago(startedAt), t('started', version)],
    ].map(([figure, label]) => h('div', h('b', figure), h('span', label))));
    for (const [name, source] of Object.entries(told.sources)) {
      if (source.kind === 'file') continue;
      this.tellBudget(name, source);
      await this.lookAtCalls(name);
    }
    this.list.replaceChildren(...this.calls.map((call) => this.callRow(call)));
  }

  /** One source's calls left, over the time that the page was open. */
  tellBudget(name, { budget, flights, failure, feeds, gaps }) {
    let entry = this.budgets.get(name);
    if (!entry) {
      entry = { values: [], words: h('p.small.soft'),
        svg: s('svg', { class: 'strip low', role: 'img', 'aria-label': t('budgetOf', name) }) };
      this.budgets.set(name, entry);
      this.cards.append(h('div.card.stack', h('h2', t('budgetOf', name)), entry.words, entry.svg));
    }
    entry.values.push({ at: Date.now(), left: budget.remaining });
    entry.values.splice(0, entry.values.length - 300);
    entry.words.textContent = [
      t('callsLeft', budget.remaining, budget.limit),
      budget.resetAt && t('wholeAt', budget.resetAt.slice(11, 16)), t('feedsThere', feeds),
      t('gaps', gaps), ...flights.map(({ feed, page, perPage, purpose }) =>
        `→ ${feed}${page ? ` ${page} × ${perPage}` : ''} (${purpose})`),
      failure && t('failed', failure.outcome, ago(failure.at)),
    ].filter(Boolean).join(' · ');
    drawSpark(entry.svg, entry.values);
  }

  async lookAtCalls(name) {
    const { boot, number } = this.last.get(name) ?? { boot: null };
    const query = queryOf({ since: number, limit: 100 });
    const told = await json(`/v1/${name}:calls${query}`);
    // Another start counts from 1 again.
    const isOther = boot !== null && boot !== told.boot;
    this.last.set(name, { boot: told.boot, number: isOther ? 0 : told.next });
    if (!isOther) this.calls.push(...told.calls);
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
      const told = await json(`/v1/${name}:feeds?limit=20`);
      rows.push(...told.feeds.map(({ feed, items, runs, gaps, checkedAt, readAt, bytes }) =>
        h('tr', cells(link(`#/feed/${feed}`, feed, 'a.mono'), count(items), count(runs), count(gaps),
          ago(checkedAt), ago(readAt), (bytes / 1048576).toFixed(1)))));
      if (told.hasMore) rows.push(h('tr', h('td', { colspan: 7 }, t('moreOf', name))));
    }
    this.feeds.replaceChildren(...rows);
  }
}

/** A line of calls left over time. */
function drawSpark(svg, values) {
  const width = Math.max(280, svg.clientWidth);
  const lefts = values.map(({ left }) => left);
  const [low, high] = [Math.min(...lefts), Math.max(...lefts)];
  const begin = values[0].at;
  const points = values.map(({ at, left }) => [
    (at - begin) / Math.max(60000, Date.now() - begin) * (width - 60),
    10 + (high - left) / Math.max(10, high - low) * 66].map((n) => n.toFixed(1)));
  const [x, y] = points.at(-1);
  svg.setAttribute('viewBox', `0 0 ${width} 96`);
  svg.setAttribute('preserveAspectRatio', 'xMinYMin');
  svg.replaceChildren(
    s('path', { class: 'sparkfill', d: `M${points.join('L')}L${x} 88 0 88Z` }),
    s('path', { class: 'spark', d: `M${points.join('L')}` }),
    s('text', { class: 'big', x: +x + 8, y: +y + 4 }, count(lefts.at(-1))));
}
