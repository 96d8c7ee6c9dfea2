
// ---- The server: what the upstreams still allow, and what was asked of them ----

const callsShown = 100;

class ServerView {
  constructor(root, signal) {
    this.signal = signal;
    this.samples = new Map();
    this.calls = [];
    this.last = new Map();
    this.budgets = h('div', { class: 'stack' });
    this.figures = h('div', { class: 'verdict' });
    this.list = h('tbody');
    this.feeds = h('tbody');
    root.append(h('h1', { text: 'Server' }));
    if (index.explorer !== 'all') {
      root.append(h('p', { class: 'soft', text: 'This server tells its feeds only. To see its '
        + 'calls and budgets here, set server.explorer to all.' }));
      return;
    }
    root.append(h('div', { class: 'card' }, this.figures), this.budgets,
      wideCard('Upstream calls', h('h2', { text: 'Upstream calls' }), h('table', {},
        heads('When', 'Feed', 'Window', 'Why', 'Took', 'Outcome', 'Left'), this.list)),
      wideCard('Stored feeds', h('h2', { text: 'Stored feeds, the last read first' }),
        h('table', {}, heads('Feed', 'Items', 'Runs', 'Gaps', 'Looked at', 'Read', 'MB'),
          this.feeds)));
    every(1000, signal, () => this.look());
    every(5000, signal, () => this.lookAtFeeds());
  }

  async look() {
    const told = await json('/v1:status', { signal: this.signal });
    const figure = (n, label) => h('div', {}, h('b', { text: n }), h('span', { text: label }));
    const megabytes = (bytes) => count(Math.round(bytes / 1048576));
    this.figures.replaceChildren(
      figure(count(told.connections), 'connections'), figure(count(told.listeners), 'listening'),
      figure(megabytes(told.store.bytes), `MB stored of ${megabytes(told.store.bytesMax)}`),
      figure(count(told.store.feeds), `feeds of ${count(told.store.feedsMax)}`),
      figure(ago(told.startedAt), `up, version ${told.version}`));
    for (const [name, source] of Object.entries(told.sources)) {
      if (source.kind === 'file') continue;
      this.tellBudget(name, source);
      await this.lookAtCalls(name);
    }
    this.list.replaceChildren(...this.calls.map((call) => this.callRow(call)));
  }

  /** One source's calls left, over the time that the page was open. */
  tellBudget(name, source) {
    const entry = this.samples.get(name) ?? this.addBudget(name);
    entry.values.push({ at: Date.now(), left: source.budget.remaining });
    entry.values.splice(0, entry.values.length - 300);
    const { limit, remaining, resetAt } = source.budget;
    const reset = resetAt ? `, whole again at ${resetAt.slice(11, 16)} UTC` : '';
    const under = source.flights.map((call) =>
      `${call.feed}${call.page ? ` page ${call.page} × ${call.perPage}` : ''} (${call.purpose})`);
    const trouble = source.failure
      ? ` The last call failed: ${source.failure.outcome}, ${ago(source.failure.at)} ago.` : '';
    entry.words.textContent = `${count(remaining)} of ${count(limit)} calls left${reset}; `
      + `${some(source.feeds, 'feed')} in memory, ${some(source.gaps, 'gap')}. `
      + `${under.length ? `Under way: ${under.join(', ')}.` : 'Nothing is under way.'}${trouble}`;
    drawSpark(entry.svg, entry.values);
  }

  addBudget(name) {
    const entry = { values: [], words: h('p', { class: 'soft small' }),
      svg: s('svg', { class: 'strip low', role: 'img',
        'aria-label': `Upstream calls of ${name} left over time` }) };
    this.budgets.append(h('div', { class: 'card stack' },
      h('h2', { text: `Budget of ${name}` }), entry.words, entry.svg));
    this.samples.set(name, entry);
    return entry;
  }

  async lookAtCalls(name) {
    const since = this.last.get(name) ?? { boot: null, number: 0 };
    const told = await json(`/v1/${name}:calls?since=${since.number}&limit=100`,
      { signal: this.signal });
    // Another start counts from 1 again.
    const isOther = since.boot !== null && since.boot !== told.boot;
    this.last.set(name, { boot: told.boot, number: isOther ? 0 : told.next });
    if (!isOther) this.calls.unshift(...told.calls.reverse());
    this.calls.sort((a, b) => a.sentAt < b.sentAt ? 1 : a.sentAt > b.sentAt ? -1 : 0);
    this.calls.splice(callsShown);
  }

  callRow(call) {
    const first = (call.page - 1) * call.perPage;
    const ranks = `${count(first)}–${count(first + call.perPage - 1)}`;
    return h('tr', {}, h('td', { class: 'num', text: call.sentAt.slice(11, 19) }),
      h('td', { class: 'mono', text: call.feed }),
      h('td', { class: 'num',
        text: call.page ? `page ${call.page} × ${call.perPage} (${ranks})` : 'one item' }),
      h('td', { text: call.purpose }),
      h('td', { class: 'num', text: `${count(call.milliseconds)} ms` }),
      h('td', { text: call.outcome === 'ok' && call.elements !== null
        ? `${call.elements} items` : call.outcome }),
      h('td', { class: 'num', text: count(call.remaining) }));
  }

  async lookAtFeeds() {
    const rows = [];
    for (const name of Object.keys(index.sources)) {
      const told = await json(`/v1/${name}:feeds?limit=20`, { signal: this.signal });
      rows.push(...told.feeds.map((feed) => {
        const path = feed.feed.slice(name.length + 1);
        return h('tr', {},
          h('td', {}, h('a', { class: 'mono', href: `#/feed/${name}/${path}`, text: feed.feed })),
          [feed.items, feed.runs, feed.gaps].map((n) => h('td', { class: 'num', text: count(n) })),
          [feed.checkedAt, feed.readAt].map((time) =>
            h('td', { class: 'num', text: time ? `${ago(time)} ago` : '–' })),
          h('td', { class: 'num', text: (feed.bytes / 1048576).toFixed(1) }));
      }));
      if (told.hasMore) {
        rows.push(h('tr', {}, h('td', { colspan: 7 }, h('a', { href: told.next, text: 'more' }))));
      }
    }
    this.feeds.replaceChildren(...rows);
  }
}

/** A line of calls left over time. */
function drawSpark(svg, values) {
  const width = Math.max(280, svg.clientWidth);
  const lefts = values.map(({ left }) => left);
  const [low, high] = [Math.min(...lefts), Math.max(...lefts)];
  const span = Math.max(10, high - low);
  const begin = values[0].at;
  const end = Math.max(begin + 60000, Date.now());
  const points = values.map(({ at, left }) =>
    [(at - begin) / (end - begin) * (width - 60), 10 + (high - left) / span * 66]
      .map((n) => n.toFixed(1)));
  const line = points.map(([x, y], place) => `${place ? 'L' : 'M'}${x} ${y}`).join(' ');
  const [x, y] = points.at(-1);
  svg.setAttribute('viewBox', `0 0 ${width} 96`);
  svg.replaceChildren(
    s('path', { class: 'sparkfill', d: `${line} L${x} 88 L0 88 Z` }),
    s('path', { class: 'spark', d: line }),
    s('text', { class: 'big', x: Number(x) + 8, y: Number(y) + 4 }, count(lefts.at(-1))));
}
