import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../api/errors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, ownField, sameValue, textAt } from '../store/value.ts';
import type { Container, Pod, PodSpec, Toleration } from './pod.ts';

const specUpdateRule =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function defaultPullPolicy(image: string | undefined): string {
  const name = image ?? '';
  const tag = name.includes('@') ? '' : /:([^:/]+)$/.exec(name)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function withContainerDefaults(container: Container): Container {
  const ports = container['ports'];
  return {
    ...container,
    ...(Array.isArray(ports)
      ? { ports: ports.map((port: unknown) => (isFields(port) ? { protocol: 'TCP', ...port } : port)) }
      : {}),
    resources: container.resources ?? {},
    terminationMessagePath: container['terminationMessagePath'] ?? '/dev/termination-log',
    terminationMessagePolicy: container['terminationMessagePolicy'] ?? 'File',
    imagePullPolicy: container.imagePullPolicy ?? defaultPullPolicy(container.image),
  };
}

function withSpecDefaults(spec: PodSpec): PodSpec {
  return {
    ...spec,
    ...(Array.isArray(spec.initContainers)
      ? { initContainers: spec.initContainers.map(withContainerDefaults) }
      : {}),
    containers: Array.isArray(spec.containers) ? spec.containers.map(withContainerDefaults) : spec.containers,
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    dnsPolicy: spec['dnsPolicy'] ?? 'ClusterFirst',
    securityContext: spec['securityContext'] ?? {},
    schedulerName: spec['schedulerName'] ?? 'default-scheduler',
    enableServiceLinks: spec['enableServiceLinks'] ?? true,
  };
}

function qosClass({ containers, initContainers }: PodSpec): string {
  const all = [...containers, ...(initContainers ?? [])];
  const of = (container: Container, list: 'requests' | 'limits', name: string) =>
    container.resources?.[list]?.[name] ??
    (list === 'requests' ? container.resources?.limits?.[name] : undefined);
  const guaranteed = all.every((container) =>
    ['cpu', 'memory'].every(
      (name) =>
        of(container, 'limits', name) !== undefined &&
        String(of(container, 'limits', name)) === String(of(container, 'requests', name)),
    ),
  );
  if (guaranteed) return 'Guaranteed';
  const asksNothing = all.every((container) =>
    ['cpu', 'memory'].every(
      (name) => of(container, 'limits', name) === undefined && of(container, 'requests', name) === undefined,
    ),
  );
  return asksNothing ? 'BestEffort' : 'Burstable';
}

function checkImage(image: unknown, path: string): FieldError[] {
  if (image === undefined || image === '') return [field.required(path)];
  if (typeof image !== 'string') return [field.typeInvalid(path, image, 'must be of type string')];
  if (image.trim() !== image)
    return [field.invalid(path, image, 'must not have leading or trailing whitespace')];
  return [];
}

function checkContainers(containers: unknown, path: string, seen: Set<unknown>): FieldError[] {
  if (!Array.isArray(containers)) return [field.typeInvalid(path, containers, 'must be a list')];
  const errors: FieldError[] = [];
  for (const [index, container] of (containers as unknown[]).entries()) {
    const at = `${path}[${index}]`;
    const name = ownField(container, 'name');
    if (name === undefined || name === '') errors.push(field.required(`${at}.name`));
    else if (typeof name !== 'string' || !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
      errors.push(field.invalid(`${at}.name`, name, 'a lowercase RFC 1123 label is expected'));
    else if (seen.has(name)) errors.push(field.duplicate(`${at}.name`, name));
    seen.add(name);
    errors.push(...checkImage(ownField(container, 'image'), `${at}.image`));
  }
  return errors;
}

function checkPod(object: KubeObject): FieldError[] {
  const spec = object['spec'];
  if (!isFields(spec)) return [field.required('spec.containers')];
  const errors: FieldError[] = [];
  const seen = new Set<unknown>();
  const { containers, initContainers, restartPolicy, terminationGracePeriodSeconds: grace } = spec;
  if (containers === undefined || (Array.isArray(containers) && containers.length === 0))
    errors.push(field.required('spec.containers'));
  else errors.push(...checkContainers(containers, 'spec.containers', seen));
  if (initContainers !== undefined)
    errors.push(...checkContainers(initContainers, 'spec.initContainers', seen));
  if (!['Always', 'OnFailure', 'Never'].includes(String(restartPolicy)))
    errors.push(field.notSupported('spec.restartPolicy', restartPolicy, ['Always', 'OnFailure', 'Never']));
  if (typeof grace !== 'number' || grace < 0)
    errors.push(
      field.invalid('spec.terminationGracePeriodSeconds', grace, 'must be greater than or equal to 0'),
    );
  return errors;
}

function extendsTolerations(next: readonly Toleration[], current: readonly Toleration[]): boolean {
  return current.every((old) => next.some((each) => sameValue(each, old)));
}

/** The spec without what an update may change, for comparison. */
function fixedPart(spec: PodSpec): PodSpec {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = spec;
  const withoutImages = (containers: readonly Container[]) =>
    containers.map((each) => ({ ...each, image: '' }));
  return {
    ...rest,
    containers: withoutImages(spec.containers),
    ...(spec.initContainers === undefined ? {} : { initContainers: withoutImages(spec.initContainers) }),
  };
}

function checkPodUpdate(nextObject: KubeObject, currentObject: KubeObject): FieldError[] {
  const next = (nextObject as Pod).spec;
  const current = (currentObject as Pod).spec;
  if (next === current) return [];
  const errors: FieldError[] = [];
  const count = (spec: PodSpec, list: 'containers' | 'initContainers') => spec[list]?.length ?? 0;
  for (const list of ['containers', 'initContainers'] as const)
    if (count(next, list) !== count(current, list))
      errors.push(field.forbidden(`spec.${list}`, 'pod updates may not add or remove containers'));
  if (errors.length > 0) return errors;
  const deadline = next.activeDeadlineSeconds;
  const oldDeadline = current.activeDeadlineSeconds;
  if (oldDeadline !== undefined && (deadline === undefined || deadline > oldDeadline))
    errors.push(
      field.invalid(
        'spec.activeDeadlineSeconds',
        deadline,
        deadline === undefined
          ? 'must not update from a positive integer to nil value'
          : 'must be less than or equal to previous value',
      ),
    );
  if (!extendsTolerations(next.tolerations ?? [], current.tolerations ?? []))
    errors.push(
      field.forbidden(
        'spec.tolerations',
        'existing toleration can not be modified except its tolerationSeconds',
      ),
    );
  const gates = new Set(current.schedulingGates?.map((gate) => gate.name));
  if (next.schedulingGates?.some((gate) => !gates.has(gate.name)))
    errors.push(
      field.forbidden('spec.schedulingGates', 'only deletion is allowed, but found new scheduling gate'),
    );
  if (!sameValue(fixedPart(next), fixedPart(current))) errors.push(field.forbidden('spec', specUpdateRule));
  return errors;
}

/** Pods: defaults, validation, what may change in place, and a deletion that waits for the kubelet. */
export const podRules: KindRules = {
  statusWritesMetadata: true,
  prepareCreate(object) {
    const spec = isFields(object['spec']) ? withSpecDefaults(object['spec'] as PodSpec) : undefined;
    const valid = Array.isArray(spec?.containers) && spec.containers.every(isFields);
    return {
      ...object,
      spec,
      status: { phase: 'Pending', ...(spec !== undefined && valid ? { qosClass: qosClass(spec) } : {}) },
    };
  },
  prepareUpdate(next) {
    return isFields(next['spec']) ? { ...next, spec: withSpecDefaults(next['spec'] as PodSpec) } : next;
  },
  check: checkPod,
  checkUpdate: checkPodUpdate,
  gracePeriod(object, requested) {
    const { spec, status } = object as Pod;
    // Nobody runs it, so nobody has to stop it.
    if (!spec.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
    return Math.max(0, requested ?? spec.terminationGracePeriodSeconds ?? 30);
  },
  fields: {
    'spec.nodeName': textAt(['spec', 'nodeName']),
    'spec.restartPolicy': textAt(['spec', 'restartPolicy']),
    'spec.schedulerName': textAt(['spec', 'schedulerName']),
    'spec.serviceAccountName': textAt(['spec', 'serviceAccountName']),
    'spec.hostNetwork': (object) => String(fieldAt(object, ['spec', 'hostNetwork']) === true),
    'status.phase': textAt(['status', 'phase']),
    'status.podIP': textAt(['status', 'podIP']),
    'status.nominatedNodeName': textAt(['status', 'nominatedNodeName']),
  },
};
