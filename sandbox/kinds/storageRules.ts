import type { KubeObject } from '../../schemas/wire/object.ts';
import { field } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { withField } from '../store/value.ts';
import { withDefaultsForAbsent } from '../../schemas/pods/defaulting.ts';
import { specDefaulter, specDefaults } from './defaulting.ts';
import { checkClaimSpec } from '../../schemas/pods/claimValidation.ts';
import { volumeWarnings } from './podWarnings.ts';
import { withSourceDefaults } from '../../schemas/pods/volumeDefaults.ts';

/** Adds the protection finalizer of new claims and volumes. */
function guardedBy(finalizer: string): NonNullable<KindRules['admit']> {
  return (object, _relatedObjects, current) => {
    const { finalizers = [] } = object.metadata;
    return current !== undefined || finalizers.includes(finalizer)
      ? object
      : { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
  };
}

/** dataSource is the restricted form of dataSourceRef; both are kept in sync. */
function withBothSources(object: KubeObject): KubeObject {
  const spec = object['spec'];
  if (!isFields(spec)) return object;
  const { dataSource, dataSourceRef } = spec;
  if (isFields(dataSource) && dataSourceRef === undefined)
    return { ...object, spec: { ...spec, dataSourceRef: dataSource } };
  if (isFields(dataSourceRef) && dataSource === undefined && dataSourceRef['namespace'] === undefined)
    return { ...object, spec: { ...spec, dataSource: dataSourceRef } };
  return object;
}

/** Claims: volumeName is set once, requests may grow, the rest of the spec is immutable. */
const claimRules: KindRules = {
  defaults: specDefaults((spec) => withDefaultsForAbsent(spec, { volumeMode: 'Filesystem' })),
  admit: guardedBy('kubernetes.io/pvc-protection'),
  prepareCreate: (object) => ({ ...withBothSources(object), status: { phase: 'Pending' } }),
  prepareUpdate: withBothSources,
  check: (object) => checkClaimSpec(object['spec'], 'spec'),
  checkUpdate(next, current) {
    const source = (name: string) => fieldAt(current, ['spec', name]);
    // storageClassName defaults to the default class; volumeName can be set once.
    const free = [
      'resources',
      'volumeAttributesClassName',
      ...(source('volumeName') === undefined ? ['volumeName'] : []),
      ...(source('storageClassName') === undefined ? ['storageClassName'] : []),
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

const volumeRules: KindRules = {
  warnings: volumeWarnings,
  defaults: specDefaulter((object) => {
    const spec: Fields = isFields(object['spec']) ? object['spec'] : {};
    const complete = withDefaultsForAbsent(withSourceDefaults(spec), {
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    });
    return { ...object, spec: complete };
  }),
  admit: guardedBy('kubernetes.io/pv-protection'),
  prepareCreate: (object) => ({
    ...object,
    status: { phase: 'Pending', lastPhaseTransitionTime: object.metadata.creationTimestamp },
  }),
};

const driverRules: KindRules = {
  needsRevision: true,
  defaults: specDefaults((spec) =>
    withDefaultsForAbsent(spec, {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
      requiresRepublish: false,
      seLinuxMount: false,
    }),
  ),
};

const storageClassRules: KindRules = {
  defaults: (object) =>
    withDefaultsForAbsent(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }) as KubeObject,
  check: (object) => (object['provisioner'] ? [] : [field.required('provisioner')]),
  checkUpdate: (next, current) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']
      .filter((name) => !sameValue(next[name], current[name]))
      .map((name) => field.forbidden(name, `updates to ${name} are forbidden.`)),
};

/** Storage kinds, by resource id. */
export const storageRules: Readonly<Record<string, KindRules>> = {
  persistentvolumeclaims: claimRules,
  persistentvolumes: volumeRules,
  'csidrivers.storage.k8s.io': driverRules,
  'csinodes.storage.k8s.io': { needsRevision: true },
  'storageclasses.storage.k8s.io': storageClassRules,
  'volumeattachments.storage.k8s.io': { needsRevision: true },
};
