import type {
  CheckStep,
  FromEntry,
  PlanPredecessor,
  Step,
} from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { GitManifest, UpdateLimits } from '../../semantics/kinds/git-side.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import { progressDeadlineMs } from '../../semantics/plan/update-step.ts';
import { IN_PLACE_READY } from '../../semantics/pod/types.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { mostDisruptive } from '../../semantics/template/mode.ts';
import { formatDuration, parseDuration } from '../../semantics/values/duration.ts';
import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import type { Change } from '../plan/change.ts';
import { shorten } from '../text/escape.ts';
import { type ClaimForecast, claimsIn, movementOf, rowsWithClaims } from './claims.ts';
import type { ForecastRow } from './forecast-row.ts';
import { templateBefore } from './simulation-setup.ts';
import { leastMs } from './pace.ts';
import { simulatePlan } from './simulate.ts';
import { type Pace, paceOf, podsAt, widest, windowOf } from './window.ts';
import { valueAt } from '../validate/schema-errors.ts';
import { isMutable } from '../validate/template-rules.ts';

/** What a plan will do to running pods, as far as the two manifests tell. */
export interface Forecast {
  mode: Mode;
  /** Earlier states that a cluster may still be at, from which more is done to its pods; by what that is. */
  farther: { mode: Mode; hashes: string[] }[];
  fields: readonly ClassifiedField[];
  replicas: { lowest: number; expected: number; highest: number };
  /** The manifest leaves replicas to somebody else, so `expected` is OpenKruise's default. */
  assumed: boolean;
  /** The same images tomorrow: no container has a tag that moves. */
  reproducible: boolean;
  /** Pods that the standing bound keeps back at the expected number of replicas. */
  retained: number;
  /** Most pods that are missing or extra at a time, at the expected number of replicas. */
  window: UpdateLimits;
  rows: ForecastRow[];
  /** What becomes of volume claims; undefined where nothing is to be said of any. */
  claims?: ClaimForecast;
  /** Ids of the steps that wait for a person. */
  approvals: string[];
  /** All soaks together, milliseconds. */
  soakMs: number;
  /** Ids of the steps that wait for a check. */
  checks: string[];
  /** How long all checks must pass together, milliseconds; how long they wait for answers is not known. */
  checksMs: number;
  /** Targets whose rollouts come first. */
  after: readonly PlanPredecessor[];
  /** Orders the rollouts that wait for a slot. */
  group: string | undefined;
  /** Time limits of the update steps together, milliseconds; undefined when one has none of its own. */
  limitMs: number | undefined;
  /** How long no pod may become available before an update step without its own time limit fails. */
  deadlineMs: number;
  /** What a step that fails does: `Halt` freezes, `Revert` goes back. */
  onFailure: 'Halt' | 'Revert';
  /** Readiness gates of the user's own, which the forecast takes to open as soon as the containers are ready. */
  ownGates: string[];
  /** No pod is taken by the rollout: each gets the change when somebody deletes it. Left out where pods are taken. */
  onDelete?: true;
  /** How long a pod is out of traffic before its containers change in place, milliseconds. */
  graceMs: number;
  /** How long the update steps take at the least, milliseconds; 0 where nothing but starting takes time. */
  leastMs: number;
  /** In which order pods are taken, a clause for each strategy of the target that has a say in it. */
  order: string[];
  /** The target itself is paused: nothing moves. */
  paused: boolean;
  irreversible: string | undefined;
  /** Fewest pods available at any time when nothing else goes wrong, at the expected number of replicas. */
  lowestAvailable: number;
  /** False: by itself the rollout stops before its last step (the target is paused, or has no replicas). */
  finishes: boolean;
}

/** Several outputs of one run show the same forecast. */
const known = new WeakMap<Change, Forecast>();

/**
 * Predicts a plan for the replicas in the manifest, and for half and twice as many, because an autoscaler may have
 * changed the number; undefined for a change without a plan.
 */
export function forecastOf(change: Change): Forecast | undefined {
  const found = known.get(change) ?? predict(change);
  if (found !== undefined) known.set(change, found);
  return found;
}

