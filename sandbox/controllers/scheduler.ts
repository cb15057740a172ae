import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { timestamp } from '../api/metadata.ts';
import type { Node } from '../kinds/node.ts';
import { conditionOf, isFinished, type Pod, type PodCondition } from '../kinds/pod.ts';
import { thousandths } from '../kinds/quantity.ts';
import type { Commit } from '../store/history.ts';
import { sameValue } from '../store/value.ts';
import type { Surroundings } from './runtime.ts';

const user = 'system:kube-scheduler';

interface Demand {
  cpu: number;
  memory: number;
}

/** Requests of a pod, in thousandths: the larger of the containers' sum and each init container's. */
function demandOf({ spec }: Pod): Demand {
  const request = (name: string, container: Pod['spec']['containers'][number]) =>
    thousandths(container.resources?.requests?.[name] ?? container.resources?.limits?.[name] ?? 0);
  const total = (name: string) =>
    Math.max(
      spec.containers.reduce((sum, container) => sum + request(name, container), 0),
      ...(spec.initContainers ?? []).map((container) => request(name, container)),
    );
  return { cpu: total('cpu'), memory: total('memory') };
}

function toleratesTaints(pod: Pod, node: Node): boolean {
  const tolerations = pod.spec.tolerations ?? [];
  return (node.spec?.taints ?? []).every(
    (taint) =>
      taint.effect === 'PreferNoSchedule' ||
      tolerations.some(
        (toleration) =>
          (toleration.effect === undefined ||
            toleration.effect === '' ||
            toleration.effect === taint.effect) &&
          (toleration.key === undefined || toleration.key === '' || toleration.key === taint.key) &&
          (toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '')),
      ),
  );
}

function matchesNodeSelector(pod: Pod, node: Node): boolean {
  return Object.entries(pod.spec.nodeSelector ?? {}).every(
    ([key, value]) => node.metadata.labels?.[key] === value,
  );
}

const rooms = new WeakMap<Node, Demand & { pods: number }>();

/** What a node offers, in thousandths; parsed once per version of the node. */
function roomOf(node: Node): Demand & { pods: number } {
  let room = rooms.get(node);
  if (room === undefined) {
    const offered = (name: string) => {
      const quantity = node.status?.allocatable?.[name];
      return quantity === undefined ? Number.POSITIVE_INFINITY : thousandths(quantity);
    };
    room = { cpu: offered('cpu'), memory: offered('memory'), pods: offered('pods') };
    rooms.set(node, room);
  }
  return room;
}

/** Pods that occupy a node, and what they ask of it. */
interface Usage extends Demand {
  pods: Map<string, Demand>;
}

/**
 * Gives pods their nodes, `scheduleMs` after they appear: the feasible node with the fewest pods, by name among equals.
 * What fits nowhere gets PodScheduled False (Unschedulable) and another try whenever room may have come.
 */
