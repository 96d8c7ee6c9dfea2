
// The map: what is known of a feed, from its newest item to the last that can be reached.

// How old a proof is, in the words of freshness, by the source's own rules.
function ageState(time, { recheckSeconds, staleSeconds }) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  // A file is looked at whenever it is asked for.
  if (seconds < recheckSeconds || staleSeconds <= 1) return 'fresh';
  return seconds < staleSeconds ? 'stale' : 'expired';
}

class MapView {
  constructor(root, source, path, params) {
    Object.assign(this, { source, path, chosen: chosenOf(feedAt(source, path), params) });
    this.walked = null;
    this.svg = s('svg', { class: 'strip', role: 'img', test: 'map', 'aria-label': t('loading') });
    this.table = h('tbody');
    this.line = h('p.soft', t('loading'));
    this.walk = button(t('walk'), () => this.walkDown(), {}, 'button.primary');
    const trouble = h('div');
    root.append(h('h1', t('map'), ' ', h('span.soft', `${source}/${readable(path)}`)),
      h('p.soft', t('mapWhat')), this.toolbar(), trouble,
      h('div.card.stack', this.svg, this.line,
        h('div.legend', 'fresh stale expired gap unread calling end'.split(' ').map((name) =>
          h('span', h(`i.sw.${name}`), t(name))))),
      wideCard(t('runsAndGaps'), h('table',
        heads(t('what'), t('ranks'), t('items'), t('oldest'), t('checked'), t('action')),
        this.table)));
    every(900, trouble, () => this.look());
    addEventListener('resize', () => this.draw(), { signal: current.signal });
  }

  url(verb, extra = {}) {
    return `/v1/${this.source}/${this.path}${verb}${queryOf({ ...this.chosen, ...extra })}`;
  }

  toolbar() {
    return h('div.toolbar', this.walk,
      button(t('lookAtTop'), () => this.tried(post(this.url(':refresh')))),
      link(viewOf(this, this.chosen), t('read'), 'a.button'));
  }

  tried(answer) { return answer.catch((error) => say(error.message)); }

  async look() {
    this.status = await json(this.url(':status'));
    this.draw();
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
      flight && t('asking', flight.page, flight.perPage, flight.purpose),
    ].filter(Boolean).join(' · ');
    if (!$(':focus', this.table)) {
      this.table.replaceChildren(...parts.filter(({ kind }) => kind !== 'unread')
        .map((part) => this.tableRow(part)));
    }
  }

  tableRow({ from, to, run, gap }) {
    const ranks = `${count(from)} – ${count(to - 1)}`;
    if (run) {
      return h('tr', h('td', h(`span.tag.${ageState(run.provenAt, this.status.policy)}`, t('run'))),
        cells(ranks, count(run.items), ago(run.provenAt), ago(run.checkedAt),
          link(viewOf(this, { ...this.chosen, at: run.startCursor }),
            t(run.reachesEnd ? 'readToEnd' : 'read'))));
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

  // Reads the feed from its top on, so that one sees what that costs.
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

const knownWords = ({ items, total, runs, gaps }) =>
  [total?.value >= items ? t('known', items, total.value) : t('knownSome', items), t('runs', runs.length), t('gaps', gaps.length)].join(' · ');

const callsLeft = ({ limit, remaining }) => limit < 1e6 && leftWords(remaining, limit);

const leftWords = (remaining, limit) =>
  limit ? t('callsLeft', remaining, limit) : t('callsFree', remaining);

// In place of the map of a merged feed: how far its parts are known.
class PartsView {
  constructor(root, source, path, params) {
    const [table, trouble] = [h('tbody'), h('div')];
    const chosen = chosenOf(feedAt(source, path), params);
    root.append(h('h1', t('map'), ' ', h('span.soft', `${source}/${readable(path)}`)), trouble,
      wideCard(t('part'), h('table', { test: 'parts' }, heads(t('part'), t('feed'), t('checked'),
        t('upTo'), t('downTo'), t('gap')), table)));
    every(2000, trouble, async () => {
      const { parts } = await json(`/v1/${source}/${path}:status${queryOf(chosen)}`);
      table.replaceChildren(...parts.map(
        ({ part, feed, freshness, settledTo, provenTo, endReason, gaps }) => h('tr', cells(part,
          link(`#/map/${feed}`, feed, 'a.mono'),
          freshness && ago(freshness.checkedAt),
          settledTo && ago(settledTo), endReason ? t('end') : provenTo && ago(provenTo),
          count(gaps)))));
    });
  }
}
