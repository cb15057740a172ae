import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { isPlanned } from '../../../semantics/kinds/kind.ts';
import type { LoweringToObject, Neighbors } from '../../../semantics/kinds/lowering.ts';
import { protectedResourceOf } from '../../../semantics/protection/resources.ts';
import { kindsByName } from '../../../semantics/registry/registered.ts';
import { kinds } from '../../../semantics/registry/registry.ts';
import { objectOf } from '../../../semantics/values/read.ts';

type Name = keyof typeof kindsByName;

function loweringOf(kind: Name): LoweringToObject {
  const { lowering } = kindsByName[kind];
  return lowering.of === 'object' ? lowering : expect.unreachable();
}

const pods = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
};
/** A pod of a node that is given. */
function onNode(name: string, spec: JsonObject = {}): JsonObject {
  return { ...pods, spec: { ...pods.spec, nodeSelector: { 'kubernetes.io/hostname': name }, ...spec } };
}
const ofCloneSets = (template: JsonObject): JsonObject => ({
  template: { cloneSetTemplate: { spec: { template } } },
});
const specs: Partial<Record<Name, JsonObject>> = {
  AdvancedCronJob: { schedule: '* * * * *', template: { jobTemplate: { spec: { template: pods } } } },
  BroadcastJob: { template: onNode('node-1'), failurePolicy: { type: 'FailFast' } },
  UnitedDeployment: { ...{ replicas: 1, topology: { subsets: [{ name: 'a' }] } }, ...ofCloneSets(pods) },
};

interface Parts {
  spec?: JsonObject;
  annotations?: Record<string, string>;
}

const alone: Neighbors = { isScaled: false, namespaces: [], inNamespace: [] };

function objectWith(kind: Name, { spec = {}, annotations }: Parts = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind,
    metadata: { name: 'web', namespace: 'shop', ...(annotations && { annotations }) },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: pods,
      updateStrategy: { rollingUpdate: { podUpdatePolicy: 'ReCreate' } },
      ...specs[kind],
      ...spec,
    },
  };
}

function rowsOf(kind: Name, parts?: Parts, around: Partial<Neighbors> = {}): string[] {
  const found = loweringOf(kind).lower(objectWith(kind, parts), { ...alone, ...around });
  const rows = 'stays' in found ? found.stays : found.losses;
  return rows.map(({ what }) => what).filter((what) => !what.startsWith('any '));
}

function specOf(kind: Name, parts?: Parts, around: Partial<Neighbors> = {}): JsonObject {
  const found = loweringOf(kind).lower(objectWith(kind, parts), { ...alone, ...around });
  return 'objects' in found ? objectOf(found.objects[0]?.['spec']) : expect.unreachable();
}

const rolling = (fields: JsonObject): Parts => ({
  spec: { updateStrategy: { rollingUpdate: { podUpdatePolicy: 'ReCreate', ...fields } } },
});

