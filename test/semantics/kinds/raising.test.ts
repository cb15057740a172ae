import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { raised } from '../../../semantics/kinds/raising.ts';
import { raisings } from '../../../semantics/registry/raisings.ts';
import { kindOf } from '../../../semantics/registry/registry.ts';
import { objectOf, textOf } from '../../../semantics/values/read.ts';
import * as fc from '../../property.ts';

const template = (image = 'web:1', container: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image, ...container }] },
});
const selector = { matchLabels: { app: 'web' } };

function native(kind: string, spec: JsonObject): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector, template: template(), ...spec },
  };
}

function raisingOf(kind: string) {
  return raisings.find(({ from }) => from.kind === kind) ?? expect.unreachable();
}

function raise(object: KubeObject): KubeObject {
  const found = raised(raisingOf(object.kind), object);
  return 'object' in found ? found.object : expect.unreachable(JSON.stringify(found.stays));
}

/** What a build makes of the object of OpenKruise: exact. */
function lowered(object: KubeObject): KubeObject {
  const [group = ''] = object.apiVersion.split('/');
  const type = kindOf({ group, kind: object.kind }) ?? expect.unreachable();
  expect(type.validate(object)).toEqual([]);
  const around = { isScaled: true, namespaces: [], inNamespace: [] };
  const found = type.lowering.of === 'object' ? type.lowering.lower(object, around) : expect.unreachable();
  if ('stays' in found) return expect.unreachable(JSON.stringify(found.stays));
  expect(found.losses).toEqual([]);
  return found.objects[0] ?? expect.unreachable();
}

/** A manifest with the defaults of Kubernetes that the kinds of OpenKruise have in another way. */
function filled({ spec: written, ...rest }: KubeObject): KubeObject {
  const spec = objectOf(written);
  const [container = {}] = objectOf(objectOf(spec['template'])['spec'])['containers'] as JsonObject[];
  const image = textOf(container['image']);
  const policy = /:1$|@/.test(image) ? 'IfNotPresent' : 'Always';
  const limits: Record<string, JsonObject> = {
    Deployment: { maxUnavailable: '25%', maxSurge: '25%' },
    DaemonSet: { maxUnavailable: 1, maxSurge: 0 },
    StatefulSet: {},
  };
  const key = rest.kind === 'Deployment' ? 'strategy' : 'updateStrategy';
  const strategy = objectOf(spec[key]);
  const rolling = { ...limits[rest.kind], ...objectOf(strategy['rollingUpdate']) };
  const { minReadySeconds, ...others } = spec;
  return {
    ...rest,
    spec: {
      ...others,
      ...(minReadySeconds !== 0 && minReadySeconds !== undefined && { minReadySeconds }),
      ...(rest.kind === 'Deployment' && { progressDeadlineSeconds: spec['progressDeadlineSeconds'] ?? 600 }),
      [key]:
        strategy['type'] === 'OnDelete'
          ? { type: 'OnDelete' }
          : { type: 'RollingUpdate', ...(Object.keys(rolling).length > 0 && { rollingUpdate: rolling }) },
      template:
        rest.kind === 'DaemonSet'
          ? (spec['template'] ?? {})
          : template(image, { imagePullPolicy: container['imagePullPolicy'] ?? policy }),
    },
  };
}

const images = fc.constantFrom(
  'web:1',
  'web',
  'web:latest',
  'host:5000/web',
  'host:5000/web:1',
  `web@sha256:${'a'.repeat(64)}`,
);
const pods = fc
  .tuple(images, fc.constantFrom<JsonObject>({}, { imagePullPolicy: 'Always' }, { imagePullPolicy: 'Never' }))
  .map(([image, container]) => template(image, container));
