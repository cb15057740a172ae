import type { KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import type { Step, UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';

/** The rule of kruise.yaml that applies to a target: the first one that matches. */
export function ruleFor(
  config: KruiseConfig,
  target: { kind: string; namespace: string | undefined; name: string },
): StepRule | undefined {
  return config.steps?.find(
    ({ match }) =>
      (match.kind === undefined || match.kind === target.kind) &&
      (match.namespace === undefined || match.namespace === target.namespace) &&
      (match.name === undefined || match.name === target.name),
  );
}

/**
 * The steps of a plan. After each batch but the last: soak, checks, approval, in this order. Without batches there
 * is one step, `update`, to 100 %.
 */
export function stepsOf(rule: StepRule | undefined): Step[] {
  const batches = rule?.batches ?? [{ to: '100%' as const }];
  return batches.flatMap((batch, index) => {
    const n = index + 1;
    const update: UpdateStep = { to: batch.to };
    const atLeast = batch.atLeast ?? (isPartial(batch.to) ? 1 : undefined);
    if (atLeast !== undefined) update.atLeast = atLeast;
    if (batch.window !== undefined) update.window = { ...batch.window };
    const step: Step = { id: rule?.batches === undefined ? 'update' : `batch-${n}`, update };
    const timeout = batch.timeout ?? rule?.timeout;
    if (timeout !== undefined) step.timeout = timeout;
    if (rule?.onFailure !== undefined) step.onFailure = rule.onFailure;
    return n === batches.length ? [step] : [step, ...gatesAfter(n, rule)];
  });
}

function isPartial(to: number | string): boolean {
  return typeof to === 'string' && Number(to.slice(0, -1)) < 100;
}

function gatesAfter(n: number, rule: StepRule | undefined): Step[] {
  const gates: Step[] = [];
  if (rule?.between?.soak !== undefined) gates.push({ id: `soak-${n}`, soak: { for: rule.between.soak } });
  for (const name of rule?.between?.check ?? [])
    gates.push({ id: `check-${n}-${idPart(name)}`, check: { use: name } });
  if (rule?.approve?.includes(n) === true) gates.push({ id: `approve-${n}`, approve: {} });
  return gates;
}

/** The name of a check as a part of a step id: lower-case letters, digits and dashes. */
function idPart(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'x'
  );
}
