import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { classify, type ClassifiedField } from '../../semantics/template/classify.ts';
import { type Mode, mostDisruptive } from '../../semantics/template/mode.ts';
import type { Target } from './target.ts';

/** The smallest change of a template that there is. */
const SMALLEST = [{}, { metadata: { annotations: { changed: 'true' } } }] as const;

/**
 * The least that any change of the template does to a pod under this policy: Recreate under ReCreate, else
 * MetadataOnly.
 */
export function leastMode({ policy }: Pick<GitManifest, 'policy'>): Mode {
  const [from, to] = SMALLEST;
  return classify(from, to, policy).mode;
}

/** A field of an earlier plan, as the policy of the manifest at head has it. `because` is what is known of it else. */
export function underPolicy(head: Target, field: Omit<ClassifiedField, 'reason' | 'rule'>): ClassifiedField {
  const effect = mostDisruptive([field.effect, leastMode(head.normal)]);
  const reason = effect === field.effect ? 'as the plan at base says' : policyText(head);
  return { ...field, effect, reason, rule: '' };
}

/** The reason in the words of the manifest. */
export function fieldNameIn(head: Target, field: ClassifiedField): ClassifiedField {
  return field.reason === BY_POLICY ? { ...field, reason: policyText(head) } : field;
}

const BY_POLICY = 'podUpdatePolicy is ReCreate';

/** The update policy in the words of the manifest. */
export function policyText({ manifest }: Target): string {
  return manifest.type.git.policyText(manifest.object);
}
