
// ---- The API: this server's own document, and nobody else's ----

class APIView {
  constructor(root, signal) {
    this.signal = signal;
    this.groups = h('div', { class: 'stack' });
    root.append(h('h1', { text: 'API' }),
      h('p', { class: 'soft' }, 'What this server answers, by its own document: ',
        h('a', { href: '/openapi.json', text: '/openapi.json' }), '.'), this.groups);
    this.load();
  }

  async load() {
    try {
      this.document = await json('/openapi.json', { signal: this.signal });
    } catch (error) {
      if (error.name !== 'AbortError') this.groups.append(errorBox(error));
      return;
    }
    const tags = new Map();
    for (const [path, methods] of Object.entries(this.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const tag = operation.tags?.[0] ?? 'other';
        tags.set(tag, [...(tags.get(tag) ?? []), { path, method, operation }]);
      }
    }
    this.groups.replaceChildren(...[...tags].map(([tag, operations]) =>
      h('section', { class: 'card' }, h('h2', { text: tag }),
        operations.map((entry) => this.operation(entry)))));
  }

  /** What a reference leads to, inside of the document. */
  resolved(value) {
    const parts = value.$ref?.split('/').slice(1);
    return parts ? parts.reduce((found, part) => found?.[part], this.document) : value;
  }

  operation({ path, method, operation }) {
    const details = h('details', { class: 'operation' }, h('summary', {},
      h('b', { class: 'mono', text: method.toUpperCase() }), ' ',
      h('span', { class: 'mono', text: path }), ' ',
      h('span', { class: 'soft small', text: operation.summary ?? '' })));
    // Built when it is opened: a source may have dozens.
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1) {
        details.append(this.form(path, method, operation));
      }
    });
    return details;
  }

  form(path, method, operation) {
    const parameters = (operation.parameters ?? []).map((value) => this.resolved(value))
      .filter(Boolean);
    const inputs = parameters.map((parameter) => {
      const { default: standard } = this.resolved(parameter.schema ?? {}) ?? {};
      return { parameter, input: h('input', { class: 'mono', required: parameter.in === 'path',
        placeholder: standard ?? '' }) };
    });
    const result = h('pre', { hidden: true, tabindex: '0', 'aria-label': 'Reply' });
    const form = h('form', { class: 'stack' },
      inputs.map(({ parameter, input }) => h('label', { class: 'parameter' },
        h('span', { class: 'mono', text: parameter.name }), input,
        h('span', { class: 'soft small', text: parameter.description ?? '' }))),
      h('div', { class: 'row' }, h('button', { class: 'primary', text: 'Try it' }),
        h('span', { class: 'soft small',
          text: `Answers: ${Object.keys(operation.responses ?? {}).join(', ')}` })),
      result);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.send(path, method, inputs, result);
    });
    return form;
  }

  async send(path, method, inputs, result) {
    const query = new URLSearchParams();
    const headers = {};
    let target = path;
    for (const { parameter, input } of inputs) {
      if (!input.value) continue;
      if (parameter.in === 'path') {
        target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
      } else if (parameter.in === 'query') query.set(parameter.name, input.value);
      else headers[parameter.name] = input.value;
    }
    result.hidden = false;
    result.textContent = '…';
    if (target.endsWith(':events')) {
      result.textContent = 'It never ends: ask it by curl -N.';
      return;
    }
    try {
      const reply = await request(`${target}${query.size ? `?${query}` : ''}`,
        { method: method.toUpperCase(), headers, signal: this.signal });
      const text = await reply.text();
      const head = [`${reply.status} ${reply.statusText}`,
        ...[...reply.headers].map(([name, value]) => `${name}: ${value}`)].join('\n');
      const isJSON = reply.headers.get('Content-Type')?.includes('json');
      result.replaceChildren(`${head}\n\n`,
        ...(isJSON && text ? pretty(JSON.parse(text)) : [text.slice(0, 20000)]));
    } catch (error) {
      if (error.name !== 'AbortError') {
        result.textContent = `${error.status || ''} ${error.code ?? ''}\n${error.message}`;
      }
    }
  }
}
