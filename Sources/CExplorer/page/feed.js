
// The feed view: an endless list whose rows never move under the reader.

const headerBottom = 120;
const rowSteps = { PageDown: 1, ArrowDown: 1, j: 1, PageUp: -1, ArrowUp: -1, k: -1 };

class FeedView {
  constructor(root, source, path, params) {
    this.feed = feedAt(source, path);
    const { signal } = current;
    Object.assign(this, { source, path, params, signal, chosen: chosenOf(this.feed, params) });
    this.base = `/v1/${source}/${path}`;
    this.fields = params.get('fields') ?? presets[source] ?? '';
    this.limit = params.get('limit') || '20';
    // What the feed holds, by identity, and its rows from the top down.
    this.items = new Map();
    this.rows = [];
    // Where it goes on: undefined before the first slice, null where nothing more is.
    this.next = undefined;
    this.previous = null;
    this.serial = 0;
    this.build(root);
    this.live = new LiveFeed(this);
  }

  url(extra = {}) {
    const { limit, fields } = this;
    return this.base + queryOf({ limit, fields, ...this.chosen, ...extra });
  }

  verb(name, extra = {}) { return `${this.base}:${name}${queryOf({ ...extra, ...this.chosen })}`; }

  // This view's own address with some of its parameters changed.
  hash(change = {}) {
    return viewOf(this, { ...Object.fromEntries(this.params), at: null, ...change });
  }

