import type { KubeObject } from '../../schemas/wire/object.ts';
import { field } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, sameValue } from '../../schemas/pods/fields.ts';
import { textAt, withField } from '../store/value.ts';
import { withDefaultsForEmpty } from '../../schemas/pods/defaulting.ts';
import { specDefaulter } from './defaulting.ts';
import { podWarnings } from './podWarnings.ts';
import {
  completeTemplate,
  withSpecDefaults,
  withRollingDefaults,
  selectorIsFixed,
  specOf,
  withEmptyStatus,
  withTemplateLabels,
} from './template.ts';
import { checkDaemonSet, checkDeployment, checkReplicaSet, checkStatefulSet } from './workloadValidation.ts';

function withDeploymentDefaults(object: KubeObject): KubeObject {
  const next = withSpecDefaults(object, {
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  const strategy = withRollingDefaults(fieldAt(next, ['spec', 'strategy']), {
    maxUnavailable: '25%',
    maxSurge: '25%',
  });
  return withField(next, ['spec', 'strategy'], strategy) as KubeObject;
}

const deploymentRules: KindRules = {
  warnings: podWarnings(['spec', 'template', 'spec']),
  statusKeepsLabels: true,
  countsAnnotations: true,
  defaults: specDefaulter(withDeploymentDefaults),
  prepareCreate: (object) => withEmptyStatus(object, {}),
  check: checkDeployment,
  checkUpdate: selectorIsFixed,
};

const replicaSetRules: KindRules = {
  warnings: podWarnings(['spec', 'template', 'spec']),
  defaults: specDefaulter((object) => withSpecDefaults(object, { replicas: 1 })),
  prepareCreate: (object) => withEmptyStatus(object, { replicas: 0 }),
  check: checkReplicaSet,
  checkUpdate: selectorIsFixed,
};

function withStatefulSetDefaults(object: KubeObject): KubeObject {
  const next = withSpecDefaults(object, {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    revisionHistoryLimit: 10,
  });
  const { updateStrategy, volumeClaimTemplates, persistentVolumeClaimRetentionPolicy: policy } = specOf(next);
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
      updateStrategy: withRollingDefaults(updateStrategy, { partition: 0 }),
      persistentVolumeClaimRetentionPolicy: withDefaultsForEmpty(isFields(policy) ? policy : {}, {
        whenDeleted: 'Retain',
        whenScaled: 'Retain',
      }),
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
  warnings: podWarnings(['spec', 'template', 'spec']),
  defaults: specDefaulter(withStatefulSetDefaults),
  prepareCreate: (object) => withEmptyStatus(object, { replicas: 0, availableReplicas: 0 }),
  check: checkStatefulSet,
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

const templateGeneration = 'deprecated.daemonset.template.generation';

/** DaemonSets store their template generation in an annotation that only the server writes. */
function withTemplateGeneration(object: KubeObject, count: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [templateGeneration]: count };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function withDaemonSetSpec(object: KubeObject): KubeObject {
  const next = withSpecDefaults(object, { revisionHistoryLimit: 10 });
  const strategy = withRollingDefaults(fieldAt(next, ['spec', 'updateStrategy']), {
    maxUnavailable: 1,
    maxSurge: 0,
  });
  return withField(next, ['spec', 'updateStrategy'], strategy) as KubeObject;
}

function withDaemonSetDefaults(object: KubeObject, current: KubeObject | undefined): KubeObject {
  const next = specDefaulter(withDaemonSetSpec)(object, current);
  return next.metadata.annotations?.[templateGeneration] === undefined
    ? withTemplateGeneration(next, '0')
    : next;
}

const daemonSetRules: KindRules = {
  warnings: podWarnings(['spec', 'template', 'spec']),
  defaults: withDaemonSetDefaults,
  prepareCreate: (object) =>
    withEmptyStatus(withTemplateGeneration(object, '1'), {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    }),
  prepareUpdate(next, current) {
    const count = Number(current.metadata.annotations?.[templateGeneration] ?? 0);
    const same = sameValue(specOf(next)['template'], specOf(current)['template']);
    return withTemplateGeneration(next, String(same ? count : count + 1));
  },
  check: checkDaemonSet,
  checkUpdate: selectorIsFixed,
};

function withReplicationControllerDefaults(object: KubeObject): KubeObject {
  const labels = fieldAt(object, ['spec', 'template', 'metadata', 'labels']);
  const next = withSpecDefaults(object, { replicas: 1 });
  const selector = specOf(next)['selector'];
  const isOpen = !isFields(selector) || Object.keys(selector).length === 0;
  return isOpen && isFields(labels) ? (withField(next, ['spec', 'selector'], labels) as KubeObject) : next;
}

const replicationControllerRules: KindRules = {
  warnings: podWarnings(['spec', 'template', 'spec']),
  propagation: 'Orphan',
  defaults: (object) => withReplicationControllerDefaults(withTemplateLabels(object)),
  prepareCreate: (object) => withEmptyStatus(object, { replicas: 0 }),
  fields: { 'status.replicas': (object) => textAt(['status', 'replicas'])(object) || '0' },
};

const podTemplateRules: KindRules = {
  warnings: podWarnings(['template', 'spec']),
  defaults: (object, current) =>
    current !== undefined && object['template'] === current['template']
      ? object
      : { ...object, template: completeTemplate(object['template']) },
};

/** Workload kinds, by resource id. */
export const workloadRules: Readonly<Record<string, KindRules>> = {
  podtemplates: podTemplateRules,
  replicationcontrollers: replicationControllerRules,
  'deployments.apps': deploymentRules,
  'replicasets.apps': replicaSetRules,
  'statefulsets.apps': statefulSetRules,
  'daemonsets.apps': daemonSetRules,
};
