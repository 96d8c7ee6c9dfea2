
// ---- The feed view: an endless list whose rows never move under the reader ----

/** How far ahead is loaded, and where the header ends. In pixels. */
const ahead = '900px 0px';
const headerBottom = 120;

class FeedView {
  constructor(root, source, path, params, signal) {
    Object.assign(this, { source, path, params, signal });
    this.base = `/v1/${source}/${path}`;
    this.fields = params.get('fields') ?? presets[source] ?? '';
    this.limit = params.get('limit') || '20';
    /** What the feed holds, by identity, and its rows from the top down. */
    this.items = new Map();
    this.rows = [];
    /** Where it goes on: undefined before the first slice, null where nothing more is. */
    this.next = undefined;
    this.previous = null;
    this.gap = null;
    this.isBusy = false;
    this.hasFailed = false;
    this.serial = 0;
    this.build(root);
    this.live = new LiveFeed(this);
  }

  /** The address of a slice. */
  url(extra = {}) {
    const query = new URLSearchParams({ limit: this.limit });
    if (this.params.get('query')) query.set('query', this.params.get('query'));
    if (this.fields) query.set('fields', this.fields);
    for (const [name, value] of Object.entries(extra)) query.set(name, value);
    return `${this.base}?${query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
  }

  /** The address of a verb of the feed. */
  verb(name, extra = {}) {
    const query = new URLSearchParams(extra);
    if (this.params.get('query')) query.set('query', this.params.get('query'));
    return `${this.base}:${name}${query.size ? `?${query}` : ''}`;
  }

  /** This view's own address with some of its parameters changed. */
  hash(change) {
    const query = new URLSearchParams(this.params);
    query.delete('at');
    for (const [name, value] of Object.entries(change)) {
      if (value) query.set(name, value); else query.delete(name);
    }
    return `#/feed/${this.source}/${this.path}${query.size ? `?${query}` : ''}`;
  }

