import type { KubeObject } from '../../schemas/wire/object.ts';
import {
  NOTHING_WHILE_HELD,
  type ObservedObjects,
  type StandingKind,
  type StandingSnapshot,
} from '../kinds/kind.ts';
import type { Need, SelectedMark, Use } from '../kinds/need.ts';
import { RECREATED_ANNOTATION } from '../pod/recreated.ts';
import { KRUISE_POD_READY } from '../pod/types.ts';
import { decideRequest, releasedRequest } from './decide.ts';
import { requestFacts } from './facts.ts';
import { requestGit } from './git.ts';
import { invalidRequest } from './invalid.ts';
import { normalizeRequest } from './normalize.ts';
import { isOver } from './queue.ts';
import { CONTEXT_ANNOTATION, OWN_LABELS, requestResource, UNREADY_KEY } from './resource.ts';
import { hasFinalizer } from './drain.ts';

/** What requests change in the pods of others. */
const MARK: SelectedMark = {
  of: 'spellings',
  record: RECREATED_ANNOTATION,
  conditions: [KRUISE_POD_READY],
};

const uses: readonly Use[] = [
  { of: 'SelectedPods', mark: MARK },
  { of: 'Disruption' },
  {
    of: 'Itself',
    labels: OWN_LABELS,
    annotations: [CONTEXT_ANNOTATION],
    finalizers: [UNREADY_KEY],
  },
];

/** The kind ContainerRecreateRequest, for the registry: it restarts containers of one pod in place. */
export const containerRecreateRequestKind: StandingKind = {
  shape: 'Standing',
  id: { group: requestResource.group, kind: requestResource.kind },
  resource: requestResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses,
  podTemplates: [],
  lowering: { of: 'nothing', why: 'a running pod is restarted by a runtime' },
  expires: true,
  admission: undefined,
  influence: undefined,
  validate: invalidRequest,
  unsupported: () => [],
  observe,
  git: requestGit,
  facts: requestFacts,
  underPlan: undefined,
};

/** Its pod, as long as something may still be done to it. */
function needs(target: KubeObject): Need[] {
  const { podName } = normalizeRequest(target);
  const { namespace = '' } = target.metadata;
  if (podName === '' || (isOver(target) && !hasFinalizer(target))) return [];
  return [{ of: 'SelectedPods', selector: {}, namespaces: [namespace], podName }, { of: 'Disruption' }];
}

/** A request that is invalid is not held: it ends at once, as OpenKruise refuses it. */
function observe(objects: ObservedObjects): StandingSnapshot {
  return {
    invalid: [],
    unsupported: [],
    decide: (held) => decideRequest(objects, held),
    whileHeld: () => NOTHING_WHILE_HELD,
    release: () => releasedRequest(objects),
  };
}
