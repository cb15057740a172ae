import { addTo, amountsOf, toResourceList, type Amounts } from './amounts.ts';
import { podAmounts } from './podAmounts.ts';
import { isFields, type Fields } from './fields.ts';
import { withDefaultsForEmpty, each, eachWithin, withDefaultsForAbsent, within } from './defaulting.ts';
import type { Container, Pod, PodSpec } from './pod.ts';
import { defaultPullPolicy, withFieldVersion, withVolumeDefaults } from './volumeDefaults.ts';

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function withRequestDefaults(httpGet: Fields): Fields {
  return withDefaultsForEmpty(httpGet, { path: '/', scheme: 'HTTP' });
}

function withProbeDefaults(probe: Fields): Fields {
  return withDefaultsForEmpty(
    within(within(probe, ['httpGet'], withRequestDefaults), ['grpc'], (grpc) =>
      withDefaultsForAbsent(grpc, { service: '' }),
    ),
    { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  );
}

function withEnvDefaults(variable: Fields): Fields {
  return within(variable, ['valueFrom'], withFieldVersion);
}

function withHookDefaults(handler: Fields): Fields {
  return within(handler, ['httpGet'], withRequestDefaults);
}

function withContainerDefaults(container: Fields): Fields {
  const probed = within(container, ['livenessProbe', 'readinessProbe', 'startupProbe'], withProbeDefaults);
  const hooked = within(probed, ['lifecycle'], (lifecycle) =>
    within(lifecycle, ['postStart', 'preStop'], withHookDefaults),
  );
  const open = eachWithin(hooked, ['ports'], (port) => withDefaultsForEmpty(port, { protocol: 'TCP' }));
  const { image, resources } = container;
  return withDefaultsForEmpty(
    { ...eachWithin(open, ['env'], withEnvDefaults), resources: resources ?? {} },
    {
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: defaultPullPolicy(image),
    },
  );
}

/** serviceAccount is an alias of serviceAccountName. */
function accountsOf({ serviceAccount, serviceAccountName }: PodSpec): Fields {
  const account = serviceAccountName || serviceAccount;
  return account === undefined || account === ''
    ? {}
    : { serviceAccountName: account, serviceAccount: account };
}

/** Defaults of a pod template's spec. Malformed lists are returned unchanged. */
export function withTemplateDefaults(spec: PodSpec): PodSpec {
  const listed = eachWithin(
    eachWithin(spec, ['volumes'], withVolumeDefaults),
    containerLists,
    withContainerDefaults,
  );
  const filled = {
    ...listed,
    ...accountsOf(spec),
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    securityContext: spec['securityContext'] ?? {},
  };
  return withDefaultsForEmpty(filled, {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
  }) as unknown as PodSpec;
}

/** Requests default to limits. */
function withRequests(container: Container): Container {
  const { limits, requests } = container.resources ?? {};
  if (!isFields(limits) || Object.keys(limits).every((name) => requests?.[name] !== undefined))
    return container;
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
}

/** With hostNetwork, hostPort defaults to containerPort. */
function withHostPorts(container: Fields): Fields {
  return eachWithin(container, ['ports'], (port) =>
    withDefaultsForEmpty(port, { hostPort: port['containerPort'] }),
  );
}

/** Pod-level requests default to the sum of the containers, else to the pod-level limits. */
function withPodRequests(spec: PodSpec): PodSpec {
  const own = spec['resources'];
  if (!isFields(own)) return spec;
  const limits = amountsOf(own['limits']);
  if (limits.size === 0 || !Array.isArray(spec.containers)) return spec;
  const { overhead: _overhead, resources: _resources, ...ofContainers } = spec;
  const asked = amountsOf(own['requests']);
  const add = (amounts: Amounts) => {
    for (const [name, amount] of amounts)
      if (!asked.has(name) && (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')))
        addTo(asked, new Map([[name, amount]]));
  };
  add(podAmounts({ spec: ofContainers as PodSpec } as Pod, 'requests'));
  add(limits);
  const requests = { ...toResourceList(asked), ...(isFields(own['requests']) ? own['requests'] : {}) };
  return { ...spec, resources: { ...own, requests } };
}

/** Defaults of a pod's spec. */
export function withPodDefaults(spec: PodSpec): PodSpec {
  const filled: Fields = withTemplateDefaults(spec);
  const grace = filled['terminationGracePeriodSeconds'];
  const onHost = spec['hostNetwork'] === true;
  for (const list of ['initContainers', 'containers'] as const)
    if (filled[list] !== undefined)
      filled[list] = each(filled[list], (item) => {
        const asking = isFields(item['resources'])
          ? (withRequests(item as unknown as Container) as unknown as Fields)
          : item;
        return onHost ? withHostPorts(asking) : asking;
      });
  // A negative grace period becomes 1.
  if (typeof grace === 'number' && grace < 0) filled['terminationGracePeriodSeconds'] = 1;
  filled['enableServiceLinks'] ??= true;
  return withPodRequests(filled as unknown as PodSpec);
}
