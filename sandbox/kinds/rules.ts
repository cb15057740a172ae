import type { KubeObject } from '../../schemas/wire/object.ts';
import { field } from '../api/errors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, sameValue, textAt, withField } from '../store/value.ts';
import { podRules } from './podRules.ts';

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
  prepareUpdate: (next, current) => ({ ...next, spec: current['spec'] }),
  prepareDelete: (object) => ({ ...object, status: { phase: 'Terminating' } }),
  isHeld(object) {
    const finalizers = fieldAt(object, ['spec', 'finalizers']);
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
  fields: { 'status.phase': textAt(['status', 'phase']) },
};

const controllerRevisionRules: KindRules = {
  check(object) {
    const revision = object['revision'];
    if (revision === undefined || (typeof revision === 'number' && revision >= 0)) return [];
    return [field.invalid('revision', revision, 'must be greater than or equal to 0')];
  },
  checkUpdate: (next, current) =>
    sameValue(next['data'], current['data'])
      ? []
      : [field.invalid('data', next['data'], 'field is immutable')],
};

const eventRules: KindRules = {
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
  statusWritesMetadata: true,
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
    const free = ['resources', 'volumeName', 'volumeAttributesClassName'];
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

/** Definitions are served as soon as they are there. */
const definitionRules: KindRules = {
  prepareCreate(object) {
    const lastTransitionTime = object.metadata.creationTimestamp;
    const names = fieldAt(object, ['spec', 'names']);
    const condition = (type: string, reason: string, message: string) => ({
      type,
      status: 'True',
      reason,
      message,
      lastTransitionTime,
    });
    return {
      ...object,
      status: {
        acceptedNames: names ?? {},
        conditions: [
          condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
          condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
        ],
      },
    };
  },
  check(object) {
    const plural = fieldAt(object, ['spec', 'names', 'plural']);
    const group = fieldAt(object, ['spec', 'group']);
    return object.metadata.name === `${String(plural)}.${String(group)}`
      ? []
      : [field.invalid('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group')];
  },
};

/** By resource id. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  namespaces: namespaceRules,
  nodes: nodeRules,
  pods: podRules,
  events: eventRules,
  persistentvolumeclaims: claimRules,
  'controllerrevisions.apps': controllerRevisionRules,
  'customresourcedefinitions.apiextensions.k8s.io': definitionRules,
};
