import type { PodSpec, Toleration } from '../../schemas/pods/pod.ts';
import { tolerates, type Node } from '../kinds/node.ts';
import { isWantedNode } from '../kinds/selectors.ts';
import type { DaemonSet, Pod } from './kinds.ts';
import { isAvailable, podOf } from './pods.ts';
import { resolved } from './rolling.ts';
import { revisionLabel } from './revisions.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';

/** What daemon pods tolerate beyond their template: they run on nodes with problems, too. */
function tolerationsOf({ hostNetwork, tolerations = [] }: PodSpec): Toleration[] {
  const taint = (key: string, effect: string): Toleration => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect,
  });
  return [
    ...tolerations,
    taint('not-ready', 'NoExecute'),
    taint('unreachable', 'NoExecute'),
    taint('disk-pressure', 'NoSchedule'),
    taint('memory-pressure', 'NoSchedule'),
    taint('pid-pressure', 'NoSchedule'),
    taint('unschedulable', 'NoSchedule'),
    ...(hostNetwork === true ? [taint('network-unavailable', 'NoSchedule')] : []),
  ];
}

/** A new daemon pod of a node. */
export function daemonPod(set: DaemonSet, node: string, hash: string) {
  const { spec } = set.spec.template;
  const own = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const { affinity } = spec;
  const required = { nodeSelectorTerms: [own] };
  return podOf(set, set.spec.template, {
    labels: {
      [revisionLabel]: hash,
      'pod-template-generation': set.metadata.annotations?.[generationAnnotation] ?? '1',
    },
    spec: {
      affinity: {
        ...affinity,
        nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
      },
      tolerations: tolerationsOf(spec),
    },
  });
}

/** The node that a daemon pod is for, scheduled or not. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0];
}

/** Whether a node should get a daemon pod, and whether one that is there may stay. */
export function placement(set: DaemonSet, node: Node): { shouldRun: boolean; mayStay: boolean } {
  const pod = { ...set, kind: 'Pod', spec: set.spec.template.spec } as unknown as Pod;
  if (!isWantedNode(pod, node)) return { shouldRun: false, mayStay: false };
  const tolerations = tolerationsOf(set.spec.template.spec);
  const open = (node.spec?.taints ?? []).filter(
    (taint) => !tolerations.some((each) => tolerates(each, taint)),
  );
  return {
    shouldRun: open.every(({ effect }) => effect === 'PreferNoSchedule'),
    mayStay: open.every(({ effect }) => effect !== 'NoExecute'),
  };
}

/** The daemon pods of one node, the oldest first. */
export interface NodePods {
  node: string;
  pods: Pod[];
  shouldRun: boolean;
  mayStay: boolean;
}

export interface DaemonStep {
  create: string[];
  remove: Pod[];
}

export function isOutdated({ metadata }: Pod, hash: string): boolean {
  return metadata.labels?.[revisionLabel] !== hash;
}

function isLeft({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** One daemon pod for each node that should have one: missing ones are made, failed and surplus ones deleted. */
function kept(nodes: readonly NodePods[], hash: string, step: DaemonStep): void {
  for (const { node, pods, shouldRun, mayStay } of nodes) {
    const failed = pods.filter((pod) => isLeft(pod) && pod.status?.phase === 'Failed');
    const alive = pods.filter((pod) => isLeft(pod) && pod.status?.phase !== 'Failed');
    step.remove.push(...failed);
    if (!mayStay) step.remove.push(...alive);
    else if (pods.length === 0 && shouldRun) step.create.push(node);
    else {
      // During an update with a surge a node has one pod of each revision.
      const [, ...current] = alive.filter((pod) => !isOutdated(pod, hash));
      const [, ...outdated] = alive.filter((pod) => isOutdated(pod, hash));
      step.remove.push(...current, ...outdated);
    }
  }
}

/** What a DaemonSet does next: first every node gets its pod, then outdated ones are replaced within the limits. */
export function daemonStep(
  set: DaemonSet,
  nodes: readonly NodePods[],
  hash: string,
  now: number,
): DaemonStep {
  const step: DaemonStep = { create: [], remove: [] };
  kept(nodes, hash, step);
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return step;
  const wanted = nodes.filter(({ shouldRun }) => shouldRun);
  const surge = resolved(rollingUpdate?.maxSurge ?? 0, wanted.length, true);
  const isUp = (pod: Pod) => isLeft(pod) && isAvailable(pod, set.spec.minReadySeconds, now);
  const touched = new Set(step.remove);
  const pairs = wanted.map(({ node, pods }) => {
    const left = pods.filter((pod) => isLeft(pod) && !touched.has(pod));
    return {
      node,
      old: left.find((pod) => isOutdated(pod, hash)),
      fresh: left.find((pod) => !isOutdated(pod, hash)),
      up: left.some(isUp),
    };
  });
  if (surge > 0) {
    let surging = pairs.filter(({ old, fresh }) => old !== undefined && fresh !== undefined).length;
    for (const { node, old, fresh } of pairs) {
      if (old === undefined) continue;
      if (fresh !== undefined && isUp(fresh)) step.remove.push(old);
      else if (fresh === undefined && (surging < surge || !isUp(old))) {
        step.create.push(node);
        surging += 1;
      }
    }
    return step;
  }
  const most = Math.max(1, resolved(rollingUpdate?.maxUnavailable ?? 1, wanted.length, true));
  let unavailable = pairs.filter(({ up }) => !up).length;
  for (const { old } of pairs) {
    if (old === undefined) continue;
    if (!isUp(old)) step.remove.push(old);
    else if (unavailable < most) {
      unavailable += 1;
      step.remove.push(old);
    }
  }
  return step;
}