  build(root) {
    const search = this.params.get('query');
    const name = `${this.source}/${readable(this.path)}${search ? ` – ${search}` : ''}`;
    this.list = h('div', { class: 'feed', role: 'feed', 'data-testid': 'feed', 'aria-label': name,
      'aria-busy': 'true' });
    this.pill = h('button', { class: 'pill', type: 'button', 'data-testid': 'new-pill',
      hidden: true, onclick: () => this.live.show() });
    this.head = h('div', { class: 'loading', hidden: true, text: 'Loading what is above…' });
    this.foot = h('div', { class: 'loading', text: 'Loading…' });
    this.facts = h('dl');
    root.append(h('h1', { lang: 'ja', text: name }), this.toolbar(),
      h('div', { class: 'feedgrid' },
        h('div', {}, h('div', { class: 'pillbox' }, this.pill), this.head, this.list, this.foot),
        this.side()));
    this.list.addEventListener('keydown', (event) => this.onKey(event));
    this.watch = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) entry.target === this.foot ? this.more() : this.back();
      }
    }, { rootMargin: ahead });
    this.watch.observe(this.foot);
    this.signal.addEventListener('abort', () => this.watch.disconnect());
    addEventListener('scroll', () => this.remember(), { passive: true, signal: this.signal });
  }

  toolbar() {
    const fields = h('input', { class: 'mono grow', id: 'fields', value: this.fields, size: '34',
      placeholder: 'all fields', spellcheck: 'false' });
    const limit = h('select', { id: 'limit' }, ['5', '20', '50', '100'].map((n) =>
      h('option', { value: n, text: n, selected: n === this.limit })));
    const jump = h('input', { id: 'jump', type: 'date', 'data-testid': 'jump' });
    jump.addEventListener('change', () => {
      if (jump.value) go(this.hash({ at: `at:${jump.value}T00:00:00Z` }));
    });
    const form = h('form', { class: 'toolbar' },
      h('label', { class: 'grow' }, 'Fields', fields), h('label', {}, 'Limit', limit),
      h('label', {}, 'Jump to', jump), h('button', { type: 'submit', text: 'Apply' }),
      h('button', { type: 'button', text: 'Copy as…',
        onclick: () => openCopyDialog(this.url(), this) }));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      go(this.hash({ fields: fields.value.trim(), limit: limit.value }));
    });
    return form;
  }

  side() {
    const seams = h('input', { type: 'checkbox', checked: true, onchange: (event) =>
      this.list.classList.toggle('noseams', !event.target.checked) });
    return h('div', { class: 'side' }, h('div', { class: 'card stack' },
      h('h2', { text: 'This feed' }), this.facts,
      h('label', { class: 'row small soft' }, seams, 'Show where slices join'),
      h('div', { class: 'row' },
        h('a', { class: 'small', href: `#/map/${this.source}/${this.path}`, text: 'Timeline map' }),
        h('a', { class: 'small', href: this.url(), text: 'JSON' }),
        h('button', { class: 'quiet small', text: 'Refresh', onclick: () => this.refresh() }))));
  }

  /** Loads the first slice, at the place that the address names, and follows what changes. */
  async start() {
    const at = this.params.get('at');
    await this.more(at ? this.url({ startAt: at }) : this.url());
    if (at) scrollTo(0, Math.max(0, this.list.getBoundingClientRect().top + scrollY - 130));
    if (!this.hasFailed) this.live.listen();
  }

  async slice(path) {
    const slice = await json(path, { signal: this.signal });
    this.tell(slice);
    return slice;
  }

  tell(slice) {
    const { state, checkedAt, provenAt } = slice.freshness;
    const rows = [
      ['Shown', h('span', { 'data-testid': 'shown', text: count(this.items.size) })],
      ['Of', count(slice.total?.value)],
      ['State', h('span', { class: `tag ${state}`, text: state })],
      ['Looked at', `${ago(checkedAt)} ago`], ['Proven', `${ago(provenAt)} ago`],
      ['By', slice.proof], ['Change no.', slice.seq],
    ];
    this.facts.replaceChildren(
      ...rows.flatMap(([name, value]) => [h('dt', { text: name }), h('dd', {}, value)]));
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    this.list.setAttribute('aria-busy', isBusy);
  }

  /** An observer tells of changes only: what is still near after a load is looked at anew. */
  lookAgain(element) {
    this.watch.unobserve(element);
    this.watch.observe(element);
  }

  /** Below: one request at a time, and each identity once. */
  async more(path = this.next) {
    if (this.isBusy || this.hasFailed || this.gap || path === null || path === undefined) return;
    this.setBusy(true);
    try {
      const slice = await this.slice(path);
      const isFirst = this.next === undefined;
      if (!isFirst && slice.items.length) this.list.append(this.seam(slice));
      this.append(slice.items.map((item) => this.row(item)).filter(Boolean));
      if (isFirst) this.begin(slice);
      this.next = slice.hasMore ? slice.next : null;
      if (slice.gap) showGap(this, slice.gap);
      this.foot.hidden = !this.next || Boolean(this.gap);
      if (!this.next) showEnd(this, slice.endReason);
      this.tell(slice);
    } catch (error) {
      if (error.name !== 'AbortError') showError(this, error, () => this.more(path));
    }
    this.setBusy(false);
    this.lookAgain(this.foot);
  }

  begin(slice) {
    this.seq = slice.seq;
    this.previous = slice.previous;
    this.topCursor = slice.startCursor;
    this.head.hidden = !this.previous;
    if (this.previous) this.watch.observe(this.head);
  }

  /** Above, after a jump only. */
  async back() {
    if (this.isBusy || !this.previous || this.next === undefined) return;
    this.setBusy(true);
    try {
      const slice = await this.slice(this.previous);
      const rows = slice.items.map((item) => this.row(item)).filter(Boolean);
      this.insert(rows, 0, rows.length ? [this.seam(slice, 'above')] : []);
      this.previous = slice.previous;
      this.topCursor = slice.startCursor;
      this.head.hidden = !this.previous;
      this.tell(slice);
    } catch (error) {
      if (error.name !== 'AbortError') {
        this.head.replaceChildren(h('span', { text: `${error.message} ` }), h('button', {
          text: 'Try again',
          onclick: () => { this.head.textContent = 'Loading what is above…'; this.back(); } }));
        this.setBusy(false);
        return;
      }
    }
    this.setBusy(false);
    if (this.previous) this.lookAgain(this.head); else this.watch.unobserve(this.head);
  }

  append(rows) {
    this.list.append(...rows);
    for (const row of rows) {
      this.rows.push(row);
      row.setAttribute('aria-posinset', this.rows.length);
      row.setAttribute('aria-setsize', -1);
    }
  }

  /** Puts rows before the one at an index; what is read stays where it is. */
  insert(rows, index, after = []) {
    const next = this.rows[index] ?? null;
    const anchor = this.firstVisible();
    const before = anchor?.getBoundingClientRect().top;
    document.documentElement.style.overflowAnchor = 'none';
    for (const element of [...rows, ...after]) {
      if (next) next.before(element); else this.list.append(element);
    }
    this.rows.splice(index, 0, ...rows);
    this.number();
    if (anchor) scrollBy(0, anchor.getBoundingClientRect().top - before);
    document.documentElement.style.overflowAnchor = '';
  }

  /** Numbers all rows; how many there are is told once the end is proven. */
  number() {
    const size = this.next === null ? this.rows.length : -1;
    this.rows.forEach((row, index) => {
      row.setAttribute('aria-posinset', index + 1);
      row.setAttribute('aria-setsize', size);
    });
  }

  /** The first row that is seen below the header; the rows stand in order, so it is halved for. */
  firstVisible() {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle].getBoundingClientRect().bottom > headerBottom) high = middle;
      else low = middle + 1;
    }
    return this.rows[low];
  }

  seam(slice, where = 'more') {
    const { state, provenAt } = slice.freshness;
    const text = `${slice.items.length} ${where} · ${state} · proven ${ago(provenAt)} ago`;
    return h('div', { class: 'seam', 'data-testid': 'seam', 'aria-hidden': 'true' },
      h('span', { text }));
  }

  /** A row of an item; nothing where its identity is shown. */
  row(item) {
    const told = describe(item);
    if (this.items.has(told.id)) return null;
    const name = `title${++this.serial}`;
    const title = told.url
      ? h('a', { href: told.url, target: '_blank', rel: 'noopener noreferrer', text: told.title })
      : told.title;
    const row = h('article', { class: 'rowitem', role: 'article', tabindex: '0',
      'data-testid': 'row', 'data-id': told.id, 'aria-labelledby': name },
      avatar(told.who),
      h('div', { class: 'grow' },
        h('h2', { class: 'title', id: name, lang: 'ja' }, title),
        h('div', { class: 'meta' }, told.facts.map(factElement),
          told.tags.map((tag) => h('span', { class: 'chip', text: tag })))),
      h('button', { class: 'more quiet', type: 'button', text: 'JSON', 'data-testid': 'row-json',
        'aria-label': `JSON of ${told.title}`,
        onclick: (event) => openDrawer(this, told.id, event.currentTarget) }));
    this.items.set(told.id, { item, row });
    return row;
  }

  async refresh() {
    try { await post(this.verb('refresh')); } catch (error) { say(error.message); }
    await this.live.look();
  }

  onKey(event) {
    const row = event.target.closest('[role=article]');
    if (!row) return;
    const index = this.rows.indexOf(row);
    const step = { PageDown: 1, PageUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const to = this.rows[index + step];
      to?.focus({ preventScroll: true });
      to?.scrollIntoView({ block: 'nearest' });
      if (index > this.rows.length - 6) this.more();
    } else if (event.key === 'Enter' && event.target === row) {
      event.preventDefault();
      $('[data-testid=row-json]', row).click();
    } else if (event.key === 'Home' && event.ctrlKey) {
      event.preventDefault();
      this.rows[0].focus({ preventScroll: true });
      scrollTo(0, 0);
    } else if (event.key === 'End' && event.ctrlKey) {
      event.preventDefault();
      $('.side a')?.focus();
    }
  }

  /** The address follows what stands at the top: reload, back and a shared link come to it. */
  remember() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.signal.aborted || this.next === undefined) return;
      const row = scrollY > 200 ? this.firstVisible() : null;
      const query = new URLSearchParams(this.params);
      if (row) query.set('at', `id:${row.dataset.id}`); else query.delete('at');
      const address = `#/feed/${this.source}/${this.path}${query.size ? `?${query}` : ''}`;
      if (address !== location.hash) history.replaceState(null, '', address);
    }, 300);
  }
}
