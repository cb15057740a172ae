import type { DaemonSetStatus } from '../../schemas/generated/types/daemonset.ts';
import type { Decision } from '../decision.ts';
import { isPreparingDelete } from '../lifecycle/states.ts';
import { stuckPods, upkeep } from '../lifecycle/upkeep.ts';
import { factsOf } from '../pod/facts.ts';
import { isInPlaceUpdateComplete } from '../pod/in-place.ts';
import { earliestOf, nextAvailableAt, nextChangeAt } from '../pod/next-change.ts';
import { isUpdateReady } from '../pod/readiness.ts';
import { resizeEvents } from '../pod/resize.ts';
import type { Pod } from '../pod/types.ts';
import { releasePod } from '../pod/writes.ts';
import { revisionOf } from '../revision/revision.ts';
import { truncate } from '../revision/truncate.ts';
import { type DecideInput, untouched, writtenBy } from '../workload/decide.ts';
import { unlessReserved } from '../workload/view.ts';
import { judge } from './judged.ts';
import { manage } from './manage.ts';
import type { NewPod } from './new-pod.ts';
import { burstOf } from './partition.ts';
import { placementOf } from './placement.ts';
import { creations, deletions } from './pod-writes.ts';
import { nextRecovery } from './recovery.ts';
import { daemonSetStatus } from './status.ts';
import { update } from './update.ts';
import type { DaemonSetView } from './view.ts';

/**
 * What to do about one DaemonSet now (OpenKruise advanced-daemonset, rule 6.1), within the envelope: give each node the pod that it
 * is to have, take away the others, then update. Pure: the same view, envelope and time give the same decision.
 *
 * Nodes without a pod count as unavailable in the update, so that both phases may act in one reconcile.
 */
export function decideDaemonSet(input: DecideInput<DaemonSetView>): Decision<DaemonSetStatus> {
  const { view, envelope, held, retainedRevisions, lastRefused, creationBackoff, now } = input;
  const { spec, target, active } = view;
  const judged = judge(view, envelope);
  const status = daemonSetStatus(view, judged, held, now);
  const nothing = untouched(input, status);
  if (nothing !== undefined) return nothing;
  const isAvailable = unlessReserved(
    view,
    (pod: Pod) => isUpdateReady(pod, spec.minReadySeconds, now) && isInPlaceUpdateComplete(pod, now),
  );
  const phase = { view, judged, isAvailable, creationBackoff };
  const managed = manage(phase);
  const placement = placementOf(view, judged, managed.needing);
  const removed = new Set(managed.removals.map(({ pod }) => pod));
  const updated = update({ ...phase, placement, removed, now });

  const burst = burstOf(spec.burstReplicas, judged.desired);
  const missing = [...placement.created].map(([node, hash]): NewPod => {
    return { node, hash, reason: `node ${node} has no pod yet` };
  });
  const extra = updated.surged.map(({ name: node, goal: hash }): NewPod => {
    return { node, hash, reason: `node ${node} is updated; ${envelope.reason}` };
  });
  const wanted = [...missing, ...extra].sort((a, b) => (a.node < b.node ? -1 : 1));
  const removals = [...managed.removals, ...updated.removals];
  const made = creations(view, wanted, { burst, lastRefused, backoff: creationBackoff });
  const deleted = deletions(view, removals, { burst, now });
  const actions = [...deleted.actions, ...updated.actions, ...made.actions];

  const unsettled = active.filter((pod) => !factsOf(pod).settled);
  const busy = writtenBy(actions);
  const leaving = new Set(removals.map(({ pod }) => pod));
  actions.push(
    ...view.released.map((pod) => releasePod(pod, target)),
    ...upkeep(
      unsettled.filter((pod) => !busy.has(pod.metadata.name)),
      {
        lifecycle: spec.lifecycle,
        waitsForUpdate: (pod) => updated.waiting.has(pod),
        // Nothing takes a pod back that was to be deleted.
        isLeaving: (pod) => leaving.has(pod) || isPreparingDelete(pod),
        canResize: view.canResize,
        shortHashOf: (pod) => revisionOf(view, view.hashOf(pod))?.shortHash,
        now,
      },
    ).map((action) => ({ ...action, restoresTraffic: true })),
  );
  if (actions.length === 0)
    actions.push(
      ...truncate(view, {
        limit: spec.revisionHistoryLimit,
        keep: retainedRevisions,
        inUse: () => new Set(view.hosts.flatMap(({ pods }) => pods.map((pod) => view.hashOf(pod)))),
      }),
    );
  const requeueAt = earliestOf([
    nextAvailableAt(active, spec.minReadySeconds, now),
    nextChangeAt(unsettled, 0, now),
    made.requeueAt,
    nextRecovery(view, now),
    updated.requeueAt,
  ]);
  return {
    actions,
    status,
    explanations: [
      ...managed.explanations,
      ...[...placement.waits].map(([about, reason]) => ({ about, reason })),
      ...deleted.explanations,
      ...updated.explanations,
      ...made.explanations,
      ...stuckPods(unsettled, view.canResize),
    ],
    events: resizeEvents(unsettled),
    ...(requeueAt === undefined ? {} : { requeueAt }),
  };
}
