import type { JsonObject } from '../../schemas/wire/json.ts';
import { retainedByPartition } from '../../semantics/kinds/git-partition.ts';
import { claimTemplates, isAutoscaled, ownedPods, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import { templateName } from '../../semantics/claims/unit.ts';
import type { Change } from '../plan/change.ts';
import type { Target } from '../plan/target.ts';
import { nameRuns } from '../text/name-runs.ts';
import { namesOf } from './names.ts';

/** Claims by name, as text and count. */
export interface NamedClaims {
  names: string;
  count: number;
}

/** The effect on claims where the names of units come and go beside a rollout. */
export interface ClaimMoves {
  /** How many units both states have. */
  staying: number;
  /** Units that only the head has. */
  coming: ReadonlySet<string>;
  created: NamedClaims;
  /** Claims that are deleted with the units that leave, data included. */
  deleted: NamedClaims;
  /** Claims of units that leave which no unit uses from then on. */
  unused: NamedClaims;
}

/** Names of units that only one of two states wants; undefined: git does not know the names. */
export function movedNames(
  base: Target,
  head: Target,
): { staying: number; leaving: string[]; coming: string[] } | undefined {
  const before = namesOf(base)?.wanted(base.manifest.object);
  const after = namesOf(head)?.wanted(head.manifest.object);
  if (before === undefined || after === undefined) return undefined;
  const [was, is] = [new Set(before), new Set(after)];
  const leaving = before.filter((name) => !is.has(name)).reverse();
  return { staying: before.length - leaving.length, leaving, coming: after.filter((name) => !was.has(name)) };
}

/**
 * How many units that a rollout leads to the new revision did not exist before, because ordinals move beside it. Scale-out is
 * not counted.
 */
export function movedIn({ base, head }: Change): number {
  const moved = base === undefined || head === undefined ? undefined : movedNames(base, head);
  if (moved === undefined || head === undefined || moved.leaving.length === 0) return 0;
  const { units } = head.normal;
  const wanted = namesOf(head)?.wanted(head.manifest.object) ?? [];
  const coming = new Set(moved.coming);
  return wanted
    .slice(retainedByPartition(units, wantedReplicas(units) ?? 0))
    .filter((name) => coming.has(name)).length;
}

/** The claims of these units, one run of names for each template: `data-web-4 to data-web-2`. */
export function claimsNamed(templates: readonly JsonObject[], units: readonly string[]): NamedClaims {
  const names = templates.map((template) =>
    nameRuns(units.map((unit) => `${templateName(template)}-${unit}`)),
  );
  return { names: names.filter((text) => text !== '').join(', '), count: templates.length * units.length };
}

/**
 * What becomes of claims that outlive their pods, where a change moves ordinals or scales. Undefined: every unit keeps its
 * name, git does not know the names, or an autoscaler owns the number.
 */
export function claimMoves({ base, head }: Change): ClaimMoves | undefined {
  if (base === undefined || head === undefined) return undefined;
  const [before, after] = [base.normal.units, head.normal.units];
  const own = ownedPods(after);
  if (own === undefined || !own.claimsOutlivePods) return undefined;
  if (isAutoscaled(after) && wantedReplicas(before) !== wantedReplicas(after)) return undefined;
  const moved = movedNames(base, head);
  if (moved === undefined || moved.leaving.length + moved.coming.length === 0) return undefined;
  const left = claimsNamed(claimTemplates(before), moved.leaving);
  const none = { names: '', count: 0 };
  const isDeleted = own.claimsDeleted.onScaleIn;
  return {
    staying: moved.staying,
    coming: new Set(moved.coming),
    created: claimsNamed(own.volumeClaimTemplates, moved.coming),
    deleted: isDeleted ? left : none,
    unused: isDeleted ? none : left,
  };
}
