import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, readPod, refusal, stage, widget, widgets } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

describe('delete', () => {
  test('without anything to wait for it is gone at once', async () => {
    const { alice } = stage();
    await alice.create(configMaps, configMap('a'));
    expect(await alice.delete(configMaps, at('a'))).toBeUndefined();
    expect((await refusal(alice.get(configMaps, at('a')))).code).toBe(404);
    expect((await refusal(alice.delete(configMaps, at('a')))).code).toBe(404);
  });

  test('finalizers keep it, marked, until the last is taken; none may be added', async () => {
    const { alice } = stage();
    await alice.create(widgets, {
      ...widget('a'),
      metadata: { ...widget('a').metadata, finalizers: ['x/y'] },
    });
    const marked = await alice.delete(widgets, at('a'));
    expect(marked?.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T12:00:00Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    expect(await alice.delete(widgets, at('a'))).toBe(marked);
    const added = alice.patch(widgets, at('a'), {
      type: 'merge',
      body: { metadata: { finalizers: ['x/y', 'x/z'] } },
    });
    expect((await refusal(added)).message).toContain(
      'no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/z"}',
    );
    await alice.patch(widgets, at('a'), { type: 'merge', body: { metadata: { finalizers: null } } });
    expect((await refusal(alice.get(widgets, at('a')))).code).toBe(404);
  });

  test('a client cannot set or clear the deletion mark', async () => {
    const { alice } = stage();
    await alice.create(
      configMaps,
      configMap('a', { finalizers: ['x/y'], deletionTimestamp: '2026-01-01T12:00:00Z' }),
    );
    expect((await alice.get(configMaps, at('a'))).metadata.deletionTimestamp).toBeUndefined();
    await alice.delete(configMaps, at('a'));
    const cleared = await alice.patch(configMaps, at('a'), {
      type: 'merge',
      body: { metadata: { deletionTimestamp: null } },
    });
    expect(cleared.metadata.deletionTimestamp).toBeDefined();
  });

  test('an unscheduled pod goes at once, a scheduled one after its grace', async () => {
    const { alice, clock } = stage();
    await alice.create(resources.Pod, pod('a'));
    expect(await alice.delete(resources.Pod, at('a'))).toBeUndefined();
    await alice.create(resources.Pod, pod('b'));
    await clock.advance(10_000);
    const marked = await alice.delete(resources.Pod, at('b'));
    expect(marked?.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T12:00:40Z',
      deletionGracePeriodSeconds: 30,
    });
    const hurried = await alice.delete(resources.Pod, at('b'), { gracePeriodSeconds: 5 });
    expect(hurried?.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T12:00:15Z',
      deletionGracePeriodSeconds: 5,
    });
    expect(await alice.delete(resources.Pod, at('b'), { gracePeriodSeconds: 60 })).toBe(hurried);
    expect(await alice.delete(resources.Pod, at('b'), { gracePeriodSeconds: 0 })).toBeUndefined();
  });
});

describe('binding', () => {
  test('a pod gets its node once', async () => {
    const { alice } = stage({ nodes: 0 });
    await alice.create(resources.Pod, pod('a'));
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: at('a'),
      target: { kind: 'Node', name: 'n' },
    };
    await alice.create(resources.Pod, binding, { subresource: 'binding' });
    expect((await readPod(alice, 'a')).spec.nodeName).toBe('n');
    const again = await refusal(alice.create(resources.Pod, binding, { subresource: 'binding' }));
    expect(again).toMatchObject({ code: 409 });
    expect(again.message).toContain('pod a is already assigned to node "n"');
  });
});

describe('log', () => {
  test('every request is there with its user and its outcome', async () => {
    const { alice, world } = stage({ nodes: 0 });
    const from = world.log.length;
    await alice.create(widgets, widget('a'));
    await refusal(alice.get(widgets, at('b')));
    await alice.patch(
      widgets,
      at('a'),
      { type: 'merge', body: { status: { note: 'x' } } },
      { subresource: 'status' },
    );
    await alice.list(widgets, { namespace: 'default' });
    const about = { user: 'alice', resource: 'widgets', namespace: 'default' };
    expect(world.log.slice(from)).toMatchObject([
      { ...about, verb: 'create', name: 'a', code: 201 },
      { ...about, verb: 'get', name: 'b', code: 404 },
      { ...about, verb: 'patch', name: 'a', subresource: 'status', code: 200 },
      { ...about, verb: 'list', code: 200 },
    ]);
  });
});
