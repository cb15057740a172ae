import { createHash } from 'node:crypto';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import { recordOf } from './pod-record.ts';

/** A number in [0, 1) that a text decides on. */
function drawn(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

/**
 * Whether a new pod is among the share that gets a revision of a set. A larger share has the requests of a smaller one. A webhook
 * may be called twice for one pod, with another uid each time: a pod that names a revision keeps what the first call has drawn.
 *
 * @param revisions of the set
 */
export function isAmong(
  percent: number,
  revision: KubeObject,
  request: { set: string; pod: KubeObject; revisions: readonly KubeObject[]; requestId: string },
): boolean {
  const { set, pod, revisions, requestId } = request;
  if (percent <= 0 || percent >= 100) return percent >= 100;
  const before = recordOf(pod as Pod, set)?.revision;
  if (before !== undefined && revisions.some(({ metadata }) => metadata.name === before))
    return before === revision.metadata.name;
  return drawn(`${set}/${requestId}`) * 100 < percent;
}
