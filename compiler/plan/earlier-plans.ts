import type { RolloutPlan, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Budget } from '../load/budget.ts';
import { readPlan, targetId } from './read-plans.ts';
import { areSameImages } from './revision-images.ts';

/** What a plan knows of the plans before it: where they led to, and their digests. Newest first. */
export interface PlanHistory {
  hashes: readonly string[];
  digests: readonly string[];
  /** The plans themselves. */
  plans: readonly Pick<RolloutPlanSpec, 'to' | 'from'>[];
}

export const NO_HISTORY: PlanHistory = { hashes: [], digests: [], plans: [] };

/** More versions than this add nothing: a plan lists ten digests. */
export const MOST_VERSIONS = 20;

/**
 * What earlier versions of a target's plan file say. Versions that are no valid plan of this target are passed over: what is
 * wrong with them cannot be mended any more.
 *
 * @param texts newest first
 */
export function earlierPlans(id: string, texts: readonly string[], budget: Budget): PlanHistory {
  const plans = texts.slice(0, MOST_VERSIONS).flatMap((text) => {
    const { plan } = readPlan({ file: 'plan.yaml', text }, budget);
    return plan !== undefined && targetId(plan) === id ? [plan] : [];
  });
  const specs = plans.map(({ spec }) => spec);
  return { hashes: specs.map(({ to }) => to.hash), digests: specs.map(({ digest }) => digest), plans: specs };
}

/**
 * Whether a committed plan is the planned one, but for what the history of the base adds: it may name more revisions to depart
 * from and more superseded plans, because it was made in a clone with more history.
 */
export function addsHistoryAlone(
  { spec: committed }: RolloutPlan,
  { spec: planned }: RolloutPlan,
  atBase: RolloutPlan | undefined,
): boolean {
  const listed = new Map(committed.from.map((entry) => [entry.hash, entry]));
  const digests = new Set(committed.supersedes);
  return (
    planned.from.every(({ hash, images }) => {
      const entry = listed.get(hash);
      return entry !== undefined && (images === undefined || areSameImages(entry.images, images));
    }) &&
    (planned.supersedes ?? []).every((digest) => digests.has(digest)) &&
    withoutHistory(committed, atBase) === withoutHistory(planned, atBase)
  );
}

/**
 * A committed plan with the images of the planned one, if it names none at all: older versions of kruise wrote none. Undefined: it
 * names some, or the planned one has none either.
 */
export function withImagesOf(
  committed: RolloutPlan,
  { spec: planned }: RolloutPlan,
): RolloutPlan | undefined {
  const stated = new Map(planned.from.map(({ hash, images }) => [hash, images]));
  const { spec } = committed;
  if (spec.from.some(({ images }) => images !== undefined)) return undefined;
  const from = spec.from.map(({ hash, mode, depart, fields }) => {
    const images = stated.get(hash);
    return {
      ...{ hash, mode },
      ...(depart === undefined ? {} : { depart }),
      ...(images === undefined ? {} : { images }),
      ...(fields === undefined ? {} : { fields }),
    };
  });
  return from.some(({ images }) => images !== undefined)
    ? { ...committed, spec: { ...spec, from } }
    : undefined;
}

/** What of a plan follows from the two states alone, as text. */
function withoutHistory(spec: RolloutPlanSpec, atBase: RolloutPlan | undefined): string {
  const from = spec.from.filter(({ depart }) => depart !== true);
  return JSON.stringify({ ...spec, from, supersedes: atBase && spec.supersedes?.[0], digest: undefined });
}

/**
 * Whether a committed plan was made against a newer base: the plan at this base is among the older ones that it supersedes.
 * Planned against this base, the rollout would start from a state that is past.
 */
export function knowsNewerBase(
  { spec }: RolloutPlan,
  atBase: RolloutPlan | undefined,
  { digests }: PlanHistory = NO_HISTORY,
): boolean {
  const [newest, ...older] = spec.supersedes ?? [];
  if (newest === undefined || newest === atBase?.spec.digest || digests.includes(newest)) return false;
  return atBase === undefined || older.includes(atBase.spec.digest);
}
