
// ---- The map's strip: ranks from the left to the right ----

/** Runs and gaps by rank, and what was never read below them. */
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
    parts.push({ kind: 'unknown', from: rank, to: end });
  }
  parts.end = Math.max(end, rank);
  return parts;
}

const strip = { top: 46, height: 46, whole: 132 };

/** Draws a view's parts anew. */
function drawMap(view, parts) {
  const { svg, status } = view;
  const width = Math.max(300, svg.clientWidth || 900);
  const total = status.total?.value ?? 0;
  const hasWall = status.wall !== null && total > status.wall;
  const right = width - (hasWall ? 70 : 14);
  const x = (rank) => 2 + (right - 2) * clamp(rank / parts.end, 0, 1);
  const bottom = strip.top + strip.height;
  const nodes = [hatching(), ...ticks(parts.end, width, x)];
  for (const part of parts) nodes.push(...drawPart(part, x, view));
  const windows = view.calls.map((call) =>
    ({ ...call, fade: 1 - (Date.now() - call.at) / callFades }));
  if (status.flight) windows.push({ ...status.flight, fade: 1 });
  for (const { page, perPage, fade } of windows) {
    const from = x((page - 1) * perPage);
    nodes.push(s('rect', { class: 'flight', opacity: Math.max(0, fade).toFixed(2), x: from,
      y: strip.top - 7, width: Math.max(3, x(page * perPage) - from), height: strip.height + 14,
      rx: 3 }));
  }
  const last = parts.at(-1);
  if (last?.run?.reachesEnd) {
    nodes.push(s('line', { class: 'lastcall', x1: x(last.to) + 3, x2: x(last.to) + 3,
      y1: strip.top - 4, y2: bottom + 4 }));
  }
  if (hasWall) {
    nodes.push(s('line', { class: 'wall', x1: right, x2: right, y1: 12, y2: bottom + 12 }),
      s('text', { x: right + 6, y: strip.top + 16 }, 'the wall'),
      s('text', { x: right + 6, y: strip.top + 32 }, `of ${count(total)}`));
  }
  if (view.walked !== null) {
    const at = x(view.walked);
    nodes.push(s('path', { class: 'reader',
      d: `M${at - 6} ${bottom + 12} L${at + 6} ${bottom + 12} L${at} ${bottom + 2} Z` }));
  }
  svg.setAttribute('viewBox', `0 0 ${width} ${strip.whole}`);
  svg.setAttribute('preserveAspectRatio', 'xMinYMin meet');
  svg.replaceChildren(...nodes);
}

const hatching = () => s('defs', {},
  s('pattern', { id: 'hatch', width: 7, height: 7, patternUnits: 'userSpaceOnUse',
    patternTransform: 'rotate(45)' },
    s('line', { x1: 0, y1: 0, x2: 0, y2: 7, class: 'gap', 'stroke-width': 3 })));

function ticks(end, width, x) {
  const steps = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 20000];
  const step = steps.find((size) => end / size <= width / 90) || 50000;
  const bottom = strip.top + strip.height;
  const nodes = [];
  for (let rank = 0; rank <= end; rank += step) {
    const anchor = rank === 0 ? 'start' : end - rank < step / 3 ? 'end' : 'middle';
    nodes.push(
      s('line', { class: 'tick', x1: x(rank), x2: x(rank), y1: strip.top - 8, y2: bottom + 10 }),
      s('text', { x: x(rank), y: bottom + 26, 'text-anchor': anchor }, count(rank)));
  }
  return nodes;
}

/** One part: of a run each proof in the colour of its own age. */
function drawPart({ kind, from, to, run, gap }, x, view) {
  const left = x(from);
  const width = Math.max(1.5, x(to) - left);
  const box = { x: left, y: strip.top, width, height: strip.height };
  const label = (text, least, name) => width > least
    ? [s('text', { x: left + width / 2, y: strip.top - 14, 'text-anchor': 'middle', class: name },
      text)] : [];
  if (kind === 'gap') {
    return [
      s('rect', { ...box, class: 'gap hit', 'data-testid': 'map-gap', fill: 'url(#hatch)',
        'data-items': gap.estimatedItems, 'stroke-width': 1 },
        s('title', {}, `Gap of about ${count(gap.estimatedItems)}`)),
      ...label(`≈ ${count(gap.estimatedItems)} unknown`, 96)];
  }
  if (kind !== 'run') {
    return [s('rect', { ...box, class: 'unknown', rx: 3 })];
  }
  let rank = from;
  const proofs = run.proofs.map((proof) => {
    const begin = x(rank);
    rank += proof.items;
    return s('rect', { class: ageState(proof.provenAt, view.status.policy), x: begin, y: strip.top,
      width: Math.max(0.5, x(rank) - begin), height: strip.height });
  });
  const words = `Run of ${count(run.items)}: ranks ${count(from)} to ${count(to - 1)}, `
    + `oldest proof ${ago(run.provenAt)} ago`;
  return [...proofs,
    s('rect', { ...box, class: 'run hit', 'data-testid': 'map-run', 'data-items': run.items },
      s('title', {}, words)),
    ...label(count(run.items), 60, 'big')];
}
