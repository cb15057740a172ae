import type { UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import type { Accepted } from './memory.ts';
import { columnOf } from './table.ts';

type Window = NonNullable<UpdateStep['window']>;

/** The window of the last update step that has begun; undefined: it has none. */
export function windowOf({ spec, progress }: Accepted): Window | undefined {
  return spec.steps.slice(0, progress.step + 1).findLast((step) => step.update)?.update?.window;
}

/** The window of a revert: the widest of the plan's update steps. If a step names no number, the target's own applies. */
export function widestWindow({ spec }: Accepted, replicas: number): Window {
  const updates = spec.steps.map((step) => step.update).filter((update) => update !== undefined);
  const maxUnavailable = widest(updates, 'maxUnavailable', replicas);
  const maxSurge = widest(updates, 'maxSurge', replicas);
  return {
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    ...(maxSurge === undefined ? {} : { maxSurge }),
  };
}

/** The window that a target moves pods in now, by the record of its plan; undefined: its own numbers apply alone. */
export function presentWindow(active: Accepted | undefined, replicas: number): Window | undefined {
  if (active === undefined) return undefined;
  const column = columnOf(active.progress.phase);
  if (column === 'Reverting') return widestWindow(active, replicas);
  return column === 'active' || column === 'Halted' ? windowOf(active) : undefined;
}

/** The widest number of a field; undefined: a step names none. */
function widest(updates: UpdateStep[], field: keyof Window, replicas: number): IntOrPercent | undefined {
  let most: IntOrPercent | undefined;
  for (const update of updates) {
    const value = update.window?.[field];
    if (value === undefined) return undefined;
    if (
      most === undefined ||
      scaleIntOrPercent(value, replicas, 'up') > scaleIntOrPercent(most, replicas, 'up')
    )
      most = value;
  }
  return most;
}
