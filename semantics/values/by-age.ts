import type { KubeObject } from '../../schemas/wire/object.ts';
import { compareCodePoints } from './canonical-json.ts';

/** Orders objects of one kind and namespace, the oldest first; of the same second, by name. Two runtimes order them alike. */
export function byAge({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return (
    compareCodePoints(a.creationTimestamp ?? '', b.creationTimestamp ?? '') ||
    compareCodePoints(a.name, b.name)
  );
}