const seconds = fc.constantFrom(0, 5, 300);
const some = (parts: Record<string, fc.Arbitrary<Json>>) =>
  fc.record(parts, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
const specs: Record<string, fc.Arbitrary<JsonObject>> = {
  Deployment: some({
    replicas: fc.nat(9),
    template: pods,
    minReadySeconds: seconds,
    progressDeadlineSeconds: fc.constantFrom(301, 600, 2147483647),
    revisionHistoryLimit: fc.nat(3),
    strategy: some({
      type: fc.constant('RollingUpdate'),
      rollingUpdate: fc.constantFrom<Json>(
        {},
        { maxSurge: 1 },
        { maxSurge: '10%', maxUnavailable: 0 },
        { maxSurge: 0, maxUnavailable: 2 },
        { maxUnavailable: '50%' },
      ),
    }),
  }),
  StatefulSet: some({
    replicas: fc.nat(9),
    template: pods,
    minReadySeconds: seconds,
    serviceName: fc.constant('web'),
    ordinals: fc.constant({ start: 2 }),
    persistentVolumeClaimRetentionPolicy: fc.constant({ whenDeleted: 'Delete' }),
    volumeClaimTemplates: fc.constant([
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ]),
    updateStrategy: some({ rollingUpdate: fc.constantFrom<Json>({}, { partition: 2 }) }),
  }),
  DaemonSet: some({
    template: pods,
    minReadySeconds: seconds,
    updateStrategy: fc.constantFrom<Json>(
      {},
      { type: 'OnDelete' },
      { rollingUpdate: { maxUnavailable: '10%' } },
      { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    ),
  }),
};

test('there is a strategy for each kind', () => {
  expect(raisings.map(({ from }) => from.kind).sort()).toEqual(Object.keys(specs).sort());
});

describe('what becomes a kind of OpenKruise is the same object of Kubernetes again when it is built', () => {
  test.each(Object.entries(specs))('%s', (kind, spec) => {
    fc.assert(
      fc.property(spec, (drawn) => {
        const object = native(kind, drawn);
        expect(lowered(raise(object))).toEqual(filled(object));
      }),
      { numRuns: 50 },
    );
  });
});

describe('what is not exact stays, with the reason', () => {
  const rows: [kind: string, what: RegExp, spec: JsonObject][] = [
    ['Deployment', /^a field of spec beside/, { foo: 1 }],
    ['Deployment', /Recreate/, { strategy: { type: 'Recreate' } }],
    ['Deployment', /^paused/, { paused: true }],
    ['Deployment', /without maxSurge/, { strategy: { rollingUpdate: { maxSurge: 0 } } }],
    [
      'Deployment',
      /without maxSurge/,
      { strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: '9%' } } },
    ],
    [
      'Deployment',
      /pod-template-hash/,
      {
        template: {
          ...template(),
          spec: {
            ...objectOf(template()['spec']),
            topologySpreadConstraints: [{ matchLabelKeys: ['pod-template-hash'] }],
          },
        },
      },
    ],
    ['StatefulSet', /^a field of spec beside/, { foo: 1 }],
    ['StatefulSet', /^podManagementPolicy Parallel/, { podManagementPolicy: 'Parallel' }],
    ['StatefulSet', /maxUnavailable/, { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }],
    ['StatefulSet', /^minReadySeconds/, { minReadySeconds: 301 }],
    ['StatefulSet', /^minReadySeconds/, { minReadySeconds: 1, updateStrategy: { type: 'OnDelete' } }],
    ['DaemonSet', /^a field of spec beside/, { foo: 1 }],
  ];
  test.each(rows)('%s: %s', (kind, what, spec) => {
    const found = raised(raisingOf(kind), native(kind, spec));
    expect('stays' in found ? found.stays.map((row) => row.what) : []).toEqual([expect.stringMatching(what)]);
  });

  test('each row is in the table', () => {
    const every = raisings.flatMap(({ from, stays }) => stays.map(({ what }) => [from.kind, what] as const));
    const missing = every.filter(
      ([kind, what]) => !rows.some(([of, pattern]) => of === kind && pattern.test(what)),
    );
    expect(missing).toEqual([]);
  });
});
