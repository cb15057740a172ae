import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, CreateAction, EventDraft, Explanation } from '../decision.ts';
import { afterBarrier } from '../launch/barrier.ts';
import type { Pod } from '../pod/types.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { countText } from '../values/text.ts';
import { newPod, type PodAssignment } from './new-pod.ts';
import type { NormalBroadcastJob } from './normalize.ts';
import type { NodePlacement } from '../node/placement.ts';

/** What the creation of pods reads. */
interface Creating {
  job: KubeObject;
  spec: NormalBroadcastJob;
  placement: NodePlacement;
  takenNames: ReadonlySet<string>;
}

/**
 * The creation of pods on nodes that have none, in the order of the names of nodes, as many as `parallelism` leaves room for
 * (OpenKruise broadcastjob, rule 6.4). A percentage is one of the nodes that count, rounded up.
 *
 * @param active how many pods are active
 */
export function createPods(
  { job, spec, placement, takenNames }: Creating,
  active: number,
): { actions: Action[]; explanations: Explanation[]; events: EventDraft[] } {
  const { desired, rest, excluded } = placement;
  const explanations = excluded.map(({ node, why }) => ({ about: node, reason: `gets no pod: it ${why}` }));
  if (rest.length === 0) return { actions: [], explanations, events: [] };
  const most = scaleIntOrPercent(spec.parallelism, desired.length, 'up');
  const room = Math.max(most - active, 0);
  const started = rest.slice(0, room);
  const waiting = rest.slice(room);
  if (waiting.length > 0)
    explanations.push({
      about: job.metadata.name,
      reason: `${countText(waiting.length, 'node')} must wait: parallelism allows ${countText(most, 'pod')} at a time`,
    });
  const events: EventDraft[] =
    active > most
      ? [
          {
            type: 'Warning',
            reason: 'TooManyActivePods',
            message: `${countText(active, 'active pod')}, parallelism allows ${most}`,
          },
        ]
      : [];
  const actions = started.map((node) => createPod(job, spec.template, { node, taken: takenNames }));
  return { actions, explanations, events };
}

/** The creation of the pod of a node, after what its containers wait for. */
export function createPod(job: KubeObject, template: JsonObject, place: PodAssignment): CreateAction {
  const object = newPod(job, template, place);
  const { node } = place;
  const create: CreateAction = {
    do: 'create',
    kind: 'Pod',
    object,
    verb: 'create',
    reason: `node ${node} has no pod yet`,
    event: {
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: `Created pod: ${object.metadata.name} on node ${node} for job ${job.metadata.name}`,
    },
  };
  return afterBarrier(create, job);
}

/** The deletion of a pod, as it was observed. */
export function deletePod(job: KubeObject, { metadata }: Pod, reason: string): Action {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return {
    do: 'delete',
    kind: 'Pod',
    name,
    uid,
    resourceVersion,
    verb: 'delete',
    reason,
    event: {
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${name} of job ${job.metadata.name}`,
    },
  };
}
