import type { KubeObject } from '../../schemas/wire/object.ts';
import type { CreateAction, EventDraft, Explanation } from '../decision.ts';
import { affinityTo } from '../node/affinity.ts';
import { nodeTolerations } from './eligibility.ts';
import { nodePodId } from '../node/pod-id.ts';
import { podSpecOf } from '../node/placement.ts';
import type { Revision } from '../revision/revision.ts';
import { objectOf } from '../values/read.ts';
import { createPod } from '../workload/missing-pod.ts';
import { podWithoutState, withInPlaceGate } from '../workload/new-pod.ts';
import type { DaemonSetView } from './view.ts';

/** A pod that is to be created. */
export interface NewPod {
  /** The name of its node. */
  node: string;
  /** Hash of its revision. */
  hash: string;
  /** Why it is created, before the name of its revision. */
  reason: string;
}

/**
 * The pod of a node at a revision (OpenKruise advanced-daemonset, rule 6.8 step 4): its label is the hash alone, and it has no
 * lifecycle state. It tolerates the taints that nodes have for a while, and its required node affinity is replaced by one that only
 * this node meets, so that the scheduler assigns it. A container without a pull policy gets that of the API server.
 */
export function newPod(view: DaemonSetView, revision: Revision, node: string, id: string): KubeObject {
  const labelled = { ...revision, name: revision.shortHash };
  const pod = podWithoutState(view, labelled, { id, labels: {}, annotations: {} });
  const spec = objectOf(pod['spec']);
  const placed = {
    ...spec,
    tolerations: nodeTolerations(podSpecOf({ spec })).map((each) => ({ ...each })),
    affinity: affinityTo(objectOf(spec['affinity']), node),
  };
  const isInPlace = view.spec.strategy.type === 'InPlaceIfPossible';
  return { ...pod, spec: isInPlace ? withInPlaceGate(placed) : placed };
}

/**
 * The id of the next pod of a node, which its name ends with. It is the same at every revision: a creation whose answer was lost is
 * met by its own name, also where another revision is wanted meanwhile. `taken`: names that other pods have.
 */
export function idOn(view: DaemonSetView, node: string, taken: ReadonlySet<string>): string {
  return nodePodId(view.target, { node, of: '', taken });
}

/**
 * The creation of the pod of a node; or why that is not possible.
 *
 * @param taken names that other pods have
 */
export function createOn(
  view: DaemonSetView,
  { node, hash, reason }: NewPod,
  taken: ReadonlySet<string>,
): CreateAction | Explanation {
  const id = idOn(view, node, taken);
  return createPod(view, hash, {
    id,
    podOf: (revision) => newPod(view, revision, node, id),
    claimAnnotations: {},
    reason: ({ name }) => `${reason}; at ${name}`,
    event: (name) => podEvent('create', name),
  });
}

/** The Event of a pod that is created or deleted. */
export function podEvent(verb: 'create' | 'delete', pod: string): EventDraft {
  return verb === 'create'
    ? { type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${pod}` }
    : { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${pod}` };
}
