import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UnsupportedField } from '../kinds/fields.ts';
import { objectOf } from '../values/read.ts';

/**
 * The fields of a StatefulSet that need rules which are not executed. The compiler refuses to plan such an object, and the
 * runtime does not change its pods: if it ignored the rule, the rollout would not be the one that was reviewed.
 */
export function unsupportedStatefulSetFields(object: KubeObject): UnsupportedField[] {
  const spec = objectOf(object['spec']);
  const found: UnsupportedField[] = [];
  if (Object.keys(objectOf(spec['lifecycle'])).length > 0)
    found.push({ path: ['spec', 'lifecycle'], what: 'lifecycle hooks' });
  return found;
}
