import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, refusal, stage, widget, widgets, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

describe('create', () => {
  test('fills in what the server owns and freezes what it hands out', async () => {
    const { alice } = stage();
    const made = await alice.create(configMaps, configMap('a', { uid: 'mine', generation: 9 }));
    expect(made.metadata.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(made.metadata.creationTimestamp).toBe('2026-01-01T12:00:00Z');
    expect(made.metadata.generation).toBe(9);
    expect(Object.isFrozen(made.metadata)).toBe(true);
    expect(await alice.get(configMaps, at('a'))).toBe(made);
  });

  test('does not freeze what the caller passed', async () => {
    const { alice } = stage();
    const body = configMap('a', { labels: { x: '1' } });
    const made = await alice.create(configMaps, body);
    body.metadata.labels = { x: '2' };
    expect(made.metadata.labels).toEqual({ x: '1' });
  });

  test('treats undefined fields as absent, like JSON', async () => {
    const { alice } = stage();
    const body = widget('a', { size: 1, color: undefined, code: undefined });
    expect((await alice.create(widgets, body))['spec']).toMatchObject({ size: 1, color: 'red' });
    const patch = { type: 'merge', body: { spec: { code: undefined } } as never } as const;
    expect((await alice.patch(widgets, { namespace: 'default', name: 'a' }, patch)).metadata.generation).toBe(
      1,
    );
  });

  test('completes generateName', async () => {
    const { alice } = stage();
    const { name: _name, ...metadata } = configMap('').metadata;
    const body = { ...configMap(''), metadata: { ...metadata, generateName: 'a-' } } as KubeObject;
    expect((await alice.create(configMaps, body)).metadata.name).toMatch(
      /^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/,
    );
  });

  const refused: [string, (stage: Stage) => Promise<unknown>, number, string, string][] = [
    [
      'a taken name',
      async ({ alice }) => {
        await alice.create(configMaps, configMap('a'));
        return alice.create(configMaps, configMap('a'));
      },
      409,
      'AlreadyExists',
      'configmaps "a" already exists',
    ],
    [
      'a missing namespace',
      ({ alice }) => alice.create(configMaps, configMap('a', { namespace: 'nowhere' })),
      404,
      'NotFound',
      'namespaces "nowhere" not found',
    ],
    [
      'a bad name',
      ({ alice }) => alice.create(configMaps, configMap('A_b')),
      422,
      'Invalid',
      'ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of',
    ],
    [
      'no name at all',
      ({ alice }) => alice.create(configMaps, configMap('')),
      422,
      'Invalid',
      'metadata.name: Required value: name or generateName is required',
    ],
    [
      'another kind',
      ({ alice }) => alice.create(configMaps, { ...configMap('a'), kind: 'Secret' }),
      400,
      'BadRequest',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      'another version',
      ({ alice }) => alice.create(configMaps, { ...configMap('a'), apiVersion: 'v2' }),
      400,
      'BadRequest',
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme',
    ],
    [
      'a resource nobody serves',
      ({ alice }) => alice.create({ ...widgets, version: 'v9' }, widget('a')),
      404,
      'NotFound',
      'the server could not find the requested resource',
    ],
    [
      'a value JSON does not have',
      ({ alice }) => alice.create(configMaps, configMap('a', {}, { x: Number.NaN })),
      400,
      'BadRequest',
      'NaN is no JSON value',
    ],
    [
      'two controllers',
      ({ alice }) =>
        alice.create(
          configMaps,
          configMap('a', {
            ownerReferences: ['x', 'y'].map((name) => ({
              apiVersion: 'v1',
              kind: 'Pod',
              name,
              uid: name,
              controller: true,
            })),
          }),
        ),
      422,
      'Invalid',
      'Only one reference can have Controller set to true. Found "true" in references for Pod/x and Pod/y',
    ],
  ];
  test.each(refused)('refuses %s', async (_what, call, code, reason, message) => {
    const status = await refusal(call(stage()));
    expect(status).toMatchObject({ code, reason });
    expect(status.message).toContain(message);
  });

  test('names all that is wrong at once', async () => {
    const { alice } = stage();
    const status = await refusal(
      alice.create(resources.Pod, {
        ...pod('a', ' web '),
        metadata: { name: 'A', namespace: 'default', labels: { 'a b': 'c d' } },
      }),
    );
    expect(status.details?.causes?.map((cause) => cause.field)).toEqual([
      'metadata.name',
      'metadata.labels',
      'metadata.labels',
      'spec.containers[0].image',
    ]);
  });

  test('keeps a hostile key as data', async () => {
    const { alice } = stage();
    const data = JSON.parse('{"__proto__": "x"}') as object;
    const made = await alice.create(configMaps, configMap('a', {}, data));
    expect(JSON.stringify(made['data'])).toBe('{"__proto__":"x"}');
    expect(Object.getPrototypeOf(made['data'])).toBe(Object.prototype);
  });
});
