import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, ownField, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { withField } from '../store/value.ts';
import { checkDefinition } from './definitionCheck.ts';

/** The finalizer that keeps a definition until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** A condition of a definition, if present. */
export function conditionOf(definition: KubeObject, type: string): Condition | undefined {
  const conditions = fieldAt(definition, ['status', 'conditions']);
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as Condition[]).find((each) => each.type === type);
}

/** Sets a condition of a definition; lastTransitionTime changes with the status only. */
export function withCondition(definition: KubeObject, condition: Condition): Condition[] {
  const known = fieldAt(definition, ['status', 'conditions']);
  const others = (Array.isArray(known) ? (known as Condition[]) : []).filter(
    (each) => each.type !== condition.type,
  );
  const before = conditionOf(definition, condition.type);
  const made =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? { ...condition, lastTransitionTime: before.lastTransitionTime }
      : condition;
  const at = Array.isArray(known)
    ? (known as Condition[]).findIndex((each) => each.type === condition.type)
    : -1;
  return at < 0 ? [...others, made] : [...others.slice(0, at), made, ...others.slice(at)];
}

/** Server defaults: derived names, and conversion None. */
function withDefaults(object: KubeObject): KubeObject {
  const spec = object['spec'];
  if (!isFields(spec)) return object;
  const names: Fields = isFields(spec['names']) ? { ...spec['names'] } : {};
  const { kind } = names;
  if (typeof kind === 'string' && kind !== '') {
    names['singular'] ||= kind.toLowerCase();
    names['listKind'] ||= `${kind}List`;
  }
  return { ...object, spec: { ...spec, names, conversion: spec['conversion'] ?? { strategy: 'None' } } };
}

function storageVersion(object: KubeObject): string | undefined {
  const versions = fieldAt(object, ['spec', 'versions']);
  if (!Array.isArray(versions)) return undefined;
  const name = ownField(
    (versions as unknown[]).find((version) => ownField(version, 'storage') === true),
    'name',
  );
  return typeof name === 'string' ? name : undefined;
}

function initialStatus(object: KubeObject): Fields {
  const lastTransitionTime = object.metadata.creationTimestamp;
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    reason,
    message,
  });
  const stored = storageVersion(object);
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: fieldAt(object, ['spec', 'names']) ?? {},
    ...(stored === undefined ? {} : { storedVersions: [stored] }),
  };
}

function withStoredVersion(object: KubeObject): KubeObject {
  const stored = storageVersion(object);
  const known = fieldAt(object, ['status', 'storedVersions']);
  const versions: unknown[] = Array.isArray(known) ? known : [];
  if (stored === undefined || versions.includes(stored)) return object;
  return withField(object, ['status', 'storedVersions'], [...versions, stored]) as KubeObject;
}

function checkFixed(next: KubeObject, current: KubeObject): FieldError[] {
  if (conditionOf(current, 'Established')?.status !== 'True') return [];
  return [['group'], ['scope'], ['names', 'kind'], ['names', 'plural']].flatMap((path) => {
    const value = fieldAt(next, ['spec', ...path]);
    return sameValue(value, fieldAt(current, ['spec', ...path]))
      ? []
      : [field.invalid(['spec', ...path].join('.'), value, 'field is immutable')];
  });
}

/**
 * CustomResourceDefinitions. Names are accepted on creation; the definitions controller reports conflicts
 * afterwards.
 */
export const definitionRules: KindRules = {
  needsRevision: true,
  defaults: withDefaults,
  prepareCreate: (object) => ({ ...object, status: initialStatus(object) }),
  prepareUpdate(next) {
    const complete = withStoredVersion(next);
    if (conditionOf(complete, 'NamesAccepted')?.status !== 'True') return complete;
    return withField(
      complete,
      ['status', 'acceptedNames'],
      fieldAt(complete, ['spec', 'names']),
    ) as KubeObject;
  },
  prepareDelete(object) {
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(cleanupFinalizer)) return object;
    return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, cleanupFinalizer] } };
  },
  check: checkDefinition,
  checkUpdate: checkFixed,
};
