
// The map's strip: ranks from the left to the right.

// Runs and gaps by rank, and what was never read below them.
function mapParts(status) {
  const parts = [];
  let rank = 0;
  status.runs.forEach((run, index) => {
    const from = Math.max(rank, run.rank);
    rank = from + run.items;
    parts.push({ kind: 'run', from, to: rank, run });
    const gap = status.gaps[index];
    if (!gap) return;
    parts.push({ kind: 'gap', from: rank, to: rank + gap.estimatedItems, gap });
    rank += gap.estimatedItems;
  });
  const end = Math.min(Math.max(status.total?.value ?? 0, rank, 1), status.wall ?? Infinity);
  if (!status.runs.at(-1)?.reachesEnd && rank < end) {
    parts.push({ kind: 'unread', from: rank, to: end });
  }
  parts.end = Math.max(end, rank);
  return parts;
}

const strip = { top: 46, bottom: 92, height: 46 };

function drawMap(view, parts) {
  const { svg, status: { policy, flight, total, wall } } = view;
  const { top, bottom, height } = strip;
  const width = Math.max(300, svg.clientWidth);
  const hasWall = wall !== null && total?.value > wall;
  const right = width - (hasWall ? 70 : 14);
  const x = (rank) => 2 + (right - 2) * Math.min(1, rank / parts.end);
  const box = (name, from, to, more = {}, ...kids) => s('rect', { class: name, x: x(from), y: top,
    width: Math.max(1.5, x(to) - x(from)), height, ...more }, kids);
  const text = (at, y, words, more = {}) => s('text', { x: at, y, ...more }, words);
  const line = (name, at, from, to) => s('line', { class: name, x1: at, x2: at, y1: from, y2: to });
  const nodes = [s('defs', {}, s('pattern', { id: 'hatch', width: 7, height: 7,
    patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
  s('line', { x1: 0, y1: 0, x2: 0, y2: 7, class: 'gap', 'stroke-width': 3 })))];
  const step = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 20000]
    .find((size) => parts.end / size <= width / 90) ?? 50000;
  for (let rank = 0; rank <= parts.end; rank += step) {
    const anchor = rank === 0 ? 'start' : parts.end - rank < step / 3 ? 'end' : 'middle';
    nodes.push(line('tick', x(rank), top - 8, bottom + 10),
      text(x(rank), bottom + 26, count(rank), { 'text-anchor': anchor }));
  }
  for (const { from, to, run, gap } of parts) {
    const label = (words, least, name) => x(to) - x(from) > least
      && text((x(from) + x(to)) / 2, top - 14, words, { 'text-anchor': 'middle', class: name });
    if (gap) {
      const words = t('gapHere', gap.estimatedItems);
      nodes.push(box('gap hit', from, to, { test: 'map-gap', fill: 'url(#hatch)',
        'data-items': gap.estimatedItems, 'stroke-width': 1 }, s('title', {}, words)),
      label(`≈ ${count(gap.estimatedItems)}`, 60));
    } else if (run) {
      let rank = from;
      for (const { items, provenAt } of run.proofs) {
        nodes.push(box(ageState(provenAt, policy), rank, rank += items));
      }
      nodes.push(box('run hit', from, to, { test: 'map-run', 'data-items': run.items },
        s('title', {}, `${count(from)} – ${count(to - 1)}: ${ago(run.provenAt)}`)),
      label(count(run.items), 60, 'big'));
      if (run.reachesEnd) nodes.push(line('lastcall', x(to) + 3, top - 4, bottom + 4));
    } else nodes.push(box('unread', from, to));
  }
  if (flight) {
    const { page, perPage } = flight;
    nodes.push(box('calling', (page - 1) * perPage, page * perPage,
      { y: top - 7, height: height + 14 }));
  }
  if (hasWall) {
    nodes.push(line('wall', right, 12, bottom + 12), text(right + 6, top + 16, t('wall')),
      text(right + 6, top + 32, `/ ${count(total.value)}`));
  }
  if (view.walked !== null) {
    nodes.push(s('path', { class: 'reader',
      d: `M${x(view.walked)} ${bottom + 2} l6 10 h-12 Z` }));
  }
  svg.setAttribute('viewBox', `0 0 ${width} 132`);
  svg.setAttribute('preserveAspectRatio', 'xMinYMin');
  svg.replaceChildren(...nodes.filter(Boolean));
}
