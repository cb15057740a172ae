import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { Kind } from '../kinds/kind.ts';
import { groupKindOf } from '../owner.ts';
import { objectOf, textOf } from '../values/read.ts';
import { PROTECTION_LABEL, PROTECTION_VALUES } from './label.ts';
import { protectedResourceOf } from './resources.ts';

/** What the label does for one object. */
export type ProtectionEffect =
  | { of: 'NoLabel' }
  /** No value of the label: it protects nothing. */
  | { of: 'Typo'; value: Json | undefined }
  /** `Cascading` where it is never asked. */
  | { of: 'NoEffect' }
  /** `Cascading` with 0 replicas: the object may be deleted. */
  | { of: 'Free' }
  /**
   * Its deletion is refused: whatever it has, while it has replicas, or while something is in it. `isEnforced`: the policies of this
   * project are about its kind.
   */
  | { of: 'Refused'; while: 'Always' | 'Replicas' | 'Children'; isEnforced: boolean };

/**
 * What the label does for an object of git, of any kind. Where the object does not tell, it counts as protected: replicas that a
 * manifest leaves to a default or an autoscaler, and kinds that something else may protect.
 */
export function protectionEffect(object: JsonObject, kinds: readonly Kind[]): ProtectionEffect {
  const labels = objectOf(objectOf(object['metadata'])['labels']);
  if (!Object.hasOwn(labels, PROTECTION_LABEL)) return { of: 'NoLabel' };
  const value = labels[PROTECTION_LABEL];
  if (!PROTECTION_VALUES.some((each) => each === value)) return { of: 'Typo', value };
  const id = groupKindOf({ apiVersion: textOf(object['apiVersion']), kind: textOf(object['kind']) });
  const resource = protectedResourceOf(kinds, id);
  const isEnforced = resource !== undefined;
  if (value === 'Always' || resource === undefined) return { of: 'Refused', while: 'Always', isEnforced };
  switch (resource.cascading) {
    case 'Never':
      return { of: 'NoEffect' };
    case 'Children':
      return { of: 'Refused', while: 'Children', isEnforced };
    case 'Replicas':
      return objectOf(object['spec'])['replicas'] === 0
        ? { of: 'Free' }
        : { of: 'Refused', while: 'Replicas', isEnforced };
  }
}
