import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { checkNamespaceFinalizers, namespaceFinalizers } from '../api/namespaceFinalizers.ts';
import type { KindRules } from '../api/registry.ts';
import { definitionRules } from '../schema/definitionRules.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import { sorted, textAt, withField } from '../store/value.ts';
import { accessRules } from './accessRules.ts';
import { autoscalerRules } from './autoscaler.ts';
import { budgetRules } from './budgetRules.ts';
import { configurationRules } from './configuration.ts';
import { eventRules, newEventRules } from './eventRules.ts';
import { extensionRules } from './extensionRules.ts';
import { jobKinds } from './jobs.ts';
import { limitRangeRules } from './limitRangeRules.ts';
import { networkRules } from './networkRules.ts';
import { podRules } from './podRules.ts';
import { priorityClassRules } from './priority.ts';
import { quotaRules } from './quotaRules.ts';
import { serviceRules } from './service.ts';
import { storageRules } from './storageRules.ts';
import { workloadRules } from './workloads.ts';

const nameLabel = 'kubernetes.io/metadata.name';
const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public']);

/** spec.finalizers keep a namespace until its content is deleted. */
const namespaceRules: KindRules = {
  names: 'label',
  defaults(object) {
    const { name, labels } = object.metadata;
    if (labels?.[nameLabel] === name) return object;
    return { ...object, metadata: { ...object.metadata, labels: { ...labels, [nameLabel]: name } } };
  },
  prepareCreate: (object) => ({
    ...object,
    spec: { finalizers: [...new Set([...namespaceFinalizers(object), 'kubernetes'])] },
    status: { phase: 'Active' },
  }),
  prepareUpdate: (next, current) => ({ ...next, spec: current['spec'] }),
  checkCreate: checkNamespaceFinalizers,
  prepareDelete: (object) => withField(object, ['status', 'phase'], 'Terminating') as KubeObject,
  checkDelete: ({ metadata }) =>
    immortalNamespaces.has(metadata.name) ? 'this namespace may not be deleted' : undefined,
  blocksRemoval(object) {
    const finalizers = fieldAt(object, ['spec', 'finalizers']);
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
  fields: { 'status.phase': textAt(['status', 'phase']) },
};

function checkNumber({ revision }: KubeObject): FieldError[] {
  const isNegative = typeof revision === 'number' && revision < 0;
  return isNegative ? [field.invalid('revision', revision, 'must be greater than or equal to 0')] : [];
}

const controllerRevisionRules: KindRules = {
  checkCreate(object) {
    const isMissing = (object['data'] ?? null) === null;
    return [...checkNumber(object), ...(isMissing ? [field.required('data', 'data is mandatory')] : [])];
  },
  // A server compares the bytes.
  checkUpdate(next, current, { value, isSorted }) {
    const given = fieldAt(value, ['data']) ?? null;
    const data = isSorted ? sorted(given) : given;
    const isSame = JSON.stringify(data) === JSON.stringify(current['data']);
    return [...(isSame ? [] : [field.invalid('data', data, 'field is immutable')]), ...checkNumber(next)];
  },
};

/** podCIDR is an alias of the first podCIDRs entry, and allocatable defaults to capacity. */
function withNodeDefaults(object: KubeObject): KubeObject {
  const { podCIDR, podCIDRs } = isFields(object['spec']) ? object['spec'] : {};
  const { capacity, allocatable } = isFields(object['status']) ? object['status'] : {};
  const networked =
    typeof podCIDR === 'string' && podCIDRs === undefined
      ? (withField(object, ['spec', 'podCIDRs'], [podCIDR]) as KubeObject)
      : object;
  return capacity === undefined || allocatable !== undefined
    ? networked
    : (withField(networked, ['status', 'allocatable'], capacity) as KubeObject);
}

const nodeRules: KindRules = {
  defaults: withNodeDefaults,
  fields: { 'spec.unschedulable': (object) => String(fieldAt(object, ['spec', 'unschedulable']) === true) },
};

/** By resource id. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  ...workloadRules,
  ...jobKinds,
  ...configurationRules,
  ...accessRules,
  ...extensionRules,
  ...networkRules,
  ...storageRules,
  limitranges: limitRangeRules,
  resourcequotas: quotaRules,
  'horizontalpodautoscalers.autoscaling': autoscalerRules,
  // Clients that elect a leader create their Lease by PUT.
  'leases.coordination.k8s.io': {
    createsOnUpdate: true,
    needsRevision: true,
    defaults: (object) => ({ ...object, spec: object['spec'] ?? {} }),
  },
  'priorityclasses.scheduling.k8s.io': priorityClassRules,
  'runtimeclasses.node.k8s.io': { createsOnUpdate: true, needsRevision: true },
  'poddisruptionbudgets.policy': budgetRules,
  services: serviceRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  pods: podRules,
  events: eventRules,
  'events.events.k8s.io': newEventRules,
  'controllerrevisions.apps': controllerRevisionRules,
  'customresourcedefinitions.apiextensions.k8s.io': definitionRules,
};
