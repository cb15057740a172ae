import type { Action } from '../decision.ts';
import type { ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { REVISION_LABEL } from '../pod/types.ts';
import { markComplete } from '../revision/complete.ts';
import { stableRevision } from '../revision/revision.ts';
import { reviseAndAdopt } from '../workload/adopt.ts';
import { decideDaemonSet } from './decide.ts';
import { daemonSetRollout } from './rollout.ts';
import type { NormalDaemonSet } from './spec.ts';
import { daemonSetView } from './view.ts';

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
    revise: () =>
      rollout.invalid.length > 0
        ? []
        : reviseAndAdopt(view, { exist: view.hasPods, counted: () => rollout.pods }, orphans, now).map(
            withHashLabel,
          ),
    complete: (hash, retained) => markComplete(view, hash, retained),
    decide: (envelope, held, keep, refusals, creationBackoff) =>
      decideDaemonSet({ view, envelope, held, retainedRevisions: keep, refusals, creationBackoff, now }),
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
