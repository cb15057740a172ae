import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';

/** Defaults of a limit range: limits from `max`, requests from limits and `min`. */
function withDefaults(object: KubeObject): KubeObject {
  const spec = isFields(object['spec']) ? object['spec'] : {};
  const { limits } = spec;
  if (!Array.isArray(limits)) return object;
  const complete = (item: unknown) => {
    if (!isFields(item) || item['type'] !== 'Container') return item;
    const { max, min, default: limit, defaultRequest } = item;
    const merged = (...parts: unknown[]) => Object.assign({}, ...parts.filter(isFields)) as Fields;
    const byDefault = merged(max, limit);
    const requests = merged(min, byDefault, defaultRequest);
    return {
      ...item,
      ...(Object.keys(byDefault).length === 0 ? {} : { default: byDefault }),
      ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
    };
  };
  return { ...object, spec: { ...spec, limits: limits.map(complete) } };
}

/** Limit ranges: bounds and defaults for pods, containers and claims. */
export const limitRangeRules: KindRules = {
  createsOnUpdate: true,
  defaults: withDefaults,
};
