import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerOf } from '../owner.ts';
import type { Pod } from '../pod/types.ts';
import type { DisruptionLimit, UnitState } from '../limits/disruption.ts';
import { budgetSelector, limitOfBudget } from '../limits/disruption-budgets.ts';
import { type DeploymentLimit, deploymentLimits, limitOfDeployment } from './deployments.ts';
import {
  isUndisturbed,
  limitOfController,
  limitOfOwner,
  type PodCounting,
  type PodOwner,
} from '../limits/pod-owners.ts';
import type { SlotLimits } from '../limits/slots.ts';

/** The pods that a target may change, and what was observed of their limits. */
interface LimitedPods {
  readonly pods: readonly Pod[];
  /** The owners that this runtime manages; undefined: limits are not observed. */
  readonly owners?: readonly PodOwner[];
  /** Deployments of these pods, as far as they are known, among objects of any kind. Default: none is. */
  readonly configs?: readonly KubeObject[];
  /** Default: there are none. */
  readonly disruptionBudgets?: readonly KubeObject[];
  /** Uids of pods that another target has decided to write. Default: none. */
  readonly reserved?: ReadonlySet<string>;
  /** Objects of other kinds that limit disruptions of pods. Default: there are none. */
  readonly influences?: (pods: readonly Pod[]) => readonly SlotLimits[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * What limits how many pods of other owners a target may make unavailable: the maxUnavailable of their owner, a Deployment among them,
 * every PodDisruptionBudget that selects them, and what influences them. Where neither of the first two is known, a quarter of
 * the pods of a controller. A pod without controller and budget has no limit but those of the target itself. Undefined: limits
 * are not observed, as in a forecast.
 */
export function podLimits({
  pods,
  owners,
  configs = [],
  disruptionBudgets = [],
  reserved = new Set(),
  influences = () => [],
  now,
}: LimitedPods): UnitState<Pod> | undefined {
  if (owners === undefined) return undefined;
  const counting: PodCounting = { reserved, now };
  const limits = new Map<string, DisruptionLimit[]>();
  const addTo = (pod: Pod, limit: DisruptionLimit): void => {
    const known = limits.get(uidOf(pod));
    if (known === undefined) limits.set(uidOf(pod), [limit]);
    else known.push(limit);
  };
  const add = (limit: DisruptionLimit, covered: readonly Pod[], seconds: number): void => {
    for (const pod of covered) if (isUndisturbed(pod, seconds, counting)) addTo(pod, limit);
  };
  for (const owner of owners) add(limitOfOwner(owner, counting), owner.pods, owner.minReadySeconds);
  const budgeted = new Set<Pod>();
  const namespaces = byNamespace([...pods, ...owners.flatMap((owner) => owner.pods)]);
  for (const budget of disruptionBudgets) {
    const isSelected = budgetSelector(budget);
    const covered = (namespaces.get(budget.metadata.namespace ?? '') ?? []).filter(isSelected);
    if (covered.length > 0) add(limitOfBudget(budget, covered, counting), covered, 0);
    for (const pod of covered) budgeted.add(pod);
  }
  const deploymentOf = deploymentLimits(configs);
  const managed = new Set(owners.map(({ uid }) => uid));
  for (const { group, deployment } of byController(pods, managed, deploymentOf)) {
    if (deployment !== undefined) {
      add(limitOfDeployment(deployment, group, counting), group, deployment.minReadySeconds);
      continue;
    }
    const others = group.filter((pod) => !budgeted.has(pod));
    if (others.length > 0) add(limitOfController(group, counting), others, 0);
  }
  for (const influence of influences(pods))
    for (const pod of pods) {
      const limit = influence.limitOf(pod, 'Update');
      if (limit !== undefined) addTo(pod, limit);
    }
  return {
    nameOf: ({ metadata }) => metadata.name,
    isReserved: (pod) => reserved.has(uidOf(pod)),
    limitsOf: (pod) => limits.get(uidOf(pod)) ?? [],
  };
}

/** Each pod once, by its namespace. */
function byNamespace(pods: readonly Pod[]): Map<string, Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of new Set(pods)) {
    const { namespace = '' } = pod.metadata;
    const group = found.get(namespace);
    if (group === undefined) found.set(namespace, [pod]);
    else group.push(pod);
  }
  return found;
}

interface ControlledPods {
  group: Pod[];
  /** Undefined: they are of another controller, or their Deployment is not known. */
  deployment: DeploymentLimit | undefined;
}

/** The pods of each controller that is not among these owners; those of all ReplicaSets of a Deployment together. */
function byController(
  pods: readonly Pod[],
  known: ReadonlySet<string>,
  deploymentOf: (pod: Pod) => DeploymentLimit | undefined,
): ControlledPods[] {
  const groups = new Map<string, ControlledPods>();
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid;
    if (uid === undefined || known.has(uid)) continue;
    const deployment = deploymentOf(pod);
    const id = deployment?.name ?? uid;
    const found = groups.get(id);
    if (found === undefined) groups.set(id, { group: [pod], deployment });
    else found.group.push(pod);
  }
  return [...groups.values()];
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
