
// Why: one article that came twice, and one that never came.

function explainCases(root, naive, tsugi, lost) {
  const line = (item, isMarked) =>
    item && h(isMarked ? 'p.mark1' : 'p', { lang: languageOf(item.title) }, item.title);
  const card = (title, ...lines) => root.append(h('div.case', h('h3', title), lines));
  const [double] = naive.doubles;
  if (double) {
    const [first, second] = double.pages;
    const of = (page) => naive.items.filter((item) => item.page === page);
    const lines = (items) => items.map((item) => line(item, item.id === double.item.id));
    card(t('caseTwice', second), lines(of(first).slice(-2)), h('p.cut', t('cut', first, second)),
      lines(of(second).slice(0, 2)));
  }
  if (!lost) return;
  const place = tsugi.items.findIndex(({ id }) => id === lost.id);
  const above = naive.items.findIndex(({ id }) => id === tsugi.items[place - 1]?.id);
  const { page } = naive.items[above] ?? {};
  card(t('caseNever'), page && [line(naive.items[above]), h('p.cut', t('cut', page, page + 1)),
    line(naive.items[above + 1])], h('p.mark1', `${t('lost')}: ${lost.title}`));
}
