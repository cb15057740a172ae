import { amountsOf } from './amounts.ts';
import { podAmounts } from './podAmounts.ts';
import { field, type FieldError } from './fieldErrors.ts';
import { isFields, type Fields } from './fields.ts';
import { checkAddress } from './address.ts';
import { amountText } from './amount.ts';
import {
  checkContainers,
  checkEphemeralContainers,
  checkInitContainers,
  type ContainerContext,
} from './containerValidation.ts';
import { checkDnsConfig } from './dnsValidation.ts';
import {
  checkLabels,
  entriesOf,
  fieldsOf,
  isSet,
  items,
  labelKey,
  listOf,
  named,
  notTooLong,
  oneOf,
  requiredName,
  someOf,
  textOf,
  within,
} from './fieldChecks.ts';
import type { Pod, PodSpec } from './pod.ts';
import { withTemplateDefaults } from './podDefaults.ts';
import { checkAgainstPod, checkResources } from './resourceValidation.ts';
import { checkAffinity, checkSpread, checkTolerations } from './schedulingValidation.ts';
import { checkPodSecurity } from './securityValidation.ts';
import { checkVolumes } from './volumeValidation.ts';

function checkGates(spec: Fields, path: string): FieldError[] {
  const seen = new Set<unknown>();
  return [
    ...items(spec['readinessGates']).flatMap(({ conditionType }, index) =>
      labelKey(`${path}.readinessGates[${index}].conditionType`, conditionType),
    ),
    ...items(spec['schedulingGates']).flatMap(({ name }, index) => {
      const at = `${path}.schedulingGates[${index}]`;
      const errors = labelKey(at, name);
      if (seen.has(name)) errors.push(field.duplicate(at, textOf(name)));
      seen.add(name);
      return errors;
    }),
  ];
}

/** With hostNetwork, containerPort must equal hostPort. */
function checkHostNetwork(spec: Fields, path: string, isPod: boolean): FieldError[] {
  if (spec['hostNetwork'] !== true) return [];
  return items(spec['containers']).flatMap((container, index) =>
    items(container['ports']).flatMap(({ hostPort = 0, containerPort = 0 }, at) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [
            field.invalid(
              `${path}.containers[${index}].ports[${at}].hostPort`,
              hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ]
        : [],
    ),
  );
}

function checkHostUsers(spec: Fields, path: string): FieldError[] {
  if (spec['hostUsers'] !== false) return [];
  const rule = 'when `hostUsers` is false';
  const errors = ['hostNetwork', 'hostPID', 'hostIPC']
    .filter((name) => spec[name] === true)
    .map((name) => field.forbidden(`${path}.${name.replace(/^host(PID|IPC)$/, 'Host$1')}`, rule));
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const [index, { volumeDevices }] of items(spec[list]).entries())
      if (listOf(volumeDevices).length > 0)
        errors.push(field.forbidden(`${path}.${list}[${index}].volumeDevices`, rule));
  return errors;
}

function checkHostnameOverride(spec: Fields, path: string): FieldError[] {
  const { hostnameOverride: name } = spec;
  if (!isSet(name)) return [];
  const at = `${path}.hostnameOverride`;
  const taken = (what: string) => field.forbidden(at, `may not be specified when ${what} is true`);
  return [
    ...(spec['setHostnameAsFQDN'] === true ? [taken('setHostnameAsFQDN')] : []),
    ...(spec['hostNetwork'] === true ? [taken('hostNetwork')] : []),
    ...notTooLong(at, name, 64),
    ...named(at, name, 'subdomain'),
  ];
}

function checkAliases(aliases: unknown, path: string): FieldError[] {
  return items(aliases).flatMap(({ ip, hostnames }, index) => [
    ...checkAddress(`${path}[${index}].ip`, ip),
    ...listOf(hostnames).flatMap((name, at) =>
      named(`${path}[${index}].hostnames[${at}]`, name, 'subdomain'),
    ),
  ]);
}

