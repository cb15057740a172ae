import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';

/** Defaults that depend on the spec only: an unchanged spec is already complete. */
export function specDefaulter(
  complete: (object: KubeObject) => KubeObject,
): NonNullable<KindRules['defaults']> {
  return (object, current) =>
    current !== undefined && object['spec'] === current['spec'] ? object : complete(object);
}

/** The defaulting rule for the spec of a kind. */
export function specDefaults(complete: (spec: Fields) => Fields): NonNullable<KindRules['defaults']> {
  return specDefaulter((object) =>
    isFields(object['spec']) ? { ...object, spec: complete(object['spec']) } : object,
  );
}
