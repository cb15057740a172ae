import type { FieldChange, FromEntry, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Classification } from '../../semantics/template/classify.ts';
import { composedMode, mostDisruptive } from '../../semantics/template/mode.ts';
import type { PlanHistory } from './earlier-plans.ts';
import { areSameImages, imagesAcross, knownImages, statedImages } from './revision-images.ts';

/** The most entries of each sort: those to which pods may return, and those from which they may only depart. */
const MOST_ENTRIES = 5;
const MOST_DIGESTS = 10;
const MOST_FIELDS = 64;

/**
 * The revisions that pods may have when the plan starts, newest first (plan section 3): the manifest at base, classified by
 * content, then the entries of the plan at base. If that plan led to the manifest at base, its entries get the more
 * disruptive of their own mode and the first entry's. If not, the manifest was changed without a plan or reverted: the
 * target revision and entries of that plan get the mode Recreate, and pods may only depart from them, so that a reverted
 * change that is landed again runs its gates. Omits entries equal to `to`: of a continuation, or of a change planned
 * afterwards, that is the manifest at base.
 * Last come the revisions of earlier plans in the history of base, so that a revert and the next change may reach a cluster
 * together.
 */
export function fromEntries(
  to: string,
  baseHash: string,
  change: Classification,
  planAtBase: Pick<RolloutPlanSpec, 'to' | 'from'> | undefined,
  { hashes }: Pick<PlanHistory, 'hashes'> = { hashes: [] },
): FromEntry[] {
  const entries: FromEntry[] = [
    { hash: baseHash, mode: change.mode, fields: change.fields.slice(0, MOST_FIELDS).map(planField) },
  ];
  if (planAtBase !== undefined) {
    const inOrder = planAtBase.to.hash === baseHash;
    if (!inOrder) entries.push({ hash: planAtBase.to.hash, mode: 'Recreate', depart: true });
    for (const { hash, mode, depart } of planAtBase.from) {
      entries.push({
        hash,
        mode: inOrder ? composedMode([mode, change.mode]) : 'Recreate',
        ...(inOrder && depart !== true ? {} : { depart: true }),
      });
    }
  }
  for (const hash of hashes) entries.push({ hash, mode: 'Recreate', depart: true });
  const included = new Set([to]);
  const remaining = { return: MOST_ENTRIES, depart: MOST_ENTRIES };
  return entries.filter(({ hash, depart }) => {
    if (included.has(hash)) return false;
    included.add(hash);
    remaining[depart === true ? 'depart' : 'return'] -= 1;
    return remaining[depart === true ? 'depart' : 'return'] >= 0;
  });
}

/**
 * The entries of a plan that repeats the same change, with at least the mode that the current update policy gives any
 * change.
 *
 * @param least that mode
 */
export function repeatedEntries(from: readonly FromEntry[], least: Classification['mode']): FromEntry[] {
  return from.map(({ hash, mode, depart, images, fields }) => ({
    hash,
    mode: mostDisruptive([mode, least]),
    ...(depart === undefined ? {} : { depart }),
    ...(images === undefined ? {} : { images }),
    ...(fields === undefined
      ? {}
      : { fields: fields.map((field) => ({ ...field, effect: mostDisruptive([field.effect, least]) })) }),
  }));
}

/**
 * The entries with the images of each revision, where the fields of the first one do not show them: a reviewer sees what pods run
 * that an earlier rollout has not reached yet.
 *
 * @param plans the plan at base, and those before it in its history, newest first
 */
export function withImages(
  entries: readonly FromEntry[],
  base: { hash: string; template: JsonObject },
  head: { template: JsonObject },
  plans: Parameters<typeof knownImages>[1],
): FromEntry[] {
  const known = knownImages(base, plans);
  return entries.map((entry) => {
    const images = known.get(entry.hash);
    const isShown =
      entry.fields !== undefined &&
      areSameImages(imagesAcross(head.template, entry.fields, 'from'), statedImages(base.template));
    if (images === undefined || isShown) return entry;
    const { hash, mode, depart, fields } = entry;
    return {
      ...{ hash, mode },
      ...(depart === undefined ? {} : { depart }),
      images: [...images],
      ...(fields === undefined ? {} : { fields }),
    };
  });
}

/** The digests that this plan supersedes, newest first. */
export function supersededDigests(
  planAtBase: Pick<RolloutPlanSpec, 'digest' | 'supersedes'> | undefined,
  { digests }: Pick<PlanHistory, 'digests'> = { digests: [] },
): string[] {
  const atBase = planAtBase === undefined ? [] : [planAtBase.digest, ...(planAtBase.supersedes ?? [])];
  return [...new Set([...atBase, ...digests])].slice(0, MOST_DIGESTS);
}

/**
 * A field as the plan shows it. Omits text that a later substitution would rewrite (`${…}`), because it would break the
 * digest.
 */
function planField(field: Classification['fields'][number]): FieldChange {
  const hidden = isSubstituted(field.from) || isSubstituted(field.to);
  const change = hidden ? 'changed' : field.change;
  return {
    path: defused(field.path),
    ...(hidden || field.from === undefined ? {} : { from: field.from }),
    ...(hidden || field.to === undefined ? {} : { to: field.to }),
    ...(change === undefined ? {} : { change }),
    effect: field.effect,
  };
}

function isSubstituted(value: string | number | undefined): boolean {
  return typeof value === 'string' && value.includes('${');
}

function defused(path: string): string {
  return path.replaceAll('${', '$ {');
}
