import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { LoweringToObject } from '../../../semantics/kinds/lowering.ts';
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
const specs: Partial<Record<Name, JsonObject>> = {
  AdvancedCronJob: { schedule: '* * * * *', template: { jobTemplate: { spec: { template: pods } } } },
};

interface Parts {
  spec?: JsonObject;
  annotations?: Record<string, string>;
}

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

function rowsOf(kind: Name, parts?: Parts): string[] {
  const found = loweringOf(kind).lower(objectWith(kind, parts));
  return ('stays' in found ? found.stays : found.losses).map(({ what }) => what);
}

function specOf(kind: Name, parts?: Parts): JsonObject {
  const found = loweringOf(kind).lower(objectWith(kind, parts));
  return 'object' in found ? objectOf(found.object['spec']) : expect.unreachable();
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
      ['limits that are no whole percentages, without replicas'],
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
  ])('%s: %j', (kind, parts, rows) => expect(rowsOf(kind, parts)).toEqual(rows));

  test.each(kinds.filter(({ lowering }) => lowering.of === 'object').map(({ id }) => id.kind as Name))(
    '%s that asks for plans by itself loses them',
    (kind) => {
      const spec: JsonObject = kind === 'CloneSet' ? { replicas: 1 } : {};
      const required = { 'plan.kruise.io/policy': 'Required' };
      expect(rowsOf(kind, { spec, annotations: required })).toEqual([
        'the annotation plan.kruise.io/policy with Required',
      ]);
      expect(rowsOf(kind, { spec }), 'otherwise it is exact').toEqual([]);
    },
  );
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
