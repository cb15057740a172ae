import { describe, expect, test } from 'vitest';
import type { Status } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { field } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from '../api/errors.ts';
import { configMap, configMaps, refusal, stage, widget, widgets } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

describe('a refusal', () => {
  test('names the resource where it is not there', async () => {
    const { alice } = stage();
    expect(await refusal(alice.get(configMaps, at('x')))).toEqual({
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "x" not found',
      details: { name: 'x', kind: 'configmaps' },
    });
    expect(await refusal(alice.get(widgets, at('x')))).toEqual({
      code: 404,
      reason: 'NotFound',
      message: 'widgets.test.example "x" not found',
      details: { name: 'x', group: 'test.example', kind: 'widgets' },
    });
  });

  test('names a namespace that is not there', async () => {
    const status = await refusal(stage().alice.create(configMaps, configMap('a', { namespace: 'zzz' })));
    expect(status).toEqual({
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "zzz" not found',
      details: { name: 'zzz', kind: 'namespaces' },
    });
  });

  test('reports the conflicting name', async () => {
    const { alice } = stage();
    await alice.create(configMaps, configMap('a'));
    expect(await refusal(alice.create(configMaps, configMap('a')))).toEqual({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('reports the modified fields', async () => {
    const { alice } = stage();
    await alice.create(configMaps, configMap('a'));
    expect(await refusal(alice.replace(configMaps, configMap('a', { resourceVersion: '1' })))).toEqual({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('reports all fields at once, under the kind of the object', async () => {
    const { alice } = stage();
    const status = await refusal(alice.create(widgets, widget('a', { size: 11, code: 'A' })));
    expect(status.message).toMatch(
      /^Widget\.test\.example "a" is invalid: \[spec\.\w+: .*, spec\.\w+: .*\]$/,
    );
    expect(status.details).toMatchObject({ name: 'a', group: 'test.example', kind: 'Widget' });
    expect(status.details?.causes?.map((cause) => cause.field).sort()).toEqual(['spec.code', 'spec.size']);
  });

  test('an error found by two checks is reported once, and counted twice', () => {
    const same = field.invalid('metadata.uid', 'zz', 'field is immutable');
    const { status } = refuse.invalid({ group: '', kind: 'ConfigMap' }, 'a', [same, same]);
    expect(status.message).toBe(
      'ConfigMap "a" is invalid: metadata.uid: Invalid value: "zz": field is immutable',
    );
    const { reason, message, field: path } = same;
    expect(status.details?.causes).toEqual([
      { reason, message, field: path },
      { reason, message, field: path },
    ]);
  });

  test('of a terminating namespace has its cause', async () => {
    const { alice } = stage({ namespaces: ['default', 'other'] });
    await alice.create(configMaps, configMap('a', { namespace: 'other', finalizers: ['x/y'] }));
    await alice.delete(resources.Namespace, { name: 'other' });
    const late = { ...widget('late'), metadata: { name: 'late', namespace: 'other' } };
    expect(await refusal(alice.create(widgets, late))).toEqual({
      code: 403,
      reason: 'Forbidden',
      message:
        'widgets.test.example "late" is forbidden: unable to create new content in namespace other because it is being terminated',
      details: {
        name: 'late',
        group: 'test.example',
        kind: 'widgets',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace other is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });

  const plain: [string, { status: Status }, Status][] = [
    [
      'an unknown resource',
      refuse.noResource(),
      {
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        details: {},
      },
    ],
    [
      'a method that is not allowed',
      refuse.methodNotAllowed(),
      {
        code: 405,
        reason: 'MethodNotAllowed',
        message: 'the server does not allow this method on the requested resource',
        details: {},
      },
    ],
    [
      'a revision that is yet to come',
      refuse.revisionTooLarge(9, 3),
      {
        code: 504,
        reason: 'Timeout',
        message: 'Timeout: Too large resource version: 9, current: 3',
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      },
    ],
  ];
  test.each(plain)('of %s has the message of a server', (_what, { status }, expected) => {
    expect(status).toEqual(expected);
  });
});
