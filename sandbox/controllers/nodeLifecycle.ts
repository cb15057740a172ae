import { resources } from '../../schemas/wire/resources.ts';
import { attempt } from '../api/attempt.ts';
import { timestamp } from '../api/metadata.ts';
import { tolerates, type Node, type Taint } from '../kinds/node.ts';
import { conditionOf, isFinished, type Pod, type PodCondition } from '../../schemas/pods/pod.ts';
import type { Commit } from '../store/history.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import type { ControllerContext } from './context.ts';
import { createWorkQueue } from './workQueue.ts';

const nodeController = 'system:serviceaccount:kube-system:node-controller';
const podGarbageCollector = 'system:serviceaccount:kube-system:pod-garbage-collector';

const ownTaints = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
]);

/** How long a node can be unreachable before its pods are marked not ready. */
const nodeRemovedMs = 40_000;

/** The taints that follow from the node's conditions. */
function wantedTaints(node: Node, now: number): Taint[] {
  const taints = node.spec?.taints ?? [];
  const keep = (key: string, effect: string): Taint =>
    taints.find((taint) => taint.key === key && taint.effect === effect) ?? {
      key,
      effect,
      ...(effect === 'NoExecute' ? { timeAdded: timestamp(now) } : {}),
    };
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const key = ready === 'Unknown' ? 'node.kubernetes.io/unreachable' : 'node.kubernetes.io/not-ready';
  return [
    ...taints.filter((taint) => !ownTaints.has(taint.key)),
    ...(ready === undefined || ready === 'True' ? [] : [keep(key, 'NoSchedule'), keep(key, 'NoExecute')]),
    ...(node.spec?.unschedulable === true ? [keep('node.kubernetes.io/unschedulable', 'NoSchedule')] : []),
  ];
}

/** When the taints of the node evict a pod, milliseconds since 1970; undefined: never. */
function leavesAt(
  { spec: { tolerations = [] } }: Pod,
  taints: readonly Taint[],
  now: number,
): number | undefined {
  let at: number | undefined;
  for (const taint of taints) {
    if (taint.effect !== 'NoExecute') continue;
    const matching = tolerations.filter((toleration) => tolerates(toleration, taint));
    const limits = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
    if (matching.length > 0 && limits.length === 0) continue;
    const since = Date.parse(taint.timeAdded ?? '') || now;
    const until = matching.length === 0 ? now : since + Math.max(0, Math.min(...limits)) * 1000;
    at = Math.min(at ?? until, until);
  }
  return at;
}

/**
 * The node lifecycle controller: sets taints by conditions, marks pods of unreachable nodes not ready, evicts pods
 * after their toleration, and deletes pods of removed nodes.
 */
