import type { Batch, StepRule } from '../../schemas/generated/types/config.ts';
import type { RunStep, Step, UpdateStep, Wave } from '../../schemas/generated/types/rolloutplan.ts';
import type { Shape } from '../../semantics/plan/step.ts';
import { checkSteps } from './check-steps.ts';

/** Cache: plans of one rule, for kinds of one shape, have the same steps. */
const known: Readonly<Record<Shape, WeakMap<StepRule, readonly Step[]>>> = {
  Rollout: new WeakMap(),
  Run: new WeakMap(),
};

/**
 * The steps of a plan. After each batch but the last: soak, checks, approval, in this order. Without batches there is one
 * step, `update` or `run`, to 100 %.
 */
export function stepsOf(rule: StepRule | undefined, shape: Shape): readonly Step[] {
  const steps = (rule && known[shape].get(rule)) ?? makeSteps(rule, shape);
  if (rule !== undefined) known[shape].set(rule, steps);
  return steps;
}

const waves = new WeakMap<StepRule, readonly Step[]>();

/** The waves of a rule, for each run that a target creates; empty: it has none. */
export function wavesOf(rule: StepRule | undefined): readonly Step[] {
  if (rule?.waves === undefined) return [];
  const steps = waves.get(rule) ?? makeSteps({ match: {}, ...rule.waves }, 'Run');
  waves.set(rule, steps);
  return steps;
}

/** Waves as a plan has them: none waits for an approval. */
export function planWaves(steps: readonly Step[]): Wave[] {
  return steps.flatMap(({ id, run, soak, check, timeout }): Wave[] => {
    const verb = run ? { run } : soak ? { soak } : check ? { check } : undefined;
    return verb === undefined ? [] : [{ id, ...verb, ...(timeout === undefined ? {} : { timeout }) }];
  });
}

function makeSteps(rule: StepRule | undefined, shape: Shape): Step[] {
  const batches: readonly Batch[] = rule?.batches ?? [{ to: '100%' }];
  return batches.flatMap((batch, index) => {
    const n = index + 1;
    const work = shape === 'Run' ? { run: runOf(batch) } : { update: updateOf(batch) };
    const [verb = ''] = Object.keys(work);
    const step: Step = { id: rule?.batches === undefined ? verb : `batch-${n}`, ...work };
    const timeout = batch.timeout ?? rule?.timeout;
    if (timeout !== undefined) step.timeout = timeout;
    // A run has no way back: it halts, which the rule has a warning about.
    if (rule?.onFailure !== undefined && !(shape === 'Run' && rule.onFailure === 'Revert'))
      step.onFailure = rule.onFailure;
    return n === batches.length ? [step] : [step, ...gatesAfter(n, rule)];
  });
}

/** The size of a batch. A percentage below 100 % updates at least one pod, unless another number is given. */
export function updateOf(batch: Batch): UpdateStep {
  const update: UpdateStep = sizeOf(batch);
  if (batch.nodes !== undefined) update.nodes = batch.nodes;
  if (batch.spread !== undefined) update.spread = batch.spread;
  if (batch.subsets !== undefined) update.subsets = batch.subsets;
  if (batch.window !== undefined) update.window = { ...batch.window };
  return update;
}

function runOf(batch: Batch): RunStep {
  const { parallelism, spread } = batch;
  return {
    ...sizeOf(batch),
    ...(parallelism === undefined ? {} : { parallelism }),
    ...(spread === undefined ? {} : { spread }),
  };
}

function sizeOf({ to, atLeast = isPartial(to) ? 1 : undefined }: Batch): Pick<UpdateStep, 'to' | 'atLeast'> {
  return { to, ...(atLeast === undefined ? {} : { atLeast }) };
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
