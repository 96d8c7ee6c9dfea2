
// ---- Where a feed stops: a gap, its end, an error ----

const endWords = {
  end: 'The end: the server proved that nothing follows.',
  upstreamLimit: 'The upstream shows no more than this.',
  range: 'The end of the asked range.',
};

function showEnd(view, reason) {
  view.number();
  view.list.append(h('div', { class: 'endrow', 'data-testid': 'end-row', 'data-reason': reason,
    text: endWords[reason] || 'The end.' }));
}

/** A place that nobody has looked at yet. It is filled, or passed by. */
function showGap(view, gap) {
  view.gap = gap;
  const estimate = gap.estimatedItems
    ? `About ${count(gap.estimatedItems)} unknown items` : 'Unknown items';
  const words = gap.sunk ? 'lie here, and the upstream shows them no more.' : 'lie here.';
  const note = h('p', { class: 'small soft' });
  const fill = h('button', { class: 'primary', text: 'Fill', 'data-testid': 'gap-fill' });
  const skip = h('button', { text: 'Skip it', 'data-testid': 'gap-skip' });
  const element = h('div', { class: 'gaprow stack', 'data-testid': 'gap-row', role: 'group',
    'aria-label': 'Gap' },
    h('p', { text: `${estimate} ${words}` }), h('div', { class: 'row' }, fill, skip), note);
  fill.hidden = Boolean(gap.sunk);
  fill.addEventListener('click', async () => {
    fill.disabled = true;
    fill.textContent = 'Filling…';
    try {
      const { filled } = await post(view.verb('fill', { gap: gap.id }));
      say(filled ? 'The gap is filled' : 'Part of the gap is filled');
    } catch (error) {
      // Somebody else has filled it.
      if (error.code !== 'gap_not_found') {
        note.textContent = error.message;
        fill.disabled = false;
        fill.textContent = 'Try again';
        return;
      }
    }
    const last = view.rows.at(-1);
    element.remove();
    view.gap = null;
    view.foot.hidden = false;
    await view.more();
    last?.focus({ preventScroll: true });
  });
  skip.addEventListener('click', () => {
    element.replaceChildren(
      h('p', { text: 'Skipped here. Items between these rows are not shown.' }));
    view.gap = null;
    view.next = gap.skip;
    view.foot.hidden = false;
    view.more();
  });
  view.list.append(element);
  tellCost(view, gap, note);
}

/** What filling would cost, and what is left. */
async function tellCost(view, gap, note) {
  if (gap.sunk) return;
  try {
    const { budget } = await json(view.verb('status'), { signal: view.signal });
    const calls = Math.max(1, Math.ceil((gap.estimatedItems || 1) / 97));
    note.textContent =
      `Filling costs about ${some(calls, 'call')} of the ${count(budget.remaining)} that are left.`;
  } catch { /* It is filled without being told. */ }
}

function showError(view, error, again) {
  view.hasFailed = true;
  view.foot.hidden = true;
  const wait = error.retryAfter ? ` Again in ${error.retryAfter} s.` : '';
  const button = error.code === 'cursor_expired' || error.code === 'item_not_found'
    ? h('button', { text: 'Begin at the top', onclick: () => go(view.hash({})) })
    : h('button', { text: 'Try again', onclick: () => {
      element.remove();
      view.hasFailed = false;
      view.foot.hidden = false;
      again();
    } });
  const element = h('div', { class: 'errorrow row', role: 'alert', 'data-testid': 'error-row',
    'data-code': error.code },
    h('span', { class: 'grow', text: `${error.message}${wait}` }), button);
  view.list.append(element);
}
