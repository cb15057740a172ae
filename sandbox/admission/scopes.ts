import type { KubeObject } from '../../schemas/wire/object.ts';
import { qosClass } from '../kinds/podRules.ts';
import type { Pod, PodAffinity } from '../../schemas/pods/pod.ts';
import { selects } from '../kinds/selectors.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';

/** One scope requirement of a quota. */
export interface Scope {
  scopeName: string;
  operator: string;
  values: string[];
}

/** The requirements of `scopes` and `scopeSelector`. */
export function scopesOf(quota: KubeObject): Scope[] {
  const scopes = fieldAt(quota, ['spec', 'scopes']);
  const expressions = fieldAt(quota, ['spec', 'scopeSelector', 'matchExpressions']);
  const plain = (Array.isArray(scopes) ? (scopes as unknown[]) : []).map((scope) => ({
    scopeName: String(scope),
    operator: 'Exists',
    values: [],
  }));
  const selected = (Array.isArray(expressions) ? (expressions as unknown[]) : [])
    .filter(isFields)
    .map(({ scopeName, operator, values }: Fields) => ({
      scopeName: String(scopeName),
      operator: String(operator),
      values: Array.isArray(values) ? values.map(String) : [],
    }));
  return [...plain, ...selected];
}

/** Whether a value ('' if absent) satisfies a scope requirement. */
function isNamed({ scopeName, operator, values }: Scope, name: unknown): boolean {
  const labels = typeof name === 'string' && name !== '' ? { [scopeName]: name } : {};
  return selects({ matchExpressions: [{ key: scopeName, operator, values }] }, labels);
}

/** Whether the pod's affinity refers to pods of other namespaces. */
function refersToOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = (affinity: PodAffinity | undefined) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => each.podAffinityTerm),
  ];
  return [...terms(podAffinity), ...terms(podAntiAffinity)].some(
    (term) => (term?.namespaces ?? []).length > 0 || term?.namespaceSelector !== undefined,
  );
}

export function podMatchesScope(scope: Scope, pod: Pod): boolean {
  const { spec } = pod;
  const hasDeadline = spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;
  switch (scope.scopeName) {
    case 'Terminating':
      return hasDeadline;
    case 'NotTerminating':
      return !hasDeadline;
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort';
    case 'PriorityClass':
      return isNamed(scope, spec.priorityClassName);
    case 'CrossNamespacePodAffinity':
      return refersToOtherNamespaces(pod);
    default:
      return false;
  }
}

export function claimMatchesScope(scope: Scope, claim: KubeObject): boolean {
  return (
    scope.scopeName === 'VolumeAttributesClass' &&
    isNamed(scope, fieldAt(claim, ['spec', 'volumeAttributesClassName']))
  );
}
