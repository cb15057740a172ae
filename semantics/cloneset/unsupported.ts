import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UnsupportedField } from '../kinds/fields.ts';

/**
 * The CloneSet rules that these semantics do not execute yet. The compiler refuses to plan such an object and the
 * runtime refuses to touch its pods: a rule that is silently ignored is a rollout that nobody reviewed.
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
