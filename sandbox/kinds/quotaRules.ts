import type { KubeObject } from '../../schemas/wire/object.ts';
import { field } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';

function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

/** Quantities are strings, even if written as numbers. */
function withTexts(quantities: unknown): unknown {
  return isFields(quantities)
    ? Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]))
    : quantities;
}

function withDefaults(object: KubeObject): KubeObject {
  const spec = specOf(object);
  return {
    ...object,
    spec: { ...spec, ...(spec['hard'] === undefined ? {} : { hard: withTexts(spec['hard']) }) },
  };
}

/** ResourceQuotas. Admission checks writes against the status, which a controller maintains. */
export const quotaRules: KindRules = {
  defaults: withDefaults,
  prepareCreate: (object) => ({ ...object, status: {} }),
  checkUpdate(next, current) {
    const scopes = (object: KubeObject) => {
      const given = specOf(object)['scopes'];
      return Array.isArray(given) ? [...new Set(given.map(String))].sort() : [];
    };
    return sameValue(scopes(next), scopes(current))
      ? []
      : [field.invalid('spec.scopes', scopes(next), 'field is immutable')];
  },
};
