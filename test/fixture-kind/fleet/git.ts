import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { GitSubset } from '../../../semantics/kinds/subsets.ts';
import type { GitManifest, GitSide } from '../../../semantics/kinds/git-side.ts';
import { noHooks } from '../../../semantics/lifecycle/hooks.ts';
import { groupKindOf } from '../../../semantics/owner.ts';
import { fleetLimits } from './limits.ts';
import { specOf } from './spec.ts';

/** How a fleet is read from git: its subsets, as the manifest has them. */
export const fleetGit: GitSide = {
  read,
  fieldPath: (_, field) => ['spec', field === 'replicas' ? 'subsets' : field],
  policyText: () => 'a slot is always made anew',
  lint: () => [],
  native: undefined,
  units() {
    throw new Error('a fleet has no pods of its own');
  },
};

function read(manifest: KubeObject): GitManifest {
  const { subsets, template, maxUnavailable, paused } = specOf(manifest);
  const list = subsets.map(({ name, slots, whole }): GitSubset => ({
    name,
    n: slots,
    steps: whole ? 'whole' : 'partly',
  }));
  const all = list.reduce((sum, { n }) => sum + n, 0);
  return {
    units: {
      of: 'subsets',
      list,
      listAt: (replicas) => (replicas === all ? list : undefined),
      workloadOf: (subset) => ({ ...groupKindOf(manifest), name: `${manifest.metadata.name}-${subset}` }),
      isWritten: true,
      updates: {
        onDelete: false,
        policy: 'ReCreate',
        partition: 0,
        maxUnavailable,
        maxSurge: undefined,
        priorities: undefined,
        scatter: [],
      },
      podTemplate: template,
      patched: () => [],
      pods: {
        selector: undefined,
        volumeClaimTemplates: [],
        ...{ reuseClaims: false, claimsOutlivePods: false, growsClaims: false },
        claimsDeleted: { onScaleIn: false, withTarget: false },
        ...{ gracePeriodSeconds: 0, minReadySeconds: 0, progressDeadlineSeconds: undefined },
        podsToDelete: [],
        lifecycle: noHooks,
      },
      inEach: fleetLimits.inUnits,
      keepsClaimTemplates: false,
    },
    template,
    paused,
    settings: () => [
      { name: 'paused', value: paused, movesUnits: true },
      { name: 'maxUnavailable', value: maxUnavailable, movesUnits: false },
    ],
  };
}
