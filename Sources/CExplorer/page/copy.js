
// ---- Copy as: the line of code to take along ----

function snippets(path, feed) {
  const { href, searchParams } = new URL(path, location.href);
  const authorization = key.value ? " -H 'Authorization: Bearer <key>'" : '';
  const quoted = href.replaceAll("'", '%27');
  const limit = searchParams.get('limit') || 20;
  const fields = searchParams.get('fields');
  const fieldsLine = fields ? `,\n  fields: ${JSON.stringify(fields.split(','))}` : '';
  const type = feed.source === 'qiita' ? 'QiitaItem' : 'Item';
  return {
    curl: `curl -s${authorization} '${quoted}'

# the whole feed, each item once
url='${quoted}'
while [ -n "$url" ]; do
  page=$(curl -s${authorization} "$url")
  printf '%s' "$page" | jq -c '.items[]'
  next=$(printf '%s' "$page" | jq -r '.next // empty')
  url=\${next:+${location.origin}$next}
done`,
    Swift: `let client = TsugiClient(baseURL: URL(string: "${location.origin}")!)
let feed = client.feed(
  "${feed.source}/${readable(feed.path)}", of: ${type}.self, limit: ${limit}${fieldsLine})
for try await item in feed.items { print(item) }`,
    JavaScript: `let next = ${JSON.stringify(path)};
while (next) {
  const reply = await fetch(new URL(next, ${JSON.stringify(location.origin)}));
  const slice = await reply.json();
  for (const item of slice.items) console.log(item);
  next = slice.next;
}`,
  };
}

/** Copies an element's text; by a selection where a browser keeps the clipboard from pages. */
async function copyText(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand('copy');
  }
}

function openCopyDialog(path, feed) {
  const texts = snippets(path, feed);
  const text = h('pre', { 'data-testid': 'copy-text', tabindex: '0', id: 'copytext',
    role: 'tabpanel', 'aria-label': 'Code' });
  const show = (name) => {
    text.textContent = texts[name];
    for (const tab of tabs) tab.setAttribute('aria-selected', tab.textContent === name);
  };
  const tabs = Object.keys(texts).map((name) => h('button', { type: 'button', role: 'tab',
    'aria-controls': 'copytext', text: name, onclick: () => show(name) }));
  const copy = h('button', { class: 'primary', type: 'button', text: 'Copy',
    onclick: async () => {
      await copyText(text);
      copy.textContent = 'Copied';
      say('Copied');
      setTimeout(() => { copy.textContent = 'Copy'; }, 1500);
    } });
  const dialog = h('dialog', { 'data-testid': 'copy-dialog', 'aria-label': 'Copy this request' },
    h('div', { class: 'row' },
      h('h2', { class: 'grow', text: 'Copy this request' }),
      h('button', { class: 'quiet', text: 'Close', onclick: () => dialog.close() })),
    h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Language' }, tabs), text,
    h('div', { class: 'toolbar' }, copy));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  show('curl');
  dialog.showModal();
}
