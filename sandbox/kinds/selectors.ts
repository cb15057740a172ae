import type { LabelSelector, NodeSelectorTerm, Pod, SelectorRequirement } from '../../schemas/pods/pod.ts';
import type { Node } from './node.ts';

type Labels = Readonly<Record<string, string>> | undefined;

function valueOf(labels: Labels, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function holds(value: string | undefined, { operator, values = [] }: SelectorRequirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** Whether labels match a selector. A nil selector matches nothing, an empty one everything. */
export function selects(selector: LabelSelector | null | undefined, labels: Labels): boolean {
  if (selector === undefined || selector === null) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => valueOf(labels, key) === value) &&
    (selector.matchExpressions ?? []).every((each) => holds(valueOf(labels, each.key), each))
  );
}

/** Whether a node matches a term: all its requirements. An empty term matches nothing. */
export function meets(node: Node, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((each) => holds(valueOf(node.metadata.labels, each.key), each)) &&
    matchFields.every((each) => holds(each.key === 'metadata.name' ? node.metadata.name : undefined, each))
  );
}

/** Whether a node matches the nodeSelector and the required node affinity of a pod. */
export function isWantedNode({ spec }: Pod, node: Node): boolean {
  const { labels } = node.metadata;
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {}))
    if (valueOf(labels, key) !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || (required.nodeSelectorTerms ?? []).some((term) => meets(node, term));
}

/** The selector with the requirements of `matchLabelKeys` and `mismatchLabelKeys` added. */
export function withLabelKeys(
  selector: LabelSelector | undefined,
  pod: Pod,
  same: readonly string[] = [],
  other: readonly string[] = [],
): LabelSelector | undefined {
  if (selector === undefined || same.length + other.length === 0) return selector;
  const requirement = (operator: string) => (key: string) => {
    const value = valueOf(pod.metadata.labels, key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  };
  return {
    ...selector,
    matchExpressions: [
      ...(selector.matchExpressions ?? []),
      ...same.flatMap(requirement('In')),
      ...other.flatMap(requirement('NotIn')),
    ],
  };
}

/** The topology domain of a node; undefined if it does not have the label. */
export function domainOf(node: Node | undefined, topologyKey = ''): string | undefined {
  return valueOf(node?.metadata.labels, topologyKey);
}
