
// The API: this server's own document, and nobody else's.

// In which order operations stand: slices, what else feeds have, then the rest.
const operationOrder = ['slice', 'item', 'status', 'changes', 'events', 'refresh', 'fill'];

class APIView {
  constructor(root) {
    this.list = h('div.card', t('loading'));
    root.append(h('h1', 'API'),
      h('p.soft', t('apiWhat'), ' ', link('/openapi.json', '/openapi.json')), this.list);
    this.load();
  }

  async load() {
    try {
      this.document = await json('/openapi.json');
    } catch (error) {
      return this.list.replaceChildren(errorBox(error));
    }
    // What every feed can do stands once, with each path where it can.
    const operations = new Map(operationOrder.map((name) => [name, []]));
    for (const [path, methods] of Object.entries(this.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const [name] = operation.tags;
        operations.set(name, [...operations.get(name) ?? [], { path, method, operation }]);
      }
    }
    this.list.replaceChildren(...[...operations.values()].filter((all) => all.length)
      .map((all) => this.entry(all)));
  }

  // What a reference leads to, inside of the document.
  resolved(value) {
    const parts = value.$ref?.split('/').slice(1);
    return parts ? parts.reduce((found, part) => found?.[part], this.document) : value;
  }

  entry(all) {
    const [{ path, method, operation }] = all;
    const more = all.length > 1 ? ` +${all.length - 1}` : '';
    const details = h('details.operation', { test: 'operation' }, h('summary',
      h('b.mono', method.toUpperCase()), ' ', h('span.mono', path),
      h('span.soft.small', more), ' ',
      h('span.soft.small', operation.summary)));
    // Built when it is opened: a source may have dozens.
    details.addEventListener('toggle', () => {
      if (!details.open || details.children.length > 1) return;
      const place = h('div');
      const show = () => place.replaceChildren(this.form(all[paths.selectedIndex]));
      const paths = select(t('path'), all.map((one) => [one.path, one.path]), '', () => show());
      show();
      details.append(h('div.stack', more && paths, place));
    });
    return details;
  }

  form({ path, method, operation }) {
    const inputs = operation.parameters.map((value) => this.resolved(value)).map((parameter) => {
      const { default: standard } = this.resolved(parameter.schema ?? {}) ?? {};
      return { parameter, input: h('input.mono',
        { required: parameter.in === 'path', placeholder: standard }) };
    });
    const result = h('pre', { hidden: true, tabindex: 0, 'aria-label': t('reply') });
    return form('form.stack', () => this.send(path, method, inputs, result),
      inputs.map(({ parameter, input }) => h('label.parameter',
        h('span.mono', parameter.name), input, h('span.soft.small', parameter.description))),
      h('div.row', h('button.primary', t('tryIt')),
        h('span.soft.small', Object.keys(operation.responses).join(', '))),
      result);
  }

  async send(path, method, inputs, result) {
    const query = {};
    const headers = {};
    let target = path;
    for (const { parameter, input: { value } } of inputs) {
      if (!value) continue;
      if (parameter.in === 'path') {
        target = target.replace(`{${parameter.name}}`, encodeURIComponent(value));
      } else (parameter.in === 'query' ? query : headers)[parameter.name] = value;
    }
    result.hidden = false;
    result.textContent = '…';
    if (target.endsWith(':events')) {
      result.textContent = `curl -N '${location.origin}${target}${queryOf(query)}'`;
      return;
    }
    try {
      const reply = await request(target + queryOf(query),
        { method: method.toUpperCase(), headers });
      const text = await reply.text();
      const head = [`${reply.status} ${reply.statusText}`,
        ...[...reply.headers].map(([name, value]) => `${name}: ${value}`)].join('\n');
      const isJSON = reply.headers.get('Content-Type')?.includes('json');
      result.replaceChildren(`${head}\n\n`,
        ...(isJSON && text ? pretty(JSON.parse(text)) : [text.slice(0, 20000)]));
    } catch (error) {
      result.textContent = `${error.status} ${error.code}\n${error.message}`;
    }
  }
}
