import { tolerates, type Node } from '../../kinds/node.ts';
import type { Pod } from '../../../schemas/pods/pod.ts';
import { thousandths } from '../../kinds/quantity.ts';
import { isFields } from '../../../schemas/pods/fields.ts';
import { textAt } from '../../store/value.ts';
import type { Cycle, Filter } from './cycle.ts';
import { podAffinityFilter, podAffinityScore } from './podAffinity.ts';
import { isWantedNode, meets } from '../../kinds/selectors.ts';
import { spreadScore, spreadFilter } from './topologySpread.ts';

function untolerated(pod: Pod, node: Node, effects: readonly string[]): number {
  const tolerations = pod.spec.tolerations ?? [];
  return (node.spec?.taints ?? []).filter(
    (taint) =>
      effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  ).length;
}

/**
 * The allocatable amount of a resource in thousandths; unlimited if the node does not report it. Cached per node
 * version.
 */
const offers = new WeakMap<Node, Map<string, number>>();

function offeredBy(node: Node, resource: string): number {
  let known = offers.get(node);
  if (known === undefined) offers.set(node, (known = new Map()));
  let offered = known.get(resource);
  if (offered === undefined) {
    const { allocatable } = node.status ?? {};
    const quantity = allocatable?.[resource];
    const builtIn = ['cpu', 'memory', 'ephemeral-storage', 'pods'].includes(resource);
    if (quantity !== undefined) offered = thousandths(quantity);
    else offered = builtIn || allocatable === undefined ? Number.POSITIVE_INFINITY : 0;
    known.set(resource, offered);
  }
  return offered;
}

function fits({ demand, usageOf }: Cycle, node: Node): readonly string[] {
  const usage = usageOf(node.metadata.name);
  const reasons: string[] = [];
  if ((usage.pods.size + 1) * 1000 > offeredBy(node, 'pods')) reasons.push('Too many pods');
  for (const [resource, requested] of Object.entries(demand))
    if (requested > 0 && usage.taken(resource) + requested > offeredBy(node, resource))
      reasons.push(`Insufficient ${resource}`);
  return reasons;
}

/** `protocol ip port` of each host port; 0.0.0.0 conflicts with every ip. */
function hostPorts({ spec }: Pod): { protocol: string; ip: string; port: number }[] {
  return spec.containers.flatMap((container) => {
    const ports: unknown = container['ports'];
    return (Array.isArray(ports) ? (ports as unknown[]) : []).flatMap((each) => {
      if (!isFields(each) || typeof each['hostPort'] !== 'number' || each['hostPort'] === 0) return [];
      return [
        {
          protocol: textAt(['protocol'])(each) || 'TCP',
          ip: textAt(['hostIP'])(each) || '0.0.0.0',
          port: each['hostPort'],
        },
      ];
    });
  });
}

function portFilter({ pod, usageOf }: Cycle): Filter | undefined {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return undefined;
  return (node) => {
    const used = [...usageOf(node.metadata.name).pods.values()].flatMap(hostPorts);
    const clash = wanted.some((one) =>
      used.some(
        (other) =>
          one.port === other.port &&
          one.protocol === other.protocol &&
          (one.ip === other.ip || one.ip === '0.0.0.0' || other.ip === '0.0.0.0'),
      ),
    );
    return clash ? ["node(s) didn't have free ports for the requested pod ports"] : [];
  };
}

/** Runs all filters in the scheduler's order; the first failing filter provides the message. */
export function filterOf(cycle: Cycle, volumes: Filter | undefined): Filter {
  const { pod } = cycle;
  const optional = [portFilter(cycle), (node: Node) => fits(cycle, node), volumes].filter(
    (each) => each !== undefined,
  );
  const between = [spreadFilter(cycle), podAffinityFilter(cycle)].filter((each) => each !== undefined);
  const filters = [...optional, ...between];
  return (node) => {
    if (node.spec?.unschedulable === true) {
      const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
      if (!pod.spec.tolerations?.some((each) => tolerates(each, taint)))
        return ['node(s) were unschedulable'];
    }
    if (untolerated(pod, node, ['NoSchedule', 'NoExecute']) > 0) return ['node(s) had untolerated taint(s)'];
    if (!isWantedNode(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
    for (const filter of filters) {
      const reasons = filter(node);
      if (reasons.length > 0) return reasons;
    }
    return [];
  };
}

/**
 * Compares feasible nodes: preferred affinity, then topology spread, then fewest pods. Negative if the first is
 * better; equal nodes stay sorted by name.
 */
export function preferenceOf(cycle: Cycle): (a: Node, b: Node) => number {
  const { pod, usageOf } = cycle;
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const company = podAffinityScore(cycle);
  const crowding = spreadScore(cycle);
  const score = (node: Node) =>
    preferred.reduce(
      (sum, { weight = 0, preference = {} }) => sum + (meets(node, preference) ? weight : 0),
      0,
    ) +
    (company?.(node) ?? 0) -
    100 * untolerated(pod, node, ['PreferNoSchedule']);
  return (a, b) =>
    score(b) - score(a) ||
    (crowding === undefined ? 0 : crowding(a) - crowding(b)) ||
    usageOf(a.metadata.name).pods.size - usageOf(b.metadata.name).pods.size;
}
