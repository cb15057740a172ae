import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { metadataFromTemplates, withoutTemplateMetadata } from '../../../semantics/pod/from-templates.ts';
import { merged } from '../../../semantics/pod/in-place-state.ts';
import {
  carriedFinalizers,
  carriedOver,
  isOfControllers,
  type TemplateUse,
  reservedKeys,
} from '../../../semantics/pod/reserved-keys.ts';

const template = (metadata: JsonObject): JsonObject => ({ metadata });
const keys = (metadata: JsonObject, made: TemplateUse = 'pod'): string[] =>
  reservedKeys(template(metadata), made).map(({ section, key }) => `${section} ${key}`);

describe('which keys of a template are reserved', () => {
  test.each([
    'apps.kruise.io/inplace-update-state',
    'apps.kruise.io/anything-new',
    'plan.kruise.io/goes-with',
    'kruise.io/x',
    'APPS.KRUISE.IO/specified-delete',
    'inplace-update-state',
    'inplace-update-grace',
    'Inplace-Update-anything',
    'controller-revision-hash',
    'pod-template-hash',
    'apps.kruise.io/Container-Launch-Priority',
  ])('%s', (key) => {
    expect(keys({ labels: { [key]: '' }, annotations: { [key]: 'x' } })).toEqual([
      `labels ${key}`,
      `annotations ${key}`,
    ]);
  });

  test.each([
    'app',
    'update-priority',
    'inplace-update',
    'notkruise.io/x',
    'a.b.c.kruise.io/x',
    'hook.example.kruise.io/drain',
    'kruise.io.example/x',
    'kruise.io',
    'example.io/kruise.io/x',
    'example.io/inplace-update-state',
    'example.io/pod-template-hash',
    'controller.kubernetes.io/pod-deletion-cost',
    '__proto__',
    'constructor',
  ])('not %s', (key) => {
    expect(
      keys({ labels: Object.fromEntries([[key, 'a']]), annotations: Object.fromEntries([[key, 'a']]) }),
    ).toEqual([]);
  });

  test.each<[string, 'labels' | 'annotations', TemplateUse[]]>([
    ['apps.kruise.io/subset-name', 'labels', ['pod']],
    ['apps.kruise.io/controller-revision-hash', 'labels', ['pod']],
    ['policy.kruise.io/delete-protection', 'labels', ['pod', 'claim']],
    ['apps.kruise.io/container-launch-priority', 'annotations', ['pod']],
    ['apps.kruise.io/using-enhanced-liveness', 'annotations', ['pod']],
    ['pub.kruise.io/no-protect', 'annotations', ['pod']],
    ['kruise.io/sidecarset-hash', 'annotations', ['pod']],
    ['versionalt.sidecarset.kruise.io/mesh-1', 'annotations', ['pod']],
  ])('%s may be written, under %s of %j', (key, section, made) => {
    for (const each of ['pod', 'claim'] as const) {
      expect(keys({ [section]: { [key]: 'x' } }, each)).toHaveLength(made.includes(each) ? 0 : 1);
      const other = section === 'labels' ? 'annotations' : 'labels';
      expect(keys({ [other]: { [key]: 'x' } }, each)).toHaveLength(1);
    }
  });

  test('finalizers of a pod, not of a claim, which gets none', () => {
    const metadata = { finalizers: ['example.io/x', 'apps.kruise.io/y', 7] };
    expect(reservedKeys(template(metadata), 'pod')).toEqual([
      { section: 'finalizers', key: 'apps.kruise.io/y', index: 1 },
    ]);
    expect(keys(metadata, 'claim')).toEqual([]);
    expect(carriedFinalizers(['example.io/x', 'apps.kruise.io/y'])).toEqual(['example.io/x']);
  });

  test.each<JsonObject>([
    {},
    { metadata: null },
    { metadata: [] },
    { metadata: { labels: null, annotations: 'x', finalizers: {} } },
  ])('%j has none, whatever it is', (odd) => {
    expect(reservedKeys(odd, 'pod')).toEqual([]);
    expect(carriedOver(odd, 'labels', 'pod')).toEqual({});
  });

  test('all others are copied, unchanged', () => {
    const annotations = JSON.parse('{"__proto__":"x","a":"b","kruise.io/c":"d"}') as JsonObject;
    const carried = carriedOver(template({ annotations }), 'annotations', 'pod');
    expect(Object.entries(carried)).toEqual([
      ['__proto__', 'x'],
      ['a', 'b'],
    ]);
  });
});

