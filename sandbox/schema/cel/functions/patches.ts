import type { Form } from '../signature.ts';
import { dynType, stringType, type Type } from '../types.ts';
import { faultText, isDict, isList, isTagged, items, type Value } from '../values.ts';

/** The function that only expressions of mutations can call. */
export const patches: Readonly<Record<string, readonly Form[]>> = {
  'jsonpatch.escapeKey': [
    ['(string) string', (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')],
  ],
};

/** An operation of a JSON patch. */
export const jsonPatchType: Type = {
  kind: 'struct',
  name: 'JSONPatch',
  params: [],
  fields: new Map([
    ['op', stringType],
    ['path', stringType],
    ['from', stringType],
    ['value', dynType],
  ]),
};

const objectNamed = (name: string): Type => ({
  kind: 'struct',
  name,
  params: [],
  // The server does not know the fields of the object either when it compiles an expression.
  fields: { get: () => dynType },
});

/** The object of an apply configuration. */
export const objectType = objectNamed('Object');

/** The types that an expression of a mutation can construct: `JSONPatch`, `Object`, `Object.spec` and so on. */
export function patchTypeOf(name: string): Type | undefined {
  if (name === jsonPatchType.name) return jsonPatchType;
  return name === objectType.name || name.startsWith(`${objectType.name}.`) ? objectNamed(name) : undefined;
}

/** The constructed parts of a value whose type is not named after the fields that lead to them, in the server's words. */
export function misnamedParts(value: Value, path: string): string[] {
  if (isList(value))
    return value.raw === undefined ? items(value).flatMap((item) => misnamedParts(item, path)) : [];
  if (!isTagged(value) || !isDict(value) || value.raw !== undefined) return [];
  const { message } = value;
  const own =
    message === undefined || message === path
      ? []
      : [
          `unexpected type name ${JSON.stringify(message)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
        ];
  const below = value
    .keys()
    .flatMap((key) =>
      misnamedParts(value.get(key) ?? null, message === undefined ? path : `${path}.${faultText(key)}`),
    );
  return [...own, ...below];
}
