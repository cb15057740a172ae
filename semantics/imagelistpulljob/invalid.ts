import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { imageFaults, invalidPull } from '../imagepulljob/invalid.ts';
import { imagesOf } from './normalize.ts';

/** OpenKruise allows as many in one list. */
const MOST_IMAGES = 255;

/** Errors in an ImageListPullJob, in the words of OpenKruise's admission where it has some (image-pull, section 7). */
export function invalidListPull(target: KubeObject): InvalidField[] {
  const images = imagesOf(target);
  const path = ['spec', 'images'];
  const found = invalidPull(target);
  if (images.length === 0) found.push({ path, rule: 'images can not be empty' });
  if (images.length > MOST_IMAGES)
    found.push({ path, rule: `the maximum number of images cannot > ${MOST_IMAGES}` });
  if (new Set(images).size < images.length) found.push({ path, rule: 'images cannot have duplicate values' });
  for (const [index, image] of images.entries()) found.push(...imageFaults(image, [...path, String(index)]));
  return found;
}
