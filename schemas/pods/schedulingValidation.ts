import { field, type FieldError } from './fieldErrors.ts';
import { labelValueFaults } from './names.ts';
import { isFields, type Fields } from './fields.ts';
import {
  checkLabelSelector,
  entriesOf,
  fieldsOf,
  isSet,
  isMissing,
  items,
  labelKey,
  labelValue,
  listOf,
  named,
  oneOf,
  textOf,
} from './fieldChecks.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Tolerations of a pod. */
export function checkTolerations(tolerations: unknown, path: string): FieldError[] {
  return items(tolerations).flatMap((toleration, index) => {
    const at = `${path}[${index}]`;
    const { key, tolerationSeconds } = toleration;
    const [operator, effect, value] = ['operator', 'effect', 'value'].map((name) => textOf(toleration[name]));
    const errors = isMissing(key) ? [] : labelKey(`${at}.key`, key);
    if (isMissing(key) && operator !== 'Exists')
      errors.push(
        field.invalid(
          `${at}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    if (isSet(tolerationSeconds) && effect !== 'NoExecute')
      errors.push(
        field.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      );
    if (operator === 'Equal' || operator === '') {
      const faults = labelValueFaults(value ?? '');
      if (faults.length > 0) errors.push(field.invalid(`${at}.operator`, value, faults.join(';')));
    } else if (operator === 'Exists') {
      if (value !== '')
        errors.push(
          field.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"),
        );
    } else {
      const compares = operator === 'Lt' || operator === 'Gt';
      const known = ['Equal', 'Exists', ...(compares ? ['Lt', 'Gt'] : [])];
      errors.push(field.notSupported(`${at}.operator`, operator, known));
    }
    return effect === '' ? errors : [...errors, ...oneOf(`${at}.effect`, effect, effects)];
  });
}

function checkNodeRequirement(requirement: Fields, path: string, strict: boolean): FieldError[] {
  const operator = textOf(requirement['operator']);
  const values = listOf(requirement['values']);
  const errors: FieldError[] = [];
  const at = `${path}.values`;
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(field.required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(field.forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      errors.push(field.required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else errors.push(field.invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  return [
    ...errors,
    ...labelKey(`${path}.key`, requirement['key']),
    ...(strict ? values.flatMap((value, index) => labelValue(`${at}[${index}]`, value)) : []),
  ];
}

function checkNodeField(requirement: Fields, path: string): FieldError[] {
  const operator = textOf(requirement['operator']);
  const key = textOf(requirement['key']);
  const values = listOf(requirement['values']);
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(field.invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  else if (values.length !== 1)
    errors.push(
      field.required(
        `${path}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    );
  if (key !== 'metadata.name')
    return [...errors, field.invalid(`${path}.key`, key, 'not a valid field selector key')];
  return [
    ...errors,
    ...values.flatMap((value, index) => named(`${path}.values[${index}]`, value, 'subdomain')),
  ];
}

function checkNodeTerm(term: Fields, path: string, strict: boolean): FieldError[] {
  return [
    ...items(term['matchExpressions']).flatMap((each, index) =>
      checkNodeRequirement(each, `${path}.matchExpressions[${index}]`, strict),
    ),
    ...items(term['matchFields']).flatMap((each, index) =>
      checkNodeField(each, `${path}.matchFields[${index}]`),
    ),
  ];
}

/** A node selector. */
export function checkNodeSelector(selector: unknown, path: string): FieldError[] {
  if (!isFields(selector)) return [];
  const at = `${path}.nodeSelectorTerms`;
  const terms = items(selector['nodeSelectorTerms']);
  if (terms.length === 0) return [field.required(at, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => checkNodeTerm(term, `${at}[${index}]`, true));
}

function checkWeight(weight: unknown, path: string): FieldError[] {
  const value = typeof weight === 'number' ? weight : 0;
  return value > 0 && value <= 100 ? [] : [field.invalid(path, value, 'must be in the range 1-100')];
}

function checkLabelKeys(keys: unknown, path: string, selector: unknown): FieldError[] {
  const list = listOf(keys);
  if (list.length === 0) return [];
  if (!isFields(selector))
    return [field.forbidden(path, 'must not be specified when labelSelector is not set')];
  return list.flatMap((key, index) => labelKey(`${path}[${index}]`, key));
}

/** matchLabelKeys and mismatchLabelKeys of a pod affinity term. */
function checkMatchingKeys(term: Fields, path: string): FieldError[] {
  const { matchLabelKeys, mismatchLabelKeys, labelSelector } = term;
  const errors = [
    ...checkLabelKeys(matchLabelKeys, `${path}.matchLabelKeys`, labelSelector),
    ...checkLabelKeys(mismatchLabelKeys, `${path}.mismatchLabelKeys`, labelSelector),
  ];
  const { matchLabels, matchExpressions } = fieldsOf(labelSelector);
  const same = listOf(matchLabelKeys);
  const lastOf = new Map(same.map((key, index) => [key, index] as const));
  const known = new Set<unknown>(entriesOf(matchLabels).map(([key]) => key));
  for (const { key } of items(matchExpressions)) {
    if (lastOf.has(key) && known.has(key))
      errors.push(
        field.invalid(`${path}[${lastOf.get(key)}]`, key, 'exists in both matchLabelKeys and labelSelector'),
      );
    known.add(key);
  }
  const other = new Set(listOf(mismatchLabelKeys));
  for (const [index, key] of same.entries())
    if (other.has(key))
      errors.push(
        field.invalid(
          `${path}.matchLabelKeys[${index}]`,
          key,
          'exists in both matchLabelKeys and mismatchLabelKeys',
        ),
      );
  return errors;
}

function checkPodTerm(term: Fields, path: string): FieldError[] {
  const { topologyKey } = term;
  return [
    ...checkLabelSelector(`${path}.labelSelector`, term['labelSelector']),
    ...checkLabelSelector(`${path}.namespaceSelector`, term['namespaceSelector']),
    ...listOf(term['namespaces']).flatMap((name) => named(`${path}.namespace`, name, 'label')),
    ...checkMatchingKeys(term, path),
    ...(isMissing(topologyKey) ? [field.required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...labelKey(`${path}.topologyKey`, topologyKey),
  ];
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Affinity of a pod. */
export function checkAffinity(affinity: unknown, path: string): FieldError[] {
  if (!isFields(affinity)) return [];
  const nodes = fieldsOf(affinity['nodeAffinity']);
  const errors = checkNodeSelector(nodes[required], `${path}.nodeAffinity.${required}`);
  for (const [index, { weight, preference }] of items(nodes[preferred]).entries()) {
    const at = `${path}.nodeAffinity.${preferred}[${index}]`;
    errors.push(
      ...checkWeight(weight, `${at}.weight`),
      ...checkNodeTerm(fieldsOf(preference), `${at}.preference`, false),
    );
  }
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const pods = fieldsOf(affinity[name]);
    for (const [index, term] of items(pods[required]).entries())
      errors.push(...checkPodTerm(term, `${path}.${name}.${required}[${index}]`));
    for (const [index, { weight, podAffinityTerm }] of items(pods[preferred]).entries()) {
      const at = `${path}.${name}.${preferred}[${index}]`;
      errors.push(
        ...checkWeight(weight, `${at}.weight`),
        ...checkPodTerm(fieldsOf(podAffinityTerm), `${at}.podAffinityTerm`),
      );
    }
  }
  return errors;
}

/** Topology spread constraints. */
export function checkSpread(constraints: unknown, path: string): FieldError[] {
  const all = items(constraints);
  return all.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const { maxSkew = 0, minDomains, labelSelector } = constraint;
    const key = textOf(constraint['topologyKey']);
    const action = textOf(constraint['whenUnsatisfiable']);
    const errors: FieldError[] = [];
    const positive = (name: string, value: unknown) => {
      if (typeof value === 'number' && value <= 0)
        errors.push(field.invalid(`${at}.${name}`, value, 'must be greater than zero'));
    };
    positive('maxSkew', maxSkew);
    if (key === '') errors.push(field.required(`${at}.topologyKey`, 'can not be empty'));
    errors.push(...oneOf(`${at}.whenUnsatisfiable`, action, ['DoNotSchedule', 'ScheduleAnyway']));
    const isRepeated = all
      .slice(index + 1)
      .some((other) => textOf(other['topologyKey']) === key && textOf(other['whenUnsatisfiable']) === action);
    if (isRepeated)
      errors.push(field.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`));
    positive('minDomains', minDomains);
    if (isSet(minDomains) && action !== 'DoNotSchedule')
      errors.push(
        field.invalid(
          `${at}.minDomains`,
          minDomains,
          `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
        ),
      );
    return [
      ...errors,
      ...['nodeAffinityPolicy', 'nodeTaintsPolicy'].flatMap((name) =>
        oneOf(`${at}.${name}`, constraint[name], ['Honor', 'Ignore']),
      ),
      ...checkMatchingKeys(constraint, at),
      ...checkLabelSelector(`${at}.labelSelector`, labelSelector),
    ];
  });
}
