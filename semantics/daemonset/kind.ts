import type { KubeObject } from '../../schemas/wire/object.ts';
import { problemText } from '../fields/problems.ts';
import type { PlannedKind } from '../kinds/kind.ts';
import { remembered } from '../values/remembered.ts';
import { ownerBudget } from './budget.ts';
import { daemonSetFacts } from './facts.ts';
import { daemonSetGit } from './git.ts';
import { invalidDaemonSet } from './invalid.ts';
import { daemonSetLowering } from './lowering.ts';
import { daemonSetLimits } from './limits.ts';
import { normalizeDaemonSet } from './normalize.ts';
import { observeDaemonSet } from './observe.ts';
import { daemonSetResource } from './resource.ts';

/** The kind DaemonSet of OpenKruise, for the registry. */
export const daemonSetKind: PlannedKind = {
  id: { group: daemonSetResource.group, kind: daemonSetResource.kind },
  resource: daemonSetResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs: (target) => [
    { of: 'OwnedPods' },
    { of: 'Orphans', selector: normalizeDaemonSet(target).selector },
    { of: 'Nodes', why: 'Placement' },
  ],
  uses: [
    { of: 'OwnedPods', areResized: true },
    { of: 'Orphans', areNumbered: false },
    { of: 'Nodes', why: 'Placement' },
  ],
  expires: false,
  podTemplates: [['spec', 'template']],
  lowering: daemonSetLowering,
  validate: invalidDaemonSet,
  unsupported: () => [],
  admission: undefined,
  influence: undefined,
  shape: 'Rollout',
  observe: (objects) =>
    observeDaemonSet(objects, normalizeDaemonSet(objects.target), {
      unsupported: [],
      invalid: invalidOf(objects.target),
    }),
  budget: ownerBudget,
  git: daemonSetGit,
  limits: daemonSetLimits,
  facts: daemonSetFacts,
};

/** Cached by object: an observed target is immutable, and is reconciled after every change of a pod or node. */
const invalidOf = remembered((target: KubeObject): string[] => invalidDaemonSet(target).map(problemText));
