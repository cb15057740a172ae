import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UnsupportedField } from '../fields/problems.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';

/** The template of an ImageListPullJob: nothing executes that kind. */
const IMAGES = 'imageListPullJobTemplate';

/** Whether the template of an ImageListPullJob is set. */
export function pullsImages(object: KubeObject): boolean {
  return isObject(objectOf(objectOf(object['spec'])['template'])[IMAGES]);
}

/** The fields of an AdvancedCronJob that need rules which are not executed. */
export function unsupportedCronJobFields(object: KubeObject): UnsupportedField[] {
  return pullsImages(object)
    ? [{ path: ['spec', 'template', IMAGES], what: 'the download of images to nodes (ImageListPullJob)' }]
    : [];
}
