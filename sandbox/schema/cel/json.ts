import { isFields } from '../../../schemas/pods/fields.ts';
import { EvaluationFault } from './source.ts';
import { valueText } from './text.ts';
import { isDict, isList, isTagged, items, typeName, type Dict, type Value } from './values.ts';

/** A JSON value without a schema, as `dyn`: integers are int, other numbers double. Parts are read on demand. */
export function jsonValue(raw: unknown): Value {
  if (typeof raw === 'number') return Number.isInteger(raw) ? BigInt(raw) : raw;
  if (typeof raw === 'string' || typeof raw === 'boolean') return raw;
  if (Array.isArray(raw)) {
    const list = raw as readonly unknown[];
    return { kind: 'list', size: list.length, at: (index) => jsonValue(list[index]), raw };
  }
  return isFields(raw) ? dictOf(raw) : null;
}

/** A value as JSON; EvaluationFault for values that JSON does not have. */
export function jsonOf(value: Value): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'bigint') return Number(value);
  if (!isTagged(value)) return value;
  if (isList(value)) return value.raw ?? items(value).map(jsonOf);
  if (isDict(value)) return value.raw ?? Object.fromEntries(value.keys().map((key) => entryOf(value, key)));
  if (value.kind === 'uint') return Number(value.value);
  if (value.kind === 'duration' || value.kind === 'timestamp') return valueText(value);
  throw new EvaluationFault(`${typeName(value)} has no form in JSON`);
}

function entryOf(dict: Dict, key: Value): readonly [string, unknown] {
  if (typeof key !== 'string')
    throw new EvaluationFault(`unsupported type conversion from '${typeName(key)}' to string`);
  return [key, jsonOf(dict.get(key) ?? null)];
}

function dictOf(raw: Readonly<Record<string, unknown>>): Dict {
  const present = () => Object.keys(raw).filter((key) => raw[key] !== undefined);
  return {
    kind: 'map',
    get size() {
      return present().length;
    },
    raw,
    keys: present,
    get: (key) =>
      typeof key === 'string' && Object.hasOwn(raw, key) && raw[key] !== undefined
        ? jsonValue(raw[key])
        : undefined,
  };
}
