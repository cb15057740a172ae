import { heldCondition, timed } from '../../../semantics/conditions/times.ts';
import type { Action, Decision } from '../../../semantics/decision.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { targetLimits } from '../../../semantics/limits/target-limits.ts';
import { effectivePartition } from '../../../semantics/plan/partition.ts';
import { type Revision, revisionOf, stableRevision } from '../../../semantics/revision/revision.ts';
import { annotateRevision } from '../../../semantics/revision/writes.ts';
import { badgeLimits } from './limits.ts';
import { NEW_PODS_ANNOTATION, WORN_ANNOTATION, wornOf } from './spec.ts';
import type { BadgeView } from './view.ts';

/** Pods get the containers of the goal by name, one after the other; new ones get it once the envelope leads to all pods. */
export function decide(
  view: BadgeView,
  envelope: Envelope,
  held: { reason: string; message: string } | undefined,
  now: number,
): Decision<object> {
  const { spec, worn, target, liveHash, missed } = view;
  const goal = revisionOf(view, envelope.goal);
  const before = (target['status'] ?? {}) as { conditions?: [] };
  return {
    actions: envelope.touch ? [...marks(view, goal, envelope), ...updates(view, goal, envelope)] : [],
    explanations: [],
    status: {
      observedGeneration: target.metadata.generation ?? 0,
      pods: worn.length,
      updated: worn.filter(({ hash }) => hash === liveHash).length,
      ready: worn.filter(({ isAvailable }) => isAvailable).length,
      updatedReady: worn.filter(({ hash, isAvailable }) => hash === liveHash && isAvailable).length,
      missed: missed.length,
      partition: spec.partition,
      latest: revisionOf(view, liveHash)?.name ?? '',
      conditions: timed([heldCondition(held)], before.conditions, now),
    },
  };
}

function marks(view: BadgeView, goal: Revision | undefined, { newPods = 0, reason }: Envelope): Action[] {
  const stable = stableRevision(view);
  return view.revisions.flatMap((revision) => {
    const isForAll = revision === goal && revision !== stable && newPods >= 100;
    const value = isForAll ? 'true' : undefined;
    if (revision.object.metadata.annotations?.[NEW_PODS_ANNOTATION] === value) return [];
    return [annotateRevision(revision, 'give to new pods', { [NEW_PODS_ANNOTATION]: value ?? null }, reason)];
  });
}

function updates(view: BadgeView, goal: Revision | undefined, envelope: Envelope): Action[] {
  const { spec, worn, target } = view;
  if (goal === undefined || !envelope.moving || spec.paused) return [];
  const allowed =
    worn.length - effectivePartition({ replicas: worn.length, partition: spec.partition }, envelope);
  const there = worn.filter(({ hash }) => hash === goal.hash).length;
  const down = worn.filter(({ isAvailable }) => !isAvailable).length;
  const { maxUnavailable } = targetLimits(badgeLimits, target, worn.length).lower(envelope.window);
  const count = Math.max(Math.min(allowed - there, (maxUnavailable?.count ?? 0) - down), 0);
  return worn
    .filter(({ hash }) => hash !== goal.hash)
    .sort((a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1))
    .slice(0, count)
    .map(({ pod: { metadata } }): Action => {
      const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
      const containers = wornOf(goal.template).map(({ name: own = '', image = '' }) => ({
        name: own,
        image,
      }));
      return {
        do: 'patch',
        kind: 'Pod',
        verb: 'change badge',
        name,
        namespace,
        body: {
          metadata: { uid, resourceVersion, annotations: { [WORN_ANNOTATION]: goal.hash } },
          spec: { containers },
        },
        reason: envelope.reason,
      };
    });
}