const podFields =
  'appArmorProfile seLinuxOptions hostUsers hostPID hostIPC seccompProfile fsGroup fsGroupChangePolicy sysctls shareProcessNamespace runAsUser runAsGroup supplementalGroups supplementalGroupsPolicy seLinuxChangePolicy'.split(
    ' ',
  );
const containerFields =
  'appArmorProfile seLinuxOptions seccompProfile capabilities readOnlyRootFilesystem privileged allowPrivilegeEscalation procMount runAsUser runAsGroup'.split(
    ' ',
  );
const ofSpec = new Set(['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace']);

/** Fields that are only valid on the other operating system. */
function checkSystem(spec: Fields, path: string): FieldError[] {
  const { os } = spec;
  if (!isFields(os)) return [];
  const name = textOf(os['name']);
  if (name === '') return [field.required(`${path}.os.name`)];
  if (name !== 'linux' && name !== 'windows')
    return [field.notSupported(`${path}.os`, name, ['linux', 'windows'])];
  const isLinux = name === 'linux';
  const rule = isLinux ? 'windows options cannot be set for a linux pod' : 'cannot be set for a windows pod';
  const isEnabled = (value: unknown) =>
    isSet(value) && value !== false && !(Array.isArray(value) && value.length === 0);
  const context = fieldsOf(spec['securityContext']);
  const errors = (isLinux ? ['windowsOptions'] : podFields)
    .filter((each) => isEnabled((ofSpec.has(each) ? spec : context)[each]))
    .map((each) =>
      field.forbidden(ofSpec.has(each) ? `${path}.${each}` : `${path}.securityContext.${each}`, rule),
    );
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const [index, container] of items(spec[list]).entries()) {
      const own = fieldsOf(container['securityContext']);
      for (const each of isLinux ? ['windowsOptions'] : containerFields)
        if (isEnabled(own[each]))
          errors.push(field.forbidden(`${path}.${list}[${index}].securityContext.${each}`, rule));
    }
  return errors;
}

/** Files with environment variables must be in emptyDir volumes. */
function checkVariableFiles(spec: Fields, path: string): FieldError[] {
  const volumes = new Map(items(spec['volumes']).map((volume) => [textOf(volume['name']), volume]));
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    items(spec[list]).flatMap((container, index) =>
      items(container['env']).flatMap(({ valueFrom }, at) => {
        const ref = fieldsOf(valueFrom)['fileKeyRef'];
        if (!isFields(ref)) return [];
        const name = textOf(ref['volumeName']);
        const place = `${path}.${list}[${index}].env[${at}].valueFrom.fileKeyRef.volumeName`;
        const volume = volumes.get(name);
        if (volume === undefined) return [field.notFound(place, name)];
        return isSet(volume['emptyDir'])
          ? []
          : [field.invalid(place, name, 'referenced volume must be of type emptyDir')];
      }),
    ),
  );
}

/** Resource claims of a pod and their names. */
function checkResourceClaims(claims: unknown, path: string): FieldError[] {
  const seen = new Set<string>();
  return items(claims).flatMap((claim, index) => {
    const at = `${path}[${index}]`;
    const name = textOf(claim['name']);
    const { resourceClaimName: claimName = null, resourceClaimTemplateName: templateName = null } = claim;
    const errors = seen.has(name)
      ? [field.duplicate(`${at}.name`, name)]
      : requiredName(`${at}.name`, name, 'label');
    seen.add(name);
    const shown = { Name: name, ResourceClaimName: claimName, ResourceClaimTemplateName: templateName };
    if (claimName !== null && templateName !== null)
      errors.push(
        field.invalid(
          at,
          shown,
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      );
    if (claimName === null && templateName === null)
      errors.push(
        field.invalid(at, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'),
      );
    return [
      ...errors,
      ...named(`${at}.resourceClaimName`, claimName, 'subdomain'),
      ...named(`${at}.resourceClaimTemplateName`, templateName, 'subdomain'),
    ];
  });
}

/** Pod-level requests must be at least the sum of the containers. */
function checkRequests(spec: Fields, path: string): FieldError[] {
  const { resources, overhead: _overhead, ...ofContainers } = spec;
  const own = amountsOf(fieldsOf(resources)['requests']);
  if (own.size === 0) return [];
  const containers = items(ofContainers['containers']);
  const of = podAmounts({ spec: { ...ofContainers, containers } } as unknown as Pod, 'requests');
  return [...of]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, asked]) => {
      const amount = own.get(name);
      return amount === undefined || asked.billionths <= amount.billionths
        ? []
        : [
            field.invalid(
              `${path}.requests[${name}]`,
              amountText(amount),
              `must be greater than or equal to aggregate container requests of ${amountText(asked)}`,
            ),
          ];
    });
}

