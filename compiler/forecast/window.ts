import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { GitManifest, GitSide, UpdateLimits } from '../../semantics/kinds/git-side.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import type { Target } from '../plan/target.ts';

/** What of a manifest decides how many units move at a time, and how its kind counts them. */
export interface Pace {
  normal: Pick<GitManifest, 'replicas' | 'partition' | 'maxUnavailable' | 'maxSurge'>;
  git: Pick<GitSide, 'limits'>;
}

/** The pace of a target. */
export function paceOf({ normal, manifest }: Target): Pace {
  return { normal, git: manifest.type.git };
}

/** The target's own limits with the step's on top: the lower of both holds. */
export function windowOf(step: Step, { normal, git }: Pace, replicas: number): UpdateLimits {
  return git.limits(normal, step.update?.window, replicas);
}

/** The widest window of all update steps. */
export function widest(steps: readonly Step[], pace: Pace): UpdateLimits {
  const windows = steps
    .filter(({ update }) => update !== undefined)
    .map((step) => windowOf(step, pace, pace.normal.replicas));
  return {
    maxUnavailable: Math.max(0, ...windows.map(({ maxUnavailable }) => maxUnavailable)),
    maxSurge: Math.max(0, ...windows.map(({ maxSurge }) => maxSurge)),
  };
}

/** Units that may be on the new revision when the step is done: what it allows, under the target's own partition. */
export function podsAt(step: Step, { normal }: Pace, replicas: number): number {
  if (step.update === undefined) return 0;
  return Math.min(allowedPods(step.update, replicas), replicas - partitionValue(normal.partition, replicas));
}

/** How often units have to be taken at the least, all steps together: fewer at a time than the windows allow only take longer. */
export function leastRounds(steps: readonly Step[], pace: Pace): number {
  const { replicas } = pace.normal;
  let rounds = 0;
  let there = 0;
  for (const step of steps) {
    const pods = podsAt(step, pace, replicas);
    const { maxUnavailable, maxSurge } = windowOf(step, pace, replicas);
    rounds += Math.ceil(Math.max(pods - there, 0) / Math.max(maxUnavailable + maxSurge, 1));
    there = Math.max(there, pods);
  }
  return rounds;
}
