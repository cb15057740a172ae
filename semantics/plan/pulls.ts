import type { Action } from '../decision.ts';
import { endPulls } from '../pull/decide.ts';
import type { Advance } from './advance.ts';
import type { PullContext } from './rollout-view.ts';
import { isUnderWay } from './state.ts';

/**
 * The writes of pods that pull images. While a pull step is blocked its pods stay, and none is created. In any other step, and
 * once the plan has ended, all of them are deleted.
 */
export function pullActions({ accepted, blocked, pull }: Advance, { pods }: PullContext): readonly Action[] {
  const step = accepted?.spec.steps[accepted.progress.step];
  const isPulling = accepted !== undefined && isUnderWay(accepted.progress.phase) && step?.pull !== undefined;
  if (!isPulling) return endPulls(pods, 'no image is to be pulled any more');
  return blocked === undefined ? (pull?.actions ?? []) : [];
}