test('an in-place change removes reserved keys, except those that are particular to each pod', () => {
  const part = {
    labels: {
      a: 'b',
      'apps.kruise.io/specified-delete': 'true',
      'apps.kruise.io/cloneset-instance-id': null,
    },
    annotations: { 'inplace-update-grace': '{}', 'pub.kruise.io/no-protect': 'true', c: null },
  };
  const patch = {
    labels: { 'controller-revision-hash': 'x', 'pod-template-hash': null },
    finalizers: ['kruise.io/x', 'example.io/y'],
    deletionGracePeriodSeconds: 1,
  };
  expect(merged([part], patch)).toEqual({
    labels: { a: 'b', 'apps.kruise.io/specified-delete': null },
    annotations: { 'inplace-update-grace': null, 'pub.kruise.io/no-protect': 'true', c: null },
    finalizers: ['example.io/y'],
    deletionGracePeriodSeconds: 1,
  });
});

describe('the reserved keys that an object got from a template', () => {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-abcde',
      labels: {
        app: 'web',
        'apps.kruise.io/specified-delete': 'true',
        'apps.kruise.io/cloneset-instance-id': 'abcde',
        'controller-revision-hash': 'web-1',
      },
      annotations: { 'apps.kruise.io/inplace-update-state': '{}', note: 'x' },
    },
  };
  const seen = (...templates: JsonObject[]) =>
    withoutTemplateMetadata(pod, metadataFromTemplates(templates.map(template), 'pod')).metadata;

  test('are removed if any template has the same value', () => {
    const found = seen(
      { labels: { 'apps.kruise.io/specified-delete': 'true' } },
      { annotations: { 'apps.kruise.io/inplace-update-state': '{}', note: 'x' } },
    );
    expect(Object.keys(found.labels ?? {})).toEqual([
      'app',
      'apps.kruise.io/cloneset-instance-id',
      'controller-revision-hash',
    ]);
    expect(found.annotations).toEqual({ note: 'x' });
  });

  test('stay if templates have another value, or the key in another section', () => {
    const other = {
      labels: { 'apps.kruise.io/specified-delete': 'false', 'apps.kruise.io/inplace-update-state': '{}' },
      annotations: { 'apps.kruise.io/inplace-update-state': '{"revision":"a"}' },
    };
    expect(seen(other)).toEqual(pod.metadata);
  });

  test('do not include its revision, nor the id that its name ends with', () => {
    const same = {
      labels: { 'controller-revision-hash': 'web-1', 'apps.kruise.io/cloneset-instance-id': 'abcde' },
    };
    expect(seen(same)).toEqual(pod.metadata);
    const named = { ...pod, metadata: { ...pod.metadata, name: 'web-other' } };
    const without = withoutTemplateMetadata(named, metadataFromTemplates([template(same)], 'pod'));
    expect(without.metadata.labels).not.toHaveProperty(['apps.kruise.io/cloneset-instance-id']);
  });

  test('are cached, and the object is returned itself where there are none', () => {
    expect(
      withoutTemplateMetadata(pod, metadataFromTemplates([template({ labels: { app: 'web' } })], 'pod')),
    ).toBe(pod);
    const given = () => metadataFromTemplates([once], 'pod');
    const once = template({ labels: { 'kruise.io/x': 'y' } });
    expect(withoutTemplateMetadata(pod, given())).toBe(withoutTemplateMetadata(pod, given()));
    expect(withoutTemplateMetadata(pod, [])).toBe(pod);
  });
});

describe('which annotations of a pod are of controllers', () => {
  test.each([
    'kruise.io/sidecarset-hash',
    'KRUISE.IO/sidecarset-injected-list',
    'kruise.io/related-pub',
    'pub.kruise.io/related-pub',
    'apps.kruise.io/inplace-update-state',
    'apps.kruise.io/container-launch-priority-completed',
    'lifecycle.apps.kruise.io/anything',
    'plan.kruise.io/anything',
    'version.sidecarset.kruise.io/a-1',
    'policy.kruise.io/delete-protection',
    'inplace-update-state',
  ])('%s', (key) => expect(isOfControllers(key)).toBe(true));

  test.each([
    'kruise.io/team',
    'apps.kruise.io/team',
    'pub.kruise.io/no-protect',
    'apps.kruise.io/container-launch-priority',
    'policy.kruise.io/scanned',
    'example.kruise.io/x',
    'team',
    '__proto__/x',
  ])('not %s', (key) => expect(isOfControllers(key)).toBe(false));
});
