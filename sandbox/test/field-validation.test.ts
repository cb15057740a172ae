import { describe, expect, test } from 'vitest';
import type { Patch } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, refusalOf, widget, widgetDefinition, widgets } from './world.ts';
import { front, type Address } from './front.ts';

const strangePod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', mm: 1 },
  spec: {
    zz: 1,
    containers: [
      { name: 'a', foo: 1, image: 'x', env: [{ q: 1, name: 'A' }] },
      { name: 'b', image: 'y', bar: 1 },
    ],
    restartPolicy: 'Always',
  },
  aa: 1,
  status: { bb: 1 },
};

const podProblems = [
  'unknown field "metadata.mm"',
  'unknown field "spec.zz"',
  'unknown field "spec.containers[0].foo"',
  'duplicate field "spec.containers[0].image"',
  'unknown field "spec.containers[0].env[0].q"',
  'unknown field "spec.containers[1].bar"',
  'duplicate field "spec.restartPolicy"',
  'unknown field "aa"',
  'unknown field "status.bb"',
];

const podDuplicates = ['spec.containers[0].image', 'spec.restartPolicy', 'aa.never.known'];

const strangeWidget = {
  apiVersion: 'test.example/v1',
  kind: 'Widget',
  metadata: {
    name: 'w',
    namespace: 'default',
    zzz: 1,
    ownerReferences: [{ q: 1, apiVersion: 'v1', kind: 'A', name: 'b', uid: 'c' }],
  },
  top: 1,
  spec: { size: 1, foo: 1, parts: [{ id: 'a', z: 1 }], free: { x: 2 } },
};

const widgetProblems = [
  'duplicate field "metadata.zzz"',
  'duplicate field "spec.size"',
  'unknown field "metadata.ownerReferences[0].q"',
  'unknown field "metadata.zzz"',
  'unknown field "spec.foo"',
  'unknown field "spec.parts[0].z"',
  'unknown field "top"',
];

const widgetDuplicates = ['metadata.zzz', 'spec.size'];

const kinds: [string, Address, KubeObject, string[], string[]][] = [
  ['Pod', resources.Pod, strangePod, podDuplicates, podProblems],
  ['Widget', widgets, strangeWidget, widgetDuplicates, widgetProblems],
];

describe.each(kinds)('unknown and repeated fields of a %s', (kind, resource, body, duplicates, problems) => {
  test('Warn, the default, drops them and reports each', () => {
    const { create, warnings } = front();
    const made = create(resource, body, { duplicates });
    expect(warnings).toEqual(problems);
    expect(JSON.stringify(made)).not.toMatch(/"(zz|foo|bar|q|aa|bb|mm|zzz|top)":/);
  });

  test('Ignore drops them without a warning', () => {
    const { create, warnings } = front();
    const made = create(resource, body, { duplicates, fieldValidation: 'Ignore' });
    expect(warnings).toEqual([]);
    expect(made).not.toHaveProperty(kind === 'Pod' ? 'aa' : 'top');
  });

  test('Strict refuses them all in one message', () => {
    const { create, warnings } = front();
    expect(refusalOf(() => create(resource, body, { duplicates, fieldValidation: 'Strict' }))).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: `${kind} in version "v1" cannot be handled as a ${kind}: strict decoding error: ${problems.join(', ')}`,
    });
    expect(warnings).toEqual([]);
  });
});

describe('the modes', () => {
  test("YAML's repeated keys are told with their line, and first", () => {
    const { create, warnings } = front();
    const duplicates = ['line 4: key "a" already set in map', 'line 6: key "b" already set in map'];
    const body = { ...configMap('a'), foo: 1 };
    create(configMaps, body, { duplicates });
    expect(warnings).toEqual([...duplicates, 'unknown field "foo"']);
    const { message } = refusalOf(() => create(configMaps, body, { duplicates, fieldValidation: 'Strict' }));
    expect(message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 4: key "a" already set in map\n  line 6: key "b" already set in map, unknown field "foo"',
    );
  });

  test.each<[string, Address, KubeObject]>([
    ['a built-in kind', configMaps, configMap('a')],
    ['a custom kind', widgets, widget('a')],
  ])('PUT of %s', (_what, resource, body) => {
    const { create, replace, warnings } = front();
    const made = create(resource, body);
    replace(resource, { ...made, foo: 1 });
    expect(warnings).toEqual(['unknown field "foo"']);
    const { code, message } = refusalOf(() =>
      replace(resource, { ...made, foo: 1 }, { fieldValidation: 'Strict' }),
    );
    expect(code).toBe(400);
    expect(message).toContain('strict decoding error: unknown field "foo"');
  });

  const patches: [string, Address, KubeObject, Patch, string][] = [
    ['merge', configMaps, configMap('a'), { type: 'merge', body: { metadata: { foo: 1 } } }, 'metadata.foo'],
    ['merge', widgets, widget('a'), { type: 'merge', body: { spec: { foo: 1 } } }, 'spec.foo'],
    [
      'json',
      resources.Pod,
      pod('a'),
      { type: 'json', body: [{ op: 'add', path: '/spec/foo', value: 1 }] },
      'spec.foo',
    ],
  ];
  test.each(patches)('%s patches are checked by their result: %#', (_type, resource, body, patch, path) => {
    const { create, patch: send, warnings } = front();
    const made = create(resource, body);
    expect(send(resource, 'a', patch)).toBe(made);
    expect(warnings).toEqual([`unknown field "${path}"`]);
    const status = refusalOf(() => send(resource, 'a', patch, { fieldValidation: 'Strict' }));
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(status.message).toMatch(/^ "" is invalid: patch: Invalid value: "\{\\"/);
    expect(status.message).toContain(`: strict decoding error: unknown field "${path}"`);
    expect(status.details?.causes?.map((cause) => cause.field)).toEqual(['patch']);
  });

  test('a strategic patch is shown as it was sent', () => {
    const { create, patch, warnings } = front();
    create(resources.Pod, pod('a'));
    const strange: Patch = {
      type: 'strategic',
      body: { spec: { containers: [{ name: 'main', foo: null, bar: 1 }] } },
    };
    patch(resources.Pod, 'a', strange);
    expect(warnings).toEqual(['unknown field "spec.containers[0].bar"']);
    expect(refusalOf(() => patch(resources.Pod, 'a', strange, { fieldValidation: 'Strict' })).message).toBe(
      ' "" is invalid: patch: Invalid value: "map[spec:map[containers:[map[bar:1 foo:<nil> name:main]]]]": strict decoding error: unknown field "spec.containers[0].bar"',
    );
  });

  test('errors that were stored before are not reported again', () => {
    const { create, patch, warnings } = front();
    create(widgets, widget('a'));
    patch(
      widgets,
      'a',
      { type: 'merge', body: { metadata: { labels: { x: 'y' } } } },
      { fieldValidation: 'Strict' },
    );
    expect(warnings).toEqual([]);
  });
});

test('the definition of these tests is itself without unknown fields', () => {
  const { create, warnings } = front();
  const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
  const other = JSON.parse(JSON.stringify(widgetDefinition).replaceAll('idget', 'adget')) as KubeObject;
  create({ ...definitions, kind: 'CustomResourceDefinition', namespaced: false }, other, {
    fieldValidation: 'Strict',
  });
  expect(warnings).toEqual([]);
});
