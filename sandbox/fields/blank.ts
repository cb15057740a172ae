import type { Served, ServedVersion } from '../api/registry.ts';
import { emptyObject } from '../schema/reading.ts';
import type { Fields } from '../store/value.ts';

const blanks = new WeakMap<ServedVersion, Fields>();

/**
 * The object that a new one is compared with: the server's own empty object of the kind, with the fields that are
 * always there, so that a new object's first writer owns what is in them but not the fields themselves. Of a custom
 * resource nothing is.
 */
export function blankOf({ type, version }: Served): Fields {
  if (type.custom || version.schema === undefined) return { metadata: {} };
  let blank = blanks.get(version);
  if (blank === undefined) blanks.set(version, (blank = emptyObject(version.schema)));
  return blank;
}
