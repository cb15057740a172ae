import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { NEW_PODS_CONDITION } from '../plan/held-condition.ts';
import type { Policy } from '../policy.ts';
import { pinnedRevision } from './pinned.ts';
import { isUnrecorded } from './recorded-selection.ts';
import type { SidecarSetView } from './view.ts';

const SELECTION = {
  reason: 'SelectionUnplanned',
  message:
    'spec.selector or spec.namespaceSelector selects other pods than are on record: new pods get the sidecars where both select them, until a plan that states the selection has ended',
};

/**
 * The condition that says what new pods get while nothing of a set is on record, as the admission decides it: one that is started with
 * the policy of the runtime.
 */
export function unrecordedCondition(target: KubeObject, policy: Policy): Condition {
  const [reason, what] = givesNothing(target, policy === 'Required')
    ? ['NotRecorded', 'none of its sidecars in policy Required']
    : ['PresentContent', 'its present content'];
  return {
    type: NEW_PODS_CONDITION,
    status: 'True',
    reason,
    message: `nothing is on record of what new pods get of the set: they get ${what}, until the runtime has recorded a revision`,
  };
}

/** Whether new pods get nothing of a set of which nothing is on record: its first content alone needs no plan. */
export function givesNothing({ metadata }: KubeObject, isRequired: boolean): boolean {
  return (metadata.generation ?? 1) > 1 && isRequired;
}

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
