
// What an item looks like: any JSON, as text.

// What is asked of items of a source that is known to be large.
const presets = { qiita: 'id,title,created_at,likes_count,url,user.id,user.name,tags.name' };

// The feed that a path is of, as /v1 has it; nothing where the source has none.
const feedAt = (source, path) => index.sources[source]?.feeds.find(({ pattern }) => {
  const [words, parts] = [pattern.split('/'), path.split('/')];
  return words.length === parts.length
    && words.every((word, place) => word[0] === ':' || word === parts[place]);
});

// The feed's parameters that an address of the page gives.
const chosenOf = (feed, params) => Object.fromEntries(feed.parameters
  .map((name) => [name, params.get(name)]).filter(([, value]) => value));

// The address of a feed's view.
const viewOf = ({ source, path }, query, view = 'feed') =>
  `#/${view}/${source}/${path}${queryOf(query)}`;

// The keys of the path of a feed's identity: dotted, or a JSON Pointer.
const identityKeys = ({ identity: path }) => !path ? [] : path[0] !== '/' ? path.split('.')
  : path.slice(1).split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

// A text, number or truth value as text; null for anything else.
const scalar = (value) => ['string', 'number', 'boolean'].includes(typeof value)
  ? String(value) : null;

// Where items of a merged feed are from, by the item.
const origins = new WeakMap();
function withOrigins(slice) {
  slice.origins?.forEach((origin, place) => origins.set(slice.items[place], origin));
  return slice;
}

// An identity is one item in its part alone, and in the parts that share their items.
const fullIdentity = (id, origin) =>
  origin && id !== null ? `${origin.shared ?? origin.part}/${id}` : id;

// The feed of which an item is: of a merged one its part's.
const ownFeed = (item, feed) =>
  feed.parts?.find(({ part }) => part === origins.get(item)?.part) ?? feed;

const identity = (item, feed) => fullIdentity(
  scalar(identityKeys(ownFeed(item, feed)).reduce((value, name) => value?.[name], item)),
  origins.get(item));

const shownElsewhere = new Set(['title', 'name', 'user', 'created_at', 'updated_at', 'likes_count',
  'url', 'tags', 'body', 'rendered_body']);

function describe(item, feed) {
  const id = identity(item, feed);
  const rest = Object.entries(item)
    .filter(([name]) => name !== identityKeys(ownFeed(item, feed))[0]);
  const title = scalar(item.title) || scalar(item.name)
    || rest.find(([, value]) => value && typeof value === 'string')?.[1] || id || t('noTitle');
  const who = scalar(item.user?.name) || scalar(item.user?.id);
  const part = origins.get(item)?.part;
  const facts = part ? [h('span.chip', part)] : [];
  if (who) facts.push(h('span', who));
  const time = scalar(item.created_at);
  if (Number.isFinite(Date.parse(time))) {
    facts.push(h('time', { datetime: time, title: time }, ago(time)));
  }
  if (Number.isFinite(item.likes_count)) {
    const likes = count(item.likes_count);
    facts.push(h('span', { role: 'img', 'aria-label': t('likes', likes) }, `♥ ${likes}`));
  }
  for (const [name, value] of rest) {
    const text = scalar(value);
    if (facts.length < 6 && !shownElsewhere.has(name) && text !== null && text.length <= 60) {
      facts.push(h('span', `${name} ${text}`));
    }
  }
  const tags = (Array.isArray(item.tags) ? item.tags : [])
    .map((tag) => scalar(tag?.name) ?? scalar(tag)).filter(Boolean).slice(0, 5);
  return { id, title, who: who || title, url: safeURL(scalar(item.url)),
    meta: [facts, tags.map((tag) => h('span.chip', tag))] };
}

// Kana are Japanese; of other scripts nothing is known.
const languageOf = (text) => /[ぁ-ヿ]/.test(text) ? 'ja' : null;

// An initial on a colour made of the name: a picture's host would learn who reads what.
function avatar(name) {
  let hue = 7;
  for (const letter of name) hue = (hue * 31 + letter.codePointAt(0)) >>> 0;
  const [initial = '·'] = name.replace(/^[@\s]+/, '').toUpperCase();
  const element = h('div.avatar', { 'aria-hidden': 'true' }, initial);
  element.style.backgroundColor = `hsl(${hue % 360} 38% 36%)`;
  return element;
}
