import { field, type FieldError } from './fieldErrors.ts';
import { qualifiedNameFaults } from './names.ts';
import { amountOf, amountText, type Amount } from './amount.ts';
import { entriesOf, fieldsOf, isMissing, items, named, textOf } from './fieldChecks.ts';

const standardResources = new Set([
  ...['', 'requests.', 'limits.'].flatMap((list) =>
    ['cpu', 'memory', 'ephemeral-storage'].map((name) => `${list}${name}`),
  ),
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'requests.storage',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
  'storage',
]);
/** The objects that a quota counts. */
export const countedResources: ReadonlySet<string> = new Set([
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

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  return (
    !isNative(name) && !name.startsWith('requests.') && qualifiedNameFaults(`requests.${name}`).length === 0
  );
}

function isStandard(name: string): boolean {
  return standardResources.has(name) || /^(requests\.)?hugepages-/.test(name);
}

function checkName(path: string, name: string): FieldError[] {
  const faults = qualifiedNameFaults(name);
  if (faults.length > 0) return faults.map((fault) => field.invalid(path, name, fault));
  return name.includes('/') || isStandard(name)
    ? []
    : [field.invalid(path, name, 'must be a standard resource type or fully qualified')];
}

/** A valid resource name for containers. */
export function checkContainerResource(path: string, name: string): FieldError[] {
  const errors = checkName(path, name);
  if (!name.includes('/')) {
    const ofContainers = ['cpu', 'memory', 'ephemeral-storage'].includes(name) || isHugePages(name);
    return ofContainers
      ? errors
      : [...errors, field.invalid(path, name, 'must be a standard resource for containers')];
  }
  return isNative(name) || isExtended(name)
    ? errors
    : [...errors, field.invalid(path, name, "doesn't follow extended resource name standard")];
}

/** A valid resource name for pod-level resources. */
function checkPodResource(path: string, name: string): FieldError[] {
  const errors = checkName(path, name);
  if (errors.length > 0 || name === 'cpu' || name === 'memory' || isHugePages(name)) return errors;
  return [field.notSupported(path, name, ['cpu', 'hugepages-', 'memory'])];
}

/** A resource amount: not negative, and an integer for countable resources. */
export function checkAmount(path: string, name: string, amount: unknown): FieldError[] {
  const size = amountOf(amount);
  if (size === undefined) return [];
  const errors: FieldError[] = [];
  if (size.billionths < 0n)
    errors.push(field.invalid(path, amountText(size), 'must be greater than or equal to 0'));
  const isWhole = size.billionths % 1_000_000_000n === 0n;
  if ((countedResources.has(name) || isExtended(name)) && !isWhole)
    errors.push(field.invalid(path, amountText(size), 'must be an integer'));
  return errors;
}

function checkPages(path: string, name: string, size: Amount): FieldError[] {
  if (!isHugePages(name)) return [];
  const page = amountOf(name.slice('hugepages-'.length));
  return page !== undefined && page.billionths > 0n && size.billionths % page.billionths === 0n
    ? []
    : [
        field.invalid(
          path,
          amountText(size),
          `${amountText(size)} is not positive integer multiple of ${name}`,
        ),
      ];
}

function checkClaims(claims: unknown, path: string, known: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  /** The claims of which only requests were named. */
  const inPart = new Set<string>();
  const names = new Set(known);
  const among = known.length === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`;
  return items(claims).flatMap((claim, index) => {
    const at = `${path}[${index}]`;
    const name = textOf(claim['name']);
    if (name === '') return [field.required(at)];
    const request = textOf(claim['request']);
    const key = request === '' ? name : `${name}/${request}`;
    const errors = named(`${at}.request`, request, 'label');
    const overlaps = request === '' && inPart.has(name);
    if (seen.has(name) || seen.has(key) || overlaps)
      errors.push(field.duplicate(at, seen.has(name) || overlaps ? name : key));
    seen.add(key);
    if (key.includes('/')) inPart.add(key.slice(0, key.lastIndexOf('/')));
    if (!names.has(name)) {
      const { message } = field.notFound(at, name);
      const why = `must be one of the names in pod.spec.resourceClaims${among}`;
      errors.push({ ...field.notFound(at, name), message: `${message}: ${why}` });
    }
    return errors;
  });
}

/** Limits and requests of a container or pod: names, amounts, and requests within limits. */
export function checkResources(
  resources: unknown,
  path: string,
  of: 'container' | 'pod' = 'container',
  claims: readonly string[] = [],
): FieldError[] {
  const { limits, requests, claims: claimed } = fieldsOf(resources);
  const checkResource = of === 'pod' ? checkPodResource : checkContainerResource;
  const errors: FieldError[] = [];
  let pages = false;
  let computes = false;
  for (const [list, amounts] of [
    ['limits', limits],
    ['requests', requests],
  ] as const)
    for (const [name, amount] of entriesOf(amounts)) {
      const at = `${path}.${list}[${name}]`;
      const size = amountOf(amount);
      pages ||= isHugePages(name);
      computes ||= name === 'cpu' || name === 'memory';
      errors.push(...checkResource(at, name), ...checkAmount(at, name, amount));
      if (size === undefined) continue;
      if (list === 'requests') {
        const limit = amountOf(fieldsOf(limits)[name]);
        const isStrict = !isNative(name) || isHugePages(name);
        const than = limit === undefined ? '' : `${name} limit of ${amountText(limit)}`;
        const refuse = (rule: string) =>
          errors.push(field.invalid(`${path}.requests`, amountText(size), `${rule} ${than}`));
        if (limit === undefined) {
          if (isStrict)
            errors.push(
              field.required(`${path}.limits`, 'Limit must be set for non overcommitable resources'),
            );
        } else if (isStrict && size.billionths !== limit.billionths) refuse('must be equal to');
        else if (size.billionths > limit.billionths) refuse('must be less than or equal to');
      }
      errors.push(...checkPages(at, name, size));
    }
  if (pages && !computes) errors.push(field.forbidden(path, 'HugePages require cpu or memory'));
  return isMissing(claimed) ? errors : [...errors, ...checkClaims(claimed, `${path}.claims`, claims)];
}

/** Container limits must fit into pod-level limits. */
export function checkAgainstPod(containers: unknown, resources: unknown, path: string): FieldError[] {
  const whole = fieldsOf(fieldsOf(resources)['limits']);
  return items(containers).flatMap((container, index) =>
    entriesOf(fieldsOf(container['resources'])['limits']).flatMap(([name, amount]) => {
      const [limit, own] = [amountOf(whole[name]), amountOf(amount)];
      if (limit === undefined || own === undefined || own.billionths <= limit.billionths) return [];
      return [
        field.invalid(
          `${path}.containers[${index}][${name}].limits`,
          amountText(own),
          `must be less than or equal to pod limits of ${amountText(limit)}`,
        ),
      ];
    }),
  );
}
