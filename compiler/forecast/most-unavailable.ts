import { ownedPods } from '../../semantics/kinds/git-units.ts';
import type { Disruption } from '../../semantics/limits/slots.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import type { Change } from '../plan/change.ts';
import { restartsNothing } from '../plan/restarts.ts';

/** What an update does to a pod; undefined: no container restarts, and none is resized. */
export function disruptionOf(change: Change, mode: Mode): Disruption | undefined {
  switch (mode) {
    // Of a change that new pods alone get, no pod is updated.
    case 'MetadataOnly':
    case 'NewPodsOnly':
      return undefined;
    case 'Recreate':
      return 'Delete';
    case 'InPlace':
      return restartsNothing(change) ? 'Resize' : 'Update';
  }
}

/**
 * The object in git that lets the fewest pods of a target be unavailable, and how many; undefined: none limits that. It counts a pod as
 * soon as it is ready, so that of pods which have to stay ready for a while it lets more be unavailable.
 */
export function mostUnavailable(change: Change, mode: Mode): { name: string; most: number } | undefined {
  const units = change.head?.normal.units;
  const how = disruptionOf(change, mode);
  if (units === undefined || how === undefined || (ownedPods(units)?.minReadySeconds ?? 0) > 0)
    return undefined;
  const found = change.limits.flatMap(({ name, of }) => {
    const limit = of(how);
    return limit === undefined ? [] : [{ name, most: limit.most }];
  });
  return found.sort((a, b) => a.most - b.most)[0];
}
