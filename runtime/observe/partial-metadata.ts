import type { ObjectMeta } from '../../schemas/wire/object.ts';

/** The part of an object's metadata that every cache needs: what names it, and which version of it was observed. */
export function partialMetadata({ name, namespace, uid, resourceVersion }: ObjectMeta): ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
