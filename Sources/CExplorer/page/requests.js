
// ---- Requests: to this origin, with the tab's key ----

/** What the server says is wrong (RFC 9457), or that it does not answer. */
class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail || body.title || `HTTP ${status}`);
    Object.assign(this, { status, code: body.code || 'network', retryAfter });
  }
}

/** The key lives in this tab alone: in no address, no cookie, and not in other tabs. */
const key = {
  get value() { try { return sessionStorage.getItem('tsugi.key') || ''; } catch { return ''; } },
  set value(text) { try { sessionStorage.setItem('tsugi.key', text); } catch { /* Not kept. */ } },
};

async function request(path, options = {}) {
  const headers = { Accept: 'application/json', ...options.headers };
  const used = key.value;
  if (used) headers.Authorization = `Bearer ${used}`;
  let reply;
  try {
    reply = await fetch(path, {
      cache: 'no-store', credentials: 'omit', redirect: 'error', ...options, headers,
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, { detail: 'The server does not answer.' });
  }
  if (reply.status === 401 && options.asks !== false) {
    // Another request may have been asked for the key meanwhile.
    if (key.value !== used || await askKey(Boolean(used))) return request(path, options);
  }
  if (!reply.ok) {
    let body = {};
    try { body = await reply.json(); } catch { /* The status says it. */ }
    throw new Problem(reply.status, body, Number(reply.headers.get('Retry-After')) || null);
  }
  return reply;
}

const json = async (path, options) => (await request(path, options)).json();
const post = (path) => json(path, { method: 'POST' });

let asking = null;

/** Asks for the key, once for all that wait for it. Resolves to whether one was given. */
function askKey(isWrong) {
  asking ||= new Promise((done) => {
    const input = h('input', {
      type: 'password', id: 'key', autocomplete: 'off', required: true, class: 'grow',
      'aria-describedby': 'keynote',
    });
    let isGiven = false;
    const title = isWrong
      ? 'That key does not open this server' : 'This server asks for an API key';
    const form = h('form', { method: 'dialog', class: 'stack' },
      h('p', { class: 'soft small', id: 'keynote',
        text: 'It stays in this tab, and goes to this server only.' }),
      h('div', { class: 'row' },
        h('label', { for: 'key', text: 'Key' }), input,
        h('button', { class: 'primary', text: 'Use it' })));
    form.addEventListener('submit', () => { key.value = input.value.trim(); isGiven = true; });
    const dialog = h('dialog', { 'data-testid': 'key-dialog', 'aria-labelledby': 'keytitle' },
      h('h2', { id: 'keytitle', text: title }), form);
    dialog.addEventListener('close', () => { dialog.remove(); asking = null; done(isGiven); });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
