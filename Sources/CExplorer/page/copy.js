
// Copy as: the program to take along.

function snippets(view) {
  const path = view.url();
  const { href, origin } = new URL(path, location.href);
  const url = href.replaceAll("'", '%27');
  const [curlKey, swiftKey, scriptKey] = !key.value ? ['', '', ''] : [
    " -H 'Authorization: Bearer <key>'", ', apiKey: "<key>"',
    ", { headers: { Authorization: 'Bearer <key>' } }"];
  const { query, ...parameters } = view.chosen;
  const members = Object.entries(parameters).map((pair) => pair.map(swiftText).join(': '));
  const asked = [
    query && `query: ${swiftText(query)}`,
    members.length && `parameters: [${members.join(', ')}]`,
    view.fields && `fields: [${view.fields.split(',').map(swiftText).join(', ')}]`,
  ].filter(Boolean).map((text) => `, ${text}`).join('');
  // A slash inside of a part stays in it where the part is interpolated.
  const parts = [view.source, ...view.path.split('/')].map((part) => swiftText(readable(part)))
    .map((part) => part.includes('/') ? `\\(${part})` : part.slice(1, -1));
  const items = [...view.items.values()].map(({ item }) => item);
  return {
    curl: `curl -s${curlKey} '${url}'

# ${t('wholeFeed')}
url='${url}'
while [ -n "$url" ]; do
  page=$(curl -s${curlKey} "$url")
  printf '%s' "$page" | jq -c '.items[]'
  next=$(printf '%s' "$page" | jq -r '.next // empty')
  url=\${next:+${origin}$next}
done`,
    Swift: `import Foundation
import TsugiClient

${swiftStruct('Item', items, '', identityKeys(view.feed)).join('\n')}

let client = FeedClient(baseURL: URL(string: ${swiftText(origin)})!${swiftKey})
let feed = client.feed(
  "${parts.join('/')}", of: ${view.feed.parts ? 'MergedItem<Item>' : 'Item'}.self, limit: ${Number(view.limit) || 20}${asked})
for try await item in feed.items { print(item) }`,
    JavaScript: `let next = ${JSON.stringify(path)};
while (next) {
  const reply = await fetch(new URL(next, ${JSON.stringify(origin)})${scriptKey});
  const slice = await reply.json();
  for (const item of slice.items) console.log(item);
  next = slice.next;
}`,
  };
}

// A button that copies an element's text; by a selection where there is no clipboard.
const copyButton = (element, properties) => button(t('copy'), async ({ target }) => {
  try {
    await navigator.clipboard.writeText(element.textContent);
  } catch {
    getSelection().selectAllChildren(element);
    document.execCommand('copy');
  }
  target.textContent = t('copied');
  say(t('copied'));
}, properties);

function openCopyDialog(view) {
  const texts = snippets(view);
  const text = h('pre',
    { test: 'copy-text', tabindex: 0, role: 'tabpanel', 'aria-label': t('code') });
  const show = (name) => {
    text.textContent = texts[name];
    for (const tab of tabs) tab.setAttribute('aria-selected', tab.textContent === name);
  };
  const tabs = Object.keys(texts).map((name) => button(name, () => show(name), { role: 'tab' }));
  openDialog('copy-dialog', t('copyTitle'),
    h('div.tabs', { role: 'tablist', 'aria-label': t('language') }, tabs), text,
    copyButton(text));
  show('curl');
}
