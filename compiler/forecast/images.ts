import type { JsonObject } from '../../schemas/wire/json.ts';
import { valueAt } from '../validate/schema-errors.ts';

/** A container of a pod template. Nothing has validated its name. */
interface ContainerImage {
  list: 'initContainers' | 'containers';
  name: string;
  image: string | undefined;
}

/** The containers of a pod template, in the order in which they start. */
export function containersOf(template: JsonObject): ContainerImage[] {
  return (['initContainers', 'containers'] as const).flatMap((list) => {
    const containers = valueAt(template, ['spec', list]);
    if (!Array.isArray(containers)) return [];
    return containers.map((container) => {
      const [name, image] = [valueAt(container, ['name']), valueAt(container, ['image'])];
      return {
        list,
        name: typeof name === 'string' ? name : '',
        image: typeof image === 'string' ? image : undefined,
      };
    });
  });
}

/** The images of a pod template. */
export function imagesOf(template: JsonObject): string[] {
  return containersOf(template).flatMap(({ image }) => image ?? []);
}
