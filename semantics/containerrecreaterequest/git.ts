import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingGit } from '../kinds/standing-git.ts';
import { canonicalJson, sortedKeys } from '../values/canonical-json.ts';
import { objectOf } from '../values/read.ts';

/** How the compiler compares requests. */
export const requestGit: StandingGit = {
  changedForever,
  effect: () => undefined,
  conflict: () => undefined,
  selects: () => undefined,
  // Two requests of one pod follow one another.
  earlierConflicts: (manifests) => manifests.map(() => undefined),
  copies: () => undefined,
  spreads: () => undefined,
  spreadsNative: [],
};

/** A request never changes: another one has another name. */
function changedForever(before: KubeObject, after: KubeObject): (readonly string[])[] {
  const [from, to] = [objectOf(before['spec']), objectOf(after['spec'])];
  const fields = sortedKeys({ ...from, ...to });
  return fields
    .filter((field) => canonicalJson(from[field] ?? null) !== canonicalJson(to[field] ?? null))
    .map((field) => ['spec', field]);
}
