
// ---- Why: one article that came twice, and one that never came ----

function caseCard(title, ...lines) {
  return h('div', { class: 'case' }, h('h3', { text: title }), lines);
}

const caseLine = (item, isMarked) =>
  h('p', { class: isMarked ? 'mark1' : '', lang: 'ja', text: item.title });

function explainCases(root, naive, tsugi, lost) {
  const double = naive.doubles[0];
  if (double) {
    const [first, second] = double.pages;
    const of = (page) => naive.items.filter((item) => item.page === page);
    const lines = (items) => items.map((item) => caseLine(item, item.id === double.item.id));
    root.append(caseCard(
      `Twice: an article came in above while page ${second} was asked for`,
      lines(of(first).slice(-2)),
      h('p', { class: 'cut', text: `page ${first} ends, page ${second} begins` }),
      lines(of(second).slice(0, 2))));
  }
  if (!lost) return;
  const place = tsugi.items.findIndex((item) => item.id === lost.id);
  const above = naive.items.findIndex((item) => item.id === tsugi.items[place - 1]?.id);
  const around = above < 0 ? [] : [
    caseLine(naive.items[above]),
    h('p', { class: 'cut',
      text: `page ${naive.items[above].page} ends – nothing says that one is missing` }),
    naive.items[above + 1] ? caseLine(naive.items[above + 1]) : null,
  ];
  root.append(caseCard(
    'Never: an article above was deleted, and this one slipped up into a page already read',
    around, h('p', { class: 'mark1', lang: 'ja', text: `Never shown: ${lost.title}` })));
}
