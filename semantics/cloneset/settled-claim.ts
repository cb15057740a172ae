import type { KubeObject } from '../../schemas/wire/object.ts';

/** A claim this young may be one whose pod is not observed yet, where nothing proves that the pod is gone. */
const SETTLED_MS = 60_000;

/** When the caches show the pod of this claim, if there is one, milliseconds since 1970. */
export function settledAt({ metadata }: KubeObject): number {
  return (Date.parse(metadata.creationTimestamp ?? '') || 0) + SETTLED_MS;
}
