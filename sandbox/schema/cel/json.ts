import { isFields } from '../../../schemas/pods/fields.ts';
import type { Dict, Value } from './values.ts';

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
