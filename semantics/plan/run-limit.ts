import type { RunLimit } from '../run/limit.ts';
import type { EnvelopeInput, RolloutView } from './rollout-view.ts';
import type { Envelope } from './envelope.ts';
import type { Accepted } from './memory.ts';
import { nodesAt } from './run-step.ts';
import { stepVerb } from './step.ts';
import { columnOf } from './table.ts';
import type { RunUnits } from './units.ts';
import { runParallelism } from './window.ts';

/**
 * What a plan allows of a run in a phase (docs/explanation/rollout.md). Undefined: only the target's own strategy applies. A
 * run that is complete stays so, also where no plan is required.
 */
export function runLimitOf(input: EnvelopeInput<RunUnits>, { ownStrategy }: Envelope): RunLimit | undefined {
  const { view, accepted, blocked } = input;
  const column = columnOf(accepted?.progress.phase);
  const isConsumed = isRunOver(view, accepted);
  if (ownStrategy === true && !isConsumed) return undefined;
  if (accepted !== undefined && column !== 'Pending' && column !== 'Succeeded') {
    const limit = limitUnder(view, accepted, blocked === undefined);
    // Nobody waits at a target that another one has created: its halt is its end, which the other one sees.
    const isOver = column === 'Aborted' || (column === 'Halted' && view.origin.by === 'target');
    return isOver ? { ...limit, outcome: failed(accepted) } : limit;
  }
  const isTouched = blocked?.fact !== 'targetUnsupported';
  return isConsumed && isTouched
    ? afterwards(view)
    : { ...idle(view), reason: 'no plan has started the run' };
}

/** Whether the live run is complete: by its record, or by that of its plan, which may be the newer one. */
export function isRunOver({ stable, liveHash }: RolloutView, accepted: Accepted | undefined): boolean {
  const hasSucceeded = columnOf(accepted?.progress.phase) === 'Succeeded';
  return stable === liveHash || (hasSucceeded && accepted?.spec.to.hash === liveHash);
}

function limitUnder(view: RolloutView, accepted: Accepted, isUnblocked: boolean): RunLimit {
  const { spec, progress } = accepted;
  const step = spec.steps[progress.step];
  const run = spec.steps.slice(0, progress.step + 1).findLast((each) => each.run)?.run;
  const isStep = step !== undefined && stepVerb(step) === 'run' && progress.phase === 'Running';
  const allowed = nodesAt(accepted, progress.step);
  return {
    hash: spec.to.hash,
    attempt: spec.attempt ?? 1,
    allowed,
    ...runParallelism(view, accepted),
    ...(run?.spread === undefined ? {} : { spread: run.spread }),
    isStarting: isStep && isUnblocked,
    rerun: new Set(progress.rerun),
    ...(progress.judgedFrom !== undefined && { judgedFrom: progress.judgedFrom }),
    reason: isStep ? reasonOf(step.id, allowed) : `${step?.id ?? 'the plan'} starts it on no further node`,
  };
}

function reasonOf(step: string, allowed: number): string {
  if (allowed === Infinity) return `step ${step} allows every node`;
  return `step ${step} allows ${allowed === 1 ? '1 node' : `${allowed} nodes`}`;
}

/** A run that is complete: nothing begins again. One without end goes on, on nodes that join. */
function afterwards(view: RolloutView<RunUnits>): RunLimit {
  if (view.units.isEndless)
    return { ...idle(view), allowed: Infinity, isStarting: true, reason: 'the run has no end' };
  const message = 'every step of its plan is done';
  return { ...idle(view), outcome: { type: 'Complete', message }, reason: 'the run is complete' };
}

function idle({ liveHash, units }: RolloutView<RunUnits>): Omit<RunLimit, 'reason'> {
  const attempt = Math.max(units.runs.get(liveHash) ?? 1, 1);
  return { hash: liveHash, attempt, allowed: 0, isStarting: false, rerun: new Set() };
}

function failed({ progress }: Accepted): RunLimit['outcome'] {
  return { type: 'Failed', message: progress.message ?? 'its plan was aborted' };
}
