import type { KubeObject } from '../../schemas/wire/object.ts';
import { withoutShare } from '../children/shares.ts';
import type { InvalidField } from '../fields/problems.ts';
import { objectOf } from '../values/read.ts';
import { invalidTargetMetadata, invalidWorkloadFields } from '../workload/invalid.ts';
import { entriesOf } from './normalize.ts';
import { rangeOf } from './ordinals.ts';
import { specOf } from './view.ts';

/**
 * Errors in a StatefulSet that its schema cannot express. OpenKruise ignores all reservations if one of them cannot be parsed,
 * which would move pods; here such a target is held.
 */
export function invalidStatefulSet(target: KubeObject): InvalidField[] {
  const reserved = entriesOf(objectOf(target['spec'])['reserveOrdinals']);
  const unreadable = reserved.flatMap((entry, index): InvalidField[] => {
    if (rangeOf(entry) !== undefined) return [];
    const path = ['spec', 'reserveOrdinals', String(index)];
    return [
      { path, rule: 'must be an ordinal such as 3, or a range such as 2-5 whose start is not after its end' },
    ];
  });
  return [
    ...invalidTargetMetadata(withoutShare(target)),
    ...invalidWorkloadFields(specOf(target)),
    ...unreadable,
  ];
}