function checkWholePod(spec: Fields, path: string): FieldError[] {
  const { resources } = spec;
  if (!isFields(resources)) return [];
  const at = `${path}.resources`;
  return [
    ...(listOf(resources['claims']).length > 0
      ? [field.forbidden(`${at}.claims`, 'claims may not be set for Resources at pod-level')]
      : []),
    ...checkResources(resources, at, 'pod'),
    ...checkRequests(spec, at),
    ...checkAgainstPod(spec['containers'], resources, at),
  ];
}

const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const longestDeadline = 2147483647;

/**
 * All validation errors of a pod spec. `path` is `spec` or `spec.template.spec`; `pod` is the name of a pod, absent
 * for a template.
 */
export function checkPodSpec(given: unknown, path: string, pod?: string): FieldError[] {
  // A missing spec is validated as an empty spec with defaults.
  const spec: Fields = isFields(given) ? given : withTemplateDefaults({} as PodSpec);
  const at = (name: string) => `${path}.${name}`;
  const { errors, valid } = checkVolumes(spec['volumes'], at('volumes'), pod);
  const place: ContainerContext = {
    spec,
    volumes: valid,
    claims: items(spec['resourceClaims']).map(({ name }) => textOf(name)),
    hostUsers: spec['hostUsers'] !== false,
  };
  return [
    ...errors,
    ...checkResourceClaims(spec['resourceClaims'], at('resourceClaims')),
    ...checkContainers(at('containers'), place),
    ...checkInitContainers(at('initContainers'), place),
    ...checkEphemeralContainers(at('ephemeralContainers'), place),
    ...checkWholePod(spec, path),
    ...checkHostNetwork(spec, path, pod !== undefined),
    ...someOf(at('restartPolicy'), spec['restartPolicy'], ['Always', 'OnFailure', 'Never']),
    ...someOf(at('dnsPolicy'), spec['dnsPolicy'], dnsPolicies),
    ...checkLabels(at('nodeSelector'), spec['nodeSelector']),
    ...checkPodSecurity(spec, at('securityContext')),
    ...checkAffinity(spec['affinity'], at('affinity')),
    ...checkDnsConfig(spec['dnsConfig'], spec['dnsPolicy'], at('dnsConfig')),
    ...checkGates(spec, path),
    ...checkSpread(spec['topologySpreadConstraints'], at('topologySpreadConstraints')),
    ...checkHostUsers(spec, path),
    ...checkHostnameOverride(spec, path),
    ...named(at('serviceAccountName'), spec['serviceAccountName'], 'subdomain'),
    ...named(at('nodeName'), spec['nodeName'], 'subdomain'),
    ...within(at('activeDeadlineSeconds'), spec['activeDeadlineSeconds'], 1, longestDeadline),
    ...named(at('hostname'), spec['hostname'], 'label'),
    ...named(at('subdomain'), spec['subdomain'], 'label'),
    ...checkTolerations(spec['tolerations'], at('tolerations')),
    ...checkAliases(spec['hostAliases'], at('hostAliases')),
    ...named(at('priorityClassName'), spec['priorityClassName'], 'subdomain'),
    ...named(at('runtimeClassName'), spec['runtimeClassName'], 'subdomain'),
    ...oneOf(at('preemptionPolicy'), spec['preemptionPolicy'], ['PreemptLowerPriority', 'Never']),
    ...(entriesOf(spec['overhead']).length > 0
      ? checkResources({ limits: spec['overhead'] }, at('overhead'))
      : []),
    ...checkSystem(spec, path),
    ...checkVariableFiles(spec, path),
  ];
}