describe('rows that no golden shows', () => {
  test.each<[kind: Name, parts: Parts, rows: string[]]>([
    ['CloneSet', rolling({ maxUnavailable: 0, maxSurge: '0%' }), ['maxUnavailable and maxSurge 0']],
    [
      'CloneSet',
      rolling({ maxUnavailable: '33.3%', maxSurge: 1 }),
      ['limits that are no whole percentages, where git has no replicas or an autoscaler changes them'],
    ],
    [
      'CloneSet',
      { spec: { replicas: 2, minReadySeconds: 9, progressDeadlineSeconds: 9 } },
      ['progressDeadlineSeconds that minReadySeconds exceed'],
    ],
    [
      'CloneSet',
      { spec: { replicas: 2, template: { spec: { topologySpreadConstraints: [{ topologyKey: 'zone' }] } } } },
      ['topologySpreadConstraints'],
    ],
    [
      'StatefulSet',
      { annotations: { 'plan.kruise.io/image-predownload': 'true' } },
      ['images that are pulled ahead of an update'],
    ],
    [
      'DaemonSet',
      { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: '1.5%' } } } },
      ['limits that are no whole percentages'],
    ],
    [
      'AdvancedCronJob',
      { spec: { template: { imageListPullJobTemplate: {} } } },
      ['imageListPullJobTemplate'],
    ],
    [
      'BroadcastJob',
      {
        spec: {
          failurePolicy: { restartLimit: -1 },
          template: onNode('node-1', { restartPolicy: 'OnFailure' }),
        },
      },
      ['a restartLimit below 0'],
    ],
  ])('%s: %j', (kind, parts, rows) => expect(rowsOf(kind, parts)).toEqual(rows));

  const lowered = kinds.filter((kind) => isPlanned(kind) && kind.lowering.of === 'object');
  test.each(lowered.map(({ id }) => id.kind as Name))(
    '%s that asks for plans by itself loses them',
    (kind) => {
      const spec: JsonObject = kind === 'CloneSet' ? { replicas: 1 } : {};
      const annotations = { 'plan.kruise.io/policy': 'Required' };
      const row = 'the policy Required, by plan.kruise.io/policy of the object or its namespace';
      expect(rowsOf(kind, { spec, annotations })).toEqual([row]);
      const namespace = (value: string): KubeObject => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop', annotations: { 'plan.kruise.io/policy': value } },
      });
      const auto = { spec, annotations: { 'plan.kruise.io/policy': 'Auto' } };
      // The strictest counts, and a typo is as strict.
      for (const value of ['Required', 'required'])
        expect(rowsOf(kind, auto, { namespaces: [namespace('Auto'), namespace(value)] })).toEqual([row]);
      expect(rowsOf(kind, auto, { namespaces: [namespace('Auto')] })).toEqual([]);
      expect(rowsOf(kind, { spec }), 'otherwise it is exact').toEqual([]);
    },
  );
});

test.each<[kind: Name]>([['CloneSet'], ['StatefulSet']])('new pods of a %s that is spread', (kind) => {
  const spread = (name: string, of: string): KubeObject => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { name: 'zones', namespace: 'shop' },
    spec: { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: of, name }, subsets: [] },
  });
  const rows = (...inNamespace: KubeObject[]): string[] =>
    rowsOf(kind, { spec: { replicas: 1 } }, { inNamespace });
  expect(rows(spread('web', kind))).toEqual(['a WorkloadSpread of it']);
  expect(rows(spread('db', kind), spread('web', 'Deployment'))).toEqual([]);
});

describe('limits', () => {
  test.each<
    [replicas: number | undefined, maxUnavailable: number | string, maxSurge: number | string, JsonObject]
  >([
    // A Deployment rounds maxUnavailable down; a CloneSet without surge rounds it up.
    [7, '20%', 0, { maxUnavailable: 2, maxSurge: 0 }],
    [7, '20%', '20%', { maxUnavailable: '20%', maxSurge: '20%' }],
    [7, 3, 0, { maxUnavailable: 3, maxSurge: 0 }],
    // Kubernetes refuses two zeros.
    [0, '20%', 0, { maxUnavailable: 1, maxSurge: 0 }],
    [7, '33.3%', 1, { maxUnavailable: 0, maxSurge: 1 }],
    [undefined, '20%', 0, { maxUnavailable: '20%', maxSurge: 0 }],
  ])('of a CloneSet of %s with %s and %s', (replicas, maxUnavailable, maxSurge, expected) => {
    const { updateStrategy } = rolling({ maxUnavailable, maxSurge }).spec ?? {};
    const spec = specOf('CloneSet', {
      spec: { ...(replicas !== undefined && { replicas }), updateStrategy: updateStrategy ?? {} },
    });
    expect(objectOf(spec['strategy'])['rollingUpdate']).toEqual(expected);
  });

  test('of a CloneSet that something scales are not those of its replicas', () => {
    const { updateStrategy } = rolling({ maxUnavailable: '25%' }).spec ?? {};
    const parts = { spec: { replicas: 10, updateStrategy: updateStrategy ?? {} } };
    const scaled = { isScaled: true };
    expect(rowsOf('CloneSet', parts)).toEqual([]);
    expect(rowsOf('CloneSet', parts, scaled)).toEqual([
      'maxUnavailable in percent without maxSurge, where git has no replicas or an autoscaler changes them',
    ]);
    const spec = specOf('CloneSet', parts, scaled);
    expect(objectOf(spec['strategy'])['rollingUpdate']).toEqual({ maxUnavailable: '25%', maxSurge: 0 });
    expect(spec['replicas'], 'as git has them').toBe(10);
  });

  test.each<[kind: Name, spec: JsonObject, limit: JsonObject]>([
    ['CloneSet', { maxUnavailable: '150%', maxSurge: '150%' }, { maxUnavailable: '100%', maxSurge: '150%' }],
    ['CloneSet', { maxUnavailable: '1000%', maxSurge: 1 }, { maxUnavailable: '100%', maxSurge: 1 }],
    ['DaemonSet', { maxUnavailable: '150%' }, { maxUnavailable: '100%', maxSurge: 0 }],
    [
      'DaemonSet',
      { rollingUpdateType: 'Surging', maxSurge: '101%' },
      { maxSurge: '100%', maxUnavailable: 0 },
    ],
  ])('of a %s with %j are at most all pods', (kind, fields, expected) => {
    const spec = specOf(kind, rolling(fields));
    const strategy = spec['strategy'] ?? spec['updateStrategy'];
    expect(objectOf(objectOf(strategy)['rollingUpdate'])).toEqual(expected);
  });

  test.each<[rollingUpdate: JsonObject, expected: JsonObject]>([
    [{}, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }],
    [
      { rollingUpdateType: 'Surging' },
      { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    ],
    [
      { maxUnavailable: 0, maxSurge: 0 },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    ],
    [{ paused: true }, { type: 'OnDelete' }],
  ])('of a DaemonSet with %j', (rollingUpdate, expected) =>
    expect(specOf('DaemonSet', { spec: { updateStrategy: { rollingUpdate } } })['updateStrategy']).toEqual(
      expected,
    ),
  );
});

