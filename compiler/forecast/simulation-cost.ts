import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { Change } from '../plan/change.ts';
import { valueAt } from '../validate/schema-errors.ts';
import { leastRounds, paceOf } from './window.ts';

/** A round is drain, change, nothing to do until the pods are ready, and gates opened. */
const LOOKS_OF_A_ROUND = 4;
/** What making a pod of the model costs, in observations of one. */
const MAKING = 15;
/** Parts of a pod that are copied with it at no cost worth counting. */
const SMALL_POD = 50;
/** Values of a template that is hashed and compared in each observation; beyond that nothing is simulated. */
const LARGEST_TEMPLATE = 2_000;
/** A container, with its status, against a label. */
const PARTS_OF_A_CONTAINER = 8;

/** What all rollouts that are simulated in one run may cost together, in observations of one pod. */
const MOST_OF_A_RUN = 2_000_000;

/**
 * Decides which rollouts of a run are simulated: in the order of the targets, as long as there is something left for it. The
 * forecast of the others is arithmetic.
 */
export function chooseSimulated(changes: readonly Change[]): void {
  let left = MOST_OF_A_RUN;
  for (const change of changes) {
    const cost = costOf(change);
    change.simulated = cost <= left;
    if (change.simulated) left -= cost;
  }
}

/** Looks at pods that a simulation takes at the least, each pod counted by its size. */
function costOf({ base, head, plan }: Change): number {
  if (head === undefined || plan === undefined) return 0;
  const { normal } = head;
  const templates = [normal.template, base?.normal.template ?? {}];
  if (templates.some((template) => valuesIn(template, LARGEST_TEMPLATE) > LARGEST_TEMPLATE)) return Infinity;
  const looks = leastRounds(plan.spec.steps, paceOf(head)) * LOOKS_OF_A_ROUND + MAKING;
  const weights = [normal, base?.normal ?? normal].map(({ template, priorities, scatter }) => {
    const { weightPriority = [], orderPriority = [] } = priorities ?? {};
    const terms = weightPriority.length + orderPriority.length + scatter.length;
    return (partsOf(template) + terms * PARTS_OF_A_CONTAINER) / SMALL_POD;
  });
  return looks * normal.replicas * Math.max(1, ...weights);
}

/** How many values there are, counted up to one more than `most`. */
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
