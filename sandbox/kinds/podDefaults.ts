import { isFields, type Fields } from '../store/value.ts';
import type { Container, PodSpec } from './pod.ts';

function defaultPullPolicy(image: string | undefined): string {
  const name = image ?? '';
  const tag = name.includes('@') ? '' : /:([^:/]+)$/.exec(name)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** A list with each of its objects completed; anything else as it is. */
function each(list: unknown, complete: (item: Fields) => Fields): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => (isFields(item) ? complete(item) : item)) : list;
}

/** Fields of an object completed where they are objects themselves. */
function within(object: Fields, names: readonly string[], complete: (item: Fields) => Fields): Fields {
  const found = names.filter((name) => isFields(object[name]));
  if (found.length === 0) return object;
  const result = { ...object };
  for (const name of found) result[name] = complete(object[name] as Fields);
  return result;
}

/** An object with defaults for what it does not say; to a server, a number that is 0 and a text that is empty say nothing. */
function completed(object: Fields, defaults: Fields): Fields {
  const isUnsaid = (value: unknown) => value === undefined || value === null || value === 0 || value === '';
  const unsaid = Object.entries(defaults).filter(([name]) => isUnsaid(object[name]));
  return { ...object, ...Object.fromEntries(unsaid) };
}

function withProbeDefaults(probe: Fields): Fields {
  return completed(
    within(probe, ['httpGet'], (httpGet) => completed(httpGet, { path: '/', scheme: 'HTTP' })),
    { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  );
}

function withEnvDefaults(variable: Fields): Fields {
  return within(variable, ['valueFrom'], (source) =>
    within(source, ['fieldRef'], (ref) => ({ apiVersion: 'v1', ...ref })),
  );
}

function withContainerDefaults(container: Container): Container {
  const { ports, env } = container as Fields;
  const filled = {
    ...within(container, ['livenessProbe', 'readinessProbe', 'startupProbe'], withProbeDefaults),
    ...(Array.isArray(ports) ? { ports: each(ports, (port) => completed(port, { protocol: 'TCP' })) } : {}),
    ...(Array.isArray(env) ? { env: each(env, withEnvDefaults) } : {}),
    resources: container.resources ?? {},
  };
  return completed(filled, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: defaultPullPolicy(container.image),
  }) as unknown as Container;
}

const permissions = 0o644;
const volumeSources = ['configMap', 'secret', 'projected', 'downwardAPI'];

function withVolumeDefaults(volume: Fields): Fields {
  if (Object.keys(volume).every((key) => key === 'name')) return { ...volume, emptyDir: {} };
  return within(
    within(volume, volumeSources, (source) => ({ defaultMode: permissions, ...source })),
    ['hostPath'],
    (source) => ({ type: '', ...source }),
  );
}

/** The spec of a pod template with what the server fills in. What is no list stays as it is. */
export function withTemplateDefaults(spec: PodSpec): PodSpec {
  const containers = (list: Container[]) =>
    each(list, (item) => withContainerDefaults(item as unknown as Container)) as Container[];
  const filled = {
    ...spec,
    ...(Array.isArray(spec.volumes)
      ? { volumes: each(spec.volumes, withVolumeDefaults) as PodSpec['volumes'] & object }
      : {}),
    ...(Array.isArray(spec.initContainers) ? { initContainers: containers(spec.initContainers) } : {}),
    ...(spec.containers === undefined ? {} : { containers: containers(spec.containers) }),
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    securityContext: spec['securityContext'] ?? {},
  };
  return completed(filled, {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
  }) as unknown as PodSpec;
}

/** What a container asks for where it only says its limits. */
function withRequests(container: Container): Container {
  const { limits, requests } = container.resources ?? {};
  if (!isFields(limits) || Object.keys(limits).every((name) => requests?.[name] !== undefined))
    return container;
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
}

/** The spec of a pod with what the server fills in. */
export function withPodDefaults(spec: PodSpec): PodSpec {
  const filled = withTemplateDefaults(spec);
  const grace = filled.terminationGracePeriodSeconds;
  const asking = (list: Container[]) =>
    list.map((item) => (isFields(item) && isFields(item.resources) ? withRequests(item) : item));
  return {
    ...filled,
    ...(Array.isArray(filled.initContainers) ? { initContainers: asking(filled.initContainers) } : {}),
    ...(Array.isArray(filled.containers) ? { containers: asking(filled.containers) } : {}),
    // Less than nothing is as soon as possible, but not by force.
    terminationGracePeriodSeconds: typeof grace === 'number' && grace < 0 ? 1 : (grace ?? 30),
    enableServiceLinks: filled['enableServiceLinks'] ?? true,
  };
}
