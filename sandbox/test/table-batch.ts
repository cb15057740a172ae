import type { TableRows } from './table-rows.ts';

/** Table rows of jobs, budgets and autoscalers. */
export const batch: TableRows = {
  'jobs.batch': [
    [
      'j1',
      {
        spec: {
          suspend: true,
          completions: 5,
          parallelism: 2,
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [
                { name: 'a', image: 'i' },
                { name: 'b', image: 'j' },
              ],
            },
          },
        },
        status: { conditions: [{ type: 'Suspended', status: 'True' }] },
      },
      'j1 | Suspended | 0/5 |  | 10m | a,b | i,j | <none>',
    ],
    [
      'j2',
      {
        spec: {
          suspend: false,
          parallelism: 2,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } },
        },
      },
      'j2 | Running | 0/1 of 2 |  | 10m | a | i | <none>',
    ],
    [
      'j3',
      {
        spec: {
          suspend: false,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } },
        },
      },
      'j3 | Running | 0/1 |  | 10m | a | i | <none>',
    ],
    [
      'j4',
      {
        spec: {
          managedBy: 'kt.example.com/x',
          parallelism: 1,
          completions: 1,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } },
        },
        status: {
          startTime: '2026-11-21T20:00:00Z',
          completionTime: '2026-11-21T20:03:20Z',
          succeeded: 1,
          uncountedTerminatedPods: {},
          conditions: [
            { type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: '2026-11-21T20:00:00Z' },
            { type: 'Complete', status: 'True', lastTransitionTime: '2026-11-21T20:00:00Z' },
          ],
        },
      },
      'j4 | Complete | 1/1 | 3m20s | 10m | a | i | <none>',
    ],
    [
      'j5',
      {
        spec: {
          managedBy: 'kt.example.com/x',
          parallelism: 1,
          completions: 1,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } },
        },
        status: {
          startTime: '2026-11-21T20:00:00Z',
          uncountedTerminatedPods: {},
          conditions: [{ type: 'FailureTarget', status: 'True', lastTransitionTime: '2026-11-21T20:00:00Z' }],
        },
      },
      'j5 | FailureTarget | 0/1 | 120m | 10m | a | i | <none>',
    ],
    [
      'j6',
      {
        spec: {
          managedBy: 'kt.example.com/x',
          parallelism: 1,
          completions: 1,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } },
        },
        status: {
          startTime: '2026-11-21T20:00:00Z',
          uncountedTerminatedPods: {},
          conditions: [
            { type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: '2026-11-21T20:00:00Z' },
          ],
        },
      },
      'j6 | SuccessCriteriaMet | 0/1 | 120m | 10m | a | i | <none>',
    ],
    [
      'j7',
      {
        spec: {
          managedBy: 'kt.example.com/x',
          parallelism: 1,
          completions: 1,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } },
        },
        status: {
          startTime: '2026-11-21T20:00:00Z',
          uncountedTerminatedPods: {},
          conditions: [
            { type: 'FailureTarget', status: 'True', lastTransitionTime: '2026-11-21T20:00:00Z' },
            { type: 'Failed', status: 'True', lastTransitionTime: '2026-11-21T20:00:00Z' },
          ],
        },
      },
      'j7 | Failed | 0/1 | 120m | 10m | a | i | <none>',
    ],
    [
      'j8',
      {
        metadata: { deletionTimestamp: '2026-11-21T21:55:00Z' },
        spec: {
          managedBy: 'kt.example.com/x',
          parallelism: 1,
          completions: 1,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } },
        },
      },
      'j8 | Terminating | 0/1 |  | 10m | a | i | <none>',
    ],
  ],
  'cronjobs.batch': [
    [
      'cj1',
      {
        spec: {
          schedule: '0 0 1 1 *',
          suspend: true,
          timeZone: 'Etc/UTC',
          jobTemplate: {
            spec: {
              template: {
                spec: {
                  restartPolicy: 'Never',
                  containers: [
                    { name: 'a', image: 'i' },
                    { name: 'b', image: 'j' },
                  ],
                },
              },
            },
          },
        },
      },
      'cj1 | 0 0 1 1 * | Etc/UTC | True | 0 | <none> | 10m | a,b | i,j | <none>',
    ],
    [
      'cj2',
      {
        spec: {
          schedule: '0 0 1 1 *',
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } } },
          },
        },
        status: { lastScheduleTime: '2026-11-21T20:00:00Z', active: [{ name: 'x' }, { name: 'y1' }] },
      },
      'cj2 | 0 0 1 1 * | <none> | False | 2 | 120m | 10m | a | i | <none>',
    ],
  ],
  'poddisruptionbudgets.policy': [
    [
      'p1',
      { spec: { minAvailable: '50%', selector: { matchLabels: { a: 'b' } } } },
      'p1 | 50% | N/A | 0 | 10m',
    ],
    ['p2', { spec: { maxUnavailable: 2, selector: { matchLabels: { a: 'b' } } } }, 'p2 | N/A | 2 | 0 | 10m'],
  ],
  'horizontalpodautoscalers.autoscaling': [
    [
      'h1',
      {
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nope' } },
      },
      'h1 | Deployment/nope | <none> | <unset> | 3 | 0 | 10m',
    ],
    [
      'h2',
      {
        spec: {
          minReplicas: 2,
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nope' },
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
            },
            {
              type: 'Resource',
              resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } },
            },
            {
              type: 'Pods',
              pods: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '5' } },
            },
          ],
        },
        status: {
          currentReplicas: 2,
          desiredReplicas: 2,
          currentMetrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', current: { averageUtilization: 20, averageValue: 3 } },
            },
            { type: 'Resource', resource: { name: 'memory', current: { averageValue: '3Mi' } } },
            { type: 'Pods', pods: { metric: { name: 'p' }, current: { averageValue: 3 } } },
          ],
        },
      },
      'h2 | Deployment/nope | cpu: 20%/50%, memory: 3Mi/100Mi + 1 more... | 2 | 3 | 2 | 10m',
    ],
    [
      'h3',
      {
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nope' },
          metrics: [
            {
              type: 'Object',
              object: {
                metric: { name: 'p' },
                describedObject: { kind: 'Service', name: 'x' },
                target: { type: 'Value', value: '5' },
              },
            },
            {
              type: 'Object',
              object: {
                metric: { name: 'p' },
                describedObject: { kind: 'Service', name: 'x' },
                target: { type: 'AverageValue', averageValue: '5' },
              },
            },
          ],
        },
      },
      'h3 | Deployment/nope | <unknown>/5, <unknown>/5 (avg) | <unset> | 3 | 0 | 10m',
    ],
    [
      'h4',
      {
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nope' },
          metrics: [
            { type: 'External', external: { metric: { name: 'p' }, target: { type: 'Value', value: '5' } } },
            {
              type: 'External',
              external: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '5' } },
            },
          ],
        },
      },
      'h4 | Deployment/nope | <unknown>/5, <unknown>/5 (avg) | <unset> | 3 | 0 | 10m',
    ],
    [
      'h5',
      {
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nope' },
          metrics: [
            {
              type: 'ContainerResource',
              containerResource: {
                name: 'cpu',
                container: 'c',
                target: { type: 'Utilization', averageUtilization: 50 },
              },
            },
            {
              type: 'ContainerResource',
              containerResource: {
                name: 'cpu',
                container: 'c',
                target: { type: 'AverageValue', averageValue: '100m' },
              },
            },
          ],
        },
      },
      'h5 | Deployment/nope | cpu: <unknown>/50%, cpu: <unknown>/100m | <unset> | 3 | 0 | 10m',
    ],
  ],
};
