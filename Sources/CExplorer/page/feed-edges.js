
// Where a feed stops: a gap, its end, an error.

function showEnd(view, reason) {
  view.list.append(
    h('div.endrow', { test: 'end-row', 'data-reason': reason }, t(`end_${reason}`)));
}

// A place that was not looked at yet. It is filled, or passed by.
function showGap(view, gap) {
  view.gap = gap;
  const goOn = () => {
    view.gap = null;
    view.foot.hidden = false;
    return view.more();
  };
  const note = h('p.small.soft');
  const fill = button(t('fill'), async () => {
    fill.disabled = true;
    fill.textContent = t('filling');
    try {
      await post(view.verb('fill', { gap: gap.id }));
    } catch (error) {
      // It may have been filled meanwhile.
      if (error.code !== 'gap_not_found') {
        note.textContent = error.message;
        fill.disabled = false;
        fill.textContent = t('again');
        return;
      }
    }
    const last = view.rows.at(-1);
    element.remove();
    await goOn();
    last?.focus({ preventScroll: true });
  }, { test: 'gap-fill', hidden: gap.sunk }, 'button.primary');
  const skip = button(t('skip'), () => {
    element.replaceChildren(h('p', t('skipped')));
    view.next = gap.skip;
    goOn();
  }, { test: 'gap-skip' });
  const element = h('div.gaprow.stack', { test: 'gap-row', role: 'group', 'aria-label': t('gap') },
    h('p', t(gap.sunk ? 'gapSunk' : 'gapHere', gap.estimatedItems)),
    h('div.row', fill, skip), note);
  view.list.append(element);
  if (!gap.sunk) showCost(view, gap, note);
}

async function showCost(view, gap, note) {
  try {
    const { budget } = await json(view.verb('status'));
    const calls = Math.max(1, Math.ceil(gap.estimatedItems / 97));
    note.textContent = t('cost', calls, budget.remaining);
  } catch { /* It is filled without being reply. */ }
}

function showError(view, error, again) {
  view.hasFailed = true;
  view.foot.hidden = true;
  const isGone = ['cursor_expired', 'item_not_found'].includes(error.code);
  const element = errorBox(error,
    error.retryAfter && h('span', t('againIn', error.retryAfter)),
    isGone ? button(t('toTop'), () => go(view.hash())) : button(t('again'), () => {
      element.remove();
      view.hasFailed = false;
      view.foot.hidden = false;
      again();
    }));
  view.list.append(element);
}
