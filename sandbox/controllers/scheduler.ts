import { resources } from '../../schemas/wire/resources.ts';
import { attempt } from '../api/attempt.ts';
import { timestamp } from '../api/metadata.ts';
import type { Node } from '../kinds/node.ts';
import { conditionOf, isFinished, type Pod, type PodCondition } from '../../schemas/pods/pod.ts';
import { selectedNode, type PersistentVolume, type PersistentVolumeClaim } from '../kinds/volume.ts';
import { podDemand } from '../kubelet/resources.ts';
import type { Commit } from '../store/history.ts';
import { isFields, sameValue } from '../../schemas/pods/fields.ts';
import type { ComponentContext } from './context.ts';
import { claimsOf, type PodClaims, type Storage } from './scheduling/claims.ts';
import type { Cycle } from './scheduling/cycle.ts';
import { filterOf, preferenceOf } from './scheduling/filters.ts';
import { createOccupancy } from './scheduling/occupancy.ts';

const user = 'system:kube-scheduler';

/**
 * The scheduler: binds pods `scheduleMs` after creation. Among feasible nodes it selects by the pod's preferences,
 * then by fewest pods, then by name. Unschedulable pods get PodScheduled False and are retried when capacity may be
 * available, by priority. There is no preemption.
 */
export function startScheduler(context: ComponentContext): () => void {
  const { store, server, clock, timings, events } = context;
  const recordBinding = events.seriesRecorder(user, 'default-scheduler', 'Binding');
  const recordFailure = events.seriesRecorder(user, 'default-scheduler', 'Scheduling');
  const occupancy = createOccupancy();
  /** Unschedulable pods in creation order. */
  const waiting = new Set<string>();
  /** Pods with a selected node whose claims are being bound. */
  const reserved = new Map<string, string>();
  let retryPlanned = false;

  const storage: Storage = {
    claim(namespace, name) {
      const found = store.read('persistentvolumeclaims', namespace, name);
      return isFields(found?.['spec']) ? (found as PersistentVolumeClaim) : undefined;
    },
    volume(name) {
      const found = store.read('persistentvolumes', '', name);
      return isFields(found?.['spec']) ? (found as PersistentVolume) : undefined;
    },
    storageClass: (name) => store.read('storageclasses.storage.k8s.io', '', name),
  };

  function priorityOf({ spec }: Pod): number {
    if (spec.priority !== undefined) return spec.priority;
    const found = store.read('priorityclasses.scheduling.k8s.io', '', spec.priorityClassName ?? '');
    return Number(found?.['value'] ?? 0);
  }

  function choose(pod: Pod, claims: PodClaims): string | { message: string } {
    const nodes = store.list('nodes') as Node[];
    const none = `0/${nodes.length} nodes are available: `;
    if (claims.unschedulable !== undefined) return { message: `${none}${claims.unschedulable}.` };
    const cycle: Cycle = {
      pod,
      demand: podDemand(pod),
      nodes,
      usageOf: occupancy.of,
      antiAffinityPods: occupancy.antiAffinityPods,
      namespaceLabels: (namespace) => store.read('namespaces', '', namespace)?.metadata.labels,
    };
    const filter = filterOf(cycle, claims.filter);
    const better = preferenceOf(cycle);
    const refusals = new Map<string, number>();
    let best: Node | undefined;
    for (const node of nodes) {
      const reasons = filter(node);
      for (const why of reasons) refusals.set(why, (refusals.get(why) ?? 0) + 1);
      if (reasons.length === 0 && (best === undefined || better(node, best) < 0)) best = node;
    }
    if (best !== undefined) return best.metadata.name;
    if (nodes.length === 0) return { message: 'no nodes available to schedule pods' };
    const reasons = [...refusals].map(([why, count]) => `${count} ${why}`).sort();
    return { message: `${none}${reasons.join(', ')}.` };
  }

  function markUnscheduled(pod: Pod, reason: string, message: string): void {
    const old = conditionOf(pod, 'PodScheduled');
    const condition: PodCondition = {
      type: 'PodScheduled',
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
      status: 'False',
      reason,
      message,
      lastProbeTime: null,
      lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? '') : timestamp(clock.now()),
    };
    if (sameValue(old, condition)) return;
    const others = (pod.status?.conditions ?? []).filter((each) => each.type !== 'PodScheduled');
    const status = { ...pod.status, conditions: [...others, condition] };
    attempt(() => server.replace(user, resources.Pod, { ...pod, status }, { subresource: 'status' }));
  }

  function schedule(uid: string): void {
    const pod = store.byUid(uid) as Pod | undefined;
    if (pod === undefined || pod.spec.nodeName || pod.metadata.deletionTimestamp !== undefined) {
      waiting.delete(uid);
      release(uid);
      return;
    }
    if ((pod.spec.schedulingGates ?? []).length > 0) {
      markUnscheduled(pod, 'SchedulingGated', 'Scheduling is blocked due to non-empty scheduling gates');
      return;
    }
    const claims = claimsOf(pod, storage);
    const held = reserved.get(uid);
    // The node was already selected for its volumes.
    if (held !== undefined && claims.delayed.length > 0) return;
    const choice = held !== undefined && claims.unschedulable === undefined ? held : choose(pod, claims);
    if (typeof choice !== 'string') {
      release(uid);
      waiting.add(uid);
      recordFailure(pod, 'Warning', 'FailedScheduling', choice.message);
      markUnscheduled(pod, 'Unschedulable', choice.message);
      return;
    }
    waiting.delete(uid);
    if (claims.delayed.length > 0) reserve(pod, choice, claims.delayed);
    else bind(pod, choice);
  }

  /** Selects the node for unbound claims, and waits until they are bound. */
  function reserve(pod: Pod, node: string, claims: readonly PersistentVolumeClaim[]): void {
    const uid = pod.metadata.uid ?? '';
    reserved.set(uid, node);
    occupancy.assume(pod, node);
    for (const { metadata } of claims)
      attempt(() =>
        server.patch(
          user,
          resources.PersistentVolumeClaim,
          { namespace: metadata.namespace ?? '', name: metadata.name },
          { type: 'merge', body: { metadata: { annotations: { [selectedNode]: node } } } },
        ),
      );
  }

  function release(uid: string): void {
    if (reserved.delete(uid)) occupancy.forget(uid);
  }

  function bind(pod: Pod, node: string): void {
    const { name, namespace = '', uid = '' } = pod.metadata;
    release(uid);
    const isBound = attempt(() =>
      server.create(
        user,
        resources.Pod,
        {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name, namespace },
          target: { apiVersion: 'v1', kind: 'Node', name: node },
        },
        { subresource: 'binding' },
      ),
    );
    if (isBound)
      recordBinding(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`);
  }

  function retryWaiting(): void {
    if (retryPlanned || waiting.size === 0) return;
    retryPlanned = true;
    clock.after(timings.scheduleMs, () => {
      retryPlanned = false;
      const pods = [...waiting].map((uid) => store.byUid(uid) as Pod | undefined);
      for (const uid of waiting) if (store.byUid(uid) === undefined) waiting.delete(uid);
      const present = pods.filter((pod) => pod !== undefined);
      for (const pod of present.sort((a, b) => priorityOf(b) - priorityOf(a)))
        schedule(pod.metadata.uid ?? '');
    });
  }

  /** Pods with required pod affinity can become schedulable. */
  function retryWhereCompanyMatters(): void {
    for (const uid of waiting) {
      const spec = (store.byUid(uid) as Pod | undefined)?.spec;
      if (spec?.affinity?.podAffinity !== undefined || spec?.topologySpreadConstraints !== undefined)
        return retryWaiting();
    }
  }

  function seePod({ type, object, previous }: Commit): void {
    const pod = object as Pod;
    const { uid } = pod.metadata;
    if (uid === undefined) return;
    const occupies = type !== 'DELETED' && !isFinished(pod);
    if (!occupies) occupancy.forget(uid);
    else if (pod.spec.nodeName) occupancy.put(pod, pod.spec.nodeName);
    if (type === 'DELETED') {
      waiting.delete(uid);
      reserved.delete(uid);
    }
    if (!occupies) return retryWaiting();
    if (pod.spec.nodeName) {
      if ((previous as Pod | undefined)?.spec !== pod.spec) retryWhereCompanyMatters();
      return;
    }
    if (pod.spec['schedulerName'] !== 'default-scheduler') return;
    const wasGated = conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated';
    const isNew = type === 'ADDED';
    if (isNew || (wasGated && (pod.spec.schedulingGates ?? []).length === 0))
      clock.after(timings.scheduleMs, () => schedule(uid));
  }

  /** The images of a node make no pod fit. */
  function seeNode({ object, previous }: Commit): void {
    const [now, before] = [object, previous].map((each) => withoutImages(each));
    if (!sameValue(now, before)) retryWaiting();
  }

  function seeClaim({ object }: Commit): void {
    retryWaiting();
    for (const uid of reserved.keys()) {
      const pod = store.byUid(uid);
      if (pod?.metadata.namespace === object.metadata.namespace)
        clock.after(timings.scheduleMs, () => schedule(uid));
    }
  }

  const unfollow = [
    store.follow('pods', seePod),
    store.follow('nodes', seeNode),
    store.follow('persistentvolumeclaims', seeClaim),
    store.follow('storageclasses.storage.k8s.io', retryWaiting),
  ];
  return () => unfollow.forEach((stop) => stop());
}

function withoutImages(node: Node | undefined): unknown {
  if (node === undefined) return undefined;
  const { metadata, spec, status: { images: _listed, ...status } = {} } = node;
  return { labels: metadata.labels, spec, status };
}
