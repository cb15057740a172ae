import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../api/errors.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, type Fields } from '../store/value.ts';
import { thousandths } from './quantity.ts';

const counted = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
]);
const measured =
  /^(?:(?:requests\.|limits\.)?(?:cpu|memory|ephemeral-storage|hugepages-.+)|requests\.storage)$/;
const scopes = new Set([
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
]);

function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

/** Quantities are texts, also those that were given as numbers. */
function withTexts(quantities: unknown): unknown {
  return isFields(quantities)
    ? Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]))
    : quantities;
}

function withQuotaDefaults(object: KubeObject): KubeObject {
  const spec = specOf(object);
  return {
    ...object,
    spec: { ...spec, ...(spec['hard'] === undefined ? {} : { hard: withTexts(spec['hard']) }) },
  };
}

function checkAmount(name: string, amount: unknown): FieldError[] {
  const path = `spec.hard[${name}]`;
  const errors: FieldError[] = [];
  if (!name.includes('/') && !counted.has(name) && !measured.test(name))
    errors.push(
      field.invalid(path, name, 'must be a standard resource type or fully qualified'),
      field.invalid(path, name, 'must be a standard resource for quota'),
    );
  const value = thousandths(String(amount));
  if (value < 0) errors.push(field.invalid(path, amount, 'must be greater than or equal to 0'));
  if (counted.has(name) && value % 1000 !== 0)
    errors.push(field.invalid(path, `${value}m`, 'must be an integer'));
  return errors;
}

function checkQuota(object: KubeObject): FieldError[] {
  const { hard, scopes: given } = specOf(object);
  const amounts = Object.entries(isFields(hard) ? hard : {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const errors = amounts.flatMap(([name, amount]) => checkAmount(name, amount));
  for (const scope of Array.isArray(given) ? (given as unknown[]) : []) {
    if (!scopes.has(String(scope))) errors.push(field.invalid('spec.scopes', given, 'unsupported scope'));
    else if (scope === 'BestEffort' && amounts.some(([name]) => name !== 'pods'))
      errors.push(field.invalid('spec.scopes', given, 'unsupported scope applied to resource'));
  }
  return errors;
}

/** What containers get where a limit range leaves it open: limits from `max`, requests from limits and `min`. */
function withLimitDefaults(object: KubeObject): KubeObject {
  const { limits } = specOf(object);
  if (!Array.isArray(limits)) return object;
  const complete = (item: unknown) => {
    if (!isFields(item) || item['type'] !== 'Container') return item;
    const { max, min, default: limit, defaultRequest } = item;
    const merged = (...parts: unknown[]) => Object.assign({}, ...parts.filter(isFields)) as Fields;
    const byDefault = merged(max, limit);
    const requests = merged(min, byDefault, defaultRequest);
    return {
      ...item,
      ...(Object.keys(byDefault).length === 0 ? {} : { default: byDefault }),
      ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
    };
  };
  return { ...object, spec: { ...specOf(object), limits: limits.map(complete) } };
}

/** What a namespace may use, kept and checked; it is not enforced. By resource id. */
export const resourceLimitRules: Readonly<Record<string, KindRules>> = {
  resourcequotas: {
    prepareCreate: (object) => ({ ...withQuotaDefaults(object), status: {} }),
    prepareUpdate: withQuotaDefaults,
    check: checkQuota,
  },
  limitranges: {
    createsOnUpdate: true,
    prepareCreate: withLimitDefaults,
    prepareUpdate: withLimitDefaults,
  },
};
