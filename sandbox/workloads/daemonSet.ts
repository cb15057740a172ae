import { isFinished } from '../../schemas/pods/pod.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Node } from '../kinds/node.ts';
import {
  controllerRevisions,
  daemonSets,
  nodes as nodeResource,
  pods as podResource,
  type Controller,
  type WorkloadContext,
} from './context.ts';
import { daemonPod, nodeOf, placement } from './daemonPods.ts';
import { isOutdated, placementStep, updateStep, type NodePods } from './daemonSteps.ts';
import type { DaemonSet, DaemonSetStatus, Pod } from './kinds.ts';
import { isAvailable, isReady, nextAvailable } from './pods.ts';
import { ensureRevision, forgetRevisions, revisionLabel } from './revisions.ts';

/** The status of a DaemonSet whose nodes have these pods; the oldest of each node counts. */
export function daemonSetStatus(
  set: DaemonSet,
  nodes: readonly NodePods[],
  hash: string,
  now: number,
): DaemonSetStatus {
  const { generation } = set.metadata;
  const wanted = nodes.filter(({ shouldRun }) => shouldRun);
  const first = wanted.flatMap(({ pods: [pod] }) => pod ?? []);
  const available = first.filter((pod) => isAvailable(pod, set.spec.minReadySeconds, now)).length;
  const collisions = set.status?.collisionCount;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: first.length,
    numberMisscheduled: nodes.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
    numberReady: first.filter(isReady).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
    updatedNumberScheduled: first.filter((pod) => !isOutdated(pod, hash)).length,
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
  };
}

/** Those on their node first, then the oldest. */
function byAge(a: Pod, b: Pod): number {
  const key = ({ spec, metadata }: Pod) =>
    `${spec.nodeName ? 0 : 1} ${metadata.creationTimestamp} ${metadata.name}`;
  return key(a) < key(b) ? -1 : 1;
}

/** A failed pod of a node is replaced at once, the next ones after pauses that double. */
const firstPauseMs = 1000;
const longestPauseMs = 15 * 60_000;

interface Pause {
  until: number;
  lengthMs: number;
}

/** Keeps a pod on each node that a DaemonSet selects. */
export function createDaemonSetController(context: WorkloadContext): Controller {
  const { record } = context;
  const pauses = new Map<string, Pause>();

  /** Begins the pause after a failed pod of a node; false while the one before goes on. */
  function mayReplace(pod: Pod, now: number): boolean {
    const key = `${pod.metadata.ownerReferences?.[0]?.uid} ${nodeOf(pod)}`;
    const before = pauses.get(key);
    if (before !== undefined && now < before.until) return false;
    // A pod that ran for long failed for another reason.
    const isNew = before === undefined || now - before.until > 2 * before.lengthMs;
    const lengthMs = isNew ? firstPauseMs : Math.min(before.lengthMs * 2, longestPauseMs);
    pauses.set(key, { until: now + lengthMs, lengthMs });
    return true;
  }

  function nodesOf(set: DaemonSet): NodePods[] {
    // Pods that have ended and are deleted wait for a finalizer only.
    const pods = (context.children.of(podResource.id, set) as Pod[])
      .filter((pod) => !isFinished(pod) || pod.metadata.deletionTimestamp === undefined)
      .sort(byAge);
    const byNode = new Map<string, NodePods>();
    for (const node of context.list(nodeResource) as Node[]) {
      const { name } = node.metadata;
      byNode.set(name, { node: name, pods: [], ...placement(set, node) });
    }
    for (const pod of pods) {
      const node = nodeOf(pod) ?? '';
      // A pod that waits for a node that is gone is deleted; the pod garbage collector takes those that ran there.
      const mayStay = Boolean(pod.spec.nodeName);
      const entry = byNode.get(node) ?? { node, pods: [], shouldRun: false, mayStay };
      byNode.set(node, entry);
      entry.pods.push(pod);
    }
    return [...byNode.values()];
  }

  function reportEnded(set: DaemonSet, pod: Pod): void {
    const { namespace, name } = pod.metadata;
    const at = `daemon pod ${namespace}/${name} on node ${nodeOf(pod)}`;
    if (pod.status?.phase === 'Failed')
      record(set, 'Warning', 'FailedDaemonPod', `Found failed ${at}, will try to kill it`);
    else record(set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${at}, will try to delete it`);
  }

  function remove(set: DaemonSet, pod: Pod): void {
    if (isFinished(pod)) reportEnded(set, pod);
    context.remove(podResource, pod);
    record(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }

  /** False: the server refused the pod. */
  function create(set: DaemonSet, node: string, hash: string): boolean {
    try {
      const { metadata } = context.create(podResource, daemonPod(set, node, hash));
      record(set, 'Normal', 'SuccessfulCreate', `Created pod: ${metadata.name}`);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      record(set, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
      context.refused(set);
      return false;
    }
  }

  function sync(object: KubeObject): number | undefined {
    const set = object as DaemonSet;
    context.claim(podResource, set, set.spec.selector);
    if (set.metadata.deletionTimestamp !== undefined) return undefined;
    const revision = ensureRevision(context, daemonSets, set, revisionLabel);
    const hash = revision.metadata.labels?.[revisionLabel] ?? '';
    const now = context.now();
    let again: number | undefined;
    const before = nodesOf(set);
    const placed = placementStep(set, before, hash, now, (ended) => {
      const may = ended.status?.phase !== 'Failed' || mayReplace(ended, now);
      if (!may) again = now + firstPauseMs;
      return may;
    });
    // Nothing is updated while pods are missing or superfluous.
    const isPlaced = placed.create.length + placed.remove.length === 0;
    const step = isPlaced ? updateStep(set, before, hash, now) : placed;
    for (const pod of step.remove) remove(set, pod);
    step.create.every((node) => create(set, node, hash));
    const nodes = nodesOf(set);
    const pods = nodes.flatMap((each) => each.pods);
    context.writeStatus(daemonSets, set, daemonSetStatus(set, nodes, hash, now));
    const used = new Set([hash, ...pods.map(({ metadata }) => metadata.labels?.[revisionLabel])]);
    forgetRevisions(context, set, ({ metadata }) => used.has(metadata.labels?.[revisionLabel]));
    return again ?? nextAvailable(pods, set.spec.minReadySeconds, now);
  }

  return { resource: daemonSets, owns: [podResource.id, controllerRevisions.id], followsNodes: true, sync };
}
