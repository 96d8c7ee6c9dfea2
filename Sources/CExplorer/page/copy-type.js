
// Copy as: a Swift type made from the items' own members.

// Words that name no property, and types that a nested one may not be named as.
const swiftWords = new Set(('Any as associatedtype break case catch class continue default defer '
  + 'deinit do else enum extension fallthrough false fileprivate for func guard if import in init '
  + 'inout internal is let nil operator precedencegroup private protocol public repeat rethrows '
  + 'return self Self static struct subscript super switch throw throws true try Type var where '
  + 'while String Int Double Bool Item Protocol Codable Sendable Identifiable CodingKeys CodingKey')
  .split(' '));

const swiftText = (text) => `"${text.replace(/["\\]/g, '\\$&').replace(/[\p{C}\u2028\u2029]/gu,
  (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`)}"`;

function swiftName(text) {
  const name = text.replace(/\W/g, '_').replace(/^(?=\d|$)/, '_');
  return swiftWords.has(name) || /^_+$/.test(name) ? `${name}Value` : name;
}

// The type of values that stand in one place, then the lines that declare it.
function swiftType(values, name, indent) {
  const there = values.filter((value) => value !== null && value !== undefined);
  const kinds = new Set(there.map((value) => Array.isArray(value) ? 'list' : typeof value));
  // Nothing is known of what is always null, and no one type has what differs.
  if (kinds.size !== 1) return [];
  const mark = there.length < values.length ? '?' : '';
  const [kind] = kinds;
  if (kind === 'list') {
    const [inner, ...lines] = swiftType(there.flat(), name, indent);
    return inner ? [`[${inner}]${mark}`, ...lines] : [];
  }
  if (kind === 'object') {
    const type = swiftName(name[0].toUpperCase() + name.slice(1));
    return [type + mark, ...swiftStruct(type, there, indent)];
  }
  const number = there.every(Number.isSafeInteger) ? 'Int' : 'Double';
  return [{ string: 'String', boolean: 'Bool', number }[kind] + mark];
}

// A structure that reads what all of some objects have.
function swiftStruct(type, objects, indent, identity = []) {
  const inner = `${indent}  `;
  const names = new Map();
  const lines = [...new Set(objects.flatMap(Object.keys))].flatMap((member) => {
    let name = swiftName(member);
    while (names.has(name)) name += '_';
    const [own, ...declared] = swiftType(objects.map((object) => object[member]), name, inner);
    if (own) names.set(name, member);
    return own ? [`${inner}var ${name}: ${own}`, ...declared] : [];
  });
  const way = identity.map(swiftName).join('.');
  const isNamed = [...names.values()].includes(identity[0]) && (way === 'id' || !names.has('id'));
  if (isNamed && way !== 'id') {
    const value = identity.reduce((found, member) => found?.[member], objects[0]);
    lines.push(`${inner}var id: ${typeof value === 'number' ? 'Int' : 'String'} { ${way} }`);
  }
  if ([...names].some(([name, member]) => name !== member)) {
    lines.push(`${inner}enum CodingKeys: String, CodingKey {`, ...[...names].map(
      ([name, member]) => `${inner}  case ${name} = ${swiftText(member)}`), `${inner}}`);
  }
  return [`${indent}struct ${type}: Codable, ${isNamed ? 'Identifiable, ' : ''}Sendable {`,
    ...lines, `${indent}}`];
}
