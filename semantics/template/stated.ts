import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { isObject } from '../values/json-shape.ts';
import { listOf, objectOf } from '../values/read.ts';

/** A template as it was written, and its canonical form. */
export interface WrittenTemplate {
  written: JsonObject;
  canonical: JsonObject;
}

/**
 * Canonical templates for the comparison of two states. A value that follows from another one is not in a canonical template: a
 * request that equals the limit, a pull policy that fits the tag. Where both states write it, a comparison must see it in both.
 * Otherwise a limit that is raised alone adds a request, and one that is lowered to the request removes it.
 */
export function withStated(from: WrittenTemplate, to: WrittenTemplate): [from: JsonObject, to: JsonObject] {
  return [filled(from, to), filled(to, from)];
}

/** A member of a list in its canonical form, with the values that it has been written with in both states. */
type Restore = (canonical: JsonObject, written: JsonObject, other: JsonObject) => JsonObject;

const restores: readonly (readonly [list: string, restore: Restore])[] = [
  ['containers', withRequests],
  [
    'initContainers',
    (...states) => withPolicy('imagePullPolicy', [withRequests(...states), ...tail(states)]),
  ],
  ['volumes', withImagePolicy],
];

function filled({ written, canonical }: WrittenTemplate, other: WrittenTemplate): JsonObject {
  const spec = canonical['spec'];
  if (!isObject(spec)) return canonical;
  const lists: JsonObject = {};
  for (const [list, restore] of restores) {
    const items = spec[list];
    if (!Array.isArray(items)) continue;
    const [own, others] = [byName(written, list), byName(other.written, list)];
    lists[list] = items.map((item: Json) => {
      const { name } = objectOf(item);
      const [here, there] = [own.get(name), others.get(name)];
      return here === undefined || there === undefined || !isObject(item) ? item : restore(item, here, there);
    });
  }
  // Fields that are there already keep their place among the sorted keys.
  return { ...canonical, spec: { ...spec, ...lists } };
}

function byName(template: JsonObject, list: string): ReadonlyMap<Json | undefined, JsonObject> {
  return new Map(listOf(objectOf(template['spec'])[list]).map((each) => [each['name'], each]));
}

function tail([, written, other]: Parameters<Restore>): [written: JsonObject, other: JsonObject] {
  return [written, other];
}

/** A request that is missing from a canonical container equals its limit. */
function withRequests(container: JsonObject, written: JsonObject, other: JsonObject): JsonObject {
  const resources = objectOf(container['resources']);
  const requests = objectOf(resources['requests']);
  const [here, there] = [requestsOf(written), requestsOf(other)];
  const missing = Object.entries(objectOf(resources['limits'])).filter(
    ([name]) => !isIn(requests, name) && isIn(here, name) && isIn(there, name),
  );
  if (missing.length === 0) return container;
  const all = { ...requests, ...Object.fromEntries(missing) };
  return { ...container, resources: { ...resources, requests: all } };
}

function requestsOf(container: JsonObject): JsonObject {
  return objectOf(objectOf(container['resources'])['requests']);
}

function withImagePolicy(volume: JsonObject, written: JsonObject, other: JsonObject): JsonObject {
  const image = volume['image'];
  if (!isObject(image)) return volume;
  const states = [image, objectOf(written['image']), objectOf(other['image'])] as const;
  return { ...volume, image: withPolicy('pullPolicy', states) };
}

function withPolicy(field: string, [canonical, written, other]: Readonly<Parameters<Restore>>): JsonObject {
  const policy = written[field];
  return isIn(canonical, field) || typeof policy !== 'string' || !isIn(other, field)
    ? canonical
    : { ...canonical, [field]: policy };
}

/** Whether an object has a field. Null and an empty text mean absence. */
function isIn(object: JsonObject, field: string): boolean {
  return Object.hasOwn(object, field) && object[field] !== null && object[field] !== '';
}
