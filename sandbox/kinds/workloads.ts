import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../api/errors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, sameValue, withField, type Fields } from '../store/value.ts';
import {
  checkAlways,
  checkCount,
  checkSelector,
  checkTemplate,
  filled,
  rolling,
  selectorIsFixed,
  specOf,
  withEmptyStatus,
} from './template.ts';

function checkDeploymentStrategy(strategy: unknown): FieldError[] {
  const path = 'spec.strategy';
  const { type, rollingUpdate } = isFields(strategy) ? strategy : {};
  if (type === 'Recreate')
    return rollingUpdate === undefined
      ? []
      : [field.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
  if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
    return [field.notSupported(path, shown, ['Recreate', 'RollingUpdate'])];
  }
  const isNothing = (value: unknown) => value === 0 || value === '0%';
  const { maxSurge, maxUnavailable } = isFields(rollingUpdate) ? rollingUpdate : {};
  return isNothing(maxSurge) && isNothing(maxUnavailable)
    ? [
        field.invalid(
          `${path}.rollingUpdate.maxUnavailable`,
          maxUnavailable,
          'may not be 0 when `maxSurge` is 0',
        ),
      ]
    : [];
}

function withDeploymentDefaults(object: KubeObject): KubeObject {
  const next = filled(object, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy = rolling(fieldAt(next, ['spec', 'strategy']), { maxUnavailable: '25%', maxSurge: '25%' });
  return withField(next, ['spec', 'strategy'], strategy) as KubeObject;
}

/** Numbers of a spec that are not less than nothing. */
function checkCounts(object: KubeObject, names: readonly string[]): FieldError[] {
  const spec = specOf(object);
  return names.flatMap((name) => checkCount(`spec.${name}`, spec[name]));
}

/** A roll-out may not fail before its first pod can count as available. */
function checkDeadline({ progressDeadlineSeconds: deadline, minReadySeconds = 0 }: Fields): FieldError[] {
  if (typeof deadline !== 'number' || typeof minReadySeconds !== 'number' || deadline > minReadySeconds)
    return [];
  return [field.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')];
}

const deploymentRules: KindRules = {
  statusKeepsLabels: true,
  prepareCreate: (object) => withEmptyStatus(withDeploymentDefaults(object), {}),
  prepareUpdate: withDeploymentDefaults,
  check: (object) => [
    ...checkCounts(object, ['replicas']),
    ...checkSelector(object, 'deployment'),
    ...checkTemplate(object),
    ...checkAlways(object),
    ...checkDeploymentStrategy(specOf(object)['strategy']),
    ...checkCounts(object, ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...checkDeadline(specOf(object)),
  ],
  checkUpdate: selectorIsFixed,
};

const replicaSetRules: KindRules = {
  prepareCreate: (object) => withEmptyStatus(filled(object, { replicas: 1 }), { replicas: 0 }),
  prepareUpdate: (object) => filled(object, { replicas: 1 }),
  check: (object) => [
    ...checkCounts(object, ['replicas', 'minReadySeconds']),
    ...checkSelector(object, 'replicaset'),
    ...checkTemplate(object),
    ...checkAlways(object),
  ],
  checkUpdate: selectorIsFixed,
};

function withStatefulSetDefaults(object: KubeObject): KubeObject {
  const next = filled(object, {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  });
  const { updateStrategy, volumeClaimTemplates } = specOf(next);
  const claims = Array.isArray(volumeClaimTemplates)
    ? (volumeClaimTemplates as unknown[]).map((claim) =>
        isFields(claim)
          ? {
              kind: 'PersistentVolumeClaim',
              apiVersion: 'v1',
              ...claim,
              spec: { volumeMode: 'Filesystem', ...(isFields(claim['spec']) ? claim['spec'] : {}) },
              status: { phase: 'Pending' },
            }
          : claim,
      )
    : undefined;
  return {
    ...next,
    spec: {
      ...specOf(next),
      updateStrategy: rolling(updateStrategy, { partition: 0 }),
      ...(claims === undefined ? {} : { volumeClaimTemplates: claims }),
    },
  };
}

const statefulSetFree = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

const statefulSetRules: KindRules = {
  prepareCreate: (object) =>
    withEmptyStatus(withStatefulSetDefaults(object), { replicas: 0, availableReplicas: 0 }),
  prepareUpdate: withStatefulSetDefaults,
  check: (object) => [
    ...checkCounts(object, ['replicas', 'minReadySeconds']),
    ...checkSelector(object, 'statefulset'),
    ...checkTemplate(object),
    ...checkAlways(object),
  ],
  checkUpdate(next, current) {
    const fixed = (object: KubeObject) =>
      Object.fromEntries(Object.entries(specOf(object)).filter(([name]) => !statefulSetFree.includes(name)));
    return sameValue(fixed(next), fixed(current))
      ? []
      : [
          field.forbidden(
            'spec',
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
          ),
        ];
  },
};

function withDaemonSetDefaults(object: KubeObject): KubeObject {
  const next = filled(object, { revisionHistoryLimit: 10 });
  const strategy = rolling(fieldAt(next, ['spec', 'updateStrategy']), { maxUnavailable: 1, maxSurge: 0 });
  return withField(next, ['spec', 'updateStrategy'], strategy) as KubeObject;
}

const daemonSetRules: KindRules = {
  prepareCreate: (object) =>
    withEmptyStatus(withDaemonSetDefaults(object), {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    }),
  prepareUpdate: withDaemonSetDefaults,
  check: (object) => [
    ...checkSelector(object, 'daemonset'),
    ...checkTemplate(object),
    ...checkAlways(object),
  ],
  checkUpdate: selectorIsFixed,
};

/** The kinds that keep pods running, by resource id. */
export const workloadRules: Readonly<Record<string, KindRules>> = {
  'deployments.apps': deploymentRules,
  'replicasets.apps': replicaSetRules,
  'statefulsets.apps': statefulSetRules,
  'daemonsets.apps': daemonSetRules,
};
