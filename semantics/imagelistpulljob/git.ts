import type { KubeObject } from '../../schemas/wire/object.ts';
import { normalizePull } from '../imagepulljob/normalize.ts';
import type { StandingGit } from '../kinds/standing-git.ts';

/** How the compiler compares lists. */
export const listPullGit: StandingGit = {
  changedForever: () => [],
  effect,
  conflict: () => undefined,
  selects: (manifest) => (normalizePull(manifest).nodes.by === 'pods' ? ['spec', 'podSelector'] : undefined),
  // Two jobs of one image pull it one after the other.
  earlierConflicts: (manifests) => manifests.map(() => undefined),
  copies: () => undefined,
  spreads: () => undefined,
  spreadsNative: [],
};

function effect(_before: KubeObject, after: KubeObject): string | undefined {
  return normalizePull(after).neverEnds
    ? undefined
    : 'a list that has ended stays as it is; in one that has not, what is pulled in another way begins anew';
}
