import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { objectOf } from '../values/read.ts';
import type { LoweringRow } from './lowering.ts';

/*
 * The way back of a build (`lowering.ts`): what an object of Kubernetes becomes as a kind of OpenKruise, where that has the same pods
 * and changes them alike. A build of the result gives the object again, with its defaults written.
 */

/** How objects of one kind of Kubernetes become a kind of OpenKruise. All functions are pure. */
export interface Raising {
  /** Both are of `apps`. */
  readonly from: { readonly kind: string };
  readonly to: { readonly apiVersion: string; readonly kind: string };
  /** Why objects stay as they are. */
  readonly stays: readonly RaisingRow[];
  /** What the kind of OpenKruise can do beyond: clauses. Nothing of it is switched on. */
  readonly won: readonly string[];
  /** What replaces `spec`, of an object of which no row of `stays` holds. */
  spec(spec: JsonObject): JsonObject;
}

/** A reason to stay, with the specs that it is about. */
export interface RaisingRow extends LoweringRow {
  applies(spec: JsonObject): boolean;
}

/** The object as the kind of OpenKruise, with its metadata and the order of its fields. */
export function raised(
  raising: Raising,
  object: KubeObject,
): { object: KubeObject } | { stays: readonly LoweringRow[] } {
  const spec = objectOf(object['spec']);
  const stays = raising.stays.filter((row) => row.applies(spec));
  if (stays.length > 0) return { stays };
  const { apiVersion, kind } = raising.to;
  return { object: { ...object, apiVersion, kind, spec: raising.spec(spec) } };
}

/** Fields that the kind of OpenKruise does not have, by the fields that it has. */
export function otherFieldsRow(known: readonly string[]): RaisingRow {
  return {
    what: `a field of spec beside ${known.join(', ')}`,
    instead: 'the kind of OpenKruise has no such field',
    applies: (spec) => Object.keys(spec).some((key) => !known.includes(key)),
  };
}

/** A map with another entry in the place of one; at the end where that is absent. `undefined`: it goes. */
export function withEntry(
  map: JsonObject,
  key: string,
  [to, value]: readonly [string, JsonObject[string] | undefined],
): JsonObject {
  const entries = Object.entries(map).flatMap(([name, each]): [string, JsonObject[string]][] => {
    if (name !== key) return name === to ? [] : [[name, each]];
    return value === undefined ? [] : [[to, value]];
  });
  if (!(key in map) && value !== undefined) entries.push([to, value]);
  return Object.fromEntries(entries);
}
