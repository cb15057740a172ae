import type { FromEntry, PlanPredecessor, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { type GitManifest, podTemplateOf } from '../../semantics/kinds/git-side.ts';
import {
  areShown,
  updatesNone,
  claimTemplates,
  isAutoscaled,
  ownedPods,
  rolloutSize,
  subsetsAt,
  updatesOf,
} from '../../semantics/kinds/git-units.ts';
import type { NoUpdates } from '../../semantics/kinds/no-updates.ts';
import type { UpdateLimits } from '../../semantics/limits/window.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import { isForNewPods } from '../../semantics/plan/new-pods.ts';
import { progressDeadlineMs } from '../../semantics/plan/update-step.ts';
import { IN_PLACE_READY } from '../../semantics/pod/types.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { mostDisruptive } from '../../semantics/template/mode.ts';
import { parseDuration } from '../../semantics/values/duration.ts';
import {
  asContinued,
  boundName,
  isUncounted,
  retainedBefore,
  retainedUnits,
  selectorText,
  boundSelectorOf,
  selectedWithin,
} from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { unknownMode } from '../plan/update-policy.ts';
import { shorten } from '../text/escape.ts';
import { type ClaimForecast, claimsIn, movementOf, rowsWithClaims } from './claims.ts';
import type { ForecastRow } from './forecast-row.ts';
import { rowOf, type SubsetRow, subsetRows } from './forecast-rows.ts';
import { type Gates, gatesOf, sum } from './gates.ts';
import { imagesOf } from './images.ts';
import { mostUnavailable } from './most-unavailable.ts';
import { reservedText, rowsWithNames } from './names.ts';
import { templateBefore } from './simulation-setup.ts';
import { leastMs } from './pace.ts';
import { simulatePlan } from './simulate.ts';
import { subsetOrder } from './subsets.ts';
import { type FleetForecast, fleetForecast } from './fleet.ts';
import { paceOf, unitsAfter, widest } from './window.ts';
import { valueAt } from '../validate/schema-errors.ts';
import { isMutable } from '../validate/template-rules.ts';

/** What a plan will do to running pods, as far as both manifests show. */
export interface Forecast extends Gates {
  mode: Mode;
  /** Earlier states that a cluster may still have and from which the update is more disruptive, by mode. */
  moreDisruptive: { mode: Mode; hashes: string[] }[];
  fields: readonly ClassifiedField[];
  replicas: { lowest: number; expected: number; highest: number };
  /** Other numbers of replicas that the sizes of its subsets do not fit: it has them in no column. */
  unfit: readonly number[];
  /** The manifest does not set replicas, so `expected` is OpenKruise's default. */
  assumed: boolean;
  /** What says that number, as a phrase; undefined: the manifest, or the default. */
  replicasFrom: string | undefined;
  /** Whether the images cannot change: no container has a mutable tag. */
  reproducible: boolean;
  /** Pods retained by the bound, at the expected number of replicas. */
  retained: number;
  /** What retains them. */
  bound: 'partition' | 'selector';
  /** The only pods that are updated; omitted: any pod may be. */
  selector?: { text: string; isCounted: boolean };
  /** Most pods that are unavailable or extra at the same time, at the expected number of replicas. */
  window: UpdateLimits;
  /** The same at the other numbers of replicas. */
  windowAt: Record<'lowest' | 'highest', UpdateLimits>;
  rows: readonly ForecastRow[];
  /** Of a target with subsets: one for each. */
  subsets: readonly SubsetRow[];
  /** What each step does to nodes, by the simulation; omitted: the units are no nodes, or nothing was simulated. */
  fleet?: FleetForecast;
  /** The effect on volume claims; undefined if there are none. */
  claims?: ClaimForecast;
  /** Targets whose rollouts must finish first. */
  after: readonly PlanPredecessor[];
  /** The group of the rollout queue. */
  group: string | undefined;
  /** The sum of the time limits of the update steps, milliseconds; undefined if a step has none of its own. */
  limitMs: number | undefined;
  /** Images are pulled to nodes before the first update. `limitMs`: its time limit; undefined: it has none. */
  pull?: { limitMs: number | undefined };
  /** An update step without its own time limit fails if no pod becomes available for this time, milliseconds. */
  deadlineMs: number;
  /** Readiness gates that the user set. The forecast assumes that they open as soon as the containers are ready. */
  ownGates: string[];
  /** The type of the update strategy, with which the rollout updates no pod itself; undefined: it does. */
  noUpdates: NoUpdates | undefined;
  /** How long a pod is out of traffic before its containers change in place, milliseconds. */
  graceMs: number;
  /** The least duration of the update steps, milliseconds; 0 if only starting pods takes time. */
  leastMs: number;
  /** The order in which pods are updated, one phrase for each strategy of the target that affects it. */
  order: string[];
  /** Ordinals that have no pod, by `NamedUnits.reserved`; empty: none, or the kind has no ordinals. */
  reserved: string;
  /** The target itself is paused: no pod changes. */
  paused: boolean;
  irreversible: string | undefined;
  /** Fewest pods available at any time without other faults, at the expected number of replicas. */
  lowestAvailable: number;
  /** The object in git that keeps more pods available than the update itself would; omitted: none does. */
  limitedBy?: string;
  /** False: the rollout stops before its last step (the target is paused, or has no replicas). */
  finishes: boolean;
}

/** Cache: several outputs of one run show the same forecast. */
const known = new WeakMap<Change, Forecast>();

/**
 * Predicts a plan for the replicas in the manifest, and for half and twice as many, because an autoscaler may have changed
 * the number. Undefined for a change without a plan, and for a run (`runForecastOf`).
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
  const expected = rolloutSize(normal.units);
  if (expected === undefined || isForNewPods(plan.spec)) return undefined;
  const { unfit, ...replicas } = replicasOf(change, expected);
  const { steps } = plan.spec;
  const head = asContinued(change, change.head);
  const held = retainedUnits(head.normal, expected);
  const onDelete = updatesNone(normal.units);
  const own = ownedPods(normal.units);
  const pace = paceOf(head);
  // The rollout itself deletes no pod, and how many pods users delete at a time is unknown.
  const windowFor = (units: number): UpdateLimits =>
    onDelete ? { maxUnavailable: 0, maxSurge: 0, percents: {} } : widest(steps, pace, units);
  const window = windowFor(expected);
  // The templates of both states of a continuation are equal, so only the plan has the mode of its pods.
  const mode =
    change.action === 'Bound' ? (plan.spec.from[0]?.mode ?? unknownMode(change.head)) : classification.mode;
  const simulation =
    onDelete || !change.simulated || isUncounted(normal)
      ? undefined
      : simulatePlan({
          target: change.head.manifest.object,
          plan: plan.spec,
          from: templateOfPods(change, mode),
          retainedBefore: change.base === undefined ? 0 : retainedBefore(change.base.normal, expected),
          selected: selectedWithin(normal),
          claims: claimsBefore(change),
          replicas: expected,
          zones: normal.units.of === 'nodes' ? normal.units.zones : undefined,
        });
  const fleet = fleetForecast(normal.units, steps, simulation, movementOf(change, expected).done);
  // Pods that have the change when a rollout continues keep it, also in steps that allow fewer pods.
  const afterSteps = (units: number): number[] =>
    unitsAfter(steps, pace, units).map((count) => Math.max(count, movementOf(change, units).done));
  const after = {
    lowest: afterSteps(replicas.lowest),
    expected: fleet?.rows.map(({ updated }) => updated) ?? afterSteps(expected),
    highest: afterSteps(replicas.highest),
  };
  const rows = steps.map((step, index) =>
    rowOf(change, step, pace, expected, {
      rounds: simulation?.steps[index]?.rounds,
      after: {
        lowest: after.lowest[index] ?? 0,
        expected: after.expected[index] ?? 0,
        highest: after.highest[index] ?? 0,
      },
    }),
  );
  const movement = movementOf(change, expected);
  const mostDown = Math.min(window.maxUnavailable, movement.moving);
  const availability = availabilityOf(
    change,
    mode,
    expected,
    simulation?.lowestAvailable ?? Math.max(0, expected - mostDown),
  );
  const claims = claimsIn(change, mode, movement);
  const named = rowsWithNames(change, rows, templateOfPods(change, mode), movement.done);
  return {
    mode,
    // Unplanned: git does not know the earlier states. If no pod changes, the mode does not matter.
    moreDisruptive:
      change.action === 'Unplanned' || held >= expected ? [] : moreDisruptiveThan(mode, plan.spec.from),
    fields: classification.fields,
    ...{ replicas, unfit },
    assumed: isAutoscaled(normal.units),
    replicasFrom: change.head.replicasFrom,
    reproducible: imagesOf(podTemplateOf(normal) ?? {}).every((image) => !isMutable(image, 'tag')),
    retained: held,
    bound: boundName(normal),
    ...(boundSelectorOf(normal) && {
      selector: { text: selectorText(normal), isCounted: !isUncounted(normal) },
    }),
    window,
    windowAt: {
      lowest: replicas.lowest === expected ? window : windowFor(replicas.lowest),
      highest: replicas.highest === expected ? window : windowFor(replicas.highest),
    },
    rows: claims === undefined ? named : rowsWithClaims(named, claims, movement),
    subsets: subsetRows(
      steps,
      pace,
      expected,
      mode === 'MetadataOnly' ? 0 : expected - availability.lowestAvailable,
    ),
    ...(fleet === undefined ? {} : { fleet }),
    ...(claims === undefined ? {} : { claims }),
    ...gatesOf(steps),
    after: plan.spec.after ?? [],
    group: plan.spec.group,
    limitMs: limitOf(steps),
    ...pullOf(steps),
    deadlineMs: progressDeadlineMs({
      progressDeadlineSeconds: own?.progressDeadlineSeconds,
      minReadySeconds: own?.minReadySeconds ?? 0,
    }),
    ownGates: ownGatesOf(normal),
    noUpdates: onDelete ? change.type.facts.noUpdates : undefined,
    graceMs: mode === 'InPlace' ? (own?.gracePeriodSeconds ?? 0) * 1000 : 0,
    leastMs: leastMs(steps, head, mode, movement.done),
    order: orderOf(normal, steps),
    reserved: reservedText(change),
    paused: normal.paused,
    irreversible: plan.spec.irreversible,
    ...availability,
    finishes: simulation?.finished ?? true,
  };
}

/** @param own the fewest pods that the update itself keeps available */
function availabilityOf(
  change: Change,
  mode: Mode,
  expected: number,
  own: number,
): Pick<Forecast, 'lowestAvailable' | 'limitedBy'> {
  const limit = mostUnavailable(change, mode);
  const kept = limit === undefined ? 0 : expected - limit.most;
  if (limit === undefined || kept <= own) return { lowestAvailable: own };
  return { lowestAvailable: kept, limitedBy: limit.name };
}

/** An autoscaler may change the number of pods that a target has. That of pods of other owners, and of nodes, is known, or an example. */
function replicasOf({ head }: Change, expected: number): Forecast['replicas'] & Pick<Forecast, 'unfit'> {
  const units = head?.normal.units;
  const isShown = units !== undefined && areShown(units);
  const factor = !isShown ? 2 : units.shown === undefined ? 10 : 1;
  const [lowest, highest] = [Math.ceil(expected / factor), expected * factor];
  const unfit = [lowest, highest].filter(
    (count) => units?.of === 'subsets' && subsetsAt(units, count) === undefined,
  );
  const fitting = (count: number): number => (unfit.includes(count) ? expected : count);
  return { lowest: fitting(lowest), expected, highest: fitting(highest), unfit };
}

/**
 * The template of the pods before the rollout. If neither state has it, returns a template from which the update has the
 * known mode.
 */
function templateOfPods({ action, base, head }: Change, mode: Mode): JsonObject | undefined {
  if (action === 'Update') return base?.normal.template;
  const isLost = action === 'Again' || action === 'Continue' || action === 'Unplanned';
  return isLost && head !== undefined ? templateBefore(head.normal.template, mode) : undefined;
}

/** The claim templates before a change with which existing claims grow; undefined: none grows. */
function claimsBefore({ base, head }: Change): readonly JsonObject[] | undefined {
  const grows = head?.claims !== undefined && base !== undefined && base.claims !== head.claims;
  return grows ? claimTemplates(base.normal.units) : undefined;
}

/** The entries of a plan whose mode is more disruptive than that of the first, the most disruptive first. */
function moreDisruptiveThan(first: Mode, from: readonly FromEntry[]): Forecast['moreDisruptive'] {
  return (['Recreate', 'InPlace'] as const).flatMap((mode) => {
    if (mostDisruptive([first, mode]) === first) return [];
    const hashes = from.flatMap((entry) => (entry.mode === mode ? [entry.hash] : []));
    return hashes.length === 0 ? [] : [{ mode, hashes }];
  });
}

function ownGatesOf(normal: GitManifest): string[] {
  const gates = valueAt(podTemplateOf(normal), ['spec', 'readinessGates']);
  const types = (Array.isArray(gates) ? gates : []).map((gate) => valueAt(gate, ['conditionType']));
  const own = types.filter((type) => typeof type === 'string').filter((type) => type !== IN_PLACE_READY);
  return [...new Set(own)];
}

/** The update order, by OpenKruise inplace-update, rule 6.7. */
function orderOf({ units }: GitManifest, steps: readonly Step[]): string[] {
  const { priorities, scatter = [] } = updatesOf(units) ?? {};
  const { weightPriority = [], orderPriority = [] } = priorities ?? {};
  const keys = orderPriority.map(({ orderedKey }) => shorten(orderedKey, 80)).join(', ');
  const weights = weightPriority.map(({ weight }) => weight).sort((a, b) => b - a);
  return [
    ...subsetOrder(units, steps),
    ...(weights.length > 0 ? [`highest weight first (weightPriority ${weights.join(', ')})`] : []),
    ...(keys !== '' ? [`pods without the label ${keys} first, then by its highest number`] : []),
    ...scatter.map(
      ({ key, value }) => `pods labeled ${shorten(`${key}=${value}`, 80)} spread among the others`,
    ),
  ];
}

function limitOf(steps: readonly Step[]): number | undefined {
  const limits = steps
    .filter(({ update }) => update !== undefined)
    .map(({ timeout }) => (timeout === undefined ? undefined : parseDuration(timeout)));
  return limits.includes(undefined) ? undefined : sum(limits.map((limit) => limit ?? 0));
}

function pullOf(steps: readonly Step[]): Pick<Forecast, 'pull'> {
  const step = steps.find(({ pull }) => pull !== undefined);
  return step === undefined ? {} : { pull: { limitMs: parseDuration(step.timeout ?? '') } };
}