export function startNodeLifecycle(context: ControllerContext): () => void {
  const { store, server, clock } = context;
  const record = context.events.recorder(nodeController, 'node-controller');
  const recordEviction = context.events.recorder(nodeController, 'taint-eviction-controller');
  const enqueue = createWorkQueue(clock);
  const evictions = new Map<string, { at: number; cancel: () => void }>();

  function writeStatus(user: string, pod: Pod, status: Pod['status']): void {
    attempt(() => server.replace(user, resources.Pod, { ...pod, status }, { subresource: 'status' }));
  }

  function podsOn(nodeName: string): Pod[] {
    return (store.list('pods') as Pod[]).filter((pod) => pod.spec.nodeName === nodeName && !isFinished(pod));
  }

  function markNotReady(pod: Pod): void {
    const ready = conditionOf(pod, 'Ready');
    if (ready?.status !== 'True') return;
    const notReady = { ...ready, status: 'False' as const, lastTransitionTime: timestamp(clock.now()) };
    const conditions = (pod.status?.conditions ?? []).map((each) => (each === ready ? notReady : each));
    record(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
    writeStatus(nodeController, pod, { ...pod.status, conditions });
  }

  function withDisruption(pod: Pod, reason: string, message: string): NonNullable<Pod['status']> {
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
    const condition: PodCondition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason,
      message,
      lastProbeTime: null,
      lastTransitionTime: timestamp(clock.now()),
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    };
    return { ...pod.status, conditions: [...others, condition] };
  }

  function evict(uid: string): void {
    evictions.delete(uid);
    const pod = store.byUid(uid) as Pod | undefined;
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const { name, namespace = '' } = pod.metadata;
    recordEviction(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`);
    writeStatus(
      nodeController,
      pod,
      withDisruption(pod, 'DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint'),
    );
    attempt(() => server.delete(nodeController, resources.Pod, { name, namespace }, { uid }));
  }

  function planEviction(pod: Pod, taints: readonly Taint[]): void {
    const { uid = '', name, namespace = '' } = pod.metadata;
    const planned = evictions.get(uid);
    const at = leavesAt(pod, taints, clock.now());
    if (planned?.at === at) return;
    planned?.cancel();
    evictions.delete(uid);
    if (at === undefined) {
      if (planned !== undefined)
        recordEviction(
          pod,
          'Normal',
          'TaintManagerEviction',
          `Cancelling deletion of Pod ${namespace}/${name}`,
        );
      return;
    }
    const cancel = clock.after(Math.max(0, at - clock.now()), () => evict(uid));
    evictions.set(uid, { at, cancel });
  }

  function work(name: string): void {
    const node: Node | undefined = store.read('nodes', '', name);
    if (node === undefined) return;
    const taints = wantedTaints(node, clock.now());
    if (!sameValue(taints, node.spec?.taints ?? [])) {
      const { taints: _old, ...spec } = node.spec ?? {};
      const next = { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } };
      attempt(() => server.replace(nodeController, resources.Node, next));
    }
    const isReady = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'Unknown';
    const executes = taints.some(({ effect }) => effect === 'NoExecute');
    if (isReady && !executes && evictions.size === 0) return;
    for (const pod of podsOn(name)) {
      if (!isReady) markNotReady(pod);
      planEviction(pod, taints);
    }
  }

  function seeNode({ type, object, previous }: Commit): void {
    const node = object as Node;
    const { name } = node.metadata;
    if (type === 'DELETED') {
      clock.after(nodeRemovedMs, () => collectPods(name));
      return;
    }
    const before: Node | undefined = previous;
    if (before?.spec === node.spec && before?.status?.conditions === node.status?.conditions) return;
    enqueue(name, 0, () => work(name));
  }

  /** Pods of removed nodes: no kubelet will stop their containers. */
  function collectPods(nodeName: string): void {
    if (store.read('nodes', '', nodeName) !== undefined) return;
    for (const pod of store.list('pods') as Pod[]) {
      if (pod.spec.nodeName !== nodeName) continue;
      const { name, namespace = '', uid = '' } = pod.metadata;
      if (!isFinished(pod))
        writeStatus(podGarbageCollector, pod, {
          ...withDisruption(pod, 'DeletionByPodGC', 'PodGC: node no longer exists'),
          phase: 'Failed',
        });
      attempt(() =>
        server.delete(
          podGarbageCollector,
          resources.Pod,
          { name, namespace },
          { uid, gracePeriodSeconds: 0 },
        ),
      );
    }
  }

  function seePod({ type, object, previous }: Commit): void {
    const pod = object as Pod;
    const { nodeName } = pod.spec;
    if (type === 'DELETED') {
      evictions.get(pod.metadata.uid ?? '')?.cancel();
      evictions.delete(pod.metadata.uid ?? '');
      return;
    }
    if (!nodeName || (previous as Pod | undefined)?.spec === pod.spec) return;
    const node: Node | undefined = store.read('nodes', '', nodeName);
    if (node === undefined) clock.after(nodeRemovedMs, () => collectPods(nodeName));
    else if (node.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true)
      planEviction(pod, node.spec.taints);
  }

  const unfollow = [store.follow('nodes', seeNode), store.follow('pods', seePod)];
  return () => unfollow.forEach((stop) => stop());
}
