import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitManifest, GitSide } from '../../semantics/kinds/git-side.ts';
import { noHooks } from '../../semantics/lifecycle/hooks.ts';
import { revisionOf } from '../../semantics/revision/revision.ts';
import { created } from './decide.ts';
import { specOf } from './spec.ts';
import { rackView } from './view.ts';

/** How a rack is read from git: one slot at a time, and none beside. */
export const rackGit: GitSide = {
  read,
  fieldPath: (_, field) => ['spec', field === 'replicas' ? 'slots' : field],
  policyText: () => 'a slot is always made anew',
  lint: () => [],
  native: undefined,
  units(target, revisions, hashes) {
    const rack = rackView({ target, pods: [], revisions });
    return hashes.map((hash, slot): KubeObject => {
      const revision = revisionOf(rack, hash);
      if (revision === undefined) throw new Error(`no revision has the hash ${hash}`);
      return created(rack, `${target.metadata.name}-${slot}`, revision);
    });
  },
};

function read(manifest: KubeObject): GitManifest {
  const { slots, template, paused, partition } = specOf(manifest);
  return {
    units: {
      of: 'replicas',
      n: slots,
      isWritten: 'slots' in (manifest['spec'] as object),
      names: { by: 'cluster' },
      updates: {
        onDelete: false,
        policy: 'ReCreate',
        partition,
        maxUnavailable: 1,
        maxSurge: undefined,
        priorities: undefined,
        scatter: [],
      },
      pods: {
        selector: undefined,
        volumeClaimTemplates: [],
        reuseClaims: false,
        claimsOutlivePods: false,
        growsClaims: false,
        claimsDeleted: { onScaleIn: true, withTarget: true },
        gracePeriodSeconds: 0,
        minReadySeconds: 0,
        progressDeadlineSeconds: undefined,
        podsToDelete: [],
        lifecycle: noHooks,
      },
    },
    template,
    paused,
    settings: () => [{ name: 'paused', value: paused, movesUnits: true }],
  };
}