describe('schedules', () => {
  test.each([
    ['@every 1s', ['@every with less than a minute']],
    ['CRON_TZ=Asia/Tokyo @every 59s', ['@every with less than a minute']],
    ['@every 60s', []],
    ['@every 1h30m', []],
  ])('%s', (schedule, rows) =>
    expect(rowsOf('AdvancedCronJob', { spec: { ...specs.AdvancedCronJob, schedule } })).toEqual(rows),
  );

  test.each([
    ['0 4 * * *', undefined, '0 4 * * *', 'Etc/UTC'],
    ['CRON_TZ=Asia/Tokyo  0 4 * * *', undefined, '0 4 * * *', 'Asia/Tokyo'],
    ['@daily', 'Europe/Berlin', '@daily', 'Europe/Berlin'],
  ])('%s in %s', (schedule, timeZone, expected, zone) => {
    const own = { ...specs.AdvancedCronJob, schedule, ...(timeZone !== undefined && { timeZone }) };
    const spec = specOf('AdvancedCronJob', { spec: { ...own, paused: true } });
    expect([spec['schedule'], spec['timeZone'], spec['suspend']]).toEqual([expected, zone, true]);
  });
});

test('gates that only a runtime opens go, and others stay; pods without a pull policy have that of their kind', () => {
  const gates = ['InPlaceUpdateReady', 'KruisePodReady', 'example.org/drained'];
  const template = {
    ...pods,
    spec: { ...pods.spec, readinessGates: gates.map((conditionType) => ({ conditionType })) },
  };
  for (const [kind, policy] of [
    ['CloneSet', 'Always'],
    ['StatefulSet', 'Always'],
    ['DaemonSet', undefined],
  ] as const) {
    const built = objectOf(objectOf(specOf(kind, { spec: { replicas: 1, template } })['template'])['spec']);
    expect(built['readinessGates'], kind).toEqual([{ conditionType: 'example.org/drained' }]);
    expect(objectOf((built['containers'] as JsonObject[])[0])['imagePullPolicy'], kind).toBe(policy);
  }
});

const inEnv = (fieldPath: string): JsonObject => ({
  containers: [
    { name: 'main', image: 'web:1', env: [{ name: 'ID', valueFrom: { fieldRef: { fieldPath } } }] },
  ],
});
const apart = (selector: JsonObject): JsonObject => ({
  ...pods.spec,
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', ...selector }],
    },
  },
});