export function startScheduler({ store, server, clock, timings }: Surroundings): () => void {
  const usages = new Map<string, Usage>();
  const waiting = new Map<string, { namespace: string; name: string }>();
  let retryPlanned = false;

  function usageOf(nodeName: string): Usage {
    let usage = usages.get(nodeName);
    if (usage === undefined) usages.set(nodeName, (usage = { pods: new Map(), cpu: 0, memory: 0 }));
    return usage;
  }

  function account(pod: Pod, present: boolean): void {
    const { uid } = pod.metadata;
    const { nodeName } = pod.spec;
    if (uid === undefined || !nodeName) return;
    const usage = usageOf(nodeName);
    const known = usage.pods.get(uid);
    if (present === (known !== undefined)) return;
    const demand = known ?? demandOf(pod);
    const sign = present ? 1 : -1;
    usage.cpu += sign * demand.cpu;
    usage.memory += sign * demand.memory;
    if (present) usage.pods.set(uid, demand);
    else usage.pods.delete(uid);
  }

  function refusal(pod: Pod, demand: Demand, node: Node): string | undefined {
    if (node.spec?.unschedulable === true) return 'node(s) were unschedulable';
    if (!toleratesTaints(pod, node)) return 'node(s) had untolerated taint(s)';
    if (!matchesNodeSelector(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
    const room = roomOf(node);
    const usage = usageOf(node.metadata.name);
    if ((usage.pods.size + 1) * 1000 > room.pods) return 'Too many pods';
    if (demand.cpu > 0 && usage.cpu + demand.cpu > room.cpu) return 'Insufficient cpu';
    if (demand.memory > 0 && usage.memory + demand.memory > room.memory) return 'Insufficient memory';
    return undefined;
  }

  function choose(pod: Pod): string | { message: string } {
    const nodes = store.list('nodes') as Node[];
    const demand = demandOf(pod);
    const refusals = new Map<string, number>();
    let best: { name: string; pods: number } | undefined;
    for (const node of nodes) {
      const why = refusal(pod, demand, node);
      if (why !== undefined) {
        refusals.set(why, (refusals.get(why) ?? 0) + 1);
        continue;
      }
      const pods = usageOf(node.metadata.name).pods.size;
      if (best === undefined || pods < best.pods) best = { name: node.metadata.name, pods };
    }
    if (best !== undefined) return best.name;
    const reasons = [...refusals].map(([why, count]) => `${count} ${why}`).sort();
    return { message: `0/${nodes.length} nodes are available: ${reasons.join(', ')}.` };
  }

  function markUnscheduled(pod: Pod, reason: string, message: string): void {
    const old = conditionOf(pod, 'PodScheduled');
    const condition: PodCondition = {
      type: 'PodScheduled',
      status: 'False',
      reason,
      message,
      lastProbeTime: null,
      lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? '') : timestamp(clock.now()),
    };
    if (sameValue(old, condition)) return;
    const others = (pod.status?.conditions ?? []).filter((each) => each.type !== 'PodScheduled');
    const status = { ...pod.status, conditions: [...others, condition] };
    server.replace(user, resources.Pod, { ...pod, status }, { subresource: 'status' });
  }

  function schedule(uid: string): void {
    const pod = store.byUid(uid) as Pod | undefined;
    if (pod === undefined || pod.spec.nodeName || pod.metadata.deletionTimestamp !== undefined) {
      waiting.delete(uid);
      return;
    }
    if ((pod.spec.schedulingGates ?? []).length > 0) {
      markUnscheduled(pod, 'SchedulingGated', 'Scheduling is blocked due to non-empty scheduling gates');
      return;
    }
    const { name, namespace = '' } = pod.metadata;
    const choice = choose(pod);
    if (typeof choice !== 'string') {
      waiting.set(uid, { namespace, name });
      markUnscheduled(pod, 'Unschedulable', choice.message);
      return;
    }
    waiting.delete(uid);
    try {
      server.create(
        user,
        resources.Pod,
        {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name, namespace },
          target: { apiVersion: 'v1', kind: 'Node', name: choice },
        },
        { subresource: 'binding' },
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  function retryWaiting(): void {
    if (retryPlanned || waiting.size === 0) return;
    retryPlanned = true;
    clock.after(timings.scheduleMs, () => {
      retryPlanned = false;
      for (const uid of [...waiting.keys()]) schedule(uid);
    });
  }

  function seePod({ type, object }: Commit): void {
    const pod = object as Pod;
    const { uid } = pod.metadata;
    const occupies = type !== 'DELETED' && !isFinished(pod);
    account(pod, occupies);
    if (uid === undefined) return;
    if (type === 'DELETED') waiting.delete(uid);
    if (!occupies) retryWaiting();
    else if (pod.spec['schedulerName'] !== 'default-scheduler') return;
    else if (type === 'ADDED' && !pod.spec.nodeName) clock.after(timings.scheduleMs, () => schedule(uid));
    else if (
      type === 'MODIFIED' &&
      !pod.spec.nodeName &&
      conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated'
    )
      if ((pod.spec.schedulingGates ?? []).length === 0) clock.after(timings.scheduleMs, () => schedule(uid));
  }

  const unfollow = [store.follow('pods', seePod), store.follow('nodes', retryWaiting)];
  return () => unfollow.forEach((stop) => stop());
}
