import type { Condition } from '../../schemas/wire/object.ts';
import { NEW_PODS_CONDITION } from '../plan/held-condition.ts';
import { pinnedRevision } from './pinned.ts';
import { isUnrecorded } from './recorded-selection.ts';
import type { SidecarSetView } from './view.ts';

const SELECTION = {
  reason: 'SelectionUnplanned',
  message:
    'spec.selector or spec.namespaceSelector selects other pods than are on record: new pods get the sidecars where both select them, until a plan that states the selection has ended',
};

/** The condition that new pods get something else than the manifest asks for; undefined: they do not. */
export function newPodsCondition({ spec, revisions }: SidecarSetView): Condition | undefined {
  const pin = pinnedRevision(
    spec,
    revisions.map(({ object }) => object),
  );
  const found = [
    ...(pin !== undefined && 'unfinished' in pin
      ? [
          {
            reason: 'PinUnfinished',
            message: `no plan has completed ${pin.unfinished} for all pods, and spec.injectionStrategy.revision pins it: new pods get what is on record until one has`,
          },
        ]
      : []),
    ...(isUnrecorded(spec, { revisions }) ? [SELECTION] : []),
  ];
  const [first] = found;
  if (first === undefined) return undefined;
  const message = found.map((each) => each.message).join('. ');
  return { type: NEW_PODS_CONDITION, status: 'True', reason: first.reason, message };
}
