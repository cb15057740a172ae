import type { Revision } from '../revision/revision.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';

/** Cached by revision: many pods have the same one. */
const declarations = new WeakMap<Revision, ReadonlySet<string>>();

/** The names of the containers that a revision declares; undefined: it is not known. */
export function declaredBy(revision: Revision | undefined): ReadonlySet<string> | undefined {
  if (revision === undefined) return undefined;
  const known = declarations.get(revision);
  if (known !== undefined) return known;
  const names = listOf(objectOf(revision.template['spec'])['containers']).map(({ name }) => textOf(name));
  const found = new Set(names);
  declarations.set(revision, found);
  return found;
}
