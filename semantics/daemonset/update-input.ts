import type { Pod } from '../pod/types.ts';
import type { ManageInput } from './manage.ts';
import type { Placement } from './placement.ts';

/** What the update phase reads. */
export interface UpdateInput extends ManageInput {
  /** The revisions of the pods that are created now. */
  placement: Placement;
  /** Pods that are deleted now, or wait for that at their hook. */
  removed: ReadonlySet<Pod>;
  now: number;
}
