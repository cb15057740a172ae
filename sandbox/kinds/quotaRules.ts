import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { qualifiedNameFaults } from '../../schemas/pods/names.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { amountOf, amountText } from '../../schemas/pods/amount.ts';
import { countedResources } from '../../schemas/pods/resourceValidation.ts';

const ofContainers = ['', 'requests.', 'limits.'].flatMap((list) => [`${list}cpu`, `${list}memory`]);
const ofPods: readonly string[] = ['pods', ...ofContainers];
const ofClaims: readonly string[] = ['persistentvolumeclaims', 'requests.storage'];
const measured =
  /^(?:(?:requests\.|limits\.)?(?:cpu|memory|ephemeral-storage)|(?:requests\.)?hugepages-.+|requests\.storage)$/;

/** The standard resources that each scope applies to. */
const resourcesOfScope: Readonly<Record<string, readonly string[]>> = {
  BestEffort: ['pods'],
  CrossNamespacePodAffinity: ofPods,
  NotBestEffort: ofPods,
  NotTerminating: ofPods,
  PriorityClass: ofPods,
  Terminating: ofPods,
  VolumeAttributesClass: ofClaims,
};
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

/** Quantities are strings, even if written as numbers. */
function withTexts(quantities: unknown): unknown {
  return isFields(quantities)
    ? Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]))
    : quantities;
}

function withDefaults(object: KubeObject): KubeObject {
  const spec = specOf(object);
  return {
    ...object,
    spec: { ...spec, ...(spec['hard'] === undefined ? {} : { hard: withTexts(spec['hard']) }) },
  };
}

function isStandard(name: string): boolean {
  return countedResources.has(name) || measured.test(name);
}

function checkAmount(name: string, quantity: unknown): FieldError[] {
  const path = `spec.hard[${name}]`;
  const faults = qualifiedNameFaults(name);
  const errors = faults.map((fault) => field.invalid(path, name, fault));
  if (faults.length === 0 && !name.includes('/') && !isStandard(name))
    errors.push(
      field.invalid(path, name, 'must be a standard resource type or fully qualified'),
      field.invalid(path, name, 'must be a standard resource for quota'),
    );
  const amount = amountOf(quantity);
  if (amount === undefined) return errors;
  const text = amountText(amount);
  if (amount.billionths < 0n) errors.push(field.invalid(path, text, 'must be greater than or equal to 0'));
  if (countedResources.has(name) && amount.billionths % 1_000_000_000n !== 0n)
    errors.push(field.invalid(path, text, 'must be an integer'));
  return errors;
}

function fits(scope: string, resource: string): boolean {
  return !isStandard(resource) || (resourcesOfScope[scope]?.includes(resource) ?? true);
}

function checkScopes(scopes: readonly string[], resources: readonly string[]): FieldError[] {
  const path = 'spec.scopes';
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (resourcesOfScope[scope] === undefined) errors.push(field.invalid(path, scopes, 'unsupported scope'));
    for (const resource of resources)
      if (!fits(scope, resource))
        errors.push(field.invalid(path, scopes, 'unsupported scope applied to resource'));
  }
  for (const pair of opposites)
    if (pair.every((scope) => scopes.includes(scope)))
      errors.push(field.invalid(path, scopes, 'conflicting scopes'));
  return errors;
}

function checkQuota(object: KubeObject): FieldError[] {
  const { hard, scopes } = specOf(object);
  const amounts = Object.entries(isFields(hard) ? hard : {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const resources = amounts.map(([name]) => name);
  return [
    ...amounts.flatMap(([name, amount]) => checkAmount(name, amount)),
    ...checkScopes(Array.isArray(scopes) ? scopes.map(String) : [], resources),
  ];
}

/** ResourceQuotas. Admission checks writes against the status, which a controller maintains. */
export const quotaRules: KindRules = {
  defaults: withDefaults,
  prepareCreate: (object) => ({ ...object, status: {} }),
  check: checkQuota,
  checkUpdate(next, current) {
    const scopes = (object: KubeObject) => {
      const given = specOf(object)['scopes'];
      return Array.isArray(given) ? [...new Set(given.map(String))].sort() : [];
    };
    return sameValue(scopes(next), scopes(current))
      ? []
      : [field.invalid('spec.scopes', scopes(next), 'field is immutable')];
  },
};
