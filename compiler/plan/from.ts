import type { FieldChange, FromEntry, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Classification } from '../../semantics/template/classify.ts';
import { mostDisruptive } from '../../semantics/template/mode.ts';

/** Entries of each sort: those that pods may return to, and those that they may only depart from. */
const MOST_ENTRIES = 5;
const MOST_DIGESTS = 10;
const MOST_FIELDS = 64;

/**
 * The revisions that pods may be on when the plan starts, newest first (plan section 3): the manifest at base,
 * classified by content, then what the plan at base lists. If that plan led to the manifest at base, its entries
 * with the more disruptive of their own mode and the first entry's; if not, somebody changed the manifest without a
 * plan, or took it back: its goal and its entries are taken over as Recreate, and pods may only depart from them, so that
 * a change that was reverted and is landed again runs its gates. Entries equal to `to` are dropped: of a continuation,
 * and of a change that is planned afterwards, that is the manifest at base.
 */
export function fromEntries(
  to: string,
  baseHash: string,
  change: Classification,
  planAtBase: Pick<RolloutPlanSpec, 'to' | 'from'> | undefined,
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
        mode: inOrder ? mostDisruptive([mode, change.mode]) : 'Recreate',
        ...(inOrder && depart !== true ? {} : { depart: true }),
      });
    }
  }
  const seen = new Set([to]);
  const left = { return: MOST_ENTRIES, depart: MOST_ENTRIES };
  return entries.filter(({ hash, depart }) => {
    if (seen.has(hash)) return false;
    seen.add(hash);
    left[depart === true ? 'depart' : 'return'] -= 1;
    return left[depart === true ? 'depart' : 'return'] >= 0;
  });
}

/**
 * The entries of a plan for the same change once more: none promises less than the update policy of now makes of any
 * change.
 *
 * @param least what that is
 */
export function repeatedEntries(from: readonly FromEntry[], least: Classification['mode']): FromEntry[] {
  return from.map(({ hash, mode, depart, fields }) => ({
    hash,
    mode: mostDisruptive([mode, least]),
    ...(depart === undefined ? {} : { depart }),
    ...(fields === undefined
      ? {}
      : { fields: fields.map((field) => ({ ...field, effect: mostDisruptive([field.effect, least]) })) }),
  }));
}

/** Digests this plan takes over from, newest first. */
export function supersededDigests(
  planAtBase: Pick<RolloutPlanSpec, 'digest' | 'supersedes'> | undefined,
): string[] {
  if (planAtBase === undefined) return [];
  return [...new Set([planAtBase.digest, ...(planAtBase.supersedes ?? [])])].slice(0, MOST_DIGESTS);
}

/**
 * A field as the plan shows it. Text that a later substitution would rewrite (`${…}`) never stands in a plan: it
 * would break the digest.
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
