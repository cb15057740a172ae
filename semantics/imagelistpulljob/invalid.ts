import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField, UnsupportedField } from '../fields/problems.ts';
import { imageFaults, invalidPull } from '../imagepulljob/invalid.ts';
import { asksForPlan, POLICY_ANNOTATION } from '../policy.ts';
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

/** A list has no plan: its jobs are made one after the other, of names that git does not know. */
export function unsupportedListPull(target: KubeObject): UnsupportedField[] {
  return asksForPlan(target)
    ? [
        {
          path: ['metadata', 'annotations', POLICY_ANNOTATION],
          what: 'a list of images that waits for a plan; without this annotation they are pulled at once, and an ImagePullJob may wait for one',
        },
      ]
    : [];
}