function predict(change: Change): Forecast | undefined {
  const { plan, classification } = change;
  const normal = change.head?.normal;
  if (change.head === undefined || plan === undefined || classification === undefined || normal === undefined)
    return undefined;
  const expected = normal.replicas;
  const replicas = { lowest: Math.ceil(expected / 2), expected, highest: expected * 2 };
  const { steps } = plan.spec;
  const held = partitionValue(normal.partition, expected);
  const { onDelete } = normal;
  const pace = paceOf(change.head);
  // The rollout itself takes no pod away; when somebody deletes how many is not for the rules to tell.
  const window = onDelete ? { maxUnavailable: 0, maxSurge: 0 } : widest(steps, pace);
  // How a continuation takes pods on says its plan alone: the templates of both states are the same.
  const mode =
    change.action === 'Bound' ? (plan.spec.from[0]?.mode ?? classification.mode) : classification.mode;
  const walk =
    change.summarized || onDelete || !change.simulated
      ? undefined
      : simulatePlan({
          target: change.head.manifest.object,
          plan: plan.spec,
          from: templateLeft(change, mode),
          retainedBefore: partitionValue(change.base?.normal.partition, expected),
          replicas: expected,
        });
  const rows = steps.map((step, index) =>
    // What has the change already as a rollout goes on stays so in steps that ask for less.
    rowOf(step, normal, pace, replicas, {
      rounds: walk?.steps[index]?.rounds,
      moved: (count) => movementOf(change, count).moved,
    }),
  );
  const movement = movementOf(change, expected);
  const claims = claimsIn(change, mode, movement);
  return {
    mode,
    // What nobody has seen is not told apart, and where no pod moves every way is the same.
    farther: change.action === 'Unplanned' || held >= expected ? [] : fartherOf(mode, plan.spec.from),
    fields: classification.fields,
    replicas,
    assumed: !normal.hasReplicas,
    reproducible: imagesOf(normal).every((image) => !isMutable(image, 'tag')),
    retained: held,
    window,
    rows: claims === undefined ? rows : rowsWithClaims(rows, claims, movement),
    ...(claims === undefined ? {} : { claims }),
    approvals: steps.filter(({ approve }) => approve !== undefined).map(({ id }) => id),
    soakMs: sum(steps.map(({ soak }) => parseDuration(soak?.for ?? '') ?? 0)),
    checks: steps.filter(({ check }) => check !== undefined).map(({ id }) => id),
    checksMs: sum(steps.map(({ check }) => parseDuration(check?.for ?? '') ?? 0)),
    after: plan.spec.after ?? [],
    group: plan.spec.group,
    limitMs: limitOf(steps),
    deadlineMs: progressDeadlineMs(normal),
    onFailure: steps.some(({ onFailure }) => onFailure === 'Revert') ? 'Revert' : 'Halt',
    ownGates: ownGatesOf(normal),
    ...(onDelete ? { onDelete } : {}),
    graceMs: mode === 'InPlace' ? normal.gracePeriodSeconds * 1000 : 0,
    leastMs: leastMs(steps, change.head, mode),
    order: orderOf(normal),
    paused: normal.paused,
    irreversible: plan.spec.irreversible,
    lowestAvailable: walk?.lowestAvailable ?? Math.max(0, expected - window.maxUnavailable),
    finishes: walk?.finished ?? true,
  };
}

/** What pods are on before the rollout. Where that is in neither state git knows only how far away it is. */
function templateLeft({ action, base, head }: Change, mode: Mode): JsonObject | undefined {
  if (action === 'Update') return base?.normal.template;
  const isLost = action === 'Again' || action === 'Unplanned';
  return isLost && head !== undefined ? templateBefore(head.normal.template, mode) : undefined;
}

/** The entries of a plan whose mode is more disruptive than the first one's, the most disruptive first. */
function fartherOf(first: Mode, from: readonly FromEntry[]): Forecast['farther'] {
  return (['Recreate', 'InPlace'] as const).flatMap((mode) => {
    if (mostDisruptive([first, mode]) === first) return [];
    const hashes = from.flatMap((entry) => (entry.mode === mode ? [entry.hash] : []));
    return hashes.length === 0 ? [] : [{ mode, hashes }];
  });
}

