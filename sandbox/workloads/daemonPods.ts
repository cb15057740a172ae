import type { PodSpec, Toleration } from '../../schemas/pods/pod.ts';
import { tolerates, type Node } from '../kinds/node.ts';
import { isWantedNode } from '../kinds/selectors.ts';
import type { DaemonSet, Pod } from './kinds.ts';
import { podOf } from './pods.ts';
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
