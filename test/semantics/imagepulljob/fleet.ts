import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { decidePullJob } from '../../../semantics/imagepulljob/decide.ts';
import type { Node } from '../../../semantics/node/node.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { pullOf } from '../../../semantics/pull/pod.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { pullJob, shownPull } from '../../fixtures/pull-jobs.ts';
import { nodeOf, NOW, SECOND } from '../pull/fleet.ts';

export const HOUR = 3600 * SECOND;

/** A node that was created so long ago. */
export function oldNode(
  name: string,
  { ageMs = HOUR, ready = true, labels = {}, images = [] as string[] } = {},
): Node {
  const node = nodeOf(name, images);
  return {
    ...node,
    metadata: { ...node.metadata, labels, creationTimestamp: timestamp(NOW - ageMs) },
    status: { ...node.status, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

/** How a pod of a node has ended. */
export type End =
  | 'pulled'
  | 'refused'
  | 'throttled'
  | 'unplaced'
  | 'full'
  | 'evicted'
  | 'pulling'
  | 'unseen'
  | 'queued';

const waiting = (reason: string, message = ''): JsonObject => ({ state: { waiting: { reason, message } } });

/** The status of a pod that has ended so. */
export function statusOf(end: End, startedAt: string): JsonObject {
  const started = { startTime: startedAt, conditions: [{ type: 'PodScheduled', status: 'True' }] };
  const of = (state: JsonObject): JsonObject => ({
    ...started,
    containerStatuses: [{ name: 'image-1', ...state }],
  });
  switch (end) {
    case 'pulled':
      return { ...of({ state: { terminated: { reason: 'StartError', exitCode: 128 } } }), phase: 'Failed' };
    case 'refused':
      return { ...of(waiting('ErrImagePull')), phase: 'Pending' };
    case 'throttled':
      return { ...of(waiting('ErrImagePull', 'toomanyrequests: slow down')), phase: 'Pending' };
    case 'queued':
      return { ...of(waiting('ErrImagePull', 'pull QPS exceeded')), phase: 'Pending' };
    case 'unplaced':
      return { conditions: [{ type: 'PodScheduled', status: 'False' }], phase: 'Pending' };
    case 'full':
      return { ...started, phase: 'Failed', reason: 'OutOfpods' };
    case 'evicted':
      return {
        ...of({ state: { terminated: { reason: 'ContainerStatusUnknown', exitCode: 137 } } }),
        ...{ phase: 'Failed', reason: 'Evicted' },
      };
    case 'pulling':
      return { ...of(waiting('ContainerCreating')), phase: 'Pending' };
    case 'unseen':
      return { conditions: [{ type: 'PodScheduled', status: 'True' }], phase: 'Pending' };
  }
}

/** A job with its nodes and pods. Each round carries out what the job decides; a test says how its pods end. */
export function fleet(spec: JsonObject, nodes: Node[], selected: readonly Pod[] = []) {
  let target: KubeObject = {
    ...pullJob('ahead', spec),
    metadata: { ...pullJob('ahead').metadata, uid: 'of-ahead' },
  };
  let pods: Pod[] = [];
  let now = NOW;
  const made: string[] = [];
  return {
    nodes,
    made,
    busy: new Set<string>(),
    get job() {
      return target;
    },
    get pods() {
      return pods;
    },
    get shown() {
      return shownPull(target);
    },
    pass(ms: number) {
      now += ms;
    },
    /** The pods that are not over end so, on all nodes or on one. */
    end(end: End, node?: string) {
      pods = pods.map((pod) =>
        (node === undefined || pullOf(pod).node === node) && pod.status?.phase !== 'Failed'
          ? {
              ...pod,
              spec: end === 'unplaced' ? pod.spec : { ...pod.spec, nodeName: pullOf(pod).node },
              status: statusOf(end, pod.metadata.creationTimestamp ?? ''),
            }
          : pod,
      );
    },
    /** Decides, and does it. Returns the decision. */
    decide(isRefused = false) {
      const decision = decidePullJob(
        { target, pods: selected, placement: nodes, pulls: { pods, busy: this.busy, isRefused }, now },
        undefined,
      );
      target = { ...target, status: { ...decision.status } };
      for (const action of decision.actions) {
        if (action.do === 'create') {
          made.push(`${pullOf(action.object).node}#${pullOf(action.object).attempt}`);
          const metadata = {
            ...{ ...action.object.metadata, uid: action.object.metadata.name, resourceVersion: '1' },
            creationTimestamp: timestamp(now),
          };
          pods = [...pods, { ...(action.object as Pod), metadata }];
        } else if (action.do === 'delete')
          pods = pods.filter(({ metadata }) => metadata.name !== action.name);
      }
      return decision;
    },
  };
}
