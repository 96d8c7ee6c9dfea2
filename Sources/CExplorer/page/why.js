
// ---- Why: pages by number beside the same list through Tsugi. In a demo only. ----

const perPage = 20;

class WhyView {
  constructor(root, params, signal) {
    this.signal = signal;
    const asked = Number(params.get('pages') || 20);
    const pages = h('select', { 'aria-label': 'Pages' }, [10, 20, 30, 50].map((n) =>
      h('option', { value: n, text: `${n} pages of ${perPage}`, selected: n === asked })));
    this.button = h('button', { class: 'primary', 'data-testid': 'race-start',
      text: 'Read it both ways', onclick: () => this.run(Number(pages.value)) });
    this.naive = new Lane('race-naive', 'Pages by number',
      'page=1, page=2, page=3 … straight from the upstream.');
    this.tsugi = new Lane('race-tsugi', 'The same through Tsugi',
      'next, next, next … from the same upstream, at the same time.');
    this.cases = h('div', { class: 'cases' });
    root.append(h('h1', { text: 'Why this exists' }),
      h('p', { class: 'soft', text: 'The built-in upstream moves while it is read: articles come, '
        + 'and some go. Whoever counts pages reads some twice and never sees others. Each cell is '
        + 'one delivered article, in the order of delivery.' }),
      h('div', { class: 'toolbar' }, pages, this.button),
      h('div', { class: 'race' }, this.naive.element, this.tsugi.element), this.cases);
  }

  async run(pages) {
    this.button.disabled = true;
    this.cases.replaceChildren();
    this.naive.clear();
    this.tsugi.clear();
    try { await this.race(pages); } catch (error) {
      if (error.name !== 'AbortError') {
        say(error.message);
        this.naive.sum.textContent = error.message;
      }
    }
    this.button.disabled = false;
  }

  async race(pages) {
    const { naive, tsugi, signal } = this;
    const fields = 'fields=id,title,created_at';
    let next = `/v1/qiita/items?limit=${perPage}&refresh=true&${fields}`;
    let since = new Date(Date.now() - 1000).toISOString();
    const callsBefore = await this.callCount();
    for (let page = 1; page <= pages && !signal.aborted; page += 1) {
      if (next) {
        const slice = await json(next, { signal });
        if (slice.freshness.provenAt < since) since = slice.freshness.provenAt;
        tsugi.add(slice.items, page);
        next = slice.next;
      }
      const address = `/demo/upstream/api/v2/items?page=${page}&per_page=${perPage}`;
      naive.add(await json(address, { signal }), page);
      await sleep(moves() ? 70 : 0, signal);
    }
    if (signal.aborted) return;
    const lost = await this.judge(since);
    naive.sum.textContent = `${some(pages, 'upstream call')}, and as many again for each reader`;
    const calls = await this.callCount() - callsBefore;
    tsugi.sum.textContent = `${some(calls, 'upstream call')}; the next reader costs none`;
    naive.tear(lost.naive);
    explainCases(this.cases, naive, tsugi, lost.naive[0]);
    say(`Pages by number: ${naive.doubles.length} twice, ${lost.naive.length} never. `
      + `Tsugi: ${tsugi.doubles.length} twice, ${lost.tsugi.length} never.`);
  }

  /** Upstream calls that Tsugi has made so far. */
  async callCount() {
    let last = 0;
    for (;;) {
      const told = await json(`/v1/qiita:calls?since=${last}&limit=100`, { signal: this.signal });
      if (!told.calls.length) return last;
      last = told.next;
    }
  }

  /**
   * What each never showed: what the other did, inside of what both read, that neither came nor
   * went meanwhile. The upstream itself tells what did.
   */
  async judge(since) {
    const { naive, tsugi } = this;
    const moved = await json(`/demo/present?since=${since}`, { signal: this.signal });
    const movers = new Set([...moved.came, ...moved.went]);
    const lows = [naive, tsugi].map(({ items }) =>
      items.reduce((least, item) => item.created_at < least ? item.created_at : least, '9'));
    const floor = lows.sort().at(-1);
    const top = [naive.items[0], tsugi.items[0]].map((item) => item.created_at).sort()[0];
    const lacking = (from, { pages }) => [...new Map(from.items.map((item) => [item.id, item]))
      .values()].filter((item) => !pages.has(item.id) && !movers.has(item.id)
        && item.created_at > floor && item.created_at <= top);
    const lost = { naive: lacking(tsugi, naive), tsugi: lacking(naive, tsugi) };
    naive.finish(lost.naive.length);
    tsugi.finish(lost.tsugi.length);
    return lost;
  }
}

