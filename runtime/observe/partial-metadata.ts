import type { ObjectMeta } from '../../schemas/wire/object.ts';

/**
 * The part of an object's metadata that every cache needs: what names it, and which version of it was observed.
 *
 * @param more what this cache needs besides. It is added here, as a literal that begins with a spread has a shape of its own in V8: half a
 *   kilobyte for each object
 */
export function partialMetadata(
  { name, namespace, uid, resourceVersion }: ObjectMeta,
  more: Partial<ObjectMeta> = {},
): ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...more,
  };
}