function imagesOf(normal: GitManifest): string[] {
  return ['initContainers', 'containers'].flatMap((list) => {
    const containers = valueAt(normal.template, ['spec', list]);
    if (!Array.isArray(containers)) return [];
    return containers
      .map((container) => valueAt(container, ['image']))
      .filter((image) => typeof image === 'string');
  });
}

function ownGatesOf(normal: GitManifest): string[] {
  const gates = valueAt(normal.template, ['spec', 'readinessGates']);
  const types = (Array.isArray(gates) ? gates : []).map((gate) => valueAt(gate, ['conditionType']));
  const own = types.filter((type) => typeof type === 'string').filter((type) => type !== IN_PLACE_READY);
  return [...new Set(own)];
}

/** OpenKruise inplace-update, rule 6.7. */
function orderOf({ priorities, scatter }: GitManifest): string[] {
  const { weightPriority = [], orderPriority = [] } = priorities ?? {};
  const keys = orderPriority.map(({ orderedKey }) => shorten(orderedKey, 80)).join(', ');
  const weights = weightPriority.map(({ weight }) => weight).sort((a, b) => b - a);
  return [
    ...(weights.length > 0 ? [`highest weight first (weightPriority ${weights.join(', ')})`] : []),
    ...(keys !== '' ? [`pods without the label ${keys} first, then by its highest number`] : []),
    ...scatter.map(
      ({ key, value }) => `pods labeled ${shorten(`${key}=${value}`, 80)} spread among the others`,
    ),
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function limitOf(steps: readonly Step[]): number | undefined {
  const limits = steps
    .filter(({ update }) => update !== undefined)
    .map(({ timeout }) => (timeout === undefined ? undefined : parseDuration(timeout)));
  return limits.includes(undefined) ? undefined : sum(limits.map((limit) => limit ?? 0));
}

function rowOf(
  step: Step,
  normal: GitManifest,
  pace: Pace,
  replicas: Forecast['replicas'],
  { rounds, moved }: { rounds: number | undefined; moved: (replicas: number) => number },
): ForecastRow {
  const { id, update } = step;
  if (update === undefined) return { id, gate: true, what: gateText(step), pods: undefined };
  const { maxUnavailable, maxSurge } = windowOf(step, pace, replicas.expected);
  const moves = !normal.paused && podsAt(step, pace, replicas.expected) > 0;
  const byHand = normal.onDelete;
  const speed = byHand
    ? ', when users delete pods'
    : moves
      ? `${atATime(maxUnavailable, maxSurge)}${roundsText(rounds)}`
      : '';
  if (normal.paused || replicas.expected === 0) {
    return { id, gate: false, what: `update to ${update.to}`, pods: undefined };
  }
  const count = (size: number): number => Math.max(podsAt(step, pace, size), moved(size));
  return {
    id,
    gate: false,
    what: `update to ${update.to}${speed}`,
    pods: {
      lowest: count(replicas.lowest),
      expected: count(replicas.expected),
      highest: count(replicas.highest),
    },
  };
}

function atATime(down: number, extra: number): string {
  const parts = [
    ...(down > 0 ? [extra > 0 ? `${down} unavailable` : String(down)] : []),
    ...(extra > 0 ? [`${extra} extra`] : []),
  ];
  return parts.length === 0 ? '' : `, ${parts.join(', ')} at a time`;
}

/** How often pods are taken in a step; once needs no word. */
function roundsText(rounds: number | undefined): string {
  return rounds === undefined || rounds < 2 ? '' : `, in ${rounds} rounds`;
}

function gateText(step: Step): string {
  if (step.soak !== undefined) {
    const ms = parseDuration(step.soak.for);
    return `soak for ${ms === undefined ? step.soak.for : formatDuration(ms)}`;
  }
  return step.check === undefined ? 'wait for approval' : checkText(step.check);
}

const LONGEST_ARGS = 120;

/** What is checked, with which arguments, and for how long it must pass. */
function checkText({ use, args = {}, for: time }: CheckStep): string {
  const given = Object.entries(args).map(([name, value]) => `${name}=${value}`);
  const shown = given.length === 0 ? '' : ` (${shorten(given.join(', '), LONGEST_ARGS)})`;
  const ms = parseDuration(time ?? '') ?? 0;
  return `check ${use}${shown}: must pass ${ms === 0 ? 'once' : `for ${formatDuration(ms)}`}`;
}
