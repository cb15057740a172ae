import { createHash } from 'node:crypto';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** Hexadecimal digits in the name of a pod: two of ten thousand nodes share them once in five million targets. */
const ID_DIGITS = 12;

/** A pod that belongs to a node. */
export interface NodePod {
  node: string;
  /** What it runs, where each has names of its own, such as a run; empty: all have the same. */
  of: string;
  /** Names that other objects have. */
  taken: ReadonlySet<string>;
}

/**
 * The id of the pod of a node, in `<target>-<id>`: it follows from the target, the node and what the pod runs, so that a node never
 * gets two such pods, whatever a cache shows.
 */
export function nodePodId(target: KubeObject, { node, of, taken }: NodePod): string {
  for (let n = 0; ; n++) {
    const key = `${target.metadata.uid ?? ''}/${of}/${node}/${n}`;
    const id = createHash('sha256').update(key).digest('hex').slice(0, ID_DIGITS);
    if (!taken.has(`${target.metadata.name}-${id}`)) return id;
  }
}
