import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { isMadeOf } from '../../../semantics/daemonset/made-of.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

const toleration = (key: string, effect: string): JsonObject => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect,
});
/** OpenKruise advanced-daemonset, rule 6.2: what every such pod tolerates. */
const tolerated = [
  toleration('not-ready', 'NoExecute'),
  toleration('unreachable', 'NoExecute'),
  toleration('disk-pressure', 'NoSchedule'),
  toleration('memory-pressure', 'NoSchedule'),
  toleration('pid-pressure', 'NoSchedule'),
  toleration('unschedulable', 'NoSchedule'),
];
const dedicated: JsonObject = { key: 'dedicated', operator: 'Exists' };
const onNode = (node: string): JsonObject => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
  },
});
const inZone: JsonObject = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
  },
};

const template = (spec: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'log' } },
  spec: { containers: [{ name: 'main', image: 'log:1' }], ...spec },
});

/** A pod of the template as it is on a server: with what the controller, and what the API server adds. */
function pod(spec: JsonObject = {}, container: JsonObject = {}, labels: Record<string, string> = {}): Pod {
  const token = 'kube-api-access-x7k2p';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'log-x7k2p',
      labels: { app: 'log', 'controller-revision-hash': '6bc9', 'pod-template-generation': '1', ...labels },
    },
    spec: {
      nodeName: 'node-1',
      affinity: { nodeAffinity: onNode('node-1') },
      tolerations: tolerated,
      serviceAccount: 'default',
      serviceAccountName: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      schedulerName: 'default-scheduler',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      volumes: [{ name: token, projected: { defaultMode: 420, sources: [] } }],
      containers: [
        {
          name: 'main',
          image: 'log:1',
          imagePullPolicy: 'IfNotPresent',
          volumeMounts: [{ name: token, readOnly: true, mountPath: '/var/run/secrets' }],
          ...container,
        },
      ],
      ...spec,
    },
  };
}

describe('a pod is one of a template', () => {
  test.each<[what: string, pod: Pod, template: JsonObject]>([
    ['as every pod of a DaemonSet is', pod(), template()],
    [
      'with a toleration of the template before the others',
      pod({ tolerations: [dedicated, ...tolerated] }),
      template({ tolerations: [dedicated] }),
    ],
    [
      'in the network of its node it tolerates one more taint',
      pod({
        hostNetwork: true,
        tolerations: [...tolerated, toleration('network-unavailable', 'NoSchedule')],
      }),
      template({ hostNetwork: true }),
    ],
    ['whose node affinity is replaced', pod(), template({ affinity: { nodeAffinity: inZone } })],
    [
      'whose pull policy the template sets',
      pod({}, { imagePullPolicy: 'IfNotPresent' }),
      template({ containers: [{ name: 'main', image: 'log:1', imagePullPolicy: 'IfNotPresent' }] }),
    ],
    [
      'with the readiness gate of updates in place',
      pod({ readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] }),
      template(),
    ],
    ['with further labels', pod({}, {}, { owner: 'mona' }), template()],
  ])('%s', (_what, given, of) => {
    expect(isMadeOf(given, of)).toBe(true);
  });

  test.each<[what: string, pod: Pod, template: JsonObject]>([
    ['another image', pod({}, { image: 'log:2' }), template()],
    ['another label', pod({}, {}, { app: 'other' }), template()],
    [
      'an injected container',
      pod({
        containers: [
          { name: 'main', image: 'log:1' },
          { name: 'mesh', image: 'mesh:1' },
        ],
      }),
      template(),
    ],
    ['a limit of its namespace', pod({}, { resources: { limits: { cpu: '1' } } }), template()],
    ['another service account', pod({ serviceAccountName: 'reader', serviceAccount: 'reader' }), template()],
    ['a further toleration', pod({ tolerations: [...tolerated, dedicated] }), template()],
    ['without a toleration of the template', pod(), template({ tolerations: [dedicated] })],
    [
      'affinity to pods',
      pod(),
      template({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }],
          },
        },
      }),
    ],
    [
      'a pull policy other than that of the template',
      pod({}, { imagePullPolicy: 'IfNotPresent' }),
      template({ containers: [{ name: 'main', image: 'log:1', imagePullPolicy: 'Never' }] }),
    ],
    ['a further volume', pod({ volumes: [{ name: 'cache', emptyDir: {} }] }), template()],
  ])('not: %s', (_what, given, of) => {
    expect(isMadeOf(given, of)).toBe(false);
  });
});
