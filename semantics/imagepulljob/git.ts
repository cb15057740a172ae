import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingGit } from '../kinds/standing-git.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { objectOf } from '../values/read.ts';
import { normalizePull } from './normalize.ts';

/** How the compiler compares jobs. */
export const pullJobGit: StandingGit = {
  changedForever,
  effect,
  conflict: () => undefined,
  selects: (manifest) => (normalizePull(manifest).nodes.by === 'pods' ? ['spec', 'podSelector'] : undefined),
  // Two jobs of one image pull it one after the other.
  earlierConflicts: (manifests) => manifests.map(() => undefined),
  copies: () => undefined,
  spreads: () => undefined,
  spreadsNative: [],
};

function changedForever(before: KubeObject, after: KubeObject): (readonly string[])[] {
  const [from, to] = [before, after].map(({ spec }) => canonicalJson(objectOf(spec)['pullSecrets'] ?? null));
  return from === to ? [] : [['spec', 'pullSecrets']];
}

function effect(_before: KubeObject, after: KubeObject): string | undefined {
  return normalizePull(after).neverEnds
    ? undefined
    : 'a job that has ended stays as it is, and a job of another name pulls anew';
}
