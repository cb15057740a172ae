import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { InvalidField } from '../fields/problems.ts';
import { type Shape, templateShape } from './shape.ts';

/** How many faults of a template are named. */
const MOST = 10;

/**
 * Members of a pod template that are a list, or an object, where Kubernetes has the other, or a plain value. The definitions keep
 * unknown fields of templates, so that no server refuses them; every rule may then read a template as Kubernetes has it.
 *
 * @param path of the template in its target
 */
export function misshapenFields(template: JsonObject, path: readonly string[]): InvalidField[] {
  const found: InvalidField[] = [];
  // A revision is written with this directive, and read without it.
  if (Object.hasOwn(template, '$patch')) found.push({ path: [...path, '$patch'], rule: 'must not be set' });
  walk(template, templateShape, [...path], found);
  return found;
}

function walk(value: Json | undefined, shape: Shape, path: string[], found: InvalidField[]): void {
  if (value === undefined || value === null || found.length >= MOST) return;
  const { items, fields } = shape;
  if (items !== undefined) {
    if (!Array.isArray(value)) found.push({ path, rule: 'must be a list' });
    else
      for (const [at, item] of value.entries()) {
        const place = [...path, String(at)];
        // A member that is null is not there. An item that is null is there, and has no name.
        if (item === null && isObject(items) && found.length < MOST)
          found.push({ path: place, rule: 'must be an object' });
        else walk(item, items, place, found);
      }
  } else if (isObject(shape)) {
    if (typeof value !== 'object' || Array.isArray(value)) found.push({ path, rule: 'must be an object' });
    else
      for (const name of Object.keys(value)) {
        const field = fields.get(name);
        if (field !== undefined && !isPlain(field)) walk(value[name], field, [...path, name], found);
      }
  }
}

/** Whether Kubernetes has a plain value here, of which the definitions know the type. */
const isPlain = (shape: Shape): boolean => shape.items === undefined && !isObject(shape);

/** Whether Kubernetes has an object here, and no plain value. */
const isObject = ({ fields, quantity }: Shape): boolean => fields.size > 0 || quantity === 'list';
