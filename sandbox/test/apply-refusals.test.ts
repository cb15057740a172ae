import { describe, expect, test } from 'vitest';
import type { Status } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { bench, type Bench, type Kind } from './gadgets.ts';
import { refusalOf, stage } from './world.ts';

describe('what cannot be applied', () => {
  const made = (it: Bench) => it.create('m1', { spec: { replicas: 1 } });
  const cases: [string, Kind, (bench: Bench) => unknown, Partial<Status>][] = [
    [
      'without a manager',
      'Gadget',
      (b) => b.apply('', { spec: {} }),
      {
        code: 422,
        reason: 'Invalid',
        message:
          'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      },
    ],
    [
      'managed fields',
      'Gadget',
      (b) => b.apply('m1', { metadata: { managedFields: [] } }),
      { code: 400, reason: 'BadRequest', message: 'metadata.managedFields must be nil' },
    ],
    [
      'another kind',
      'Gadget',
      (b) => b.apply('m1', { kind: 'Widget' }),
      { code: 400, message: 'invalid object type: test.example/v1, Kind=Widget' },
    ],
    [
      'another version',
      'ConfigMap',
      (b) => b.apply('m1', { apiVersion: 'v2' }),
      { code: 400, message: 'invalid object type: /v2, Kind=ConfigMap' },
    ],
    [
      'another name, where there is none',
      'Gadget',
      (b) => b.apply('m1', { metadata: { name: 'b' } }),
      { code: 400, message: 'the name of the object (b) does not match the name on the URL (a)' },
    ],
    [
      'another name, where there is one',
      'Gadget',
      (b) => (made(b), b.apply('m1', { metadata: { name: 'b' } })),
      { code: 400, message: 'the name of the object (b) does not match the name on the URL (a)' },
    ],
    [
      'no name, where there is none',
      'Gadget',
      (b) => b.apply('m1', { metadata: { name: '' } }),
      {
        code: 400,
        message: 'the name of the object (a based on URL) was undeterminable: name must be provided',
      },
    ],
    [
      'another namespace',
      'Gadget',
      (b) => b.apply('m1', { metadata: { namespace: 'other' } }),
      {
        code: 400,
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      },
    ],
    [
      'a resourceVersion that is not the present one',
      'Gadget',
      (b) => (made(b), b.apply('m2', { metadata: { resourceVersion: '1' }, spec: { set: ['a'] } })),
      {
        code: 409,
        message:
          'Operation cannot be fulfilled on gadgets.test.example "a": the object has been modified; please apply your changes to the latest version and try again',
      },
    ],
    [
      'another uid',
      'Gadget',
      (b) => (made(b), b.apply('m2', { metadata: { uid: 'x' } })),
      { code: 422, reason: 'Invalid' },
    ],
    [
      'fields of a wrong type and fields that are unknown, all at once',
      'Gadget',
      (b) => b.apply('m1', { spec: { replicas: 'x', nope: 1, set: ['a', 'a'] } }),
      {
        code: 500,
        message:
          'failed to create typed patch object (default/a; test.example/v1, Kind=Gadget): errors:\n' +
          '  .spec.nope: field not declared in schema\n' +
          '  .spec.replicas: expected numeric (int or float), got string\n' +
          '  .spec.set: duplicate entries for key [="a"]',
      },
    ],
    [
      'an unknown field of a built-in kind',
      'ConfigMap',
      (b) => b.apply('m1', { dota: {} }),
      {
        code: 500,
        message:
          'failed to create typed patch object (default/a; /v1, Kind=ConfigMap): .dota: field not declared in schema',
      },
    ],
    [
      'the same port of a container twice',
      'Pod',
      (b) =>
        b.apply('m1', {
          spec: {
            containers: [
              {
                name: 'a',
                image: 'i',
                ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }],
              },
            ],
          },
        }),
      {
        code: 500,
        message:
          'failed to create typed patch object (default/a; /v1, Kind=Pod): .spec.containers[name="a"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]',
      },
    ],
    [
      'the status of nothing',
      'Gadget',
      (b) => b.apply('m1', { status: {} }, { subresource: 'status' }),
      { code: 404, reason: 'NotFound' },
    ],
    [
      'what validation refuses: an emptied map of a custom resource is null',
      'Gadget',
      (b) => {
        b.apply('m1', { spec: { deep: { a: '1' } } });
        b.apply('m1', { spec: { deep: {} } });
      },
      {
        code: 422,
        message:
          'Gadget.test.example "a" is invalid: spec.deep: Invalid value: "null": spec.deep in body must be of type object: "null"',
      },
    ],
    [
      'a Scale of a custom resource, where that changes something',
      'Gadget',
      (b) => (made(b), b.apply('m2', { spec: { replicas: 3 } }, { subresource: 'scale', force: true })),
      {
        code: 500,
        message:
          'failed to convert new object (default/a; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1',
      },
    ],
  ];
  test.each(cases)('%s', (_what, kind, act, expected) => {
    expect(refusalOf(() => act(bench(kind)))).toMatchObject(expected);
  });

  test('applying a missing object follows the rules of creation', () => {
    const { world } = stage();
    const apply = (namespace: string): KubeObject =>
      world.server.patch(
        'alice',
        { group: '', version: 'v1', plural: 'configmaps' },
        { namespace, name: 'a' },
        { type: 'apply', body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } },
        { fieldManager: 'm1' },
      );
    expect(apply('default').metadata).toMatchObject({ name: 'a', namespace: 'default' });
    expect(refusalOf(() => apply('nowhere')).code).toBe(404);
  });
});
