import { fieldsOf, type LimitField, type Limits, type Window } from '../limits/window.ts';
import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import type { FactDetails, Situation } from './situation.ts';
import { columnOf } from './table.ts';
import { acceptedLimits, letsNothingChange, runParallelism, presentWindow } from './window.ts';

/** The command that plans the same change with the present limits of the manifest. */
const CONTINUE = 'kruise plan --continue';
/** The command that plans a way back with wider limits. */
const GOING_BACK = 'kruise plan --going-back 100%';

/**
 * The lower of the limits of the plan and those of the target let no unit change, though those of the target alone would. It
 * matters only where units are left to be changed now.
 */
export function windowMismatch({ view, accepted, plans }: Situation): FactDetails | undefined {
  if (accepted === undefined || view.replicas === 0 || view.onDelete) return undefined;
  if (!view.rules(accepted.spec).isMoving(view, accepted)) return undefined;
  const window = windowIn(view, accepted, plans);
  if (window === undefined || !letsNothingChange(view, window)) return undefined;
  const fields = fieldsOf(view.limits.lower(window));
  const [planned, live] = [window, view.limits.written].map((each) => limitsText(each, fields));
  const command = columnOf(accepted.progress.phase) === 'Reverting' ? GOING_BACK : CONTINUE;
  return {
    message: `the plan allows ${planned}, the manifest ${live}, and the lower of both let nothing change. Set the limits of the manifest back, or commit a plan with them: ${command}`,
    // Limits bound updates alone: pods that are made get what the step says.
    allowsUpdates: true,
  };
}

/** The limits of the plan that hold now. */
function windowIn(view: RolloutView, accepted: Accepted, plans: Situation['plans']): Window | undefined {
  return view.units.of === 'run' ? runParallelism(view, accepted) : presentWindow(view, accepted, plans);
}

/**
 * What a user should know where the manifest allows more than when the plan was accepted, as a sentence with the command that
 * lets it hold: the plan that runs is narrower. Undefined: the manifest was not loosened, or the plan allows as much.
 */
export function narrowedText(
  view: RolloutView,
  accepted: Accepted | undefined,
): { keeps: string; command: string } | undefined {
  if (accepted === undefined || columnOf(accepted.progress.phase) !== 'active') return undefined;
  const { limits } = view;
  const [own, before] = [limits.lower(undefined), limits.counts(acceptedLimits(view, accepted.progress))];
  const lower = limits.lower(windowIn(view, accepted, []));
  const isLooser = (field: LimitField): boolean =>
    countOf(own, field) > countOf(before, field) && countOf(own, field) > countOf(lower, field);
  const fields = fieldsOf(lower);
  if (!fields.some(isLooser)) return undefined;
  const most = fields.reduce((sum, field) => sum + countOf(lower, field), 0);
  return { keeps: `the plan that runs keeps ${most} at a time`, command: CONTINUE };
}

function countOf(limits: Limits, field: LimitField): number {
  return limits[field]?.count ?? 0;
}

/** The limits of these fields, as they are written. */
function limitsText(window: Window, fields: readonly LimitField[]): string {
  return fields.map((field) => `${field} ${window[field] ?? 0}`).join(' and ');
}
