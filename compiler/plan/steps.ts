import type { Batch, StepRule } from '../../schemas/generated/types/config.ts';
import type { Step, UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';
import { checkSteps } from './check-steps.ts';

/** Cache: plans of one rule have the same steps. */
const known = new WeakMap<StepRule, readonly Step[]>();

/**
 * The steps of a plan. After each batch but the last: soak, checks, approval, in this order. Without batches there is one
 * step, `update`, to 100 %.
 */
export function stepsOf(rule: StepRule | undefined): readonly Step[] {
  const steps = (rule && known.get(rule)) ?? makeSteps(rule);
  if (rule !== undefined) known.set(rule, steps);
  return steps;
}

function makeSteps(rule: StepRule | undefined): Step[] {
  const batches: readonly Batch[] = rule?.batches ?? [{ to: '100%' }];
  return batches.flatMap((batch, index) => {
    const n = index + 1;
    const update = updateOf(batch);
    const step: Step = { id: rule?.batches === undefined ? 'update' : `batch-${n}`, update };
    const timeout = batch.timeout ?? rule?.timeout;
    if (timeout !== undefined) step.timeout = timeout;
    if (rule?.onFailure !== undefined) step.onFailure = rule.onFailure;
    return n === batches.length ? [step] : [step, ...gatesAfter(n, rule)];
  });
}

/** The size of a batch. A percentage below 100 % updates at least one pod, unless another number is given. */
export function updateOf(batch: Batch): UpdateStep {
  const update: UpdateStep = { to: batch.to };
  const atLeast = batch.atLeast ?? (isPartial(batch.to) ? 1 : undefined);
  if (atLeast !== undefined) update.atLeast = atLeast;
  if (batch.window !== undefined) update.window = { ...batch.window };
  return update;
}

function isPartial(to: number | string): boolean {
  return typeof to === 'string' && Number(to.slice(0, -1)) < 100;
}

function gatesAfter(n: number, rule: StepRule | undefined): Step[] {
  const gates: Step[] = [];
  if (rule?.between?.soak !== undefined) gates.push({ id: `soak-${n}`, soak: { for: rule.between.soak } });
  gates.push(...checkSteps(n, rule?.between?.check ?? []));
  if (rule?.approve?.includes(n) === true) gates.push({ id: `approve-${n}`, approve: {} });
  return gates;
}
