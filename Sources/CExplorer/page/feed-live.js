
// A feed, live: what comes is counted above, and shown when asked for.

// How long changes are gathered before the page looks what is new. In milliseconds.
const gathering = 250;
// Late items whose place is looked up; of more, the next reload shows the rest.
const lateMost = 10;

class LiveFeed {
  constructor(view) {
    this.view = view;
    // Identities above the top that are not shown.
    this.fresh = new Set();
    // Changes of items that are not shown, by identity, not looked at yet.
    this.unplaced = new Map();
    this.hasMore = false;
  }

  async listen() {
    const { view } = this;
    const path = view.verb('events', { fields: view.fields, since: view.seq });
    for await (const change of events(path)) this.take(change);
  }

  take({ op, id: own, item, cursor, part, shared }) {
    if (op === 'reset') return this.look();
    const origin = part && { part, shared };
    if (item && origin) origins.set(item, origin);
    const id = own === undefined
      ? identity(item, this.view.feed) : fullIdentity(String(own), origin);
    const shown = this.view.items.get(id);
    if (op !== 'upsert') {
      this.fresh.delete(id);
      this.unplaced.delete(id);
      if (shown) this.strike(shown.row, op);
      return this.count();
    }
    if (shown) return this.renew(shown, item);
    this.unplaced.set(id, cursor);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), gathering);
  }

  // A removed row is struck out and stays, until the view is left.
  strike(row, op) {
    row.setAttribute('data-removed', op);
    if (!$('.gone', row)) $('.meta', row).append(h('span.chip.gone', t(op)));
  }

  renew(shown, item) {
    // Events have identities alone where no fields are asked for.
    if (this.view.fields) {
      shown.item = item;
      const { title } = describe(item, this.view.feed);
      const words = $('.title a', shown.row) ?? $('.title', shown.row);
      if (words.textContent !== title) words.textContent = title;
    }
    shown.row.removeAttribute('data-removed');
    $('.gone', shown.row)?.remove();
  }

  // Asks what stands above the top, and for the place of what came further down.
  async look() {
    const { view } = this;
    if (view.previous || view.next === undefined || view.signal.aborted) return;
    try {
      const slice = await this.ask({ limit: 100, ...this.above() });
      this.fresh = new Set(slice.items.map((item) => identity(item, view.feed))
        .filter((id) => !view.items.has(id)));
      this.hasMore = Boolean(slice.previous);
      const late = [...this.unplaced].filter(([id]) => !this.fresh.has(id));
      this.unplaced.clear();
      for (const [id, cursor] of late.slice(0, lateMost)) await this.place(id, cursor);
    } catch (error) {
      if (error.code !== 'cursor_expired') this.unplaced.clear();
    }
    this.count();
  }

  ask(range) {
    return json(this.view.url({ wait: '0', ...range })).then(withOrigins);
  }

  above(cursor = this.view.topCursor) { return { endBefore: cursor, limitToLast: 'true' }; }

  // Puts a late item below the row that stands right above it, where that is shown.
  async place(id, cursor) {
    const { view } = this;
    if (!cursor || view.items.has(id)) return;
    const { items: [above] } = await this.ask({ limit: 1, ...this.above(cursor) });
    const shown = above && view.items.get(identity(above, view.feed));
    if (!shown) return;
    const { items: [item] } = await this.ask({ limit: 1, startAt: cursor });
    if (!item || identity(item, view.feed) !== id) return;
    const rows = view.made([item]);
    for (const row of rows) row.setAttribute('data-new', '');
    view.insert(rows, view.rows.indexOf(shown.row) + 1);
  }

  count() {
    const { view: { pill }, fresh: { size } } = this;
    const text = t('new', `${count(size)}${this.hasMore ? '+' : ''}`);
    pill.hidden = size === 0;
    if (pill.textContent === text) return;
    pill.textContent = text;
    clearTimeout(this.said);
    if (size) this.said = setTimeout(() => say(text), 800);
  }

  // Puts what is new on top, and the reader to the first of it.
  async show() {
    const { view } = this;
    view.pill.disabled = true;
    try {
      const items = [];
      let slice;
      let path = view.url({ limit: 100, ...this.above() });
      do {
        slice = await view.slice(path);
        items.unshift(...slice.items);
        if (slice.items.length) view.topCursor = slice.startCursor;
        path = slice.previous;
      } while (path && items.length < 500);
      const rows = view.made(items);
      for (const row of rows) row.setAttribute('data-new', '');
      view.insert(rows, 0, rows.length ? [view.seam(rows, slice, 'seamAbove')] : []);
      this.fresh.clear();
      this.hasMore = false;
      this.count();
      view.note(slice);
      scrollTo({ top: 0, behavior: moves() ? 'smooth' : 'auto' });
      view.rows[0]?.focus({ preventScroll: true });
    } catch (error) {
      if (error.code === 'cursor_expired') go(view.hash()); else say(error.message);
    }
    view.pill.disabled = false;
  }
}
