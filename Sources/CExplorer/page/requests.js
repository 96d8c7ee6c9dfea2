
// Requests: to this origin, with the tab's key.

// What the server says is wrong (RFC 9457), or that it does not answer.
class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail || body.title || `HTTP ${status}`);
    Object.assign(this, { status, code: body.code || 'network', retryAfter });
  }
}

// The key stays in this tab alone: in no address, no cookie, and not in other tabs.
const key = kept('sessionStorage', 'tsugi.key');

// An answer. One that reads waits for a server that is away, and asks again.
async function request(path, options = {}) {
  const own = options.signal ?? current.signal;
  const used = key.value;
  const headers = { Accept: 'application/json', ...options.headers };
  if (used) headers.Authorization = `Bearer ${used}`;
  let reply;
  try {
    reply = await line.watch(fetch(path, {
      cache: 'no-store', credentials: 'omit', redirect: 'error', ...options, headers,
      signal: AbortSignal.any(options.method === 'POST' ? [own] : [own, line.cut.signal]),
    }));
    line.heard();
  } catch (error) {
    return lostIn(path, options, own, error, request);
  }
  // Another request may have been asked for the key meanwhile.
  if (reply.status === 401 && (key.value !== used || await askKey(used))) {
    return request(path, options);
  }
  if (!reply.ok) {
    const body = await reply.json().catch(() => ({}));
    throw new Problem(reply.status, body, Number(reply.headers.get('Retry-After')) || null);
  }
  return reply;
}

async function json(path, options = {}) {
  const own = current.signal;
  const reply = await request(path, options);
  try { return await reply.json(); } catch (error) {
    if (error instanceof SyntaxError) throw new Problem(reply.status, {});
    return lostIn(path, options, own, error, json);
  }
}

// What becomes of a request without an answer: a view that was left waits for ever.
async function lostIn(path, options, own, error, again) {
  // What was cut is asked again where the line is back already.
  if (!own.aborted && error.name !== 'AbortError') {
    line.lost();
    if (options.method === 'POST') throw new Problem(0, { detail: t('away') });
    await line.back(own);
  }
  if (options.signal?.aborted) throw error;
  return own.aborted ? new Promise(() => {}) : again(path, options);
}

const post = (path) => json(path, { method: 'POST' });

// The query of an address, of those that are given: `?limit=20&fields=id,title`.
function queryOf(parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
  const text = query.toString().replaceAll('+', '%20');
  return text && `?${text.replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}

let asking = null;

// Asks for the key, once for all that wait for it. Resolves to whether one was given.
const askKey = (isWrong) => asking ||= new Promise((done) => {
  let isGiven = false;
  const input = h('input.grow',
    { type: 'password', autocomplete: 'off', required: true, 'aria-label': t('key') });
  const dialog = openDialog('key-dialog', t(isWrong ? 'keyWrong' : 'keyAsked'),
    form('form.stack', () => {
      key.value = input.value.trim();
      isGiven = true;
      dialog.close();
    }, h('p.soft.small', t('keyNote')), h('div.row', input, h('button.primary', t('useKey')))));
  dialog.addEventListener('close', () => { asking = null; done(isGiven); });
  input.focus();
});
