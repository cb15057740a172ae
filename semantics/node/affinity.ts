import type { JsonObject } from '../../schemas/wire/json.ts';
import type { NodeSelectorTerm, PodSpec, SelectorRequirement } from '../../schemas/pods/pod.ts';
import { objectOf } from '../values/read.ts';
import { NODE_NAME_FIELD, type Node } from './node.ts';

/**
 * Whether a pod may run on a node by its nodeSelector and its required node affinity (OpenKruise, pods on nodes, rule
 * 6.2 step 2). Preferred affinity does not matter.
 */
export function isWantedNode({ nodeSelector, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const isSelected = Object.entries(nodeSelector ?? {}).every(
    ([key, value]) => valueOf(labels, key) === value,
  );
  if (!isSelected) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined || required === null) return true;
  return (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** The node that a pod must run on by the one value of its required affinity; undefined: there is no such value. */
export function requiredNode({ affinity }: PodSpec): string | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? [])
    for (const { key, operator, values = [] } of matchFields)
      if (key === NODE_NAME_FIELD && operator === 'In' && values.length === 1) return values[0];
  return undefined;
}

/**
 * Whether a node meets every requirement of a term. A term without requirements matches nothing, and neither does an invalid
 * one: the terms are alternatives, so the others count.
 */
function matchesTerm({ matchExpressions, matchFields }: NodeSelectorTerm, node: Node): boolean {
  const expressions = matchExpressions ?? [];
  const fields = matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    expressions.every((each) => isValid(each) && holds(valueOf(labels, each.key), each)) &&
    fields.every((each) => isNameField(each) && holds(node.metadata.name, each))
  );
}

/** Of the fields of a node only its name can be required, by In or NotIn with one value. */
function isNameField({ key, operator, values = [] }: SelectorRequirement): boolean {
  return key === NODE_NAME_FIELD && (operator === 'In' || operator === 'NotIn') && values.length === 1;
}

function isValid({ operator, values }: SelectorRequirement): boolean {
  const given = values ?? [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      return given.length > 0;
    case 'Exists':
    case 'DoesNotExist':
      return given.length === 0;
    case 'Gt':
    case 'Lt':
      return given.length === 1 && integerOf(given[0]) !== undefined;
    default:
      return false;
  }
}

function holds(value: string | undefined, { operator, values }: SelectorRequirement): boolean {
  const given = values ?? [];
  switch (operator) {
    case 'In':
      return value !== undefined && given.includes(value);
    case 'NotIn':
      return value === undefined || !given.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isGreater(integerOf(value), integerOf(given[0]));
    default:
      return isGreater(integerOf(given[0]), integerOf(value));
  }
}

function isGreater(one: bigint | undefined, other: bigint | undefined): boolean {
  return one !== undefined && other !== undefined && one > other;
}

function integerOf(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?[0-9]{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
}

function valueOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** An affinity with a requirement that only this node meets. Preferred affinity, and affinity to pods, stay as they are. */
export function affinityTo(affinity: JsonObject, node: string): JsonObject {
  const matchFields = [{ key: NODE_NAME_FIELD, operator: 'In', values: [node] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...objectOf(affinity['nodeAffinity']),
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}