describe('a template of a CloneSet that names a label of its pods', () => {
  const labels = [
    'apps.kruise.io/cloneset-instance-id',
    'controller-revision-hash',
    'lifecycle.apps.kruise.io/state',
  ];
  const places: [place: string, of: (label: string) => JsonObject][] = [
    ['a variable', (label) => inEnv(`metadata.labels['${label}']`)],
    [
      'a selector',
      (label) => apart({ labelSelector: { matchExpressions: [{ key: label, operator: 'Exists' }] } }),
    ],
    ['a label of a selector', (label) => apart({ labelSelector: { matchLabels: { [label]: 'x' } } })],
    ['matchLabelKeys', (label) => apart({ matchLabelKeys: [label] })],
  ];
  const rows = (spec: JsonObject): string[] =>
    rowsOf('CloneSet', { spec: { replicas: 1, template: { ...pods, spec } } });
  test.each(places)('in %s', (_place, of) => {
    for (const label of labels)
      expect(rows(of(label)), label).toEqual([
        'a pod template that names controller-revision-hash, apps.kruise.io/cloneset-instance-id, lifecycle.apps.kruise.io/state',
      ]);
    expect(rows(of('app'))).toEqual([]);
  });
});

test.each(
  kinds
    .filter((kind) => isPlanned(kind) && kind.lowering.of === 'object')
    .map((kind) => [kind.id.kind, kind] as const),
)('what a %s becomes is protected from deletion as it is', (_name, { id, lowering }) => {
  const to = lowering.of === 'object' ? lowering.to : expect.unreachable();
  const [group = ''] = to.apiVersion.split('/');
  expect(protectedResourceOf(kinds, { group, kind: to.kind })?.cascading).toBe(
    protectedResourceOf(kinds, id)?.cascading,
  );
});

describe('a launch order as native sidecars', () => {
  const first = { name: 'a', image: 'a:1' };
  const readiness = { readinessProbe: { httpGet: { port: 80 } } };
  const ordered = (containers: JsonObject[], pod: JsonObject = {}): Parts => ({
    spec: {
      replicas: 2,
      template: {
        metadata: { annotations: { 'apps.kruise.io/container-launch-priority': 'Ordered' } },
        spec: { containers, ...pod },
      },
    },
  });
  const numbered = (...numbers: number[]): JsonObject[] =>
    numbers.map((value, index) => ({
      name: `c${index}`,
      image: 'a:1',
      env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: String(value) }],
    }));
  const [plain, native] = [
    'containers that start in an order',
    'containers that start in an order, as native sidecars',
  ];

  test.each(['CloneSet', 'DaemonSet', 'StatefulSet'] as const)('%s', (kind) => {
    const parts = ordered(
      [
        { ...first, ...readiness },
        { name: 'b', image: 'b:1' },
      ],
      {
        initContainers: [{ name: 'own', image: 'own:1' }],
      },
    );
    expect(rowsOf(kind, parts)).toEqual([plain]);
    expect(rowsOf(kind, parts, { isNative: true })).toEqual([native]);
    const { template } = specOf(kind, parts, { isNative: true });
    expect(template).toMatchObject({
      spec: {
        initContainers: [
          { name: 'own' },
          {
            name: 'a',
            restartPolicy: 'Always',
            ...readiness,
            startupProbe: { httpGet: { port: 80 }, failureThreshold: 2147483647 },
          },
        ],
        containers: [{ name: 'b' }],
      },
    });
    expect(JSON.stringify(template)).not.toContain('launch-priority');
  });

  test.each<[what: string, parts: Parts, row: string]>([
    [
      'the last ones share a priority',
      { spec: { replicas: 2, template: { spec: { containers: numbered(0, 0, 4, 9) } } } },
      native,
    ],
    [
      'two that others wait for share one',
      { spec: { replicas: 2, template: { spec: { containers: numbered(0, 4, 4) } } } },
      plain,
    ],
    [
      'another probe says that it has started',
      ordered([
        { ...first, ...readiness, startupProbe: { exec: {} } },
        { name: 'b', image: 'b:1' },
      ]),
      plain,
    ],
    [
      'it is started by its own probe',
      ordered([
        { ...first, startupProbe: { exec: {} } },
        { name: 'b', image: 'b:1' },
      ]),
      native,
    ],
    [
      'it is ready after two successes',
      ordered([
        { ...first, readinessProbe: { exec: {}, successThreshold: 2 } },
        { name: 'b', image: 'b:1' },
      ]),
      plain,
    ],
  ])('%s', (_what, parts, row) => {
    expect(rowsOf('CloneSet', parts, { isNative: true })).toEqual([row]);
  });
});
