import type { KubeObject } from '../../schemas/wire/object.ts';
import { ephemeralOf } from '../api/ephemeral.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, sameValue } from '../../schemas/pods/fields.ts';
import { textAt } from '../store/value.ts';
import { withRangeDefaults } from '../admission/limitRanges.ts';
import { specDefaults } from './defaulting.ts';
import { podWarnings } from './podWarnings.ts';
import { checkImageText } from '../../schemas/pods/containerValidation.ts';
import { items } from '../../schemas/pods/fieldChecks.ts';
import { tolerates } from './node.ts';
import type { Container, Pod, PodSpec, Toleration } from '../../schemas/pods/pod.ts';
import { withPodDefaults } from '../../schemas/pods/podDefaults.ts';
import { withPriority, withSamePriority } from './priority.ts';
import { checkPodSpec } from '../../schemas/pods/podValidation.ts';

const specUpdateRule =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Default tolerations: pods stay five minutes on an unreachable or unready node. */
function withDefaultTolerations(spec: PodSpec): PodSpec {
  const { tolerations = [] } = spec;
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) => !tolerations.some((each) => tolerates(each, { key, effect: 'NoExecute' })),
  );
  if (missing.length === 0 || !Array.isArray(tolerations)) return spec;
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  return { ...spec, tolerations: [...tolerations, ...added] };
}

/** The QoS class by requests and limits. */
export function qosClass({ containers, initContainers }: PodSpec): string {
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
  const hasNoRequests = all.every((container) =>
    ['cpu', 'memory'].every(
      (name) => of(container, 'limits', name) === undefined && of(container, 'requests', name) === undefined,
    ),
  );
  return hasNoRequests ? 'BestEffort' : 'Burstable';
}

/** Fields that are valid in templates only. */
function checkPodAlone({ spec }: Pod): FieldError[] {
  const projections = (volume: unknown) => fieldAt(volume, ['projected', 'sources']);
  const tokens = spec.serviceAccountName
    ? []
    : items(spec['volumes']).flatMap((volume, index) =>
        items(projections(volume)).flatMap((source, at) =>
          source['serviceAccountToken'] === undefined
            ? []
            : [
                field.forbidden(
                  `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`,
                  'must not be specified when serviceAccountName is not set',
                ),
              ],
        ),
      );
  const images = (['containers', 'initContainers'] as const).flatMap((list) =>
    items(spec[list]).flatMap(({ image }, index) => checkImageText(image, `spec.${list}[${index}].image`)),
  );
  return [...tokens, ...images];
}

function checkPod(object: KubeObject): FieldError[] {
  const errors = checkPodSpec(object['spec'], 'spec', object.metadata.name);
  return isFields(object['spec']) ? [...errors, ...checkPodAlone(object as Pod)] : errors;
}

/** Existing tolerations must remain; only tolerationSeconds may change. */
function extendsTolerations(next: readonly Toleration[], current: readonly Toleration[]): boolean {
  const timeless = ({ tolerationSeconds: _seconds, ...toleration }: Toleration) => toleration;
  return current.every((old) => next.some((each) => sameValue(timeless(each), timeless(old))));
}

/** The spec without mutable fields, for comparison. */
function fixedPart(spec: PodSpec, gated: boolean): PodSpec {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = spec;
  const withoutImages = (containers: readonly Container[]) =>
    containers.map((each) => ({ ...each, image: '' }));
  // Gated pods may get a narrower node selector and affinity.
  if (gated) {
    delete rest.nodeSelector;
    delete rest.affinity;
  }
  return {
    ...rest,
    containers: withoutImages(spec.containers),
    ...(spec.initContainers === undefined ? {} : { initContainers: withoutImages(spec.initContainers) }),
  };
}

function checkPodUpdate(nextObject: KubeObject, currentObject: KubeObject): FieldError[] {
  const next = (nextObject as Pod).spec;
  const current = (currentObject as Pod).spec;
  // A missing spec is reported by the validation of the whole object.
  if (next === current || !isFields(next)) return [];
  const errors: FieldError[] = [];
  if (!Array.isArray(next.containers)) return errors;
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
  for (const [index, { name }] of (next.schedulingGates ?? []).entries())
    if (!gates.has(name))
      errors.push(
        field.forbidden(
          `spec.schedulingGates[${index}].name`,
          `only deletion is allowed, but found new scheduling gate '${name}'`,
        ),
      );
  const gated = gates.size > 0;
  if (!sameValue(fixedPart(next, gated), fixedPart(current, gated)))
    errors.push(field.forbidden('spec', specUpdateRule));
  return errors;
}

/** Pods: defaults, validation, mutable fields, and graceful deletion by the kubelet. */
export const podRules: KindRules = {
  warnings: podWarnings(['spec']),
  defaults: specDefaults((spec) => withPodDefaults(spec as PodSpec)),
  admit(pod, relatedObjects, current) {
    if (!isFields(pod['spec'])) return pod;
    const complete =
      current === undefined
        ? withPriority(
            withRangeDefaults(pod, relatedObjects.list('limitranges', pod.metadata.namespace ?? '')),
            relatedObjects,
          )
        : withSamePriority(pod, current);
    const spec = complete['spec'] as PodSpec;
    const tolerant = withDefaultTolerations(spec);
    return tolerant === spec ? complete : { ...complete, spec: tolerant };
  },
  prepareCreate(object) {
    const spec = isFields(object['spec']) ? (object['spec'] as PodSpec) : undefined;
    const valid = Array.isArray(spec?.containers) && spec.containers.every(isFields);
    return {
      ...object,
      status: { phase: 'Pending', ...(spec !== undefined && valid ? { qosClass: qosClass(spec) } : {}) },
    };
  },
  checkCreate: (object) =>
    ephemeralOf(object).length > 0
      ? [field.forbidden('spec.ephemeralContainers', 'cannot be set on create')]
      : [],
  check: checkPod,
  checkUpdate: checkPodUpdate,
  gracePeriod(object, requested) {
    const { spec, status } = object as Pod;
    // Unscheduled pods have no kubelet, so they are removed immediately.
    if (!spec.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
    const grace = requested ?? spec.terminationGracePeriodSeconds ?? 30;
    // A negative grace period becomes 1.
    return grace < 0 ? 1 : grace;
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
