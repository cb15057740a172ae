import type { TableRows } from './table-rows.ts';

/** Table rows of workloads. */
export const workloads: TableRows = {
  replicationcontrollers: [
    [
      'rc',
      {
        spec: {
          replicas: 0,
          selector: { a: 'b' },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'i' }] } },
        },
      },
      'rc | 0 | 0 | 0 | 10m | a | i | a=b',
    ],
  ],
  podtemplates: [
    [
      'pt',
      {
        template: {
          metadata: { labels: { a: 'b', c: 'd' } },
          spec: {
            containers: [
              { name: 'a', image: 'i' },
              { name: 'b', image: 'j' },
            ],
          },
        },
      },
      'pt | a,b | i,j | a=b,c=d',
    ],
  ],
  'deployments.apps': [
    [
      'dep',
      {
        spec: {
          replicas: 0,
          paused: true,
          selector: {
            matchLabels: { a: 'b', '0x': 'y1' },
            matchExpressions: [
              { key: 'z', operator: 'In', values: ['b', 'a'] },
              { key: 'a', operator: 'Exists' },
              { key: 'nope', operator: 'DoesNotExist' },
              { key: 'q', operator: 'NotIn', values: ['w', 'v'] },
            ],
          },
          template: {
            metadata: { labels: { a: 'b', '0x': 'y1', z: 'a' } },
            spec: {
              containers: [
                { name: 'a', image: 'i' },
                { name: 'b', image: 'j' },
              ],
            },
          },
        },
      },
      'dep | 0/0 | 0 | 0 | 10m | a,b | i,j | 0x=y1,a=b,a,!nope,q notin (v,w),z in (a,b)',
    ],
  ],
  'replicasets.apps': [
    [
      'rs',
      {
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              containers: [
                { name: 'a', image: 'i' },
                { name: 'b', image: 'j' },
              ],
            },
          },
        },
      },
      'rs | 0 | 0 | 0 | 10m | a,b | i,j | a=b',
    ],
  ],
  'statefulsets.apps': [
    [
      'sts',
      {
        spec: {
          replicas: 0,
          serviceName: 'x',
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              containers: [
                { name: 'a', image: 'i' },
                { name: 'b', image: 'j' },
              ],
            },
          },
        },
      },
      'sts | 0/0 | 10m | a,b | i,j',
    ],
  ],
  'daemonsets.apps': [
    [
      'ds',
      {
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              nodeSelector: { x: false, w: false },
              containers: [
                { name: 'a', image: 'i' },
                { name: 'b', image: 'j' },
              ],
            },
          },
        },
      },
      'ds | 0 | 0 | 0 | 0 | 0 | w=false,x=false | 10m | a,b | i,j | a=b',
    ],
    [
      'ds2',
      {
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              affinity: {
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [{ matchExpressions: [{ key: false, operator: 'Exists' }] }],
                  },
                },
              },
              containers: [{ name: 'a', image: 'i' }],
            },
          },
        },
      },
      'ds2 | 0 | 0 | 0 | 0 | 0 | <none> | 10m | a | i | a=b',
    ],
    [
      'ds',
      {
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              nodeSelector: { x: 'nope', w: 'nope' },
              containers: [
                { name: 'a', image: 'i' },
                { name: 'b', image: 'j' },
              ],
            },
          },
        },
      },
      'ds | 0 | 0 | 0 | 0 | 0 | w=nope,x=nope | 10m | a,b | i,j | a=b',
    ],
    [
      'ds2',
      {
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              affinity: {
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [{ matchExpressions: [{ key: 'nope', operator: 'Exists' }] }],
                  },
                },
              },
              containers: [{ name: 'a', image: 'i' }],
            },
          },
        },
      },
      'ds2 | 0 | 0 | 0 | 0 | 0 | <none> | 10m | a | i | a=b',
    ],
  ],
  'controllerrevisions.apps': [
    ['cr1', { revision: 3, data: {} }, 'cr1 | <none> | 3 | 10m'],
    [
      'cr2',
      {
        metadata: {
          ownerReferences: [
            {
              apiVersion: 'apps.kruise.io/v1alpha1',
              kind: 'CloneSet',
              name: 'web',
              uid: 'abc',
              controller: true,
            },
          ],
        },
        revision: 4,
        data: {},
      },
      'cr2 | cloneset.apps.kruise.io/web | 4 | 10m',
    ],
  ],
};
