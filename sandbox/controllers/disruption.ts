import type { KubeObject } from '../../schemas/wire/object.ts';
import { attempt } from '../api/attempt.ts';
import { timestamp } from '../api/metadata.ts';
import { servedKind } from '../api/registry.ts';
import { withAllowed, type BudgetStatus, type PodDisruptionBudget } from '../kinds/budget.ts';
import { conditionOf, type Pod } from '../../schemas/pods/pod.ts';
import type { Commit } from '../store/history.ts';
import { fieldAt, sameValue } from '../../schemas/pods/fields.ts';
import type { ControllerContext } from './context.ts';
import { selects } from '../kinds/selectors.ts';
import { createWorkQueue } from './workQueue.ts';

const user = 'system:serviceaccount:kube-system:disruption-controller';
const budgets = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' };
const budgetsId = 'poddisruptionbudgets.policy';
/** How long a granted eviction counts if the pod is not deleted. */
const disruptionTimeoutMs = 120_000;

/** In place of a label: of budgets without one. */
const ANY = '';

interface Expectation {
  expected: number;
  desired: number;
}

function labelsOf(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** An absolute number, or a percentage of `total`, rounded up. */
function scaled(value: number | string, total: number): number {
  if (typeof value === 'number') return value;
  return Math.ceil((Number.parseInt(value, 10) * total) / 100);
}

/**
 * Maintains the status of PodDisruptionBudgets: the number of expected, healthy and required pods, and the allowed
 * disruptions. Budgets with maxUnavailable or percentages use the scale subresources of the pods' controllers.
 */
export function startDisruption({ store, registry, server, clock, timings }: ControllerContext): () => void {
  const enqueue = createWorkQueue(clock);
  /** Indexed by namespace: pod changes cost nothing in clusters without budgets. */
  const counts = new Map<string, number>();
  /** The names of budgets that a change may be about, by namespace. */
  const due = new Map<string, Set<string>>();

  /** The desired replicas of a pod's controller; for a ReplicaSet those of its own controller. */
  function wanted(
    controllerUid: string,
    apiVersion: string,
    kind: string,
  ): { uid: string; replicas: number } {
    const { type, version } = servedKind(registry, apiVersion, kind) ?? {};
    if (type === undefined || version?.scale === undefined)
      throw new Error(`${type?.plural ?? kind} does not implement the scale subresource`);
    const controller = store.byUid(controllerUid);
    const parent = controllerOf(controller);
    if (type.id === 'replicasets.apps' && parent !== undefined)
      return wanted(parent.uid, parent.apiVersion, parent.kind);
    const replicas = fieldAt(controller, version.scale.specReplicas);
    return { uid: controllerUid, replicas: typeof replicas === 'number' ? replicas : 0 };
  }

  function controllerOf(object: KubeObject | undefined) {
    return object?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  }

  function scaleOfAll(pods: readonly Pod[]): number {
    const byController = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (owner === undefined || store.byUid(owner.uid) === undefined) continue;
      const { uid, replicas } = wanted(owner.uid, owner.apiVersion, owner.kind);
      byController.set(uid, replicas);
    }
    return [...byController.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  function expectation({ spec }: PodDisruptionBudget, pods: readonly Pod[]): Expectation {
    const { minAvailable, maxUnavailable } = spec ?? {};
    if (maxUnavailable !== undefined) {
      const expected = scaleOfAll(pods);
      return { expected, desired: Math.max(0, expected - scaled(maxUnavailable, expected)) };
    }
    if (typeof minAvailable === 'string') {
      const expected = scaleOfAll(pods);
      return { expected, desired: scaled(minAvailable, expected) };
    }
    return { expected: pods.length, desired: minAvailable ?? 0 };
  }

  /** Granted evictions whose pods still exist and are not marked for deletion. */
  function disrupted(budget: PodDisruptionBudget, pods: readonly Pod[]): Record<string, string> {
    const waiting = new Set(
      pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map((pod) => pod.metadata.name),
    );
    return Object.fromEntries(
      Object.entries(budget.status?.disruptedPods ?? {}).filter(
        ([name, at]) => waiting.has(name) && Date.parse(at) + disruptionTimeoutMs > clock.now(),
      ),
    );
  }

  /** The pods of budgets of a namespace: each pod is shown to those that have one of its labels. */
  function podsOf(namespace: string, all: readonly PodDisruptionBudget[]): Map<PodDisruptionBudget, Pod[]> {
    const found = new Map(all.map((budget) => [budget, [] as Pod[]] as const));
    const byLabel = new Map<string, PodDisruptionBudget[]>();
    for (const budget of all) {
      const [label] = labelsOf(budget.spec?.selector?.matchLabels);
      byLabel.set(label ?? ANY, [...(byLabel.get(label ?? ANY) ?? []), budget]);
    }
    for (const pod of store.list('pods', namespace) as Pod[])
      for (const label of [ANY, ...labelsOf(pod.metadata.labels)])
        for (const budget of byLabel.get(label) ?? [])
          if (selects(budget.spec?.selector, pod.metadata.labels)) found.get(budget)?.push(pod);
    return found;
  }

  function statusOf(budget: PodDisruptionBudget, pods: readonly Pod[]): BudgetStatus {
    const { generation } = budget.metadata;
    const at = timestamp(clock.now());
    const going = disrupted(budget, pods);
    const healthy = pods.filter(
      (pod) =>
        pod.metadata.deletionTimestamp === undefined &&
        !Object.hasOwn(going, pod.metadata.name) &&
        conditionOf(pod, 'Ready')?.status === 'True',
    ).length;
    const conditions = budget.status?.conditions;
    const common = {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(Object.keys(going).length === 0 ? {} : { disruptedPods: going }),
      ...(conditions === undefined ? {} : { conditions }),
    };
    try {
      const { expected, desired } = expectation(budget, pods);
      const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
      return withAllowed(
        {
          ...common,
          disruptionsAllowed: allowed,
          currentHealthy: healthy,
          desiredHealthy: desired,
          expectedPods: expected,
        },
        generation,
        at,
      );
    } catch (error) {
      const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {};
      const failed = { ...common, disruptionsAllowed: 0, currentHealthy, desiredHealthy, expectedPods };
      return withAllowed(failed, generation, at, error instanceof Error ? error.message : String(error));
    }
  }

  function work(namespace: string): void {
    const names = due.get(namespace);
    due.delete(namespace);
    const changed = budgetsIn(namespace).filter(({ metadata }) => names?.has(metadata.name) === true);
    for (const [budget, pods] of podsOf(namespace, changed)) {
      const status = statusOf(budget, pods);
      if (Object.keys(status.disruptedPods ?? {}).length > 0) later(namespace, disruptionTimeoutMs, [budget]);
      if (sameValue(status, budget.status)) continue;
      const body = { ...budget, status };
      if (!attempt(() => server.replace(user, budgets, body, { subresource: 'status' })))
        later(namespace, timings.collectMs, [budget]);
    }
  }

  function budgetsIn(namespace: string): PodDisruptionBudget[] {
    return store.list(budgetsId, namespace);
  }

  function later(namespace: string, delayMs: number, about: readonly PodDisruptionBudget[]): void {
    if (about.length === 0) return;
    const names = due.get(namespace) ?? new Set();
    due.set(namespace, names);
    for (const { metadata } of about) names.add(metadata.name);
    const key = `${namespace} ${delayMs}`;
    enqueue(key, delayMs, () => work(namespace));
  }

  /** Whether a pod change can affect a budget. */
  function matters(pod: Pod, before: Pod | undefined): boolean {
    return (
      before === undefined ||
      pod.metadata.labels !== before.metadata.labels ||
      pod.metadata.ownerReferences !== before.metadata.ownerReferences ||
      pod.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
      conditionOf(pod, 'Ready')?.status !== conditionOf(before, 'Ready')?.status
    );
  }

  function hasScale(resource: string): boolean {
    const versions = registry.byId(resource)?.versions.values() ?? [];
    return [...versions].some((version) => version.scale !== undefined);
  }

  function see({ type, resource, object, previous }: Commit): void {
    const { namespace } = object.metadata;
    if (namespace === undefined) return;
    if (resource === budgetsId) {
      if (type !== 'MODIFIED')
        counts.set(namespace, (counts.get(namespace) ?? 0) + (type === 'ADDED' ? 1 : -1));
      if (type !== 'DELETED' && !sameValue(object['spec'], previous?.['spec']))
        later(namespace, timings.collectMs, [object]);
      return;
    }
    if ((counts.get(namespace) ?? 0) === 0) return;
    if (resource !== 'pods') {
      const isScaled = hasScale(resource) && !sameValue(object['spec'], previous?.['spec']);
      if (isScaled) later(namespace, timings.collectMs, budgetsIn(namespace));
      return;
    }
    const [pod, before] = [object as Pod, previous as Pod | undefined];
    if (type !== 'DELETED' && !matters(pod, before)) return;
    const isAbout = ({ spec }: PodDisruptionBudget): boolean =>
      [pod, before].some((each) => each !== undefined && selects(spec?.selector, each.metadata.labels));
    later(namespace, timings.collectMs, budgetsIn(namespace).filter(isAbout));
  }

  return store.followAll(see);
}
