
// ---- The map: what is known of a feed, from its newest item to the last that can be reached ----

/** How old a proof is, in the words of freshness, by the source's own rules. */
function ageState(time, { recheckSeconds, staleSeconds }) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  // A file is looked at whenever it is asked for.
  if (seconds < recheckSeconds || staleSeconds <= 1) return 'fresh';
  return seconds < staleSeconds ? 'stale' : 'expired';
}

/** How long a call stays marked on the map after it ended. In milliseconds. */
const callFades = 2600;

class MapView {
  constructor(root, source, path, params) {
    Object.assign(this, { source, path, chosen: chosenOf(feedAt(source, path), params) });
    this.walked = null;
    this.calls = [];
    this.lastCall = null;
    this.svg = s('svg', { class: 'strip', role: 'img', test: 'map', 'aria-label': t('loading') });
    this.table = h('tbody');
    this.line = h('p.soft', t('loading'));
    this.walk = button(t('walk'), () => this.walkDown(), {}, 'button.primary');
    const trouble = h('div');
    root.append(h('h1', t('map'), ' ', h('span.soft', `${source}/${readable(path)}`)),
      h('p.soft', t('mapWhat')), this.toolbar(), trouble,
      h('div.card.stack', this.svg, this.line,
        h('div.legend', ['fresh', 'stale', 'expired', 'gap', 'unknown', 'flight', 'end'].map((name) =>
          h('span', h(`i.sw.${name}`), t(`map_${name}`))))),
      wideCard(t('runsAndGaps'), h('table',
        heads(t('what'), t('ranks'), t('items'), t('oldest'), t('checked'), t('action')),
        this.table)));
    every(900, trouble, () => this.look());
    addEventListener('resize', () => this.draw(), { signal: current.signal });
  }

  /** The address of the feed or of a verb. */
  url(verb, extra = {}) {
    return `/v1/${this.source}/${this.path}${verb}${queryOf({ ...this.chosen, ...extra })}`;
  }

  /** The address of the feed's view. */
  hash(extra = {}) {
    return `#/feed/${this.source}/${this.path}${queryOf({ ...this.chosen, ...extra })}`;
  }

  toolbar() {
    const jump = select(t('jumpTo'), [['', t('jumpTo')],
      ...[7, 30, 90, 365].map((days) => [days, t('daysAgo', days)])], '', async () => {
      const time = new Date(Date.now() - jump.value * 864e5).toISOString().slice(0, 19);
      jump.value = '';
      await this.tried(json(this.url('', { limit: 1, startAt: `at:${time}Z` })));
    });
    return h('div.toolbar', this.walk,
      button(t('lookAtTop'), () => this.tried(post(this.url(':refresh')))),
      feedAt(this.source, this.path).order === 'value' && jump, link(this.hash(), t('read'), 'a.button'));
  }

  /** Says why something did not go. */
  tried(answer) { return answer.catch((error) => say(error.message)); }

  async look() {
    this.status = await json(this.url(':status'));
    if (index.explorer === 'all') await this.noteCalls();
    this.calls = this.calls.filter((call) => Date.now() - call.at < callFades);
    this.draw();
  }

  /** The calls that ended since the last look, as windows to mark. */
  async noteCalls() {
    const query = queryOf({ since: this.lastCall, limit: 100 });
    const told = await json(`/v1/${this.source}:calls${query}`);
    if (this.lastCall !== null) {
      this.calls.push(...told.calls.filter(({ page, feed }) => page && feed === this.status.feed)
        .map((call) => ({ ...call, at: Date.now() })));
    }
    this.lastCall = told.next;
  }

  draw() {
    const { status } = this;
    if (!status) return;
    const parts = mapParts(status);
    const { budget, flight } = status;
    const words = knownWords(status);
    this.svg.setAttribute('aria-label', words);
    drawMap(this, parts);
    this.line.textContent = [words, callsLeft(budget),
      flight && t('asking', flight.page, flight.perPage, flight.purpose)].filter(Boolean).join(' · ');
    if (!$(':focus', this.table)) {
      this.table.replaceChildren(...parts.filter(({ kind }) => kind !== 'unknown')
        .map((part) => this.tableRow(part)));
    }
  }

  tableRow({ from, to, run, gap }) {
    const ranks = `${count(from)} – ${count(to - 1)}`;
    if (run) {
      return h('tr', h('td', h(`span.tag.${ageState(run.provenAt, this.status.policy)}`, t('run'))),
        cells(ranks, count(run.items), ago(run.provenAt), ago(run.checkedAt),
          link(this.hash({ at: run.startCursor }), t(run.reachesEnd ? 'readToEnd' : 'read'))));
    }
    const fill = button(t('fill'), async () => {
      fill.disabled = true;
      await this.tried(post(this.url(':fill', { gap: gap.id })));
      fill.blur();
      await this.look();
    }, { 'aria-label': t('gapHere', gap.estimatedItems) });
    return h('tr', h('td.soft', t('gap')),
      cells(ranks, `≈ ${count(gap.estimatedItems)}`, '–', '–', gap.sunk ? '–' : fill));
  }

  /** Reads the feed from its top on, so that one sees what that costs. */
  async walkDown() {
    this.walk.disabled = true;
    this.walked = 0;
    let path = this.url('', { limit: 20 });
    try {
      while (path) {
        const slice = await json(path);
        this.walked += slice.items.length;
        path = slice.next;
        await this.look();
        await sleep(60);
      }
    } catch (error) {
      say(error.message);
    }
    this.walk.disabled = false;
  }
}

/** What is known of a feed. */
const knownWords = ({ items, total, runs, gaps }) =>
  [t('known', items, total?.value), t('runs', runs.length), t('gaps', gaps.length)].join(' · ');

/** What the upstream still allows, where it has a limit. */
const callsLeft = ({ limit, remaining }) => limit < 1e6 && t('callsLeft', remaining, limit);
