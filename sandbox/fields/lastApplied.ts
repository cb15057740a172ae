import type { KubeObject } from '../../schemas/wire/object.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { sorted } from '../store/value.ts';
import type { FieldType } from './atom.ts';
import { compare } from './compare.ts';
import { fieldsOf } from './members.ts';
import { difference, type MaybeSet } from './set.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const annotationsLimit = 256 * 1024;

/** The only manager whose last-applied annotation is maintained. */
export const kubectl = 'kubectl';

function lastApplied(object: KubeObject): string {
  const value: unknown = object.metadata.annotations?.[annotation];
  return typeof value === 'string' ? value : '';
}

/**
 * The fields that still have the values of kubectl's client-side apply: server-side apply by kubectl may take them
 * over.
 */
export function fieldsOfLastApplied(type: FieldType, live: KubeObject): MaybeSet {
  let config: unknown;
  try {
    config = JSON.parse(lastApplied(live));
  } catch {
    return undefined;
  }
  if (!isFields(config)) return undefined;
  const found = compare(type, config, live, undefined);
  const set = fieldsOf(type, config);
  if (found === undefined) return set;
  return difference(difference(difference(set, found.modified), found.added), found.removed);
}

/** Updates an existing last-applied annotation with the applied configuration. */
export function withLastApplied(next: KubeObject, config: KubeObject): KubeObject {
  const { annotations } = next.metadata;
  if (annotations === undefined || lastApplied(next) === '') return next;
  const { managedFields: _managers, annotations: named, ...metadata } = config.metadata;
  const { [annotation]: _own, ...others } = named ?? {};
  const applied = {
    ...config,
    metadata: named === undefined ? metadata : { ...metadata, annotations: others },
  };
  const text = `${JSON.stringify(sorted(applied))}\n`;
  const { [annotation]: _old, ...kept } = annotations;
  const size = Object.entries(kept).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const fits = size + annotation.length + text.length <= annotationsLimit;
  return {
    ...next,
    metadata: { ...next.metadata, annotations: fits ? { ...kept, [annotation]: text } : kept },
  };
}
