import type { BroadcastJobStatus } from '../../../schemas/generated/types/broadcastjob.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { decideBroadcastJob, type JobDecision } from '../../../semantics/broadcastjob/decide.ts';
import { newPod } from '../../../semantics/broadcastjob/new-pod.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import type { Node } from '../../../semantics/node/node.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

export const NOW = Date.UTC(2026, 0, 2);

/** Seconds before NOW. */
export const ago = (seconds: number): string => timestamp(NOW - seconds * 1000);

/** A BroadcastJob `fix`, its pods and the nodes at one moment. */
export interface Given {
  spec?: JsonObject;
  restartPolicy?: string;
  /** Further fields of the pods. */
  pod?: JsonObject;
  status?: BroadcastJobStatus;
  /** It is being deleted. */
  deleting?: boolean;
  /** `a b! c~ d0`: nodes. `!`: tainted with NoSchedule, `~`: cordoned, `0`: it offers nothing. */
  nodes: string;
  /**
   * `a b+ c-`: nodes with an active pod, and what is particular about the pod. `+`: succeeded, `-`: failed, `x`: being
   * deleted, `3`: restarted three times, `?`: assigned, not scheduled.
   */
  pods?: string;
  taken?: readonly string[];
}

export function jobOf({ spec = {}, restartPolicy = 'Never', pod = {}, status, deleting }: Given): KubeObject {
  const template = { spec: { restartPolicy, containers: [{ name: 'main', image: 'fix:1' }], ...pod } };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata: {
      name: 'fix',
      namespace: 'ops',
      uid: 'job-uid',
      ...(deleting && { deletionTimestamp: timestamp(NOW) }),
    },
    spec: { template, ...spec },
    ...(status && { status }),
  };
}

export function nodesOf(text: string): Node[] {
  return words(text).map(([name, flags]) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: {
      ...(flags.includes('!') && { taints: [{ key: 'out', effect: 'NoSchedule' }] }),
      ...(flags.includes('~') && { unschedulable: true }),
    },
    status: flags.includes('0') ? {} : { allocatable: { cpu: '2', pods: '10' } },
  }));
}

/** The pods, of the template as it is without `spec`. */
export function podsOf(given: Given, run?: string): Pod[] {
  const job = jobOf({ ...given, spec: {} });
  const { template } = job['spec'] as { template: JsonObject };
  return words(given.pods ?? '').map(([node, flags], index) => {
    const created = newPod(job, template, {
      node,
      taken: new Set(),
      ...(run !== undefined && { run }),
    }) as Pod;
    const restartCount = Number(/[0-9]+/.exec(flags)?.[0] ?? 0);
    const phase = flags.includes('+') ? 'Succeeded' : flags.includes('-') ? 'Failed' : 'Running';
    return {
      ...created,
      metadata: {
        ...created.metadata,
        uid: `uid-${index}`,
        resourceVersion: String(index + 1),
        creationTimestamp: ago(100 - index),
        ...(flags.includes('x') && { deletionTimestamp: timestamp(NOW) }),
      },
      spec: { ...created.spec, ...(!flags.includes('?') && { nodeName: node }) },
      status: { phase, containerStatuses: [{ name: 'main', restartCount }] },
    };
  });
}

/** `a!` as its name and its flags. */
function words(text: string): [name: string, flags: string][] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => [word.slice(0, 1), word.slice(1)]);
}

export function decide(given: Given): JobDecision {
  return decideBroadcastJob({
    job: jobOf(given),
    pods: podsOf(given),
    nodes: nodesOf(given.nodes),
    takenNames: new Set(given.taken),
    now: NOW,
  });
}

/** What a decision does: `create a, delete b`, by the nodes of the pods. */
export function doneBy(given: Given): string {
  const pods = podsOf(given);
  return decide(given)
    .actions.map((action) => {
      if (action.do === 'create') return `create ${nodeOfPod(action.object as Pod)}`;
      const uid = action.do === 'delete' ? action.uid : '';
      const pod = pods.find(({ metadata }) => metadata.uid === uid);
      return `${action.do} ${pod === undefined ? '' : nodeOfPod(pod)}`;
    })
    .join(', ');
}

/** The counts of a decision: `desired 3, active 1, succeeded 1, failed 0`. */
export function countsOf({ status }: JobDecision): string {
  return (['desired', 'active', 'succeeded', 'failed'] as const)
    .map((field) => `${field} ${status[field]}`)
    .join(', ');
}

export const reasonsOf = ({ events = [] }: JobDecision): string[] => events.map(({ reason }) => reason);
