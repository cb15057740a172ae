import type { Condition } from '../../schemas/wire/object.ts';
import { NEW_PODS_CONDITION } from '../plan/held-condition.ts';
import { pinnedRevision } from './pinned.ts';
import type { SidecarSetView } from './view.ts';

/** The condition that new pods get something else than the manifest asks for; undefined: they do not. */
export function newPodsCondition({ spec, revisions }: SidecarSetView): Condition | undefined {
  const pin = pinnedRevision(
    spec,
    revisions.map(({ object }) => object),
  );
  if (pin === undefined || !('unfinished' in pin)) return undefined;
  return {
    type: NEW_PODS_CONDITION,
    status: 'True',
    reason: 'PinUnfinished',
    message: `no plan has completed ${pin.unfinished} for all pods, and spec.injectionStrategy.revision pins it: new pods get what is on record until one has`,
  };
}
