import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { groupOf, isObject } from '../load/identity.ts';

/** The fields by which autoscalers and budgets of any project name a workload of their namespace. */
const REFERENCES = ['scaleTargetRef', 'targetRef'] as const;

/** How references of other projects write the group of what they name. */
const GROUP_FIELDS = ['apiVersion', 'apiGroup', 'group'] as const;

/** The new kind of the object that is named; undefined: it stays. `namespace`: undefined for that of the object that names it. */
type Renamed = (
  group: string,
  kind: string,
  name: string,
  namespace?: string,
) => { apiVersion: string; kind: string } | undefined;

/** A reference that does not follow. */
export interface OtherReference {
  path: readonly string[];
  kind: string;
  name: string;
  /** The new kind. */
  built: string;
}

/** An object whose references name what was compiled, with the new kinds; undefined: it names none of these. */
export function withReferences(object: JsonObject, renamed: Renamed): JsonObject | undefined {
  const { spec } = object;
  if (!isObject(spec)) return undefined;
  let changed: JsonObject | undefined;
  for (const field of REFERENCES) {
    const reference = spec[field];
    if (!isObject(reference)) continue;
    const { apiVersion, kind, name } = reference;
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') continue;
    const found = renamed(apiVersion.split('/')[0] ?? '', kind, name);
    if (found !== undefined) changed = { ...(changed ?? spec), [field]: { ...reference, ...found } };
  }
  return changed === undefined ? undefined : { ...object, spec: changed };
}

/**
 * References that do not follow: those to what was compiled in any other field, as what their kinds mean is not known here, and those to
 * what has another name now, or is several objects.
 */
export function otherReferences(
  { spec }: JsonObject,
  { renamed, gone }: { renamed: Renamed; gone: Renamed },
): OtherReference[] {
  const found: OtherReference[] = [];
  const search = (value: Json, path: readonly string[], known: readonly Renamed[]): void => {
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) search(item, [...path, String(index)], known);
    if (!isObject(value)) return;
    for (const each of known) {
      const reference = referenceOf(value, each);
      if (reference !== undefined) found.push({ path, ...reference });
    }
    for (const [key, each] of Object.entries(value)) search(each, [...path, key], known);
  };
  if (!isObject(spec)) return found;
  for (const [key, value] of Object.entries(spec)) {
    const follows = REFERENCES.some((each) => each === key);
    search(value, ['spec', key], follows ? [gone] : [renamed, gone]);
  }
  return found;
}

function referenceOf(value: JsonObject, renamed: Renamed): Omit<OtherReference, 'path'> | undefined {
  const { kind, name, namespace } = value;
  const field = GROUP_FIELDS.find((each) => typeof value[each] === 'string');
  if (field === undefined || typeof kind !== 'string' || typeof name !== 'string') return undefined;
  const group = groupOf({ apiVersion: value[field] ?? '' });
  const built = renamed(group, kind, name, typeof namespace === 'string' ? namespace : undefined);
  return built === undefined ? undefined : { kind, name, built: built.kind };
}
