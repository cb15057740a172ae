import type { KubeObject } from '../../schemas/wire/object.ts';
import { field } from '../api/errors.ts';
import type { KindRules } from '../api/registry.ts';
import { definitionRules } from '../schema/definitionRules.ts';
import { fieldAt, sameValue, textAt, withField } from '../store/value.ts';
import { accessRules } from './accessRules.ts';
import { autoscalerRules } from './autoscaler.ts';
import { budgetRules } from './budgetRules.ts';
import { configurationRules } from './configuration.ts';
import { jobKinds } from './jobs.ts';
import { leaseRules } from './leaseRules.ts';
import { podRules } from './podRules.ts';
import { priorityClassRules } from './priority.ts';
import { resourceLimitRules } from './resourceLimits.ts';
import { serviceRules } from './service.ts';
import { workloadRules } from './workloads.ts';

const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public']);

/** Namespaces are kept by spec.finalizers until their content is gone. */
const namespaceRules: KindRules = {
  names: 'label',
  prepareCreate: (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
    },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }),
  prepareUpdate: (next, current) => ({
    ...next,
    metadata: {
      ...next.metadata,
      labels: { ...next.metadata.labels, 'kubernetes.io/metadata.name': current.metadata.name },
    },
    spec: current['spec'],
  }),
  prepareDelete: (object) => withField(object, ['status', 'phase'], 'Terminating') as KubeObject,
  checkDelete: ({ metadata }) =>
    immortalNamespaces.has(metadata.name) ? 'this namespace may not be deleted' : undefined,
  isHeld(object) {
    const finalizers = fieldAt(object, ['spec', 'finalizers']);
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
  fields: { 'status.phase': textAt(['status', 'phase']) },
};

const controllerRevisionRules: KindRules = {
  check(object) {
    const { revision, data } = object;
    return [
      ...(typeof revision === 'number' && revision < 0
        ? [field.invalid('revision', revision, 'must be greater than or equal to 0')]
        : []),
      ...(data === undefined || data === null ? [field.required('data', 'data is mandatory')] : []),
    ];
  },
  checkUpdate: (next, current) =>
    sameValue(next['data'], current['data'])
      ? []
      : [field.invalid('data', next['data'], 'field is immutable')],
};

const eventRules: KindRules = {
  createsOnUpdate: true,
  check(object) {
    const about = fieldAt(object, ['involvedObject', 'namespace']) ?? '';
    // What has no namespace is told about in the namespace default.
    const belongs =
      about === object.metadata.namespace || (about === '' && object.metadata.namespace === 'default');
    return belongs
      ? []
      : [field.invalid('involvedObject.namespace', about, 'does not match event.namespace')];
  },
  fields: Object.fromEntries(
    [
      ['involvedObject', 'kind'],
      ['involvedObject', 'namespace'],
      ['involvedObject', 'name'],
      ['involvedObject', 'uid'],
      ['involvedObject', 'apiVersion'],
      ['involvedObject', 'resourceVersion'],
      ['involvedObject', 'fieldPath'],
      ['reason'],
      ['reportingComponent'],
      ['type'],
    ].map((path) => [path.join('.'), textAt(path)]),
  ),
};

const nodeRules: KindRules = {
  fields: { 'spec.unschedulable': (object) => String(fieldAt(object, ['spec', 'unschedulable']) === true) },
};

/** Claims are bound by the first controller that asks; their requests may grow, the rest of the spec stays. */
const claimRules: KindRules = {
  prepareCreate: (object) => ({
    ...(withField(
      object,
      ['spec', 'volumeMode'],
      fieldAt(object, ['spec', 'volumeMode']) ?? 'Filesystem',
    ) as KubeObject),
    status: { phase: 'Pending' },
  }),
  checkUpdate(next, current) {
    // A claim that names no class gets the default one when there is one.
    const isClassless = fieldAt(current, ['spec', 'storageClassName']) === undefined;
    const free = [
      'resources',
      'volumeName',
      'volumeAttributesClassName',
      ...(isClassless ? ['storageClassName'] : []),
    ];
    const fixed = (object: KubeObject) =>
      free.reduce<unknown>((spec, name) => withField(spec, [name], null), object['spec']);
    return sameValue(fixed(next), fixed(current))
      ? []
      : [
          field.forbidden(
            'spec',
            'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
          ),
        ];
  },
};

/** By resource id. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  ...workloadRules,
  ...jobKinds,
  ...configurationRules,
  ...accessRules,
  ...resourceLimitRules,
  'horizontalpodautoscalers.autoscaling': autoscalerRules,
  'leases.coordination.k8s.io': leaseRules,
  'priorityclasses.scheduling.k8s.io': priorityClassRules,
  endpoints: { createsOnUpdate: true },
  'runtimeclasses.node.k8s.io': { createsOnUpdate: true },
  'poddisruptionbudgets.policy': budgetRules,
  services: serviceRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  pods: podRules,
  events: eventRules,
  persistentvolumeclaims: claimRules,
  'controllerrevisions.apps': controllerRevisionRules,
  'customresourcedefinitions.apiextensions.k8s.io': definitionRules,
};
