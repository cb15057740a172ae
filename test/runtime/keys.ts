import { type TargetKey, targetKey } from '../../runtime/observe/target-key.ts';
import { resources } from '../../schemas/wire/resources.ts';

/** The key of a CloneSet. */
export function cloneSetKey(name = 'web', namespace = 'shop'): TargetKey {
  return targetKey(resources.CloneSet, namespace, name);
}
