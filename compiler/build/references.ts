import type { JsonObject } from '../../schemas/wire/json.ts';
import { isObject } from '../load/identity.ts';

/** The fields by which autoscalers and budgets of any project name a workload of their namespace. */
const REFERENCES = ['scaleTargetRef', 'targetRef'] as const;

/** The new kind of the object that is named; undefined: it stays. */
type Renamed = (
  group: string,
  kind: string,
  name: string,
) => { apiVersion: string; kind: string } | undefined;

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
