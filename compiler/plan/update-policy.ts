import type { KubeObject } from '../../schemas/wire/object.ts';
import type { NormalCloneSet } from '../../semantics/cloneset/normalize.ts';
import { classify, type ClassifiedField } from '../../semantics/template/classify.ts';
import { type Mode, mostDisruptive } from '../../semantics/template/mode.ts';
import { valueAt } from '../validate/schema-errors.ts';
import type { Target } from './target.ts';

/** The smallest change of a template that there is. */
const SMALLEST = [{}, { metadata: { annotations: { changed: 'true' } } }] as const;

/**
 * The least that any change of the template does to a pod under this policy: Recreate under ReCreate, else
 * MetadataOnly (OpenKruise cloneset, rule 6.5).
 */
export function leastMode({ policy }: Pick<NormalCloneSet, 'policy'>): Mode {
  const [from, to] = SMALLEST;
  return classify(from, to, policy).mode;
}

/** A field of an earlier plan, as the policy of the manifest at head has it. `because` is what is known of it else. */
export function underPolicy(head: Target, field: Omit<ClassifiedField, 'because' | 'rule'>): ClassifiedField {
  const effect = mostDisruptive([field.effect, leastMode(head.normal)]);
  const because = effect === field.effect ? 'as the plan at base says' : policyText(head);
  return { ...field, effect, because, rule: '' };
}

/** The reason in the words of the manifest. */
export function inWordsOf(head: Target, field: ClassifiedField): ClassifiedField {
  return field.because === BY_POLICY ? { ...field, because: policyText(head) } : field;
}

const BY_POLICY = 'podUpdatePolicy is ReCreate';

/** `updateStrategy.type is ReCreate`: where the version keeps the policy, and whether anybody wrote it. */
export function policyText({ manifest: { object }, normal }: Target): string {
  if (normal.type === 'OnDelete') return 'updateStrategy.type is OnDelete';
  const strategy = objectAt(object['spec'], 'updateStrategy');
  const rolling = objectAt(strategy, 'rollingUpdate');
  const name = isAlpha(object) ? 'updateStrategy.type' : 'podUpdatePolicy';
  const written = strategy['type'] === 'ReCreate' || rolling['podUpdatePolicy'] === 'ReCreate';
  return `${name} is ReCreate${written ? '' : ', the default'}`;
}

/** Where the policy stands in a manifest, or would stand. */
export function policyPath(object: KubeObject): string[] {
  const path = ['spec', 'updateStrategy', 'rollingUpdate', 'podUpdatePolicy'];
  return isAlpha(object) && valueAt(object, path) === undefined ? ['spec', 'updateStrategy', 'type'] : path;
}

function isAlpha({ apiVersion }: KubeObject): boolean {
  return apiVersion.endsWith('/v1alpha1');
}

function objectAt(value: unknown, key: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  const found = (value as Record<string, unknown>)[key];
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
}
