import type { KubeObject } from '../../schemas/wire/object.ts';
import { qosClass } from '../kinds/podRules.ts';
import type { Pod, PodAffinity } from '../kinds/pod.ts';
import { selects } from '../kinds/selectors.ts';
import { fieldAt, isFields, type Fields } from '../store/value.ts';

/** One thing that a quota says of the objects it counts. */
export interface Scope {
  scopeName: string;
  operator: string;
  values: string[];
}

/** What a quota says in `scopes` and in `scopeSelector`. */
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

/** Whether a name, '' where there is none, is what a scope asks for. */
function isNamed({ scopeName, operator, values }: Scope, name: unknown): boolean {
  const labels = typeof name === 'string' && name !== '' ? { [scopeName]: name } : {};
  return selects({ matchExpressions: [{ key: scopeName, operator, values }] }, labels);
}

/** Whether a pod's affinity looks at pods of other namespaces. */
function looksAround({ spec }: Pod): boolean {
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
      return looksAround(pod);
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
