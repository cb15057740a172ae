import { createHash } from 'node:crypto';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { NODE_NAME_FIELD } from '../node/node.ts';
import { HOSTNAME } from '../pod/nodes.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { withoutTrailing } from '../values/text.ts';

/** A node that a template names: by its name, or by its label of the hostname. */
export interface NamedNode {
  by: 'name' | 'hostname';
  value: string;
}

/**
 * The nodes that a template names, and no other requirement: so no other node can be among them. Undefined: it does not name them, or
 * says more, or names them in two ways, so that two of the names may be one node.
 */
export function namedNodes(spec: JsonObject): NamedNode[] | undefined {
  const selector = Object.entries(objectOf(spec['nodeSelector']));
  const affinity = objectOf(objectOf(spec['affinity'])['nodeAffinity']);
  const required = affinity['requiredDuringSchedulingIgnoredDuringExecution'] ?? undefined;
  if (required === undefined) {
    const [[key, value] = ['', '']] = selector;
    return selector.length === 1 && key === HOSTNAME ? [{ by: 'hostname', value: textOf(value) }] : undefined;
  }
  if (selector.length > 0) return undefined;
  const found = listOf(objectOf(required)['nodeSelectorTerms']).map(nodesOfTerm);
  const nodes = found.flatMap((each) => each ?? []);
  const isOneWay = new Set(nodes.map(({ by }) => by)).size === 1;
  if (!isOneWay || found.includes(undefined)) return undefined;
  return [...new Map(nodes.map((node) => [node.value, node])).values()];
}

function nodesOfTerm(term: JsonObject): NamedNode[] | undefined {
  const [fields, expressions] = [listOf(term['matchFields']), listOf(term['matchExpressions'])];
  const [one, ...more] = [...fields, ...expressions];
  if (one === undefined || more.length > 0 || one['operator'] !== 'In') return undefined;
  const values = Array.isArray(one['values']) ? one['values'].map(textOf) : [];
  const by = fields.length === 1 ? 'name' : 'hostname';
  if (one['key'] !== (by === 'name' ? NODE_NAME_FIELD : HOSTNAME)) return undefined;
  // Kubernetes takes one name alone.
  const isTaken = by === 'name' ? values.length === 1 : values.length > 0;
  return isTaken ? values.map((value) => ({ by, value })) : undefined;
}

/** The name of a Job is a label of its pods. */
const MOST_CHARACTERS = 63;
const HASH_DIGITS = 8;

/** The name of the Job of a node. One that does not fit is cut, and has a hash of the whole name. */
export function jobNameOf(name: string, { value }: NamedNode): string {
  const full = `${name}-${value}`;
  if (full.length <= MOST_CHARACTERS && /^[a-z0-9-]*[a-z0-9]$/.test(full)) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH_DIGITS);
  // A part of a name does not begin with a dash.
  const start = withoutTrailing(name.slice(0, MOST_CHARACTERS - HASH_DIGITS - 1), '.');
  return `${start}-${hash}`;
}
