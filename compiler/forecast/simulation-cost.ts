import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { rolloutSize, updatesOf } from '../../semantics/kinds/git-units.ts';
import type { Change } from '../plan/change.ts';
import { valueAt } from '../validate/schema-errors.ts';
import { type ForecastBudget, forecastBudget } from './forecast-budget.ts';
import { leastRounds, paceOf } from './window.ts';

/** The reconciles of one round: drain, change, wait until the pods are ready, open the gates. */
const RECONCILES_PER_ROUND = 4;
/** The cost of creating a pod of the model, in observations of one pod. */
const CREATION = 15;
/** The number of parts up to which copying a pod costs nothing noticeable. */
const SMALL_POD = 50;
/** The most values of a template that is simulated: each observation hashes and compares it. */
const LARGEST_TEMPLATE = 2_000;
/** The cost of a container with its status, relative to a label. */
const PARTS_OF_A_CONTAINER = 8;

/** The cost of all simulations of one run, in observations of one pod. */
const MOST_OF_A_RUN = 2_000_000;
/** With more plans in a run none is simulated: they are read in groups, and a run may have ten thousand. */
const MOST_PLANS = 20;

/**
 * Decides which rollouts of a run are simulated: in the order of the targets until the budget of the run is used. The
 * forecasts of the others are arithmetic.
 */
export function chooseSimulated(changes: readonly Change[]): void {
  const areMany = changes.filter(({ plan }) => plan !== undefined).length > MOST_PLANS;
  const budget = simulationBudget();
  for (const change of changes) {
    change.simulated = !areMany && budget.affords(change);
    if (change.simulated) budget.use(change);
  }
}

/** What the simulations of one run may cost. */
export function simulationBudget(): ForecastBudget {
  return forecastBudget(MOST_OF_A_RUN, costOf);
}

/** The least number of observations of pods in a simulation, weighted by the size of a pod. */
function costOf({ base, head, plan }: Change): number {
  if (head === undefined || plan === undefined) return 0;
  const { normal } = head;
  const replicas = rolloutSize(normal.units);
  if (replicas === undefined) return 0;
  const templates = [normal.template, base?.normal.template ?? {}];
  if (templates.some((template) => valuesIn(template, LARGEST_TEMPLATE) > LARGEST_TEMPLATE)) return Infinity;
  const observations = leastRounds(plan.spec.steps, paceOf(head), replicas) * RECONCILES_PER_ROUND + CREATION;
  const weights = [normal, base?.normal ?? normal].map(({ template, units }) => {
    const { priorities, scatter = [] } = updatesOf(units) ?? {};
    const { weightPriority = [], orderPriority = [] } = priorities ?? {};
    const terms = weightPriority.length + orderPriority.length + scatter.length;
    return (partsOf(template) + terms * PARTS_OF_A_CONTAINER) / SMALL_POD;
  });
  return observations * replicas * Math.max(1, ...weights);
}

/** Counts the values of a tree, up to one more than `most`. */
function valuesIn(value: Json | undefined, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key of Object.keys(value)) {
    if (count > most) return count;
    count += valuesIn((value as JsonObject)[key], most - count);
  }
  return count;
}

function partsOf(template: JsonObject): number {
  const count = (path: readonly string[]): number => {
    const value = valueAt(template, path);
    return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  };
  const containers = count(['spec', 'containers']) + count(['spec', 'initContainers']);
  return (
    count(['metadata', 'labels']) + count(['metadata', 'annotations']) + containers * PARTS_OF_A_CONTAINER
  );
}
