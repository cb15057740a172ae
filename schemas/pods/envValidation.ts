import { field, type FieldError } from './fieldErrors.ts';
import { nameFaults } from './names.ts';
import { isFields, type Fields } from './fields.ts';
import { amountOf, amountText } from './amount.ts';
import { keyFaults } from './configKeys.ts';
import { isSet, isMissing, items, labelKey, noParentSegments, requiredName, textOf } from './fieldChecks.ts';

const variableRule =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

function checkVariableName(path: string, name: unknown): FieldError[] {
  return /^[ -<>-~]+$/.test(textOf(name)) ? [] : [field.invalid(path, name, variableRule)];
}

const environmentFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const volumeFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
/** Known field paths, including unsupported ones. */
const knownFields = new Set([
  ...environmentFields,
  ...volumeFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const subscripted = ['metadata.annotations', 'metadata.labels'];

/** The parts of `LIST['KEY']`, split at the last `['` that leaves room for the end. */
function subscriptOf(path: string): { list?: string; key?: string } {
  const at = path.endsWith("']") ? path.lastIndexOf("['", path.length - 4) : -1;
  return at === -1 || path.length < 4 ? {} : { list: path.slice(0, at), key: path.slice(at + 2, -2) };
}

function convert(apiVersion: string, path: string): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  const { list, key } = subscriptOf(path);
  const known = list === undefined || key === undefined ? knownFields.has(path) : subscripted.includes(list);
  if (known) return undefined;
  if (list !== undefined) return `field label does not support subscript: ${path}`;
  return `field label not supported: ${path}`;
}

/** Field references of environment variables; volumes support other fields. */
export function checkFieldRef(ref: Fields, path: string, where: 'environment' | 'volume'): FieldError[] {
  const { apiVersion, fieldPath } = ref;
  if (isMissing(apiVersion)) return [field.required(`${path}.apiVersion`)];
  if (isMissing(fieldPath)) return [field.required(`${path}.fieldPath`)];
  const text = textOf(fieldPath);
  const fault = convert(textOf(apiVersion), text);
  if (fault !== undefined)
    return [field.invalid(`${path}.fieldPath`, text, `error converting fieldPath: ${fault}`)];
  const { list, key } = subscriptOf(text);
  if (list !== undefined && key !== undefined)
    return labelKey(path, list === 'metadata.annotations' ? key.toLowerCase() : key);
  const supported = where === 'volume' ? volumeFields : environmentFields;
  return supported.includes(text) ? [] : [field.notSupported(`${path}.fieldPath`, text, supported)];
}

const containerResources = ['limits', 'requests'].flatMap((list) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${list}.${name}`),
);
const largeUnits = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';
const divisors: Readonly<Record<string, readonly [string, string]>> = {
  cpu: ['1m, 1', "only divisor's values 1m and 1 are supported with the cpu resource"],
  memory: [largeUnits, `only divisor's values ${largeUnits} are supported with the memory resource`],
  'ephemeral-storage': [
    largeUnits,
    `only divisor's values ${largeUnits} are supported with the local ephemeral storage resource`,
  ],
  hugepages: [largeUnits, `only divisor's values ${largeUnits} are supported with the hugepages resource`],
};

function checkDivisor(resource: string, divisor: unknown, path: string): FieldError[] {
  const amount = amountOf(divisor);
  if (amount === undefined || amount.billionths === 0n) return [];
  const [, name = ''] = /^(?:limits|requests)\.(hugepages(?=-)|.*)/.exec(resource) ?? [];
  const [supported, rule] = (Object.hasOwn(divisors, name) ? divisors[name] : undefined) ?? [];
  return supported === undefined || rule === undefined || supported.split(', ').includes(amountText(amount))
    ? []
    : [field.invalid(`${path}.divisor`, resource, rule)];
}

/** Resource references, by the container itself or by a volume, which must name the container. */
export function checkResourceRef(ref: Fields, path: string, where: 'environment' | 'volume'): FieldError[] {
  const resource = textOf(ref['resource']);
  const divisor = checkDivisor(resource, ref['divisor'], path);
  if (where === 'volume' && isMissing(ref['containerName']))
    return [field.required(`${path}.containerName`), ...divisor];
  if (resource === '') return [field.required(`${path}.resource`), ...divisor];
  return containerResources.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource)
    ? divisor
    : [field.notSupported(`${path}.resource`, resource, containerResources), ...divisor];
}

function checkKeyRef({ name, key }: Fields, path: string): FieldError[] {
  const shown = textOf(name);
  return [
    ...nameFaults(shown, 'subdomain').map((fault) => field.invalid(`${path}.name`, shown, fault)),
    ...(isMissing(key)
      ? [field.required(`${path}.key`)]
      : keyFaults(textOf(key)).map((fault) => field.invalid(`${path}.key`, key, fault))),
  ];
}

function checkFileRef(ref: Fields, path: string): FieldError[] {
  const { key, volumeName, path: file } = ref;
  return [
    ...(isMissing(key) ? [field.required(`${path}.key`)] : checkVariableName(`${path}.key`, key)),
    ...requiredName(`${path}.volumeName`, volumeName, 'label'),
    ...(isMissing(file) ? [field.required(`${path}.path`)] : noParentSegments(`${path}.path`, file)),
  ];
}

const sources: Readonly<Record<string, (ref: Fields, path: string) => FieldError[]>> = {
  fieldRef: (ref, path) => checkFieldRef(ref, path, 'environment'),
  resourceFieldRef: (ref, path) => checkResourceRef(ref, path, 'environment'),
  configMapKeyRef: checkKeyRef,
  secretKeyRef: checkKeyRef,
  fileKeyRef: checkFileRef,
};
const noSource =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
const manySources = 'may not have more than one field specified at a time';

function checkSource(from: Fields, value: unknown, path: string): FieldError[] {
  const given = Object.keys(sources).filter((name) => isSet(from[name]));
  const errors = given.flatMap((name) => {
    const ref = from[name];
    return isFields(ref) ? (sources[name]?.(ref, `${path}.${name}`) ?? []) : [];
  });
  if (given.length === 0) errors.push(field.invalid(path, '', noSource));
  else if (!isMissing(value))
    errors.push(field.invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (given.length > 1) errors.push(field.invalid(path, '', manySources));
  return errors;
}

/** Environment variables of a container. */
export function checkEnv(env: unknown, path: string): FieldError[] {
  return items(env).flatMap(({ name, value, valueFrom }, index) => {
    const at = `${path}[${index}]`;
    return [
      ...(isMissing(name) ? [field.required(`${at}.name`)] : checkVariableName(`${at}.name`, name)),
      ...(isFields(valueFrom) ? checkSource(valueFrom, value, `${at}.valueFrom`) : []),
    ];
  });
}

/** The envFrom sources of a container. */
export function checkEnvFrom(list: unknown, path: string): FieldError[] {
  return items(list).flatMap((from, index) => {
    const at = `${path}[${index}]`;
    const given = ['configMapRef', 'secretRef'].filter((name) => isSet(from[name]));
    const errors = isMissing(from['prefix']) ? [] : checkVariableName(`${at}.prefix`, from['prefix']);
    for (const name of given) {
      const ref = from[name];
      errors.push(...requiredName(`${at}.${name}.name`, isFields(ref) ? ref['name'] : '', 'subdomain'));
    }
    if (given.length === 0)
      errors.push(field.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (given.length > 1) errors.push(field.invalid(path, '', manySources));
    return errors;
  });
}
