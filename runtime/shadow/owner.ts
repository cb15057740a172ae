import type { KubeObject } from '../../schemas/wire/object.ts';

/** The uid of its controller, or nothing. */
export function ownerOf(object: KubeObject): string {
  return object.metadata.ownerReferences?.find((ref) => ref.controller === true)?.uid ?? '';
}
