import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UnsupportedField } from '../kinds/fields.ts';

/**
 * The fields of a CloneSet that need rules which are not executed. The compiler refuses to plan such an object, and the
 * runtime does not change its pods: if it ignored the rule, the rollout would not be the one that was reviewed.
 */
export function unsupportedCloneSetFields(object: KubeObject): UnsupportedField[] {
  const found: UnsupportedField[] = [];
  const spec = (object['spec'] ?? {}) as Record<string, unknown>;
  if (isSet(spec['lifecycle'])) found.push({ path: ['spec', 'lifecycle'], what: 'lifecycle hooks' });
  return found;
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
