
// ---- What an item looks like: any JSON, told as text ----

/** What is asked of items of a source that is known to be large. */
const presets = { qiita: 'id,title,created_at,likes_count,url,user.id,user.name,tags.name' };

/** A text, number or truth value as text; null for anything else. */
function scalar(value) {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** An item's identity as text. */
const identity = (item) => scalar(item?.id) ?? scalar(item?.user?.id) ?? '';

const toldElsewhere = new Set([
  'id', 'title', 'name', 'user', 'created_at', 'updated_at', 'likes_count', 'url', 'tags', 'body',
  'rendered_body',
]);

/** What is shown of an item: a title, some facts, some tags. */
function describe(item) {
  const id = identity(item);
  const firstText = Object.entries(item)
    .find(([name, value]) => name !== 'id' && typeof value === 'string' && value)?.[1];
  const title = scalar(item.title) || scalar(item.name) || firstText || id || '(no title)';
  const who = scalar(item.user?.name) || scalar(item.user?.id);
  const facts = who ? [{ text: who }] : [];
  const time = scalar(item.created_at);
  if (time && Number.isFinite(Date.parse(time))) facts.push({ text: `${ago(time)} ago`, time });
  if (Number.isFinite(item.likes_count)) {
    facts.push({ text: `♥ ${count(item.likes_count)}`, label: `${item.likes_count} likes` });
  }
  for (const [name, value] of Object.entries(item)) {
    const text = scalar(value);
    if (facts.length >= 6) break;
    if (!toldElsewhere.has(name) && text !== null && text.length <= 60) {
      facts.push({ text: `${name} ${text}` });
    }
  }
  const tags = (Array.isArray(item.tags) ? item.tags : [])
    .map((tag) => scalar(tag?.name) ?? scalar(tag)).filter(Boolean).slice(0, 5);
  return { id, title, who: who || title, facts, tags, url: safeURL(scalar(item.url) ?? '') };
}

function factElement(fact) {
  if (fact.time) return h('time', { datetime: fact.time, title: fact.time, text: fact.text });
  return h('span', { 'aria-label': fact.label, role: fact.label ? 'img' : null, text: fact.text });
}

/**
 * An initial on a colour made of the name. An upstream's own pictures are not loaded: its host
 * would learn who reads what.
 */
function avatar(name) {
  let hue = 7;
  for (const letter of name) hue = (hue * 31 + letter.codePointAt(0)) >>> 0;
  const initial = [...name.replace(/^[@\s]+/, '')][0]?.toUpperCase() || '·';
  const element = h('div', { class: 'avatar', 'aria-hidden': 'true', text: initial });
  element.style.backgroundColor = `hsl(${hue % 360} 38% 36%)`;
  return element;
}
