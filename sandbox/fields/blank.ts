import type { Served, ServedVersion } from '../api/registry.ts';
import { emptyObject } from '../schema/reading.ts';
import type { Fields } from '../../schemas/pods/fields.ts';

const blanks = new WeakMap<ServedVersion, Fields>();

/**
 * The empty object that a new object is compared with. It contains the fields that the server always writes, so
 * that the creator owns their content but not the fields themselves. Empty for custom resources.
 */
export function blankOf({ type, version }: Served): Fields {
  if (type.custom || version.schema === undefined) return { metadata: {} };
  let blank = blanks.get(version);
  if (blank === undefined) blanks.set(version, (blank = emptyObject(version.schema)));
  return blank;
}
