import { createHash } from 'node:crypto';

/** A number in [0, 1) that a text decides on. */
function drawn(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

/**
 * Whether a new pod is among the share that gets a revision of a set. A larger share has the requests of a smaller one. Nothing
 * of the pod counts: whoever creates it writes its annotations, and would choose the revision by them.
 */
export function isAmong(percent: number, set: string, requestId: string): boolean {
  if (percent <= 0 || percent >= 100) return percent >= 100;
  return drawn(`${set}/${requestId}`) * 100 < percent;
}