  build(root) {
    const name =
      [`${this.source}/${readable(this.path)}`, ...Object.values(this.chosen)].join(' – ');
    this.list = h('div.feed', { role: 'feed', test: 'feed', 'aria-label': name, 'aria-busy': 'true',
      onkeydown: (event) => this.onKey(event),
      onfocusin: ({ target }) => {
        this.lastRow = target.closest('[role=article]');
        this.remember();
      } });
    this.pill = button('', () => this.live.show(),
      { test: 'new-pill', hidden: true }, 'button.pill');
    this.head = h('div.loading', { hidden: true }, t('loading'));
    this.foot = h('div.loading', t('loading'));
    this.facts = h('dl');
    put(root, {}, [h('h1', { lang: languageOf(name) }, name), this.toolbar(),
      h('div.feedgrid',
        h('div', h('div.pillbox', this.pill), this.head, this.list, this.foot), this.side())]);
    this.watch = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) target === this.foot ? this.more() : this.back();
      }
    }, { rootMargin: '900px 0px' });
    this.watch.observe(this.foot);
    this.signal.addEventListener('abort', () => this.watch.disconnect());
    addEventListener('scroll', () => this.remember(), { passive: true, signal: this.signal });
  }

  toolbar() {
    const label = (text, input) => h('label', text, input);
    const given = this.feed.parameters.map((name) => h('input', { name, size: 14,
      type: name === 'query' ? 'search' : 'text', value: this.chosen[name] }));
    const fields = h('input.mono.grow',
      { value: this.fields, size: 30, placeholder: t('allFields'), spellcheck: 'false' });
    const limit = select(null, ['5', '20', '50', '100'].map((n) => [n, n]), this.limit);
    const jump = h('input', { type: 'date', test: 'jump', onchange: () => {
      if (jump.value) go(this.hash({ at: `at:${jump.value}T00:00:00Z` }));
    } });
    return form('form.toolbar', () => go(this.hash({
      ...Object.fromEntries(given.map(({ name, value }) => [name, value.trim()])),
      fields: fields.value.trim(), limit: limit.value,
    })),
    given.map((input) => label(input.name === 'query' ? t('search') : input.name, input)),
    fold(t('options'), h('div.row', label(t('fields'), fields), label(t('limit'), limit),
      this.feed.order === 'value' && label(t('jump'), jump))),
    h('button', t('apply')), button(t('copyAs'), () => openCopyDialog(this)));
  }

  side() {
    return h('div.side', { tabindex: -1 }, fold(t('thisFeed'), h('div.card.stack',
      h('h2', t('thisFeed')), this.facts,
      h('div.row.small', link(viewOf(this, this.chosen, 'map'), t('map')),
        link(this.url(), 'JSON'),
        button(t('refresh'), () => this.refresh(), {}, 'button.quiet')))));
  }

  // Loads the first slice, at the place that the address names, and follows what changes.
  async start() {
    const at = this.params.get('at');
    const row = history.state?.row;
    await this.more(this.url({ startAt: at }));
    if (at) scrollTo(0, Math.max(0, this.list.getBoundingClientRect().top + scrollY - 130));
    this.items.get(row)?.row.focus({ preventScroll: true });
    if (!this.hasFailed) this.live.listen();
  }

  async slice(path) {
    const slice = withOrigins(await json(path));
    this.note(slice);
    return slice;
  }

  note({ freshness: { state, checkedAt, provenAt }, total, proof, seq, missing = [] }) {
    const shown = h('span', { test: 'shown' }, count(this.items.size));
    const rows = [
      ['shown', [shown, total && ` / ${count(total.value)}`]],
      ['state', h(`span.tag.${state}`, t(state))], ['checked', ago(checkedAt)],
      ['oldest', ago(provenAt)], ['joined', t(`by_${proof}`)], ['revision', seq],
      ...missing.map(({ part, reason }) => ['missing', `${part} (${reason})`]),
    ];
    this.facts.replaceChildren(
      ...rows.flatMap(([name, value]) => [h('dt', t(name)), h('dd', value)]));
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    this.list.setAttribute('aria-busy', isBusy);
  }

  // An observer sees changes only: what is near after a load is looked at again.
  lookAgain(element) {
    this.watch.unobserve(element);
    this.watch.observe(element);
  }

  // Below: one request at a time, and each identity once.
  async more(path = this.next) {
    if (this.isBusy || this.hasFailed || this.gap || !path) return;
    this.setBusy(true);
    try {
      const slice = await this.slice(path);
      const isFirst = this.next === undefined;
      if (!isFirst && slice.items.length) this.list.append(this.seam(slice.items, slice));
      const rows = this.made(slice.items);
      this.list.append(...rows);
      this.rows.push(...rows);
      this.next = slice.hasMore ? slice.next : null;
      this.number(this.rows.length - rows.length);
      if (isFirst) {
        this.seq = slice.seq;
        this.above(slice);
      }
      if (slice.gap) showGap(this, slice.gap);
      this.foot.hidden = !this.next || Boolean(slice.gap);
      if (!this.next) showEnd(this, slice.endReason);
      this.note(slice);
    } catch (error) {
      showError(this, error, () => this.more(path));
    }
    this.setBusy(false);
    this.lookAgain(this.foot);
  }

  above({ previous, startCursor }) {
    this.previous = previous;
    this.topCursor = startCursor;
    this.head.hidden = !previous;
    if (previous) this.lookAgain(this.head); else this.watch.unobserve(this.head);
  }

  // Above, after a jump only.
  async back() {
    if (this.isBusy || !this.previous || this.next === undefined) return;
    this.setBusy(true);
    try {
      const slice = await this.slice(this.previous);
      const rows = this.made(slice.items);
      this.insert(rows, 0, rows.length ? [this.seam(rows, slice, 'seamAbove')] : []);
      this.above(slice);
      this.note(slice);
    } catch (error) {
      this.head.replaceChildren(`${error.message} `, button(t('again'), () => {
        this.head.textContent = t('loading');
        this.back();
      }));
    }
    this.setBusy(false);
  }

  // Puts rows before the one at a place; what is read stays where it is.
  insert(rows, place, after = []) {
    const next = this.rows[place] ?? null;
    const anchor = this.firstVisible();
    const before = anchor?.getBoundingClientRect().top;
    document.documentElement.style.overflowAnchor = 'none';
    for (const element of [...rows, ...after]) this.list.insertBefore(element, next);
    this.rows.splice(place, 0, ...rows);
    this.number();
    if (anchor) scrollBy(0, anchor.getBoundingClientRect().top - before);
    document.documentElement.style.overflowAnchor = '';
  }

  // Numbers rows; how many there are is known once the end is proven.
  number(from = 0) {
    const isWhole = this.next === null;
    for (let place = isWhole ? 0 : from; place < this.rows.length; place += 1) {
      this.rows[place].setAttribute('aria-posinset', place + 1);
      this.rows[place].setAttribute('aria-setsize', isWhole ? this.rows.length : -1);
    }
  }

  // The first row below the header; the rows stand in order, so it is halved for.
  firstVisible() {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle].getBoundingClientRect().bottom > headerBottom) high = middle;
      else low = middle + 1;
    }
    return this.rows[low];
  }

  seam(items, { freshness }, name = 'seam') {
    return h('div.seam', { test: 'seam', 'aria-hidden': 'true' },
      h('span', t(name, items.length, ago(freshness.provenAt))));
  }

  // Rows of items: none where an identity is shown, and by its number where none is known.
  made(items) {
    return items.map((item) => {
      const shown = describe(item, this.feed);
      if (this.items.has(shown.id)) return null;
      const name = `title${++this.serial}`;
      const id = shown.id ?? name;
      const row = h('article.rowitem', { role: 'article', tabindex: 0, test: 'row', 'data-id': id,
        'aria-labelledby': name }, avatar(shown.who),
      h('div.grow',
        h('h2.title', { id: name, lang: languageOf(shown.title) }, shown.url
          ? h('a', { href: shown.url, target: '_blank', rel: 'noopener noreferrer' }, shown.title)
          : shown.title),
        h('div.meta', shown.meta)),
      button('JSON', ({ currentTarget }) => openDrawer(this, id, currentTarget),
        { test: 'row-json', 'aria-label': `JSON: ${shown.title}` }, 'button.more.quiet'));
      this.items.set(id, { item, row });
      return row;
    }).filter(Boolean);
  }

  async refresh() {
    await post(this.verb('refresh')).catch((error) => say(error.message));
    await this.live.look();
  }

  focus(place) {
    this.rows[place]?.focus({ preventScroll: true });
    this.rows[place]?.scrollIntoView({ block: 'nearest' });
    if (place > this.rows.length - 6) this.more();
  }

  onKey(event) {
    const row = event.target.closest('[role=article]');
    const { key: pressed, ctrlKey } = event;
    const step = !ctrlKey && rowSteps[pressed];
    if (!row) return;
    if (step) this.focus(this.rows.indexOf(row) + step);
    else if (pressed === 'Enter' && event.target === row) openDrawer(this, row.dataset.id, row);
    else if (pressed === 'Home' && ctrlKey) this.focus(0);
    else if (pressed === 'End' && ctrlKey) $('.side').focus();
    else return;
    event.preventDefault();
  }

  // The address follows what stands at the top: reload, back and a shared link come to it.
  remember() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.signal.aborted || this.next === undefined) return;
      const row = (scrollY > 200 || this.previous) && this.firstVisible();
      history.replaceState({ row: this.lastRow?.dataset.id }, '',
        this.hash({ at: row && `id:${row.dataset.id}` }));
    }, 300);
  }
}
