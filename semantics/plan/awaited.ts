import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import { wantedPodsAt } from './revision-sizes.ts';
import type { RolloutView } from './rollout-view.ts';
import { reachable, type Selectors } from './selector-bound.ts';

/** What a step waits for. */
export interface Awaited {
  /** How many units are to be on `to`. */
  wanted: number;
  /** How many units can be on `to`, as far as selectors decide. */
  reachable(selectors: Selectors): number;
  /** How many units may be on other revisions when the last step ends. */
  elsewhere: number;
  /** What is not waited for, for use after a comma; '': the step waits for its whole size. */
  without: string;
  /** Whether a unit on `to` need not be available. */
  isLeftOut(pod: PodRow): boolean;
  /** Whether the restarts of a unit count. */
  isJudged(pod: PodRow): boolean;
}

/** All that a step leads to. */
export function wholeStep(view: RolloutView, accepted: Accepted): Awaited {
  const { spec, progress } = accepted;
  const wanted = wantedPodsAt(view, accepted, progress.step);
  return {
    wanted,
    reachable: (selectors) => reachable(view, spec.to.hash, selectors),
    elsewhere: view.replicas - wanted,
    without: '',
    isLeftOut: () => false,
    isJudged: () => true,
  };
}
