import { setDefined } from '../values/set-defined.ts';
import { timeOf } from '../values/timestamp.ts';
import type { Node } from '../node/node.ts';

const JOINED = Symbol('joined');

/** When a Node object was created, by the clock of the server: milliseconds since 1970. An observed node is immutable: it is read once. */
export function joinedAt(node: Node): number {
  const known = (node as Node & { [JOINED]?: number })[JOINED];
  return known ?? setDefined(node, JOINED, timeOf(node.metadata.creationTimestamp));
}
