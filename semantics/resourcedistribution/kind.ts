import type { KubeObject } from '../../schemas/wire/object.ts';
import {
  NOTHING_WHILE_HELD,
  type ObservedObjects,
  type StandingKind,
  type StandingSnapshot,
} from '../kinds/kind.ts';
import type { Need, Use } from '../kinds/need.ts';
import { projectCopy } from './content.ts';
import { decideDistribution } from './decide.ts';
import { distributionFacts } from './facts.ts';
import { distributionGit } from './git.ts';
import { invalidDistribution } from './invalid.ts';
import { distributionLowering } from './lowering.ts';
import { normalizeDistribution } from './normalize.ts';
import { COPIED, COPY_LABEL, distributionResource } from './resource.ts';

const copies = { label: COPY_LABEL, project: projectCopy };

const uses: readonly Use[] = [
  { of: 'Namespaces' },
  { of: 'Children', resource: COPIED.ConfigMap, component: 'distributions', copies },
  { of: 'Children', resource: COPIED.Secret, component: 'secrets', copies },
];

/** The kind ResourceDistribution, for the registry: it keeps a copy of one ConfigMap or Secret in each of its namespaces. */
export const resourceDistributionKind: StandingKind = {
  shape: 'Standing',
  id: { group: distributionResource.group, kind: distributionResource.kind },
  resource: distributionResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses,
  podTemplates: [],
  lowering: distributionLowering,
  expires: false,
  admission: undefined,
  influence: undefined,
  validate: invalidDistribution,
  unsupported: () => [],
  observe,
  git: distributionGit,
  facts: distributionFacts,
  underPlan: undefined,
};

/** Objects of the kind that is copied alone, so that what is about ConfigMaps needs no right to Secrets. */
function needs(target: KubeObject): Need[] {
  const { kind, name } = normalizeDistribution(target);
  if (kind === undefined) return [];
  return [{ of: 'Namespaces' }, { of: 'Children', resource: COPIED[kind], copyName: name }];
}

function observe(objects: ObservedObjects): StandingSnapshot {
  return {
    invalid: invalidDistribution(objects.target),
    unsupported: [],
    decide: (held) => decideDistribution(objects, held),
    whileHeld: () => NOTHING_WHILE_HELD,
    release: () => [],
  };
}
