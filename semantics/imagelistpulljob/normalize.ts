import type { KubeObject } from '../../schemas/wire/object.ts';
import { objectOf } from '../values/read.ts';

/** The images, of either served version. A member of another type is read as absent. */
export function imagesOf({ spec }: KubeObject): string[] {
  const { images } = objectOf(spec);
  return Array.isArray(images) ? images.filter((each): each is string => typeof each === 'string') : [];
}
