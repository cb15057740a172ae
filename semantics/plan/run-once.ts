import { alwaysThere, isWhole } from './on-revisions.ts';
import { runLimitOf } from './run-limit.ts';
import { harmedIn, judgeRun, nodesAt, runsOut } from './run-step.ts';
import { takesNone } from './sizes.ts';
import { stepVerb } from './step.ts';
import { columnOf } from './table.ts';
import type { UnitRules } from './rollout-view.ts';
import type { RunUnits } from './units.ts';

/** Something is executed once on each unit: what has run is never undone, and no unit is available or broken for its own sake. */
export const runRules: UnitRules<RunUnits> = {
  ...alwaysThere,
  hasStable: false,
  allowed: (_, accepted, step) => nodesAt(accepted, step),
  isEmpty: (view, accepted, step) => takesNone(view, accepted, nodesAt(accepted, step)),
  wanted: (_, accepted, step) => nodesAt(accepted, step),
  judge: (view, accepted, step, _context, now) => judgeRun(view, accepted, step, now),
  breach: ({ units }, accepted, step) => harmedIn(units, accepted, step),
  missing: () => undefined,
  withClocks: (_view, _accepted, judged) => judged,
  isComplete: ({ units }, { to, attempt = 1 }) => (units.runs.get(to.hash) ?? 0) >= attempt,
  isWhole,
  alreadyThere: () => 'it has run already',
  backWaitsFor: runsOut,
  atStart: ({ replicas }) => ({ frozenN: replicas }),
  follow({ replicas, units }, { progress }) {
    // A node that is cordoned still counts; one that is gone does not. Those that join where there was none are the size of the step.
    const frozenN = progress.frozenN === 0 ? replicas : Math.min(progress.frozenN, units.existing);
    return replicas > 0 && frozenN > 0 && frozenN !== progress.frozenN ? { ...progress, frozenN } : undefined;
  },
  isMoving({ units }, accepted) {
    const { spec, progress } = accepted;
    const step = spec.steps[progress.step];
    const isRunning = columnOf(progress.phase) === 'active' && step !== undefined && stepVerb(step) === 'run';
    return isRunning && units.waiting > 0 && units.started < nodesAt(accepted, progress.step);
  },
  envelope(input, envelope) {
    const run = runLimitOf(input, envelope);
    return run === undefined ? {} : { run, reason: run.reason };
  },
};
