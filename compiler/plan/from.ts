import type { FieldChange, FromEntry, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Classification } from '../../semantics/template/classify.ts';
import { mostDisruptive } from '../../semantics/template/mode.ts';

const MOST_ENTRIES = 5;
const MOST_FIELDS = 64;

/**
 * The revisions that pods may be on when the plan starts, newest first (plan section 3): the manifest at base,
 * classified by content, then what the plan at base lists. If that plan led to the manifest at base, its entries
 * with the more disruptive of their own mode and the first entry's; if not, somebody changed the manifest without a
 * plan, and its goal and its entries are taken over as Recreate. Entries equal to `to` are dropped: of a continuation,
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
    if (!inOrder) entries.push({ hash: planAtBase.to.hash, mode: 'Recreate' });
    for (const { hash, mode } of planAtBase.from) {
      entries.push({ hash, mode: inOrder ? mostDisruptive([mode, change.mode]) : 'Recreate' });
    }
  }
  const seen = new Set([to]);
  return entries
    .filter(({ hash }) => {
      if (seen.has(hash)) return false;
      seen.add(hash);
      return true;
    })
    .slice(0, MOST_ENTRIES);
}

/**
 * The entries of a plan for the same change once more: none promises less than the update policy of now makes of any
 * change.
 *
 * @param least what that is
 */
export function entriesAgain(from: readonly FromEntry[], least: Classification['mode']): FromEntry[] {
  return from.map(({ hash, mode, fields }) => ({
    hash,
    mode: mostDisruptive([mode, least]),
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
  return [...new Set([planAtBase.digest, ...(planAtBase.supersedes ?? [])])].slice(0, MOST_ENTRIES);
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
