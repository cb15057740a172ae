import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { createVirtualClock } from '../clock/virtual.ts';
import { createWorld } from '../world.ts';
import { readRows } from './rows.ts';
import { definitions, noon, refusal, stage, widget, widgetDefinition, widgets } from './world.ts';

const at = { namespace: 'default', name: 'a' };

describe('custom resources', () => {
  test('get their defaults recursively through existing values', async () => {
    const { alice } = stage();
    const made = await alice.create(
      widgets,
      widget('a', { size: 1, parts: [{ id: 'x' }], options: {}, color: null }),
    );
    expect(made['spec']).toEqual({
      size: 1,
      color: 'red',
      share: '20%',
      replicas: 1,
      parts: [{ id: 'x', on: true }],
      options: { deep: 7 },
    });
  });

  test('lose unknown fields, except where they are preserved', async () => {
    const { alice } = stage();
    const made = await alice.create(widgets, {
      ...widget('a', {
        size: 1,
        what: 1,
        free: { any: { thing: 1 } },
        names: { any: 'x' },
        parts: [{ id: 'x', what: 1 }],
      }),
      extra: true,
    });
    expect(made['extra']).toBeUndefined();
    expect(made['spec']).toMatchObject({ free: { any: { thing: 1 } }, names: { any: 'x' } });
    expect(made['spec']).not.toHaveProperty('what');
    expect(made['spec']).not.toHaveProperty('parts[0].what');
  });

  const invalid: [string, Record<string, unknown>, string][] = readRows('refused-widgets');
  test.each(invalid)('validation: %s', async (_rule, spec, message) => {
    const status = await refusal(stage().alice.create(widgets, widget('a', spec)));
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(status.message).toContain('Widget.test.example "a" is invalid: ');
    expect(status.message).toContain(message);
  });

  test('all errors of an object come together', async () => {
    const status = await refusal(
      stage().alice.create(widgets, widget('a', { size: 99, color: 'x', code: 'A' })),
    );
    expect(status.details?.causes?.map((cause) => cause.field)).toEqual([
      'spec.size',
      'spec.color',
      'spec.code',
    ]);
  });

  test('what both forms of int-or-string allow is taken', async () => {
    const { alice } = stage();
    expect((await alice.create(widgets, widget('a', { size: 1, share: 3 })))['spec']).toMatchObject({
      share: 3,
    });
  });

  test('are one object in all served versions', async () => {
    const { alice } = stage();
    const beta = { ...widgets, version: 'v1beta1' };
    const made = await alice.create(beta, { ...widget('a'), apiVersion: 'test.example/v1beta1' });
    const stable = await alice.get(widgets, at);
    expect(made.apiVersion).toBe('test.example/v1beta1');
    expect(stable).toEqual({ ...made, apiVersion: 'test.example/v1' });
    expect(await alice.replace(beta, made)).toBe(made);
  });

  test('show defaults that came after them', async () => {
    const { alice } = stage();
    await alice.create(widgets, widget('a'));
    const later = JSON.parse(
      JSON.stringify(widgetDefinition).replaceAll(
        '"properties":{"size"',
        '"properties":{"born":{"type":"string","default":"late"},"size"',
      ),
    ) as KubeObject;
    const { resourceVersion } = (await alice.get(definitions, { name: 'widgets.test.example' })).metadata;
    await alice.replace(definitions, {
      ...later,
      metadata: { ...later.metadata, resourceVersion: resourceVersion ?? '' },
    });
    expect((await alice.get(widgets, at))['spec']).toMatchObject({ born: 'late' });
  });

  test('the scale subresource reads and writes the paths of the definition', async () => {
    const { alice, world } = stage();
    await alice.create(widgets, widget('a', { size: 1, replicas: 3 }));
    await alice.patch(
      widgets,
      at,
      { type: 'merge', body: { status: { replicas: 2, selector: 'a=b' } } },
      { subresource: 'status' },
    );
    const scale = world.server.get('alice', widgets, at, 'scale');
    expect(scale).toMatchObject({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'a=b' },
    });
    await alice.replace(widgets, { ...scale, spec: { replicas: 5 } }, { subresource: 'scale' });
    await alice.patch(
      widgets,
      at,
      { type: 'merge', body: { spec: { replicas: 6 } } },
      { subresource: 'scale' },
    );
    expect((await alice.get(widgets, at))['spec']).toMatchObject({ size: 1, replicas: 6 });
    const stale = alice.replace(widgets, { ...scale, spec: { replicas: 7 } }, { subresource: 'scale' });
    expect((await refusal(stale)).code).toBe(409);
    const negative = alice.patch(
      widgets,
      at,
      { type: 'merge', body: { spec: { replicas: -1 } } },
      { subresource: 'scale' },
    );
    expect((await refusal(negative)).code).toBe(422);
  });

  test('a definition adds its resource and removes it on deletion', async () => {
    const { alice, clock } = stage({ crds: [] });
    expect((await refusal(alice.list(widgets))).code).toBe(404);
    await alice.create(definitions, widgetDefinition);
    expect((await alice.list(widgets)).items).toEqual([]);
    await alice.delete(definitions, { name: 'widgets.test.example' });
    await clock.advance(1000);
    expect((await refusal(alice.list(widgets))).code).toBe(404);
  });

  test("this project's own definitions are served by default", async () => {
    const world = createWorld({ clock: createVirtualClock(noon) });
    const { items } = await world.cluster('alice').list(definitions);
    expect(items.map((item) => item.metadata.name)).toContain('clonesets.apps.kruise.io');
  });
});
