import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, stage } from './world.ts';
import { create, jobTemplate, main, selector, template, type Name } from './builtIn.ts';

const filledContainer = {
  ...main,
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
};

const filledSpec = {
  containers: [filledContainer],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};

const filledTemplate = { ...template, spec: filledSpec };

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

describe('defaults', () => {
  const rows: [Name, Record<string, unknown>, Record<string, unknown>][] = [
    [
      'Deployment',
      { spec: { selector, template } },
      {
        spec: {
          selector,
          template: filledTemplate,
          replicas: 1,
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        },
        status: {},
      },
    ],
    [
      'ReplicaSet',
      { spec: { selector, template } },
      { spec: { selector, template: filledTemplate, replicas: 1 }, status: { replicas: 0 } },
    ],
    [
      'StatefulSet',
      { spec: { selector, template, volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: claim }] } },
      {
        spec: {
          selector,
          template: filledTemplate,
          replicas: 1,
          podManagementPolicy: 'OrderedReady',
          revisionHistoryLimit: 10,
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
          volumeClaimTemplates: [
            {
              apiVersion: 'v1',
              kind: 'PersistentVolumeClaim',
              metadata: { name: 'v' },
              spec: { ...claim, volumeMode: 'Filesystem' },
              status: { phase: 'Pending' },
            },
          ],
        },
        status: { replicas: 0, availableReplicas: 0 },
      },
    ],
    [
      'DaemonSet',
      { spec: { selector, template } },
      {
        spec: {
          selector,
          template: filledTemplate,
          revisionHistoryLimit: 10,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        },
      },
    ],
    [
      'CronJob',
      { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } } },
      {
        spec: {
          schedule: '* * * * *',
          jobTemplate: { spec: { template: { spec: { ...filledSpec, restartPolicy: 'Never' } } } },
          concurrencyPolicy: 'Allow',
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
        },
      },
    ],
    [
      'Secret',
      { data: { c: 'ZA==' }, stringData: { a: 'b' } },
      { data: { a: 'Yg==', c: 'ZA==' }, type: 'Opaque' },
    ],
    ['PriorityClass', { value: 5 }, { value: 5, preemptionPolicy: 'PreemptLowerPriority' }],
    ['StorageClass', { provisioner: 'p' }, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }],
  ];
  test.each(rows)('of a %s', async (kind, fields, expected) => {
    const made = await create(stage({ nodes: 0 }), kind, fields);
    expect(made).toMatchObject(expected);
    if (expected['spec'] !== undefined) expect(made['spec']).toMatchObject(expected['spec'] as object);
    expect(made['stringData']).toBeUndefined();
  });

  test('of a Job: it selects its pods by its own uid', async () => {
    const made = await create(stage({ nodes: 0 }), 'Job', { spec: { template: jobTemplate } });
    const uid = made.metadata.uid ?? '';
    const own = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'x',
      'controller-uid': uid,
      'job-name': 'x',
    };
    expect(made.metadata.labels).toEqual(own);
    expect(made['spec']).toMatchObject({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      manualSelector: false,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels: own } },
    });
  });

  test('of a pod: probes, volumes, ports, and requests out of limits', async () => {
    const made = await stage({ nodes: 0 }).alice.create(
      resources.Pod,
      pod('x', 'web', {
        terminationGracePeriodSeconds: -3,
        volumes: [{ name: 'v' }, { name: 'c', configMap: { name: 'c' } }],
        containers: [
          {
            name: 'main',
            image: 'web',
            ports: [{ containerPort: 80 }],
            readinessProbe: { httpGet: { port: 80 } },
            resources: { limits: { cpu: '1' } },
          },
        ],
      }),
    );
    expect(made['spec']).toMatchObject({
      terminationGracePeriodSeconds: 1,
      enableServiceLinks: true,
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'c', configMap: { name: 'c', defaultMode: 420 } },
      ],
      containers: [
        {
          imagePullPolicy: 'Always',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          readinessProbe: {
            httpGet: { path: '/', port: 80, scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
        },
      ],
    });
  });

  test('of a pod: 0 and the empty string are unset', async () => {
    const unsaid = { timeoutSeconds: 0, periodSeconds: 0, successThreshold: 0, failureThreshold: 0 };
    const made = await stage({ nodes: 0 }).alice.create(
      resources.Pod,
      pod('x', 'web:1', {
        restartPolicy: '',
        dnsPolicy: '',
        schedulerName: '',
        containers: [
          {
            ...main,
            imagePullPolicy: '',
            terminationMessagePath: '',
            terminationMessagePolicy: '',
            ports: [{ containerPort: 80, protocol: '' }],
            livenessProbe: { httpGet: { path: '', port: 80, scheme: '' }, ...unsaid },
          },
        ],
      }),
    );
    expect(made['spec']).toMatchObject({
      ...filledSpec,
      containers: [
        {
          ...filledContainer,
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          livenessProbe: {
            httpGet: { path: '/', port: 80, scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
        },
      ],
    });
  });
});
