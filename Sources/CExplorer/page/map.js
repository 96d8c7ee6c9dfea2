
// ---- The map: what is known of a feed, from its newest item to the last that can be reached ----

/** How old a proof is, in the words of freshness, by the source's own rules. */
function ageState(time, policy) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  if (seconds < policy.recheckSeconds) return 'fresh';
  return seconds < policy.staleSeconds ? 'stale' : 'expired';
}

/** How long a call stays marked on the map after it ended. In milliseconds. */
const callFades = 2600;

const legend = [
  ['fresh', 'proven'], ['stale', 'proven a while ago: looked at again'],
  ['expired', 'served only while the upstream fails'], ['gap', 'gap: unknown items'],
  ['unknown', 'below what was read'], ['flight', 'upstream call now'], ['end', 'the end, proven'],
];

class MapView {
  constructor(root, source, path, params, signal) {
    Object.assign(this, { source, path, signal });
    this.base = `/v1/${source}/${path}`;
    this.search = params.get('query') ? `query=${encodeURIComponent(params.get('query'))}` : '';
    this.walked = null;
    this.calls = [];
    this.lastCall = null;
    this.svg = s('svg', { class: 'strip', role: 'img', 'data-testid': 'map',
      'aria-label': 'Nothing is known yet' });
    this.table = h('tbody');
    this.line = h('p', { class: 'soft' });
    this.walk = h('button', { class: 'primary', text: 'Walk from the top',
      onclick: () => this.walkDown() });
    root.append(
      h('h1', {}, 'Timeline map ',
        h('span', { class: 'soft', text: `${source}/${readable(path)}` })),
      h('p', { class: 'soft', text: 'What the server knows of this feed, from its newest item on '
        + 'the left to the last one that the upstream shows.' }),
      this.toolbar(),
      h('div', { class: 'card stack' }, this.svg,
        h('div', { class: 'legend' }, legend.map(([name, text]) =>
          h('span', {}, h('i', { class: `sw ${name}` }), text))), this.line),
      wideCard('Runs and gaps', h('table', {},
        heads('What', 'Ranks', 'Items', 'Oldest proof', 'Last seen', 'Action'), this.table)));
    every(900, signal, () => this.look());
    addEventListener('resize', () => this.draw(), { signal });
  }

  /** The address of the feed or of a verb. */
  url(verb = '', query = '') {
    const all = [query, this.search].filter(Boolean).join('&');
    return `${this.base}${verb}${all ? `?${all}` : ''}`;
  }

  toolbar() {
    const look = h('button', { text: 'Look at the top',
      onclick: () => post(this.url(':refresh')).catch((error) => say(error.message)) });
    const jump = h('select', { 'aria-label': 'Jump' },
      h('option', { text: 'Jump into the unknown…', value: '' }),
      [7, 30, 90, 365].map((days) => h('option', { value: days, text: `${days} days ago` })));
    jump.addEventListener('change', async () => {
      const days = Number(jump.value);
      jump.value = '';
      if (!days) return;
      const time = `${new Date(Date.now() - days * 864e5).toISOString().slice(0, 19)}Z`;
      try { await json(this.url('', `limit=1&startAt=at:${time}`)); } catch (error) {
        say(error.message);
      }
    });
    const search = this.search ? `?${this.search}` : '';
    return h('div', { class: 'toolbar' }, this.walk, look, jump,
      h('a', { class: 'button', href: `#/feed/${this.source}/${this.path}${search}`,
        text: 'Read it' }));
  }

  async look() {
    this.status = await json(this.url(':status'), { signal: this.signal });
    if (index.explorer === 'all') await this.noteCalls();
    this.calls = this.calls.filter((call) => Date.now() - call.at < callFades);
    this.draw();
  }

  /** The calls that ended since the last look, as windows to mark. */
  async noteCalls() {
    const since = this.lastCall === null ? '' : `since=${this.lastCall}&`;
    const told = await json(`/v1/${this.source}:calls?${since}limit=100`, { signal: this.signal });
    if (this.lastCall !== null) {
      const here = told.calls.filter((call) =>
        call.page && call.feed === `${this.source}/${readable(this.path)}`);
      this.calls.push(...here.map((call) => ({ ...call, at: Date.now() })));
    }
    this.lastCall = told.next;
  }

  draw() {
    const { status } = this;
    if (!status) return;
    const parts = mapParts(status);
    const words = `${count(status.items)} of ${count(status.total?.value)} items known, in `
      + `${some(status.runs.length, 'run')}, ${some(status.gaps.length, 'gap')}.`;
    this.svg.setAttribute('aria-label', words);
    drawMap(this, parts);
    const { budget, flight } = status;
    const left = `${count(budget.remaining)}${budget.limit ? ` of ${count(budget.limit)}` : ''}`;
    this.line.textContent = `${words} ${left} upstream calls left.`
      + (flight ? ` Asking page ${flight.page} by ${flight.perPage} (${flight.purpose}).` : '');
    if (!$(':focus', this.table)) {
      this.table.replaceChildren(...parts.map((part) => this.tableRow(part)).filter(Boolean));
    }
  }

  tableRow({ kind, from, to, run, gap }) {
    const ranks = `${count(from)} – ${count(to - 1)}`;
    const cells = (...texts) => texts.map((text) => h('td', { class: 'num' }, text));
    if (kind === 'run') {
      const state = ageState(run.provenAt, this.status.policy);
      const read = h('a', {
        href: `#/feed/${this.source}/${this.path}?at=${encodeURIComponent(run.startCursor)}`,
        text: run.reachesEnd ? 'Read, to the end' : 'Read' });
      return h('tr', {}, h('td', {}, h('span', { class: `tag ${state}`, text: 'run' })),
        cells(ranks, count(run.items), `${ago(run.provenAt)} ago`, `${ago(run.checkedAt)} ago`),
        h('td', {}, read));
    }
    if (kind !== 'gap') return null;
    const fill = h('button', { text: 'Fill',
      'aria-label': `Fill the gap of about ${gap.estimatedItems}`,
      onclick: () => this.fill(gap, fill) });
    return h('tr', {}, h('td', {}, h('span', { class: 'soft', text: 'gap' })),
      cells(ranks, `≈ ${count(gap.estimatedItems)}`, '–', '–'),
      h('td', {}, gap.sunk ? 'shown no more' : fill));
  }

  async fill(gap, button) {
    button.disabled = true;
    try { await post(this.url(':fill', `gap=${encodeURIComponent(gap.id)}`)); } catch (error) {
      say(error.message);
    }
    button.blur();
    await this.look();
  }

  /** Reads the feed from its top on, so that one sees what that costs. */
  async walkDown() {
    this.walk.disabled = true;
    this.walked = 0;
    let path = this.url('', 'limit=20');
    try {
      while (path && !this.signal.aborted) {
        const slice = await json(path, { signal: this.signal });
        this.walked += slice.items.length;
        path = slice.next;
        await this.look();
        await sleep(60, this.signal);
      }
    } catch (error) {
      if (error.name !== 'AbortError') say(error.message);
    }
    this.walk.disabled = false;
  }
}
