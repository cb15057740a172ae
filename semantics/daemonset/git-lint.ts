import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';
import { labelsOf } from '../values/selector-mismatch.ts';
import { countText } from '../values/text.ts';
import { normalizeDaemonSet } from './normalize.ts';
import { burstOf } from './partition.ts';

const SPEC = ['spec', 'template', 'spec'];
/** A percentage that is none of so many is a mistake, whatever the number of nodes is. */
const EXAMPLE_NODES = 100;

/**
 * What only the compiler reports: extra pods that no node could have beside the old ones, which OpenKruise accepts and which stay
 * Pending, and a burst of none, with which nothing is ever created or deleted (OpenKruise advanced-daemonset, 10.3). A percentage that is
 * none of a hundred nodes is a mistake. One that is none of those that kruise.yaml assumes is reported as that.
 *
 * Example: `burstReplicas: 10%` with `assume: {nodes: 5}` is none, since it rounds down.
 */
export function lintDaemonSet(manifest: KubeObject, nodes: number | undefined): InvalidField[] {
  const { strategy, template, burstReplicas } = normalizeDaemonSet(manifest);
  const isNone = burstOf(burstReplicas, EXAMPLE_NODES) === 0;
  return [
    ...(strategy.type === 'Surging' ? [...hostPorts(template), ...ownAntiAffinity(template)] : []),
    ...(isNone || burstOf(burstReplicas, nodes ?? EXAMPLE_NODES) === 0
      ? [
          {
            path: ['spec', 'burstReplicas'],
            rule: `must be at least 1${isNone || nodes === undefined ? '' : ` of ${countText(nodes, 'node')}`}, or no pod is ever created, deleted or updated in place`,
            ...(isNone ? {} : { isAssumed: true as const }),
          },
        ]
      : []),
  ];
}

/** Ports of the node. With hostNetwork each port is one. */
function hostPorts(template: JsonObject): InvalidField[] {
  const pod = objectOf(template['spec']);
  const isOnHost = pod['hostNetwork'] === true;
  const lists = [
    ...listOf(pod['containers']).map((container, index) => ({
      container,
      at: ['containers', String(index)],
    })),
    ...listOf(pod['initContainers']).flatMap((container, index) =>
      // One that ends has given its ports back.
      container['restartPolicy'] === 'Always' ? [{ container, at: ['initContainers', String(index)] }] : [],
    ),
  ];
  return lists.flatMap(({ container, at }) =>
    listOf(container['ports']).flatMap((port, index): InvalidField[] => {
      const isPortOfNode = isOnHost || (typeof port['hostPort'] === 'number' && port['hostPort'] !== 0);
      if (!isPortOfNode) return [];
      return [
        {
          path: [...SPEC, ...at, 'ports', String(index)],
          rule: 'must not be a port of the node with a maxSurge: two pods cannot have it',
        },
      ];
    }),
  );
}

/** A required anti-affinity that keeps the pods of the template from one node. */
function ownAntiAffinity(template: JsonObject): InvalidField[] {
  const affinity = objectOf(objectOf(template['spec'])['affinity']);
  const path = [...SPEC, 'affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
  const terms = objectOf(affinity['podAntiAffinity'])['requiredDuringSchedulingIgnoredDuringExecution'];
  const own = labelsOf(template);
  return listOf(terms).flatMap(({ topologyKey, labelSelector }, index): InvalidField[] => {
    const selector: LabelSelector = objectOf(labelSelector);
    if (textOf(topologyKey) !== 'kubernetes.io/hostname' || !selectorPredicate(selector)(own)) return [];
    const rule = 'must not select the pods themselves with a maxSurge: no node could have two of them';
    return [{ path: [...path, String(index)], rule }];
  });
}
