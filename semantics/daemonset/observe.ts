import type { Action } from '../decision.ts';
import type { ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { type Pod, REVISION_LABEL } from '../pod/types.ts';
import { markComplete } from '../revision/complete.ts';
import { stableRevision } from '../revision/revision.ts';
import { type ProvenRevision, reviseAndAdopt } from '../workload/adopt.ts';
import { decideDaemonSet } from './decide.ts';
import { recordHeldBack } from './held-back.ts';
import { isMadeOf } from './made-of.ts';
import { daemonSetRollout } from './rollout.ts';
import type { NormalDaemonSet } from './spec.ts';
import { type DaemonSetView, daemonSetView } from './view.ts';

/** One DaemonSet at one time. `spec`: its own, normalized. */
export function observeDaemonSet(
  objects: ObservedObjects,
  spec: NormalDaemonSet,
  faults: Pick<RolloutView, 'unsupported' | 'invalid'>,
): RolloutSnapshot {
  const { now, placement = [], orphans } = objects;
  const view = daemonSetView(objects, spec, placement);
  const rollout = daemonSetRollout(view, faults, now);
  return {
    rollout,
    isForeign: stableRevision(view) === undefined && view.hasPods,
    // The template of an invalid target must not become a revision.
    revise: () => {
      if (rollout.invalid.length > 0) return [];
      const units = { exist: view.hasPods, counted: () => rollout.pods };
      const revised = reviseAndAdopt(view, units, orphans, now, provenOn(view)).map(withHashLabel);
      return revised.length > 0 ? revised : recordHeldBack(view);
    },
    complete: (hash, retained) => markComplete(view, hash, retained),
    decide: (envelope, held, keep, refusals, creationBackoff, lastRefused) =>
      decideDaemonSet({
        view,
        envelope,
        held,
        retainedRevisions: keep,
        refusals,
        lastRefused,
        creationBackoff,
        now,
      }),
  };
}

/** The newest revision whose template a pod is made of, as far as its spec shows that. */
function provenOn({ revisions }: DaemonSetView): (pod: Pod) => ProvenRevision | undefined {
  return (pod) => {
    const found = revisions.findLast(({ template }) => isMadeOf(pod, template));
    return found && { hash: found.hash, label: found.shortHash };
  };
}

/**
 * A new revision has the label of its pods, too. OpenKruise gives one without it its own name as label: if it takes over again, all
 * pods would be outdated.
 */
function withHashLabel(action: Action): Action {
  if (action.do !== 'create') return action;
  const { metadata } = action.object;
  const hash = metadata.labels?.['controller.kubernetes.io/hash'];
  if (hash === undefined) return action;
  const labels = { ...metadata.labels, [REVISION_LABEL]: hash };
  return { ...action, object: { ...action.object, metadata: { ...metadata, labels } } };
}
