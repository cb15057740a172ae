import { field, type FieldError } from '../api/errors.ts';
import { nameFaults, qualifiedNameFaults } from '../api/metadata.ts';
import { isFields, ownField, type Fields } from '../store/value.ts';
import { thousandths } from './quantity.ts';

function items(list: unknown): Fields[] {
  return Array.isArray(list) ? (list as unknown[]).filter(isFields) : [];
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** 1 to 65535, in the words of the server. */
export function checkPortNumber(path: string, port: unknown): FieldError[] {
  if (typeof port === 'number' && port >= 1 && port <= 65535) return [];
  return [field.invalid(path, port, 'must be between 1 and 65535, inclusive')];
}

/** What keeps a text from naming a port, in the words of the server. */
export function portNameFaults(name: string): string[] {
  return [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
}

function checkPorts(ports: unknown, path: string): FieldError[] {
  const seen = new Set<unknown>();
  return items(ports).flatMap((port, index) => {
    const at = `${path}[${index}]`;
    const { name, containerPort, hostPort, protocol } = port;
    const errors: FieldError[] = [];
    if (typeof name === 'string' && name !== '') {
      const faults = portNameFaults(name);
      if (faults.length > 0) errors.push(...faults.map((fault) => field.invalid(`${at}.name`, name, fault)));
      else if (seen.has(name)) errors.push(field.duplicate(`${at}.name`, name));
      else seen.add(name);
    }
    if (containerPort === undefined || containerPort === 0)
      errors.push(field.required(`${at}.containerPort`));
    else errors.push(...checkPortNumber(`${at}.containerPort`, containerPort));
    if (hostPort !== undefined && hostPort !== 0) errors.push(...checkPortNumber(`${at}.hostPort`, hostPort));
    if (!(['SCTP', 'TCP', 'UDP'] as readonly unknown[]).includes(protocol))
      errors.push(field.notSupported(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
    return errors;
  });
}

const environmentSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function checkEnv(env: unknown, path: string): FieldError[] {
  return items(env).flatMap((variable, index) => {
    const at = `${path}[${index}]`;
    const { name, value, valueFrom } = variable;
    const errors: FieldError[] = [];
    if (isMissing(name)) errors.push(field.required(`${at}.name`));
    else if (typeof name === 'string' && !/^[ -<>-~]+$/.test(name))
      errors.push(
        field.invalid(
          `${at}.name`,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      );
    if (!isFields(valueFrom)) return errors;
    const sources = environmentSources.filter((source) => valueFrom[source] !== undefined);
    if (!isMissing(value))
      errors.push(field.invalid(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty'));
    else if (sources.length === 0)
      errors.push(
        field.invalid(
          `${at}.valueFrom`,
          '',
          'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
        ),
      );
    else if (sources.length > 1)
      errors.push(
        field.invalid(`${at}.valueFrom`, '', 'may not have more than one field specified at a time'),
      );
    return errors;
  });
}

function checkMounts(mounts: unknown, path: string, volumes: ReadonlySet<unknown>): FieldError[] {
  const seen = new Set<unknown>();
  return items(mounts).flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const { name, mountPath } = mount;
    const errors: FieldError[] = [];
    if (isMissing(name)) errors.push(field.required(`${at}.name`));
    if (!volumes.has(name)) errors.push(field.notFound(`${at}.name`, name ?? ''));
    if (isMissing(mountPath)) errors.push(field.required(`${at}.mountPath`));
    else if (seen.has(mountPath)) errors.push(field.invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    seen.add(mountPath);
    return errors;
  });
}

const standardResources = new Set(['cpu', 'memory', 'ephemeral-storage', 'storage']);

function checkResourceName(name: string, path: string): FieldError[] {
  const at = `${path}[${name}]`;
  if (name.includes('/')) return qualifiedNameFaults(name).map((fault) => field.invalid(at, name, fault));
  if (standardResources.has(name) || name.startsWith('hugepages-')) return [];
  return [
    field.invalid(at, name, 'must be a standard resource type or fully qualified'),
    field.invalid(at, name, 'must be a standard resource for containers'),
  ];
}

/** Limits and requests: names, amounts, and that no request is above its limit. */
export function checkResources(resources: unknown, path: string): FieldError[] {
  const limits = ownField(resources, 'limits');
  const requests = ownField(resources, 'requests');
  const errors: FieldError[] = [];
  for (const [list, amounts] of [
    ['limits', limits],
    ['requests', requests],
  ] as const)
    for (const [name, amount] of Object.entries(isFields(amounts) ? amounts : {}).sort(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      const at = `${path}.${list}`;
      errors.push(...checkResourceName(name, at));
      const size = thousandths(amount as string | number);
      if (size < 0)
        errors.push(field.invalid(`${at}[${name}]`, amount, 'must be greater than or equal to 0'));
      if (list !== 'requests') continue;
      const limit = isFields(limits) ? limits[name] : undefined;
      if (limit === undefined) {
        if (name.includes('/') || name.startsWith('hugepages-'))
          errors.push(field.required(`${path}.limits`, 'Limit must be set for non overcommitable resources'));
      } else if (size > thousandths(limit as string | number))
        errors.push(
          field.invalid(
            at,
            amount,
            `must be less than or equal to ${name} limit of ${limit as string | number}`,
          ),
        );
    }
  return errors;
}

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

function checkHandler(probe: Fields, path: string): FieldError[] {
  const given = handlers.filter((name) => probe[name] !== undefined);
  const [first, ...more] = given;
  if (first === undefined) return [field.required(path, 'must specify a handler type')];
  const handler = probe[first];
  const errors: FieldError[] = [];
  if (
    first === 'exec' &&
    items([handler]).every(({ command }) => !Array.isArray(command) || command.length === 0)
  )
    errors.push(field.required(`${path}.exec.command`));
  const port = ownField(handler, 'port');
  if (first !== 'exec' && (typeof port !== 'string' || port === ''))
    errors.push(...checkPortNumber(`${path}.${first}.port`, port));
  else if (first !== 'exec' && typeof port === 'string')
    errors.push(...portNameFaults(port).map((fault) => field.invalid(`${path}.${first}.port`, port, fault)));
  return [
    ...errors,
    ...more.map((name) => field.forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function checkProbe(probe: unknown, path: string, once: boolean): FieldError[] {
  if (!isFields(probe)) return [];
  const numbers = [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ];
  const errors = checkHandler(probe, path);
  for (const name of numbers)
    if (typeof probe[name] === 'number' && probe[name] < 0)
      errors.push(field.invalid(`${path}.${name}`, probe[name], 'must be greater than or equal to 0'));
  if (once && probe['successThreshold'] !== 1)
    errors.push(field.invalid(`${path}.successThreshold`, probe['successThreshold'], 'must be 1'));
  return errors;
}

function checkImage(image: unknown, path: string): FieldError[] {
  if (isMissing(image)) return [field.required(path)];
  if (typeof image !== 'string') return [field.typeInvalid(path, image, 'must be of type string')];
  if (image.trim() !== image)
    return [field.invalid(path, image, 'must not have leading or trailing whitespace')];
  return [];
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const restartPolicies = ['Always', 'Never', 'OnFailure'];

export interface ContainerPlace {
  path: string;
  /** Init containers have no probes unless they stay. */
  init: boolean;
  /** Names of all containers so far. */
  seen: Set<unknown>;
  volumes: ReadonlySet<unknown>;
}

/** What is wrong with a list of containers, all of it at once. */
export function checkContainers(containers: unknown, place: ContainerPlace): FieldError[] {
  const { path, init, seen, volumes } = place;
  if (!Array.isArray(containers)) return [field.typeInvalid(path, containers, 'must be a list')];
  return (containers as unknown[]).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    if (!isFields(container)) return [field.typeInvalid(at, container, 'must be an object')];
    const { name, restartPolicy, imagePullPolicy } = container;
    const errors: FieldError[] = [];
    if (isMissing(name)) errors.push(field.required(`${at}.name`));
    else {
      const faults = nameFaults(String(name), 'label');
      errors.push(...faults.map((fault) => field.invalid(`${at}.name`, name, fault)));
      if (faults.length === 0 && seen.has(name)) errors.push(field.duplicate(`${at}.name`, name));
    }
    seen.add(name);
    errors.push(
      ...checkImage(container['image'], `${at}.image`),
      ...checkPorts(container['ports'], `${at}.ports`),
      ...checkEnv(container['env'], `${at}.env`),
      ...checkMounts(container['volumeMounts'], `${at}.volumeMounts`, volumes),
    );
    if (!(pullPolicies as readonly unknown[]).includes(imagePullPolicy))
      errors.push(field.notSupported(`${at}.imagePullPolicy`, imagePullPolicy, pullPolicies));
    errors.push(...checkResources(container['resources'], `${at}.resources`));
    if (restartPolicy !== undefined && !(restartPolicies as readonly unknown[]).includes(restartPolicy))
      errors.push(field.notSupported(`${at}.restartPolicy`, restartPolicy, restartPolicies));
    const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
    if (init && restartPolicy !== 'Always') {
      const given = probes.filter((probe) => container[probe] !== undefined);
      const rule = 'may not be set for init containers without restartPolicy=Always';
      return [...errors, ...given.map((probe) => field.forbidden(`${at}.${probe}`, rule))];
    }
    return [
      ...errors,
      ...probes.flatMap((probe) =>
        checkProbe(container[probe], `${at}.${probe}`, probe !== 'readinessProbe'),
      ),
    ];
  });
}
