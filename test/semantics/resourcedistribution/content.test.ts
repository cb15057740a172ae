import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createIntern } from '../../../runtime/observe/intern.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { contentOf, projectCopy, resourceHash } from '../../../semantics/resourcedistribution/content.ts';
import { copyPatch, newCopy, wantedCopy } from '../../../semantics/resourcedistribution/copies.ts';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the hash in the annotation (RD-18)', () => {
  test.each<[what: string, resource: JsonObject, served: string]>([
    ['sorts keys', { b: 1, a: { d: true, c: null } }, '{"a":{"c":null,"d":true},"b":1}'],
    [
      'screens what the server screens',
      { data: { a: '<a href="x">&\u2028\u2029' } },
      String.raw`{"data":{"a":"\u003ca href=\"x\"\u003e\u0026\u2028\u2029"}}`,
    ],
    ['leaves other letters', { data: { ü: 'ß\n\u0001' } }, String.raw`{"data":{"ü":"ß\n\u0001"}}`],
  ])('%s', (_what, resource, served) => {
    expect(resourceHash(resource)).toBe(sha(served));
  });
});

describe('content as the server stores it', () => {
  test.each<[what: string, one: JsonObject, stored: JsonObject]>([
    [
      'a Secret of texts (RD-30)',
      { kind: 'Secret', stringData: { a: 'ü' } },
      { kind: 'Secret', data: { a: 'w7w=' }, type: 'Opaque' },
    ],
    [
      'texts over data',
      { kind: 'Secret', data: { a: 'YQ==', b: 'YQ==' }, stringData: { a: 'b' } },
      { kind: 'Secret', data: { a: 'Yg==', b: 'YQ==' }, type: 'Opaque' },
    ],
    [
      'base64 in lines',
      { kind: 'ConfigMap', binaryData: { a: 'YWFh\nYWFh' } },
      { kind: 'ConfigMap', binaryData: { a: 'YWFhYWFh' } },
    ],
    [
      'base64 with unused bits, of which the server keeps the bytes',
      { kind: 'ConfigMap', binaryData: { a: 'YR==', b: 'YWF=' } },
      { kind: 'ConfigMap', binaryData: { a: 'YQ==', b: 'YWE=' } },
    ],
    [
      'a Secret with unused bits',
      { kind: 'Secret', data: { a: 'YR==' } },
      { kind: 'Secret', data: { a: 'YQ==' } },
    ],
    ['empty maps', { kind: 'ConfigMap', data: {}, binaryData: null }, { kind: 'ConfigMap' }],
    ['fields that there are not', { kind: 'ConfigMap', extra: 1 }, { kind: 'ConfigMap' }],
  ])('%s', (_what, one, stored) => {
    expect(contentOf(one)).toEqual(contentOf(stored));
  });
});

function target(resource: JsonObject): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'shared', uid: 'u' },
    spec: { resource: { apiVersion: 'v1', kind: 'ConfigMap', ...resource }, targets: {} },
  };
}

const HASH = 'kruise.io/resourcedistribution.resource.hashcode';

