import { field, type FieldError } from './fieldErrors.ts';
import { isFields, type Fields } from './fields.ts';
import { fieldsOf, isSet, items, listOf, notNegative, required, textOf } from './fieldChecks.ts';
import { checkNumberOrName } from './ports.ts';

const headerRule =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const schemes = ['HTTP', 'HTTPS'];

function checkRequest(request: Fields, path: string): FieldError[] {
  const scheme = textOf(request['scheme']);
  return [
    ...required(`${path}.path`, request['path']),
    ...checkNumberOrName(`${path}.port`, request['port']),
    ...(schemes.includes(scheme) ? [] : [field.notSupported(`${path}.scheme`, scheme, schemes)]),
    ...items(request['httpHeaders'])
      .map(({ name }) => textOf(name))
      .filter((name) => !/^[-A-Za-z0-9]+$/.test(name))
      .map((name) => field.invalid(`${path}.httpHeaders`, name, headerRule)),
  ];
}

function checkSleep({ seconds = 0 }: Fields, path: string, grace: unknown): FieldError[] {
  if (typeof grace !== 'number' || typeof seconds !== 'number' || (seconds >= 0 && seconds <= grace))
    return [];
  const rule = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
  return [field.invalid(path, seconds, rule)];
}

const handlers: Readonly<Record<string, (handler: Fields, path: string, grace: unknown) => FieldError[]>> = {
  exec: ({ command }, path) => (listOf(command).length === 0 ? [field.required(`${path}.command`)] : []),
  httpGet: checkRequest,
  tcpSocket: ({ port }, path) => checkNumberOrName(`${path}.port`, port),
  grpc: ({ port }, path) => checkNumberOrName(`${path}.port`, port),
  sleep: checkSleep,
};

function checkHandler(handler: Fields, path: string, grace: unknown): FieldError[] {
  const [first, ...more] = Object.keys(handlers).filter((name) => isSet(handler[name]));
  if (first === undefined) return [field.required(path, 'must specify a handler type')];
  return [
    ...(handlers[first]?.(fieldsOf(handler[first]), `${path}.${first}`, grace) ?? []),
    ...more.map((name) => field.forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

const numbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

function checkProbe(probe: unknown, path: string, grace: unknown, readiness: boolean): FieldError[] {
  if (!isFields(probe)) return [];
  const { terminationGracePeriodSeconds: own, successThreshold = 0 } = probe;
  const errors = [
    ...checkHandler(probe, path, grace),
    ...numbers.flatMap((name) => notNegative(`${path}.${name}`, probe[name])),
  ];
  const at = `${path}.terminationGracePeriodSeconds`;
  if (typeof own === 'number' && own <= 0) errors.push(field.invalid(at, own, 'must be greater than 0'));
  if (readiness) {
    if (isSet(own)) errors.push(field.invalid(at, own, 'must not be set for readinessProbes'));
  } else if (successThreshold !== 1)
    errors.push(field.invalid(`${path}.successThreshold`, successThreshold, 'must be 1'));
  return errors;
}

/** Lifecycle hooks; `grace` is the pod's termination grace period, in seconds. */
export function checkLifecycle(lifecycle: unknown, path: string, grace: unknown): FieldError[] {
  if (!isFields(lifecycle)) return [];
  return ['postStart', 'preStop'].flatMap((hook) =>
    isFields(lifecycle[hook]) ? checkHandler(lifecycle[hook], `${path}.${hook}`, grace) : [],
  );
}

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** The probes of a container. */
export function checkProbes(container: Fields, path: string, grace: unknown): FieldError[] {
  return probes.flatMap((name) =>
    checkProbe(container[name], `${path}.${name}`, grace, name === 'readinessProbe'),
  );
}

/** Init containers without restartPolicy Always must not have probes. */
export function forbidProbes(container: Fields, path: string): FieldError[] {
  const rule = 'may not be set for init containers without restartPolicy=Always';
  return ['lifecycle', ...probes]
    .filter((name) => isSet(container[name]))
    .map((name) => field.forbidden(`${path}.${name}`, rule));
}
