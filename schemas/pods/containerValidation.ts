import { field, type FieldError } from './fieldErrors.ts';
import { isFields, type Fields } from './fields.ts';
import { checkEnv, checkEnvFrom } from './envValidation.ts';
import { isSet, isMissing, items, oneOf, requiredName, someOf, textOf } from './fieldChecks.ts';
import { checkDevices, checkMounts } from './mountValidation.ts';
import { checkPortNumber, portNameFaults } from './ports.ts';
import { checkLifecycle, checkProbes, forbidProbes } from './probeValidation.ts';
import { checkResources } from './resourceValidation.ts';
import { checkSecurityContext } from './securityValidation.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

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
    if (!isSet(containerPort) || containerPort === 0) errors.push(field.required(`${at}.containerPort`));
    else errors.push(...checkPortNumber(`${at}.containerPort`, containerPort));
    if (isSet(hostPort) && hostPort !== 0) errors.push(...checkPortNumber(`${at}.hostPort`, hostPort));
    return [...errors, ...someOf(`${at}.protocol`, protocol, protocols)];
  });
}

/** Host ports must be unique among containers. */
function checkHostPorts(containers: readonly Fields[], path: string): FieldError[] {
  const seen = new Set<string>();
  return containers.flatMap((container, index) =>
    items(container['ports']).flatMap(({ hostPort, hostIP, protocol }, at) => {
      if (typeof hostPort !== 'number' || hostPort === 0) return [];
      const key = `${textOf(protocol)}/${textOf(hostIP)}/${hostPort}`;
      if (seen.has(key)) return [field.duplicate(`${path}[${index}].ports[${at}].hostPort`, key)];
      seen.add(key);
      return [];
    }),
  );
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const restartPolicies = ['Always', 'Never', 'OnFailure'];

/** The pull policy of an image. */
export function checkPullPolicy(path: string, policy: unknown): FieldError[] {
  return someOf(path, policy, pullPolicies);
}

function checkResizing(policies: unknown, path: string, podPolicy: unknown): FieldError[] {
  const seen = new Set<unknown>();
  return items(policies).flatMap(({ resourceName, restartPolicy }, index) => {
    const errors: FieldError[] = [];
    if (seen.has(resourceName)) errors.push(field.duplicate(`${path}[${index}]`, resourceName));
    seen.add(resourceName);
    errors.push(
      ...someOf(path, resourceName, ['cpu', 'memory']),
      ...someOf(path, restartPolicy, ['NotRequired', 'RestartContainer']),
    );
    if (podPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(
        field.invalid(path, textOf(restartPolicy), "must be 'NotRequired' when `restartPolicy` is 'Never'"),
      );
    return errors;
  });
}

const exitOperators = ['In', 'NotIn'];

function checkRestarting({ restartPolicy, restartPolicyRules }: Fields, path: string): FieldError[] {
  const rules = items(restartPolicyRules);
  const errors: FieldError[] = [];
  if (isSet(restartPolicy)) errors.push(...oneOf(`${path}.restartPolicy`, restartPolicy, restartPolicies));
  else if (rules.length > 0)
    errors.push(
      field.required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used'),
    );
  for (const [index, { action, exitCodes }] of rules.entries()) {
    const at = `${path}.restartPolicyRules[${index}]`;
    errors.push(...oneOf(`${at}.action`, textOf(action), ['Restart']));
    if (!isFields(exitCodes)) errors.push(field.required(`${at}.exitCodes`, 'must be specified'));
    else errors.push(...oneOf(`${at}.exitCodes.operator`, textOf(exitCodes['operator']), exitOperators));
  }
  return errors;
}

/** The parts of a pod that containers refer to. */
export interface ContainerContext {
  spec: Fields;
  /** The valid volumes of the pod. */
  volumes: ReadonlyMap<unknown, Fields>;
  /** Names of the pod's resource claims. */
  claims: readonly string[];
  hostUsers: boolean;
}

/** Validation errors common to all kinds of containers. */
function checkContainer(container: Fields, path: string, context: ContainerContext): FieldError[] {
  const { spec, volumes, claims, hostUsers } = context;
  const { name, image } = container;
  const at = (what: string) => `${path}.${what}`;
  return [
    ...requiredName(at('name'), name, 'label'),
    ...(isMissing(image) ? [field.required(at('image'))] : []),
    ...someOf(at('terminationMessagePolicy'), container['terminationMessagePolicy'], [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...checkPorts(container['ports'], at('ports')),
    ...checkEnv(container['env'], at('env')),
    ...checkEnvFrom(container['envFrom'], at('envFrom')),
    ...checkMounts(container, at('volumeMounts'), volumes),
    ...checkDevices(container, at('volumeDevices'), volumes),
    ...checkPullPolicy(at('imagePullPolicy'), container['imagePullPolicy']),
    ...checkResources(container['resources'], at('resources'), 'container', claims),
    ...checkResizing(container['resizePolicy'], at('resizePolicy'), spec['restartPolicy']),
    ...checkSecurityContext(container['securityContext'], at('securityContext'), hostUsers),
  ];
}

/** All validation errors of the regular containers. */
export function checkContainers(path: string, context: ContainerContext): FieldError[] {
  const { containers, terminationGracePeriodSeconds: grace } = context.spec;
  const list = items(containers);
  if (list.length === 0) return [field.required(path)];
  const seen = new Set<unknown>();
  const errors = list.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const name = textOf(container['name']);
    const found = checkContainer(container, at, context);
    if (seen.has(name)) found.push(field.duplicate(`${at}.name`, name));
    seen.add(name);
    return [
      ...found,
      ...checkLifecycle(container['lifecycle'], `${at}.lifecycle`, grace),
      ...checkProbes(container, at, grace),
      ...checkRestarting(container, at),
    ];
  });
  return [...errors, ...checkHostPorts(list, path)];
}

/** All validation errors of init containers. */
export function checkInitContainers(path: string, context: ContainerContext): FieldError[] {
  const { containers, initContainers, terminationGracePeriodSeconds: grace } = context.spec;
  const seen = new Set(items(containers).map(({ name }) => textOf(name)));
  return items(initContainers).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const name = textOf(container['name']);
    const errors = [...checkContainer(container, at, context), ...checkRestarting(container, at)];
    if (seen.has(name)) errors.push(field.duplicate(`${at}.name`, name));
    else if (name !== '') seen.add(name);
    errors.push(...checkHostPorts([container], path));
    return container['restartPolicy'] === 'Always'
      ? [
          ...errors,
          ...checkLifecycle(container['lifecycle'], `${at}.lifecycle`, grace),
          ...checkProbes(container, at, grace),
        ]
      : [...errors, ...forbidProbes(container, at)];
  });
}

/** All validation errors of ephemeral containers, which templates must not have. */
export function checkEphemeralContainers(path: string, context: ContainerContext): FieldError[] {
  const { containers, initContainers, ephemeralContainers } = context.spec;
  const others = new Set([...items(containers), ...items(initContainers)].map(({ name }) => textOf(name)));
  const seen = new Set(others);
  return items(ephemeralContainers).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const name = textOf(container['name']);
    const target = textOf(container['targetContainerName']);
    const errors = [
      ...checkContainer(container, at, context),
      ...checkImageText(container['image'], `${at}.image`),
    ];
    if (seen.has(name)) errors.push(field.duplicate(`${at}.name`, name));
    seen.add(name);
    if (target !== '' && !others.has(target))
      errors.push(field.notFound(`${at}.targetContainerName`, target));
    return errors;
  });
}

/** Templates may have whitespace around an image; pods may not. */
export function checkImageText(image: unknown, path: string): FieldError[] {
  return textOf(image).trim() === textOf(image)
    ? []
    : [field.invalid(path, image, 'must not have leading or trailing whitespace')];
}
