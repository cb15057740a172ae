import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import type { Served } from './registry.ts';

/**
 * Allocates values that must be unique among objects of the kind (such as cluster IPs); 422 if a requested value is
 * taken.
 */
export function allocated(context: ApiContext, { type }: Served, object: KubeObject): KubeObject {
  if (type.rules.allocate === undefined) return object;
  const { namespace, name } = object.metadata;
  const existing = context.store
    .list(type.id)
    .filter(({ metadata }) => metadata.namespace !== namespace || metadata.name !== name);
  const result = type.rules.allocate(object, existing);
  if (Array.isArray(result)) throw refuse.invalid(type, name, result);
  return result;
}
