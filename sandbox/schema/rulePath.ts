import type { StructuralSchema } from './structural.ts';

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/**
 * The `fieldPath` of a rule (`.a`, `['a']`) in message format, or why it is invalid: it must consist of schema
 * fields and map keys.
 */
export function pathOf(text: string, schema: StructuralSchema): { path: string } | { fault: string } {
  const part = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;
  let path = '';
  let at = 0;
  let here: StructuralSchema | undefined = schema;
  while (at < text.length) {
    part.lastIndex = at;
    const found = part.exec(text);
    if (found === null) return { fault: `expected [ or . but got: ${text.slice(at)}` };
    at += found[0].length;
    const name: string =
      found[1] ?? (found[2] ?? '').replace(/\\(.)/gs, (_whole, letter: string) => escapes[letter] ?? '');
    const { properties, additionalProperties }: StructuralSchema = here ?? {};
    if (properties !== undefined) {
      here = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (here === undefined) return { fault: 'does not refer to a valid field' };
      path += path === '' ? name : `.${name}`;
    } else if (typeof additionalProperties === 'object') {
      here = additionalProperties;
      path += `[${name}]`;
    } else return { fault: 'does not refer to a valid field' };
  }
  return { path };
}
