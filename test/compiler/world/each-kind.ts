import type { JsonObject } from '../../../schemas/wire/json.ts';
import { kinds } from '../../../semantics/registry/registry.ts';

const container: JsonObject = {
  name: 'main',
  image: 'main:1',
  ports: [{ name: 'http', containerPort: 80 }],
  env: [
    { name: 'A', value: 'b' },
    { name: 'GROUP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
  ],
  resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
};

const readinessGates = [{ conditionType: 'InPlaceUpdateReady' }];

const podTemplate = (restartPolicy?: string, volumes?: JsonObject[]): JsonObject => ({
  metadata: { labels: { app: 'web', 'example.com/hook': 'true' }, annotations: { note: 'a' } },
  spec: {
    ...(restartPolicy === undefined ? { readinessGates } : { restartPolicy }),
    containers: [container],
    ...(volumes !== undefined && { volumes }),
  },
});

const onEmptyDir = [{ name: 'data', emptyDir: {} }];
const claims = [
  {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
];
const selector = {
  matchLabels: { app: 'web' },
  matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }],
};
const priorityStrategy = {
  weightPriority: [{ weight: 50, matchSelector: { matchLabels: { tier: 'front' } } }],
};
const lifecycle = { preDelete: { labelsHandler: { 'example.com/hook': 'true' } } };
const job: JsonObject = {
  parallelism: '10%',
  template: podTemplate('Never', onEmptyDir),
  completionPolicy: { type: 'Always', activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 60 },
  failurePolicy: { type: 'FailFast', restartLimit: 3 },
};
const schedule: JsonObject = {
  schedule: '30 2 * * 1-5',
  timeZone: 'Europe/Berlin',
  startingDeadlineSeconds: 60,
  concurrencyPolicy: 'Forbid',
  successfulJobsHistoryLimit: 1,
  failedJobsHistoryLimit: 1,
};
const nativeJob = {
  metadata: { labels: { a: 'b' } },
  spec: { backoffLimit: 1, template: podTemplate('Never', onEmptyDir) },
};

