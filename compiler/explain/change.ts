import type { RolloutPlan, Step, Wave } from '../../schemas/generated/types/rolloutplan.ts';
import { areSelected, runOnNodes } from '../../semantics/kinds/git-units.ts';
import { PLAN_FORMAT, PLAN_SEMANTICS } from '../../semantics/plan/digest.ts';
import { templateBefore } from '../forecast/simulation-setup.ts';
import type { Configuration } from '../load/configuration.ts';
import { boundOf } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { ruleFor } from '../plan/match.ts';
import { stepsFrom } from '../plan/steps-from.ts';
import { nextSteps } from '../plan/pull-step.ts';
import { withLimits } from '../plan/limits.ts';
import { planWaves, wavesOf } from '../plan/steps.ts';
import { planKind } from '../plan/target.ts';
import type { Target } from '../plan/target.ts';
import { leastMode } from '../plan/update-policy.ts';

/**
 * A target as the head of a planned change. Git has no base here: the template before is one from which the update has the
 * mode that the plan promises.
 */
export function explainedChange(
  id: string,
  head: Target,
  plan: RolloutPlan | undefined,
  configuration: Configuration,
): Change {
  const { type, kind, namespace, name } = head.manifest;
  const { units } = head.normal;
  const isRun = units.of === 'run';
  const [first] = plan?.spec.from ?? [];
  // The least change of pods of other owners is another image.
  const least = areSelected(units) ? 'InPlace' : leastMode(head.normal);
  const mode = first?.mode ?? least;
  const template = templateBefore(head.normal.template, mode);
  const fields = (first?.fields ?? []).map((field) => ({ ...field, reason: 'as the plan says', rule: '' }));
  const rule = ruleFor(configuration.config, head.manifest);
  const steps = nextSteps(rule, type);
  const waves = units.of !== 'ticks' || units.schedule.runs === undefined ? [] : planWaves(wavesOf(rule));
  return {
    ...{ id, type, kind, namespace, name, head, handover: undefined, goesBack: false },
    action: isRun ? 'Run' : plan?.spec.attempt === undefined ? 'Update' : 'Again',
    base: isRun ? undefined : { ...head, normal: { ...head.normal, template } },
    classification: { mode, fields },
    plan: plan ?? nextPlan(head, withLimits(steps, head), waves),
    stepsOfRule: steps,
    runningLimits: undefined,
    isContinuable: false,
    limits: [],
    assumedUnits: runOnNodes(units) !== undefined ? configuration.config.assume?.nodes : undefined,
    stepsFrom: plan === undefined ? stepsFrom(configuration, head) : undefined,
    named: true,
    simulated: true,
  };
}

/** The steps of the next change; nothing else is known of its plan. */
function nextPlan(
  { hash, normal, manifest }: Target,
  steps: readonly Step[],
  waves: readonly Wave[],
): RolloutPlan {
  const { object, kind, name } = manifest;
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: planKind(manifest.type),
    metadata: { name },
    spec: {
      format: PLAN_FORMAT,
      semantics: PLAN_SEMANTICS,
      target: { apiVersion: object.apiVersion, kind, name },
      to: { hash, bound: boundOf(normal) },
      from: [],
      steps: [...steps],
      ...(waves.length === 0 ? {} : { waves: [...waves] }),
      digest: hash,
    },
  };
}
