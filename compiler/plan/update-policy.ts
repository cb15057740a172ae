import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { areSelected, type GitUnits, updatesOf } from '../../semantics/kinds/git-units.ts';
import { classify, type ClassifiedField } from '../../semantics/template/classify.ts';
import type { UpdateRules } from '../../semantics/template/update-policy.ts';
import { type Mode, mostDisruptive } from '../../semantics/template/mode.ts';
import type { Target } from './target.ts';

/** The smallest possible change of a template. */
const SMALLEST = [{}, { metadata: { annotations: { changed: 'true' } } }] as const;

/** The least disruptive mode of any template change under this policy: Recreate with ReCreate, else MetadataOnly. */
export function leastMode({ units }: Pick<GitManifest, 'units'>): Mode {
  const [from, to] = SMALLEST;
  return classify(from, to, rulesOf(units)).mode;
}

/** What decides whether a unit is updated in place. What is never updated is made anew. */
export function rulesOf(units: GitUnits): UpdateRules {
  return updatesOf(units) ?? { policy: 'ReCreate' };
}

/**
 * The mode of a change of which git does not know the earlier template: the most disruptive that the policy allows. Pods of others
 * are never recreated.
 */
export function unknownMode({ normal }: Pick<Target, 'normal'>): Mode {
  return rulesOf(normal.units).policy === 'InPlaceOnly' || areSelected(normal.units) ? 'InPlace' : 'Recreate';
}

/** A field of an earlier plan, with at least the mode that the policy of the manifest at head gives any change. */
export function underPolicy(head: Target, field: Omit<ClassifiedField, 'reason' | 'rule'>): ClassifiedField {
  const effect = mostDisruptive([field.effect, leastMode(head.normal)]);
  const reason = effect === field.effect ? 'as in the plan at base' : policyText(head);
  return { ...field, effect, reason, rule: '' };
}

/** Replaces a generic reason by one with the field name of the manifest. */
export function fieldNameIn(head: Target, field: ClassifiedField): ClassifiedField {
  return field.reason === BY_POLICY ? { ...field, reason: policyText(head) } : field;
}

const BY_POLICY = 'podUpdatePolicy is ReCreate';

/** The update policy as the manifest names it. */
export function policyText({ manifest }: Target): string {
  return manifest.type.git.policyText(manifest.object);
}
