import type { ObservedObjects, StandingKind, StandingSnapshot } from '../kinds/kind.ts';
import { spreadAdmission } from './admit.ts';
import { decideSpread, lettingGo, released } from './decide.ts';
import { spreadFacts } from './facts.ts';
import { spreadGit } from './git.ts';
import { spreadInfluence } from './influence.ts';
import { invalidSpread } from './invalid.ts';
import { spreadLowering } from './lowering.ts';
import { spreadNeeds, spreadUses } from './needs.ts';
import { spreadResource } from './resource.ts';
import { unsupportedSpread } from './unsupported.ts';

/** The kind WorkloadSpread, for the registry: it spreads the pods of a workload over groups of nodes, as they are created. */
export const workloadSpreadKind: StandingKind = {
  shape: 'Standing',
  id: { group: spreadResource.group, kind: spreadResource.kind },
  resource: spreadResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs: (target, _revisions, selected) => spreadNeeds(target, selected),
  uses: spreadUses,
  podTemplates: [],
  lowering: spreadLowering,
  expires: false,
  admission: spreadAdmission,
  influence: spreadInfluence,
  validate: invalidSpread,
  unsupported: unsupportedSpread,
  observe,
  git: spreadGit,
  facts: spreadFacts,
  underPlan: undefined,
};

function observe(objects: ObservedObjects): StandingSnapshot {
  return {
    invalid: invalidSpread(objects.target),
    unsupported: unsupportedSpread(objects.target),
    decide: (held) => decideSpread(objects, held),
    whileHeld: () => lettingGo(objects),
    // A pod that waits for a WorkloadSpread that goes would wait for ever.
    release: () => released(objects),
  };
}
