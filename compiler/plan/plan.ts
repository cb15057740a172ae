import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type {
  FromEntry,
  RolloutPlan,
  RolloutPlanSpec,
  Step,
} from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { PLAN_FORMAT, PLAN_SEMANTICS, planDigest } from '../../semantics/plan/digest.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import type { IntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition } from '../diagnostics/diagnostic.ts';
import type { Budget } from '../load/budget.ts';
import type { Locate } from '../validate/schema-errors.ts';
import type { PlanFile } from './read-plans.ts';
import type { Action, Change } from './change.ts';
import type { PlanHistory } from './earlier-plans.ts';
import { repeatedEntries, fromEntries, supersededDigests, withImages } from './from.ts';
import { changedBound, statedBound } from './bound.ts';
import { ruleFor } from './match.ts';
import { continuationOf } from './continuation.ts';
import { withLimits, withReturnLimit } from './limits.ts';
import { predecessorsOf } from './predecessors.ts';
import { pullSteps } from './pull-step.ts';
import { planWaves, stepsOf, wavesOf } from './steps.ts';
import { planKind, planName, shownName } from './target.ts';
import { leastMode } from './update-policy.ts';
import { windowProblems } from './window-problems.ts';

const MOST_STEPS = 50;
const MOST_BYTES = 128 * 1024;
const LONGEST_NAME = 253;

/** Changes that get a plan. */
export const PLANNED_ACTIONS: ReadonlySet<Action> = new Set<Action>([
  'Update',
  'Bound',
  'Claims',
  'Run',
  'Again',
  'Continue',
  'Unplanned',
]);

/** kustomize and Flux rewrite `${…}` after review unless this disables it; a plan must reach the cluster as reviewed. */
export const PLAN_ANNOTATIONS = { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' };

/** The plans that a target had before: the one at base, and what the history of base knows of earlier ones. */
export interface PlansBefore {
  atBase: PlanFile | undefined;
  history: PlanHistory;
}

/**
 * Plans one changed target from git alone: the two manifests, the configuration and the plan at base. Only some actions give
 * a plan (`PLANNED_ACTIONS`).
 *
 * @param goingBack how many units a cluster takes at a time that goes back. Default: as kruise.yaml and the manifest say
 */
export function planChange(
  change: Change,
  config: KruiseConfig,
  { atBase, history }: PlansBefore,
  locate: Locate,
  budget: Budget,
  goingBack?: IntOrPercent,
): { plan: RolloutPlan | undefined; stepsOfRule: readonly Step[]; diagnostics: Diagnostic[] } {
  const { head, classification } = change;
  if (!PLANNED_ACTIONS.has(change.action) || !head || !classification) {
    return { plan: undefined, stepsOfRule: [], diagnostics: [] };
  }
  const { units } = head.normal;
  const schedule = units.of === 'ticks' ? units.schedule : undefined;
  const again = change.action === 'Again' ? atBase?.plan.spec : undefined;
  const diagnostics: Diagnostic[] = [];
  // Called for problems only, because finding a position may parse the document.
  const position = (): SourcePosition => locate(['metadata', 'name'], 'value');
  const rule = ruleFor(config, head.manifest);
  const derived = [...pullSteps(rule, change, again), ...stepsOf(rule, change.type.shape)];
  const ofRule = goingBack === undefined ? derived : withReturnLimit(derived, goingBack, head);
  const steps = withLimits(ofRule, head);
  const waves = schedule?.runs === undefined ? [] : wavesOf(rule);
  const most = Math.max(steps.length, waves.length);
  if (most > MOST_STEPS) {
    // Stop here: sealing so many steps for every target of the rule would take too long.
    return {
      plan: undefined,
      stepsOfRule: [],
      diagnostics: [diagnostic('KR3004', { steps: most, limit: MOST_STEPS }, position())],
    };
  }
  const after = predecessorsOf(rule, change);
  const supersedes = supersededDigests(atBase?.plan.spec, history);
  const irreversible = units.of === 'run' ? units.run.words.irreversible : again?.irreversible;
  const continued =
    change.action === 'Continue' && atBase !== undefined
      ? continuationOf(atBase.plan.spec, rule, head, history)
      : undefined;
  const content: Omit<RolloutPlanSpec, 'digest'> = continued?.content ?? {
    format: PLAN_FORMAT,
    semantics: PLAN_SEMANTICS,
    target: { apiVersion: head.manifest.object.apiVersion, kind: change.kind, name: change.name },
    to: {
      hash: head.hash,
      bound: statedBound(head.normal, change.base?.normal, atBase?.plan.spec.to.bound),
      ...(head.claims === undefined ? {} : { claims: head.claims }),
    },
    from: fromOf(change, again, { atBase, history }),
    ...(supersedes.length === 0 ? {} : { supersedes }),
    ...(irreversible === undefined ? {} : { irreversible }),
    ...(rule?.group === undefined ? {} : { group: rule.group }),
    ...(after.length === 0 ? {} : { after }),
    ...(again === undefined ? {} : { attempt: (again.attempt ?? 1) + 1 }),
    steps,
    ...(waves.length === 0 ? {} : { waves: planWaves(waves) }),
  };
  const spec: RolloutPlanSpec = { ...content, digest: planDigest(content) };
  const name = planName(change);
  if (name.length > LONGEST_NAME)
    diagnostics.push(diagnostic('KR3009', { name, limit: LONGEST_NAME }, position()));
  const bytes = new TextEncoder().encode(canonicalJson(spec)).length;
  if (!budget.take('planText', bytes)) return { plan: undefined, stepsOfRule: [], diagnostics };
  if (bytes > MOST_BYTES) diagnostics.push(diagnostic('KR3005', { bytes, limit: MOST_BYTES }, position()));
  const what = changedBound(change);
  // Which pods are selected moves none of those that there are.
  if (spec.from.length === 0 && change.action === 'Bound' && what !== 'selection')
    diagnostics.push(diagnostic('KR3007', { target: shownName(change), what }, position()));
  diagnostics.push(
    ...(schedule === undefined
      ? windowProblems(change, ofRule, config.assume?.nodes, goingBack !== undefined, locate)
      : schedule.stepFaults(steps).map((fault) => diagnostic('KR2172', fault, position()))),
    ...(continued?.unmatched ?? []).map((args) => diagnostic('KR3036', args, position())),
    ...(schedule?.runs?.waveFaults(waves) ?? []).map((message) =>
      diagnostic('KR2173', { message }, position()),
    ),
  );
  const { namespace } = change;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), annotations: PLAN_ANNOTATIONS };
  return {
    plan: {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: planKind(change.type),
      metadata,
      spec,
    },
    stepsOfRule: continued === undefined ? ofRule : [],
    diagnostics,
  };
}

/** The revisions that a plan starts from. A run starts from none. */
function fromOf(
  { base, head, classification }: Change,
  again: RolloutPlanSpec | undefined,
  { atBase, history }: PlansBefore,
): FromEntry[] {
  if (!base || !head || !classification || head.normal.units.of === 'run') return [];
  if (again !== undefined) return repeatedEntries(again.from, leastMode(head.normal));
  const templateOf = ({ normal }: NonNullable<Change['base']>): JsonObject => podTemplateOf(normal) ?? {};
  return withImages(
    fromEntries(head.hash, base.hash, classification, atBase?.plan.spec, history),
    { hash: base.hash, template: templateOf(base) },
    { template: templateOf(head) },
    [...(atBase === undefined ? [] : [atBase.plan.spec]), ...history.plans],
  );
}
