import type { KubeObject } from '../../schemas/wire/object.ts';

/** Whether more than the status of a target has changed. */
export function hasChanged({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return (
    one.uid !== other.uid ||
    one.generation !== other.generation ||
    one.deletionTimestamp !== other.deletionTimestamp ||
    JSON.stringify([one.labels, one.annotations]) !== JSON.stringify([other.labels, other.annotations])
  );
}
