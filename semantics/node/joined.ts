import { timeOf } from '../values/timestamp.ts';
import type { Node } from './node.ts';

/** Cached by object: an observed node is immutable. */
const times = new WeakMap<Node, number>();

/** When a Node object was created, by the clock of the server: milliseconds since 1970. */
export function joinedAt(node: Node): number {
  const known = times.get(node);
  if (known !== undefined) return known;
  const at = timeOf(node.metadata.creationTimestamp);
  times.set(node, at);
  return at;
}
