import type { Revision } from '../revision/revision.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';

/** The names of the containers that a revision declares; undefined: it is not known. */
export function declaredBy(revision: Revision | undefined): ReadonlySet<string> | undefined {
  return revision && declarations(revision);
}

/** Many pods have the same revision. */
const declarations = remembered(({ template }: Revision): ReadonlySet<string> => {
  const containers = listOf(objectOf(template['spec'])['containers']);
  return new Set(containers.map(({ name }) => textOf(name)));
});