/** One of the two readers: what it was given, in its order. */
class Lane {
  constructor(id, title, text) {
    this.verdict = h('div', { class: 'verdict' });
    this.sum = h('p', { class: 'sum' });
    this.lines = h('div', { class: 'pages' });
    this.element = h('section', { class: 'lane card', 'data-testid': id, 'aria-label': title },
      h('h2', { text: title }), h('p', { class: 'soft small', text }), this.verdict, this.sum,
      this.lines);
    this.isTsugi = id === 'race-tsugi';
    this.clear();
  }

  clear() {
    this.items = [];
    this.doubles = [];
    /** On which page each identity came first. */
    this.pages = new Map();
    this.lines.replaceChildren();
    this.sum.textContent = '';
    this.tell(null, false);
  }

  add(items, page) {
    const cells = items.map((item) => {
      const first = this.pages.get(item.id);
      if (first === undefined) this.pages.set(item.id, page);
      else this.doubles.push({ item, pages: [first, page] });
      this.items.push({ ...item, page });
      return this.cell(item, first !== undefined);
    });
    if (page > 1) {
      this.lines.append(h('div', { class: `joint${this.isTsugi ? ' gold' : ''}`,
        'data-after': page - 1 }));
    }
    this.lines.append(h('div', { class: 'pageline' },
      h('span', { text: page }), h('div', { class: 'cells' }, cells)));
    this.tell(null, false);
  }

  /** A cell whose colour is the article's age, so that neighbours look alike. */
  cell(item, isDouble) {
    const element = h('div', { class: `cell${isDouble ? ' double' : ''}`,
      title: `${item.title}${isDouble ? ' (again)' : ''}` });
    this.newest ??= Date.parse(item.created_at);
    const days = Math.max(0, this.newest - Date.parse(item.created_at)) / 864e5;
    element.style.backgroundColor = `hsl(${215 + Math.min(80, days * 12)} 42% 54%)`;
    return element;
  }

  finish(lost) { this.tell(lost, true); }

  tell(lost, isDone) {
    const figures = { rows: this.items.length, doubles: this.doubles.length, lost };
    Object.assign(this.element.dataset, { ...figures, lost: lost ?? '', done: isDone });
    const figure = (n, text) => {
      const isBad = text !== 'delivered' && n > 0;
      const isGood = isDone && text !== 'delivered' && !isBad;
      return h('div', { class: isBad ? 'badnum' : isGood ? 'goodnum' : '' },
        h('b', { text: n === null ? '…' : count(n) }), h('span', { text }));
    };
    this.verdict.replaceChildren(figure(figures.rows, 'delivered'),
      figure(figures.doubles, 'twice'), figure(figures.lost, 'never'));
  }

  /** Marks between which pages something came twice or was lost. */
  tear(lost) {
    const torn = new Map();
    const note = (after, word) => torn.set(after, [...(torn.get(after) ?? []), word]);
    for (const double of this.doubles) note(double.pages[1] - 1, 'twice');
    for (const item of lost) {
      const above = this.items.filter((other) => other.created_at > item.created_at).pop();
      note(above?.page ?? 1, 'lost');
    }
    for (const [after, words] of torn) {
      const joint = $(`[data-after="${after}"]`, this.lines);
      if (!joint) continue;
      joint.classList.add('torn');
      const told = ['twice', 'lost'].map((word) =>
        [words.filter((other) => other === word).length, word]).filter(([n]) => n > 0);
      joint.textContent = told.map(([n, word]) => `${n} ${word}`).join(', ');
    }
  }
}
