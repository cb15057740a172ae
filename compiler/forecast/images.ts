import type { JsonObject } from '../../schemas/wire/json.ts';
import { valueAt } from '../validate/schema-errors.ts';

/** The images of a pod template. */
export function imagesOf(template: JsonObject): string[] {
  return ['initContainers', 'containers'].flatMap((list) => {
    const containers = valueAt(template, ['spec', list]);
    if (!Array.isArray(containers)) return [];
    return containers
      .map((container) => valueAt(container, ['image']))
      .filter((image) => typeof image === 'string');
  });
}
