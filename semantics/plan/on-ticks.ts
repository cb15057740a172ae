import { missingPods, podBreach } from './breach.ts';
import { followReplicas } from './follow-size.ts';
import { alwaysThere, isCompleteOn, isWhole, nothingToDo } from './on-revisions.ts';
import { takesNone } from './sizes.ts';
import { judgeTicks, ticksAt } from './tick-step.ts';
import type { UnitRules } from './rollout-view.ts';
import type { TickUnits } from './units.ts';

/** Times of a schedule: each makes one child, at a revision. None is ever changed, so going back is about the next ones. */
export const tickRules: UnitRules<TickUnits> = {
  ...alwaysThere,
  hasStable: true,
  allowed: (_, accepted, step) => ticksAt(accepted, step),
  isEmpty: (view, accepted, step) => takesNone(view, accepted, ticksAt(accepted, step)),
  wanted: (_, accepted, step) => ticksAt(accepted, step),
  judge: (view, accepted, step, _context, now) => judgeTicks(view, accepted, step, now),
  breach: podBreach,
  missing: (view, accepted) => missingPods(view, accepted, ticksAt(accepted, accepted.progress.step), 0),
  withClocks: (_view, _accepted, judged) => judged,
  isComplete: isCompleteOn,
  isWhole,
  alreadyThere: nothingToDo,
  // The next tick runs the earlier revision.
  backWaitsFor: () => '',
  atStart: ({ replicas }) => ({ frozenN: replicas }),
  follow: (view, accepted) => followReplicas(view, accepted, () => ticksAt(accepted, accepted.progress.step)),
  isMoving: () => false,
  // The waves are those of the last accepted plan, also once it has ended: later times run its revision, too.
  envelope: ({ accepted }) =>
    accepted === undefined
      ? {}
      : { waves: { hash: accepted.spec.to.hash, steps: accepted.spec.waves ?? [] } },
};
