import type { Action } from '../decision.ts';
import type { DisruptionLimit } from '../limits/disruption.ts';
import type { Disruption } from '../limits/slots.ts';
import type { Pod } from '../pod/types.ts';
import { createsPod } from './created.ts';
import { disruptingOf, howOf } from './disrupting.ts';
import type { ActiveInfluence, Influences } from './influence.ts';

/** An action that may make a pod unavailable. */
export interface Disrupted {
  action: Action;
  pod: Pod;
  how: Disruption;
}

/** An action with the limits of which it takes a slot. */
export interface Candidate extends Disrupted {
  takes: ReadonlyMap<ActiveInfluence, DisruptionLimit>;
}

/** The actions that may make a pod of the target unavailable. */
export function disruptedBy(actions: readonly Action[], pods: readonly Pod[]): Disrupted[] {
  let byUid: ReadonlyMap<string, Pod> | undefined;
  return actions.flatMap((action) => {
    const disrupting = disruptingOf(action);
    if (disrupting === undefined) return [];
    byUid ??= new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
    const pod = byUid.get(disrupting.uid);
    return pod === undefined ? [] : [{ action, pod, how: howOf(disrupting, pod) }];
  });
}

/** Those of these actions for which an object has a slot to give. */
export function candidatesOf({
  influences,
  disrupted,
}: {
  influences: readonly ActiveInfluence[];
  disrupted: readonly Disrupted[];
}): Candidate[] {
  return disrupted.flatMap((each) => {
    const takes = new Map<ActiveInfluence, DisruptionLimit>();
    for (const influence of influences) {
      const limit = influence.limitOf(each.pod, each.how);
      if (limit !== undefined) takes.set(influence, limit);
    }
    return takes.size === 0 ? [] : [{ ...each, takes }];
  });
}

/**
 * The objects that may act on a decision. A new pod may get labels from one object that make it one of another: no object is left out
 * then.
 */
export function influencesOn(
  influences: Influences,
  disrupted: readonly Disrupted[],
  actions: readonly Action[],
): readonly ActiveInfluence[] {
  if (actions.some(createsPod)) return influences();
  return disrupted.length === 0 ? [] : influences(disrupted.map(({ pod }) => pod));
}
