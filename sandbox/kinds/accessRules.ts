import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';

const group = 'rbac.authorization.k8s.io';

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function fieldsIn(value: unknown): Fields[] {
  return listOf(value).filter(isFields);
}

function checkRule(rule: Fields, path: string, namespaced: boolean): FieldError[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const errors: FieldError[] = [];
  if (listOf(verbs).length === 0)
    errors.push(field.required(`${path}.verbs`, 'verbs must contain at least one value'));
  const refused = (why: string) =>
    errors.push(field.invalid(`${path}.nonResourceURLs`, nonResourceURLs, why));
  if (listOf(nonResourceURLs).length > 0) {
    if (namespaced) refused('namespaced rules cannot apply to non-resource URLs');
    if ([apiGroups, resources, resourceNames].some((list) => listOf(list).length > 0))
      refused('rules cannot apply to both regular resources and non-resource URLs');
    return errors;
  }
  if (listOf(apiGroups).length === 0)
    errors.push(field.required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (listOf(resources).length === 0)
    errors.push(field.required(`${path}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function roleRules(namespaced: boolean): KindRules {
  const withRules = (object: KubeObject): KubeObject => ({ ...object, rules: object['rules'] ?? null });
  return {
    createsOnUpdate: true,
    defaults: withRules,
    check: (object) =>
      fieldsIn(object['rules']).flatMap((rule, index) => checkRule(rule, `rules[${index}]`, namespaced)),
  };
}

function withBindingDefaults(object: KubeObject): KubeObject {
  const { roleRef, subjects } = object;
  const complete = (subject: unknown) =>
    isFields(subject) && (subject['kind'] === 'User' || subject['kind'] === 'Group')
      ? { ...subject, apiGroup: subject['apiGroup'] || group }
      : subject;
  return {
    ...object,
    ...(isFields(roleRef) ? { roleRef: { ...roleRef, apiGroup: roleRef['apiGroup'] || group } } : {}),
    ...(Array.isArray(subjects) ? { subjects: subjects.map(complete) } : {}),
  };
}

function checkRoleRef(roleRef: unknown, kinds: readonly string[]): FieldError[] {
  const { apiGroup = group, kind = '', name = '' } = isFields(roleRef) ? roleRef : {};
  return [
    ...(apiGroup === group ? [] : [field.notSupported('roleRef.apiGroup', apiGroup, [group])]),
    ...(kinds.includes(String(kind)) ? [] : [field.notSupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [field.required('roleRef.name')] : []),
  ];
}

function checkSubject(subject: Fields, path: string, namespaced: boolean): FieldError[] {
  const { kind = '', name = '', namespace = '', apiGroup = '' } = subject;
  const errors = name === '' ? [field.required(`${path}.name`)] : [];
  const ofGroup = (wanted: string) =>
    apiGroup === wanted ? [] : [field.notSupported(`${path}.apiGroup`, apiGroup, [wanted])];
  switch (kind) {
    case 'ServiceAccount':
      errors.push(...ofGroup(''));
      return namespace === '' && !namespaced ? [...errors, field.required(`${path}.namespace`)] : errors;
    case 'User':
    case 'Group':
      return [...errors, ...ofGroup(group)];
    default:
      return [...errors, field.notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

function bindingRules(namespaced: boolean): KindRules {
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return {
    createsOnUpdate: true,
    defaults: withBindingDefaults,
    check: (object) => [
      ...checkRoleRef(object['roleRef'], kinds),
      ...fieldsIn(object['subjects']).flatMap((subject, index) =>
        checkSubject(subject, `subjects[${index}]`, namespaced),
      ),
    ],
    checkUpdate(next, current) {
      if (sameValue(next['roleRef'], current['roleRef'])) return [];
      const { apiGroup = '', kind = '', name = '' } = isFields(next['roleRef']) ? next['roleRef'] : {};
      const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
      return [field.invalid('roleRef', shown, 'cannot change roleRef')];
    },
  };
}

/** RBAC kinds, by resource id. */
export const accessRules: Readonly<Record<string, KindRules>> = {
  'roles.rbac.authorization.k8s.io': roleRules(true),
  'clusterroles.rbac.authorization.k8s.io': roleRules(false),
  'rolebindings.rbac.authorization.k8s.io': bindingRules(true),
  'clusterrolebindings.rbac.authorization.k8s.io': bindingRules(false),
};
