
// ---- A feed, live: what comes is counted above, and shown when asked for ----

/** How long changes are gathered before the page looks what is new. In milliseconds. */
const gathering = 250;
/** Late items whose place is looked up at once; of more, the next reload shows the rest. */
const lateMost = 10;

class LiveFeed {
  constructor(view) {
    this.view = view;
    /** Identities above the top that are not shown. */
    this.fresh = new Set();
    /** Changes of items that are not shown, by identity, not looked at yet. */
    this.unplaced = new Map();
    this.hasMore = false;
  }

  async listen() {
    const { view } = this;
    const extra = { ...(view.fields ? { fields: view.fields } : {}), since: view.seq };
    for await (const change of events(view.verb('events', extra), view.signal)) this.take(change);
  }

  take(change) {
    if (change.op === 'reset') return this.look();
    const id = change.op === 'upsert' ? identity(change.item) : String(change.id);
    const shown = this.view.items.get(id);
    if (change.op !== 'upsert') {
      this.fresh.delete(id);
      this.unplaced.delete(id);
      if (shown) this.strike(shown.row, change.op);
      return this.tell();
    }
    if (shown) return this.renew(shown, change.item);
    this.unplaced.set(id, change);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), gathering);
  }

  /** A removed row is struck out and stays, until the view is left. */
  strike(row, op) {
    row.setAttribute('data-removed', op);
    const meta = $('.meta', row);
    if (!$('.gone', meta)) {
      meta.append(h('span', { class: 'chip gone',
        text: op === 'delete' ? 'deleted upstream' : 'left this list' }));
    }
  }

  renew(shown, item) {
    // Events tell identities alone where no fields are asked for.
    if (this.view.fields) {
      shown.item = item;
      const told = describe(item);
      const title = $('.title', shown.row);
      const words = title.firstElementChild ?? title;
      if (words.textContent !== told.title) words.textContent = told.title;
    }
    shown.row.removeAttribute('data-removed');
    $('.gone', shown.row)?.remove();
  }

  /** Asks what stands above the top, and for the place of what came further down. */
  async look() {
    const { view } = this;
    if (view.previous || view.next === undefined || view.signal.aborted) return;
    try {
      const slice = await json(this.above('100', { wait: '0' }), { signal: view.signal });
      this.fresh = new Set(slice.items.map(identity).filter((id) => !view.items.has(id)));
      this.hasMore = Boolean(slice.previous);
      const late = [...this.unplaced.values()].filter((change) =>
        !this.fresh.has(identity(change.item)));
      this.unplaced.clear();
      for (const change of late.slice(0, lateMost)) await this.place(change);
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (error.code !== 'cursor_expired') this.unplaced.clear();
    }
    this.tell();
  }

  above(limit, extra = {}) {
    return this.view.url(
      { ...extra, limit, endBefore: this.view.topCursor, limitToLast: 'true' });
  }

  /** Puts a late item below the row that stands right above it, where that is shown. */
  async place(change) {
    const { view } = this;
    if (!change.cursor || view.items.has(identity(change.item))) return;
    const path = view.url(
      { limit: '1', limitToLast: 'true', endBefore: change.cursor, wait: '0', fields: 'id' });
    const { items: [above] } = await json(path, { signal: view.signal });
    const shown = above && view.items.get(identity(above));
    if (!shown) return;
    const own = view.url({ limit: '1', startAt: change.cursor, wait: '0' });
    const { items: [item] } = await json(own, { signal: view.signal });
    if (!item || identity(item) !== identity(change.item)) return;
    const row = view.row(item);
    row?.setAttribute('data-new', '');
    if (row) view.insert([row], view.rows.indexOf(shown.row) + 1);
  }

  tell() {
    const { size } = this.fresh;
    const text = `${count(size)}${this.hasMore ? '+' : ''} new`;
    this.view.pill.hidden = size === 0;
    if (this.view.pill.textContent === text) return;
    this.view.pill.textContent = text;
    clearTimeout(this.said);
    if (size) this.said = setTimeout(() => say(`${size} new items`), 800);
  }

  /** Puts what is new on top, and the reader to the first of it. */
  async show() {
    const { view } = this;
    view.pill.disabled = true;
    try {
      const items = [];
      let slice;
      let path = this.above('100');
      do {
        slice = await view.slice(path);
        items.unshift(...slice.items);
        if (slice.items.length) view.topCursor = slice.startCursor;
        path = slice.previous;
      } while (path && items.length < 500);
      const rows = items.map((item) => view.row(item)).filter(Boolean);
      for (const row of rows) row.setAttribute('data-new', '');
      const seam = view.seam({ ...slice, items: rows }, 'above');
      view.insert(rows, 0, rows.length ? [seam] : []);
      this.fresh.clear();
      this.hasMore = false;
      this.tell();
      view.tell(slice);
      scrollTo({ top: 0, behavior: moves() ? 'smooth' : 'auto' });
      view.rows[0]?.focus({ preventScroll: true });
      say(`${some(rows.length, 'new item')} shown`);
    } catch (error) {
      if (error.code === 'cursor_expired') go(view.hash({})); else say(error.message);
    }
    view.pill.disabled = false;
  }
}