describe('a copy', () => {
  const metadata = {
    ...{ name: 'settings', namespace: 'elsewhere', labels: { a: 'b' }, annotations: { c: 'd' } },
    ...{ finalizers: ['x/y'], ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'q' }] },
  };
  const source = target({ metadata, data: { color: 'red' } });
  const made = newCopy(source, wantedCopy(source), 'ops');

  test('has the metadata of its source, and one owner', () => {
    expect(made.metadata).toMatchObject({ name: 'settings', namespace: 'ops', finalizers: ['x/y'] });
    expect(made.metadata.labels).toEqual({ a: 'b', 'plan.kruise.io/distributed': 'true' });
    expect(made.metadata.annotations?.['c']).toBe('d');
    expect(made.metadata.ownerReferences?.map(({ kind, controller }) => [kind, controller])).toEqual([
      ['ResourceDistribution', true],
    ]);
  });

  test('is cached without its values', () => {
    const cached = projectCopy(made, createIntern());
    expect(JSON.stringify(cached)).not.toContain('"red"');
    expect(cached.metadata).toEqual(made.metadata);
    expect(copyPatch(cached, wantedCopy(source))).toBeUndefined();
    expect(copyPatch(made, wantedCopy(source))).toBeUndefined();
  });

  test('shares with other copies whatever is not of its own', () => {
    const intern = createIntern();
    const served = (namespace: string): KubeObject =>
      JSON.parse(JSON.stringify({ ...made, metadata: { ...made.metadata, namespace, uid: namespace } }));
    const [one, other] = [projectCopy(served('ops'), intern), projectCopy(served('shop'), intern)];
    const own = (object: KubeObject): unknown[] => [
      ...Object.values(object.metadata),
      ...Object.values(object),
    ];
    const others = new Set(own(other));
    const apart = own(one).filter((each) => typeof each === 'object' && !others.has(each));
    expect(apart).toEqual([one.metadata]);
  });

  test.each<[what: string, change: JsonObject, patch: JsonObject]>([
    ['a value', { data: { color: 'blue' } }, { data: { color: 'red' }, immutable: null }],
    [
      'a key too many',
      { data: { color: 'red', size: '1' } },
      { data: { color: 'red', size: null }, immutable: null },
    ],
    [
      'a map too many',
      { binaryData: { a: 'YQ==' } },
      { data: { color: 'red' }, binaryData: null, immutable: null },
    ],
  ])('that has %s is patched', (_what, change, patch) => {
    const live = { ...made, ...change, metadata: { ...made.metadata, uid: 'c', resourceVersion: '7' } };
    const expected = { metadata: { uid: 'c', resourceVersion: '7' }, ...patch };
    expect(copyPatch(projectCopy(live, createIntern()), wantedCopy(source))).toEqual(expected);
  });

  test('keeps what others have added, and gets back what it lacks (RD-19, RD-28)', () => {
    const live = {
      ...made,
      metadata: {
        ...made.metadata,
        labels: { a: 'x', mine: 'yes', 'plan.kruise.io/distributed': 'true' },
        finalizers: ['a/b'],
      },
    };
    expect(copyPatch(projectCopy(live, createIntern()), wantedCopy(source))).toEqual({
      metadata: { uid: '', resourceVersion: '', labels: { a: 'b' }, finalizers: ['a/b', 'x/y'] },
    });
  });

  describe('of a resource that has lost', () => {
    const less = wantedCopy(target({ metadata: { name: 'settings' }, data: { color: 'red' } }));
    const live = (changes: JsonObject): KubeObject =>
      projectCopy({ ...made, metadata: { ...made.metadata, ...changes } }, createIntern());

    test('a label, an annotation and a finalizer: they go, and those of others stay', () => {
      const patch = copyPatch(
        live({
          labels: { ...made.metadata.labels, mine: 'x' },
          annotations: { ...made.metadata.annotations, mine: 'x' },
          finalizers: ['x/y', 'mine/z'],
        }),
        less,
      );
      expect(patch?.['metadata']).toEqual({
        uid: '',
        resourceVersion: '',
        labels: { a: null },
        annotations: {
          c: null,
          'plan.kruise.io/distributed-keys': null,
          [HASH]: less.annotations[HASH],
        },
        finalizers: ['mine/z'],
      });
    });

    test('what others have removed from the copy before: nothing is written about it', () => {
      const found = {
        labels: less.labels,
        annotations: { ...made.metadata.annotations, ...less.annotations },
      };
      const { c: _c, ...annotations } = found.annotations;
      expect(copyPatch(live({ ...found, annotations, finalizers: [] }), less)?.['metadata']).toEqual({
        uid: '',
        resourceVersion: '',
        annotations: { 'plan.kruise.io/distributed-keys': null },
      });
    });

    test.each([
      '{',
      '[]',
      '{"labels": {"a": 1}, "annotations": [1, null]}',
      `{"labels": ["${'x'.repeat(262_144)}"]}`,
    ])('nothing that a forged record shows: %.20s', (text) => {
      const annotations = { ...made.metadata.annotations, 'plan.kruise.io/distributed-keys': text };
      const { labels = {} } = objectOf(copyPatch(live({ annotations, finalizers: [] }), less)?.['metadata']);
      expect(labels).toEqual({});
    });

    test('the label by which copies are watched: a forged record does not remove it', () => {
      const annotations = { 'plan.kruise.io/distributed-keys': '{"labels":["plan.kruise.io/distributed"]}' };
      const { labels = {} } = objectOf(copyPatch(live({ annotations }), less)?.['metadata']);
      expect(labels).toEqual({});
    });
  });
});
