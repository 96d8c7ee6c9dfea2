
// Why: pages by number beside the same list through Tsugi. In a demo only.

const perPage = 20;

class WhyView {
  constructor(root, params) {
    const pages = select(t('pages'), [10, 20, 30, 50].map((n) => [n, t('pagesOf', n, perPage)]),
      Number(params.get('pages') || 20));
    const read = () => this.run(Number(pages.value));
    this.button = button(t('readAgain'), read, { test: 'race-start' }, 'button.primary');
    this.naive = new Lane('race-naive', t('naive'), t('naiveHow'));
    this.tsugi = new Lane('race-tsugi', t('tsugi'), t('tsugiHow'), ' gold');
    this.cases = h('div.cases');
    root.append(h('h1', t('whyTitle')), h('p.soft', t('whyWhat')),
      h('div.toolbar', pages, this.button),
      h('div.race', this.naive.element, this.tsugi.element), this.cases);
    read();
  }

  async run(pages) {
    this.button.disabled = true;
    this.cases.replaceChildren();
    this.naive.clear();
    this.tsugi.clear();
    try { await this.race(pages); } catch (error) { this.naive.sum.textContent = error.message; }
    this.button.disabled = false;
  }

  async race(pages) {
    const { naive, tsugi } = this;
    let next = `/v1/qiita/items?limit=${perPage}&refresh=true&fields=id,title,created_at`;
    let since = new Date(Date.now() - 1000).toISOString();
    const callsBefore = await this.callCount();
    for (let page = 1; page <= pages; page += 1) {
      if (next) {
        const slice = await json(next);
        if (slice.freshness.provenAt < since) since = slice.freshness.provenAt;
        tsugi.add(slice.items, page);
        next = slice.next;
      }
      const address = `/demo/upstream/api/v2/items?page=${page}&per_page=${perPage}`;
      naive.add(await json(address), page);
      await sleep(moves() ? 70 : 0);
    }
    const moved = await json(`/demo/present?since=${since}`);
    const lost = this.judge(new Set([...moved.came, ...moved.went]));
    naive.sum.textContent = t('naiveSum', pages);
    tsugi.sum.textContent = t('tsugiSum', await this.callCount() - callsBefore);
    naive.tear(lost);
    explainCases(this.cases, naive, tsugi, lost[0]);
  }

  async callCount() {
    let last = 0;
    for (;;) {
      const reply = await json(`/v1/qiita:calls?since=${last}&limit=100`);
      if (!reply.calls.length) return last;
      last = reply.next;
    }
  }

  /**
   * What each never showed: what the other did, inside of what both read, that neither came nor
   * went meanwhile, as the upstream itself says. Gives what the pages by number lack.
   */
  judge(movers) {
    const { naive, tsugi } = this;
    const times = [naive, tsugi].map(({ items }) => items.map((item) => item.created_at));
    const [floor] = times.map((all) => all.toSorted()[0]).sort().reverse();
    const [top] = times.map(([first]) => first).sort();
    const lacking = (from, { pages }) => [...new Map(from.items.map((item) => [item.id, item]))
      .values()].filter(({ id, created_at: at }) =>
      !pages.has(id) && !movers.has(id) && at > floor && at <= top);
    const lost = lacking(tsugi, naive);
    naive.show(lost.length, true);
    tsugi.show(lacking(naive, tsugi).length, true);
    return lost;
  }
}

// One of the two readers: what it was given, in its order.
class Lane {
  constructor(test, title, how, seam = '') {
    this.seam = seam;
    this.verdict = h('div.verdict');
    this.sum = h('p.sum');
    this.lines = h('div.pages');
    this.element = h('section.lane.card', { test, 'aria-label': title },
      h('h2', title), h('p.soft.small', how), this.verdict, this.sum, this.lines);
    this.clear();
  }

  clear() {
    this.items = [];
    this.doubles = [];
    // On which page each identity came first.
    this.pages = new Map();
    this.lines.replaceChildren();
    this.sum.textContent = '';
    this.show();
  }

  add(items, page) {
    const line = items.map((item) => {
      const first = this.pages.get(item.id);
      if (first) this.doubles.push({ item, pages: [first, page] });
      else this.pages.set(item.id, page);
      this.items.push({ ...item, page });
      return h(first ? 'div.cell.double' : 'div.cell', { title: item.title });
    });
    if (page > 1) {
      this.lines.append(h('div', { class: `joint${this.seam}`, 'data-after': page - 1 }));
    }
    this.lines.append(h('div.pageline', h('span', page), h('div.cells', line)));
    this.show();
  }

  show(lost = null, done = false) {
    const figures = { rows: this.items.length, doubles: this.doubles.length, lost };
    Object.assign(this.element.dataset, { ...figures, lost: lost ?? '', done });
    this.verdict.replaceChildren(...Object.entries(figures).map(([name, n]) => {
      const isBad = name !== 'rows' && n > 0;
      const isGood = name !== 'rows' && n === 0 && done;
      return h(isBad ? 'div.badnum' : isGood ? 'div.goodnum' : 'div',
        h('b', n === null ? '…' : count(n)), h('span', t(name)));
    }));
  }

  // Marks between which pages something came twice or was lost.
  tear(lost) {
    const torn = new Map();
    const note = (after, name) => {
      const counts = torn.get(after) ?? { doubles: 0, lost: 0 };
      counts[name] += 1;
      torn.set(after, counts);
    };
    for (const { pages } of this.doubles) note(pages[1] - 1, 'doubles');
    for (const item of lost) {
      note(this.items.findLast((other) => other.created_at > item.created_at)?.page ?? 1, 'lost');
    }
    for (const [after, counts] of torn) {
      const joint = $(`[data-after="${after}"]`, this.lines);
      joint?.classList.add('torn');
      joint?.append(Object.entries(counts).filter(([, n]) => n)
        .map(([name, n]) => `${n} ${t(name)}`).join(', '));
    }
  }
}
