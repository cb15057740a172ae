import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, readPod, refusal, stage, widget, widgets } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

describe('delete', () => {
  test('without finalizers it is removed at once', async () => {
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

  test('an unscheduled pod is removed at once, a scheduled one after its grace period', async () => {
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

describe('deletion options', () => {
  test('a dry run answers the same and changes nothing', async () => {
    const { alice, world } = stage({ nodes: 0 });
    await alice.create(configMaps, configMap('a'));
    let revisions = 0;
    world.onCommit(() => (revisions += 1));
    expect(await alice.delete(configMaps, at('a'), { dryRun: true })).toBeUndefined();
    const marked = await alice.delete(configMaps, at('a'), { dryRun: true, propagationPolicy: 'Foreground' });
    expect(marked?.metadata.finalizers).toEqual(['foregroundDeletion']);
    world.server.deleteCollection('alice', configMaps, { namespace: 'default', dryRun: true });
    expect(revisions).toBe(0);
    expect((await alice.get(configMaps, at('a'))).metadata.deletionTimestamp).toBeUndefined();
  });

  test('the cascade can be changed while the object waits', async () => {
    const { alice } = stage({ nodes: 0 });
    await alice.create(configMaps, configMap('a', { finalizers: ['x/y'] }));
    const finalizersAfter = async (propagationPolicy?: 'Foreground' | 'Orphan' | 'Background') =>
      (await alice.delete(configMaps, at('a'), propagationPolicy === undefined ? {} : { propagationPolicy }))
        ?.metadata.finalizers;
    expect(await finalizersAfter('Foreground')).toEqual(['x/y', 'foregroundDeletion']);
    expect(await finalizersAfter()).toEqual(['x/y', 'foregroundDeletion']);
    expect(await finalizersAfter('Orphan')).toEqual(['x/y', 'orphan']);
    expect(await finalizersAfter('Background')).toEqual(['x/y']);
  });

  const graces: [string, number | undefined, Record<string, unknown>, number][] = [
    ['its own', undefined, {}, 30],
    ['a shorter one', 3, {}, 3],
    ['a negative one', -1, {}, 1],
    ['what its spec says', undefined, { terminationGracePeriodSeconds: 7 }, 7],
  ];
  test.each(graces)('a pod that runs gets %s', async (_what, gracePeriodSeconds, spec, expected) => {
    const { alice } = stage({ nodes: 0 });
    await alice.create(resources.Pod, pod('a', 'web:1', { nodeName: 'somewhere', ...spec }));
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    const marked = await alice.delete(resources.Pod, at('a'), options);
    expect(marked?.metadata).toMatchObject({ deletionGracePeriodSeconds: expected, generation: 2 });
  });

  test('an endless grace period ends in the last representable second', async () => {
    const { alice } = stage({ nodes: 0 });
    const terminationGracePeriodSeconds = Number.MAX_SAFE_INTEGER;
    await alice.create(resources.Pod, pod('a', 'web:1', { nodeName: 'n', terminationGracePeriodSeconds }));
    const marked = await alice.delete(resources.Pod, at('a'));
    expect(marked?.metadata.deletionTimestamp).toBe('9999-12-31T23:59:59Z');
    expect(await alice.delete(resources.Pod, at('a'), { gracePeriodSeconds: 0 })).toBeUndefined();
  });

  test('the last state of a removed pod has its deletion mark', async () => {
    const { alice, world } = stage({ nodes: 0 });
    const made = await alice.create(resources.Pod, pod('a'));
    let last: KubeObject | undefined;
    world.server.delete('alice', resources.Pod, at('a'), { removed: (gone) => (last = gone) });
    expect(last?.metadata).toMatchObject({
      uid: made.metadata.uid,
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: '2026-01-01T12:00:00Z',
      generation: 2,
    });
    await alice.create(configMaps, configMap('a'));
    world.server.delete('alice', configMaps, at('a'), { removed: (gone) => (last = gone) });
    expect(last?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('jobs orphan their pods by default, with a warning', async () => {
    const { alice, world } = stage({ nodes: 0 });
    const jobs = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'web:1' }] } };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: at('a'), spec: { template } };
    await alice.create(jobs, job);
    const warnings: string[] = [];
    const warn = (text: string) => warnings.push(text);
    const marked = world.server.delete('alice', jobs, at('a'), { warn, dryRun: true });
    expect(marked?.metadata.finalizers).toEqual(['orphan']);
    expect(warnings).toEqual([
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    ]);
    expect(
      world.server.delete('alice', jobs, at('a'), { warn, propagationPolicy: 'Background' }),
    ).toBeUndefined();
    expect(warnings.length).toBe(1);
  });
});

describe('deletion of a collection', () => {
  test('deletes the selected objects, and returns them', async () => {
    const { alice, world } = stage({ nodes: 0 });
    for (const name of ['a', 'b', 'c'])
      await alice.create(configMaps, configMap(name, { labels: { on: name } }));
    const remove = (options: object) =>
      world.server
        .deleteCollection('alice', configMaps, { namespace: 'default', ...options })
        .items.map((item) => item.metadata.name);
    expect(remove({ labelSelector: 'on=a' })).toEqual(['a']);
    expect(remove({ labelSelector: 'on=a' })).toEqual([]);
    expect(remove({ limit: 1 })).toEqual(['b']);
    expect(remove({ fieldSelector: 'metadata.name=c' })).toEqual(['c']);
    expect((await alice.list(configMaps, { namespace: 'default' })).items).toEqual([]);
  });

  test('stops at the first that is refused', async () => {
    const { alice, world } = stage({ nodes: 0 });
    for (const name of ['a', 'b']) await alice.create(configMaps, configMap(name));
    const refused = refusal(
      (async () =>
        world.server.deleteCollection('alice', configMaps, { namespace: 'default', uid: 'other' }))(),
    );
    expect((await refused).code).toBe(409);
    expect((await alice.list(configMaps, { namespace: 'default' })).items.length).toBe(2);
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