const specs: Readonly<Record<string, readonly JsonObject[]>> = {
  CloneSet: [
    {
      replicas: 2,
      selector,
      template: podTemplate(),
      volumeClaimTemplates: claims,
      updateStrategy: {
        type: 'InPlaceIfPossible',
        maxUnavailable: '25%',
        maxSurge: 1,
        partition: 1,
        priorityStrategy,
        scatterStrategy: [{ key: 'tier', value: 'front' }],
        inPlaceUpdateStrategy: { gracePeriodSeconds: 5 },
      },
      scaleStrategy: { podsToDelete: ['web-abcde'] },
      lifecycle,
      minReadySeconds: 5,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 5,
    },
  ],
  StatefulSet: [
    {
      replicas: 2,
      selector,
      template: podTemplate(),
      serviceName: 'web',
      podManagementPolicy: 'Parallel',
      ordinals: { start: 1 },
      reserveOrdinals: [1, '3-5'],
      volumeClaimTemplates: claims,
      volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: {
          maxUnavailable: '25%',
          partition: 1,
          podUpdatePolicy: 'InPlaceIfPossible',
          minReadySeconds: 5,
        },
      },
      lifecycle,
      revisionHistoryLimit: 5,
    },
  ],
  DaemonSet: [
    {
      selector,
      template: podTemplate('Always', onEmptyDir),
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: {
          rollingUpdateType: 'InPlaceIfPossible',
          maxUnavailable: '25%',
          partition: 1,
          selector: { matchLabels: { pool: 'canary' } },
          paused: false,
        },
      },
      scaleStrategy: { partitionedScaling: true },
      lifecycle,
      burstReplicas: '50%',
      minReadySeconds: 5,
      revisionHistoryLimit: 5,
    },
    {
      selector,
      template: podTemplate('Always', onEmptyDir),
      updateStrategy: { rollingUpdate: { maxSurge: 1 } },
    },
  ],
  BroadcastJob: [job],
  AdvancedCronJob: [
    { ...schedule, template: { jobTemplate: nativeJob } },
    { ...schedule, template: { broadcastJobTemplate: { metadata: { labels: { a: 'b' } }, spec: job } } },
    {
      ...{ ...schedule, concurrencyPolicy: 'Replace' },
      template: { imageListPullJobTemplate: { spec: { images: ['web:1'], completionPolicy: {} } } },
    },
  ],
  UnitedDeployment: [
    {
      replicas: 10,
      selector: { matchLabels: { app: 'web' } },
      template: {
        cloneSetTemplate: {
          metadata: { labels: { team: 'a' } },
          spec: {
            selector: { matchLabels: { app: 'web' } },
            template: podTemplate('Always', onEmptyDir),
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%' } },
            minReadySeconds: 5,
          },
        },
      },
      topology: {
        subsets: [
          {
            name: 'a',
            replicas: '40%',
            nodeSelectorTerm: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
            tolerations: [{ key: 'zone', operator: 'Exists' }],
            patch: { metadata: { labels: { zone: 'a' } } },
          },
          { name: 'b' },
        ],
        scheduleStrategy: { type: 'Fixed' },
      },
      updateStrategy: { type: 'Manual', manualUpdate: {} },
      revisionHistoryLimit: 5,
    },
  ],
  SidecarSet: [
    {
      selector,
      namespaceSelector: { matchLabels: { team: 'a' } },
      containers: [
        {
          ...container,
          name: 'agent',
          podInjectPolicy: 'BeforeAppContainer',
          shareVolumePolicy: { type: 'enabled' },
          upgradeStrategy: { upgradeType: 'ColdUpgrade' },
          transferEnv: [{ sourceContainerName: 'main', envName: 'A' }],
        },
      ],
      initContainers: [{ name: 'init', image: 'init:1', podInjectPolicy: 'BeforeAppContainer' }],
      volumes: onEmptyDir,
      updateStrategy: { type: 'RollingUpdate', maxUnavailable: '25%', partition: '50%', priorityStrategy },
      injectionStrategy: { paused: false },
      patchPodMetadata: [{ annotations: { note: 'b' }, patchPolicy: 'Retain' }],
    },
  ],
  PodUnavailableBudget: [
    {
      selector,
      maxUnavailable: '25%',
      protectOperations: ['DELETE', 'UPDATE'],
      protectTotalReplicas: 4,
      ignoredPodSelector: { matchLabels: { track: 'canary' } },
    },
    { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, minAvailable: 2 },
  ],
  ImagePullJob: [
    {
      image: 'registry.example/web:1',
      selector: { matchLabels: { pool: 'web' } },
      pullSecrets: ['registry'],
      parallelism: 5,
      pullPolicy: { timeoutSeconds: 300, backoffLimit: 2 },
      completionPolicy: { type: 'Always', activeDeadlineSeconds: 1200, ttlSecondsAfterFinished: 300 },
      sandboxConfig: { labels: { team: 'web' }, annotations: { team: 'web' } },
      imagePullPolicy: 'Always',
    },
    { image: 'web:1', podSelector: { matchLabels: { app: 'web' } }, completionPolicy: { type: 'Never' } },
  ],
  ImageListPullJob: [
    {
      images: ['registry.example/web:1', 'db:1'],
      selector: { names: ['node-1'] },
      pullSecrets: ['registry'],
      parallelism: '5',
      pullPolicy: { timeoutSeconds: 300, backoffLimit: 2 },
      completionPolicy: { type: 'Always', activeDeadlineSeconds: 1200, ttlSecondsAfterFinished: 300 },
      sandboxConfig: { labels: { team: 'web' }, annotations: { team: 'web' } },
      imagePullPolicy: 'Always',
    },
  ],
  NodeImage: [
    {
      images: {
        'registry.example/web': {
          pullSecrets: [{ namespace: 'shop', name: 'registry', mode: 'batch' }],
          sandboxConfig: { labels: { team: 'web' }, annotations: { team: 'web' } },
          tags: [
            {
              ...{ tag: '1', version: 2, createdAt: '2026-01-01T00:00:00Z', imagePullPolicy: 'Always' },
              pullPolicy: {
                ...{ timeoutSeconds: 300, backoffLimit: 2 },
                ...{ activeDeadlineSeconds: 1200, ttlSecondsAfterFinished: 300 },
              },
            },
          ],
        },
      },
    },
  ],
  ContainerRecreateRequest: [
    {
      podName: 'web-0',
      containers: [{ name: 'main' }, { name: 'log' }],
      strategy: {
        failurePolicy: 'Ignore',
        orderedRecreate: true,
        forceRecreate: true,
        unreadyGracePeriodSeconds: 5,
        minStartedSeconds: 5,
      },
      activeDeadlineSeconds: 600,
      ttlSecondsAfterFinished: 3600,
    },
  ],
  ResourceDistribution: [
    {
      resource: {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } },
        ...{ data: { color: 'red' }, binaryData: { logo: 'YQ==' }, immutable: false },
      },
      targets: {
        namespaceSelector: { matchLabels: { team: 'a' } },
        includedNamespaces: { list: [{ name: 'shop' }] },
        excludedNamespaces: { list: [{ name: 'tools' }] },
      },
    },
    {
      resource: {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' } },
        ...{ type: 'Opaque', stringData: { token: 'a' } },
      },
      targets: { allNamespaces: true },
    },
  ],
  WorkloadSpread: [
    {
      targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
      targetFilter: { selector, replicasPathList: ['spec.replicas'] },
      subsets: [
        {
          ...{ name: 'a', maxReplicas: '50%' },
          tolerations: [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }],
          patch: { metadata: { labels: { zone: 'a' } } },
        },
        { name: 'b' },
      ],
      scheduleStrategy: {
        type: 'Adaptive',
        adaptive: { rescheduleCriticalSeconds: 30, disableSimulationSchedule: true },
      },
    },
  ],
};

/** A manifest with many of its fields, for each kind and version; more than one where fields exclude one another. */
export const eachKind: readonly { kind: string; manifest: JsonObject }[] = kinds.flatMap(
  ({ id: { group, kind }, resource, versions }) => {
    const own = specs[kind];
    if (own === undefined) throw new Error(`no manifest of ${kind} in ${import.meta.url}`);
    return versions.flatMap((version) =>
      own.map((spec) => ({
        kind: `${kind} ${version}`,
        manifest: {
          apiVersion: `${group}/${version}`,
          kind,
          metadata: { name: 'web', ...(resource.namespaced && { namespace: 'shop' }) },
          spec,
        },
      })),
    );
  },
);
