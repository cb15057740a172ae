import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, refusal, stage, widget, widgets, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });
const changedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again';

describe('generation', () => {
  const cases: [string, (cluster: Cluster) => Promise<KubeObject>, number][] = [
    ['a spec change counts', (cluster) => merge(cluster, { spec: { size: 2 } }), 2],
    ['metadata does not count', (cluster) => merge(cluster, { metadata: { labels: { a: 'b' } } }), 1],
    ['the same again does not count', (cluster) => merge(cluster, { spec: { size: 1 } }), 1],
    [
      'a status write does not count',
      (cluster) => merge(cluster, { spec: { size: 5 }, status: { note: 'x' } }, 'status'),
      1,
    ],
    [
      'a scale write counts',
      (cluster) =>
        merge(cluster, { spec: { replicas: 4 } }, 'scale').then(() => cluster.get(widgets, at('a'))),
      2,
    ],
  ];
  test.each(cases)('%s', async (_what, write, generation) => {
    const { alice } = stage();
    await alice.create(widgets, widget('a'));
    expect((await write(alice)).metadata.generation).toBe(generation);
  });

  function merge(cluster: Cluster, body: object, subresource?: 'status' | 'scale') {
    return cluster.patch(
      widgets,
      at('a'),
      { type: 'merge', body: body as never },
      subresource === undefined ? {} : { subresource },
    );
  }
});

describe('update', () => {
  test('a write of the main resource ignores status, and the other way round', async () => {
    const { alice } = stage();
    const made = await alice.create(widgets, { ...widget('a'), status: { note: 'mine' } });
    expect(made['status']).toBeUndefined();
    const main = await alice.replace(widgets, { ...made, status: { note: 'mine' } });
    expect(main).toBe(made);
    const labeled = { ...made.metadata, labels: { a: 'b' } };
    const status = await alice.replace(
      widgets,
      { ...made, metadata: labeled, spec: { size: 9 }, status: { note: 'kept' } },
      { subresource: 'status' },
    );
    expect(status['spec']).toBe(made['spec']);
    expect(status['status']).toEqual({ note: 'kept' });
    expect(status.metadata.labels).toBeUndefined();
  });

  test("a pod's status write may change labels but not owners", async () => {
    const { alice } = stage({ nodes: 0 });
    const made = await alice.create(resources.Pod, pod('a'));
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'b', uid: 'c' };
    const written = await alice.patch(
      resources.Pod,
      at('a'),
      {
        type: 'merge',
        body: { metadata: { labels: { x: 'y' }, ownerReferences: [owner] }, spec: { containers: [] } },
      },
      { subresource: 'status' },
    );
    expect(written.metadata.labels).toEqual({ x: 'y' });
    expect(written.metadata.ownerReferences).toBeUndefined();
    expect(written['spec']).toBe(made['spec']);
  });

  test('a write that changes nothing commits nothing', async () => {
    const { alice, world } = stage();
    const made = await alice.create(widgets, {
      ...widget('a', { size: 1, free: { deep: { list: [1, { a: 'b' }] } } }),
      metadata: { name: 'a', namespace: 'default', labels: { x: '1' } },
    });
    const commits: unknown[] = [];
    world.onCommit((commit) => commits.push(commit));
    const again = await alice.replace(widgets, JSON.parse(JSON.stringify(made)) as KubeObject);
    const patched = await alice.patch(widgets, at('a'), {
      type: 'merge',
      body: { metadata: { labels: { x: '1' } } },
    });
    expect(again).toBe(made);
    expect(patched).toBe(made);
    expect(commits).toEqual([]);
  });

  test('versions share what did not change', async () => {
    const { alice } = stage();
    const made = await alice.create(
      widgets,
      widget('a', { size: 1, free: { one: { a: 1 }, two: { b: 2 } } }),
    );
    const copy = JSON.parse(JSON.stringify(made)) as KubeObject;
    const free = { one: { a: 1 }, two: { b: 3 } };
    const next = await alice.replace(widgets, { ...copy, spec: { size: 1, free } });
    const freeOf = (object: KubeObject) => (object['spec'] as { free: { one: object; two: object } }).free;
    expect(freeOf(next).one).toBe(freeOf(made).one);
    expect(freeOf(next).two).not.toBe(freeOf(made).two);
  });

  const conflicts: [string, (stage: Stage, made: KubeObject) => Promise<unknown>, number, string][] = [
    [
      'a stale resourceVersion in a PUT',
      ({ alice }, made) =>
        alice.replace(configMaps, {
          ...made,
          data: { x: 'z' },
          metadata: { ...made.metadata, resourceVersion: '1' },
        }),
      409,
      `Operation cannot be fulfilled on configmaps "a": ${changedMeanwhile}`,
    ],
    [
      'a stale resourceVersion in a merge patch',
      ({ alice }) =>
        alice.patch(configMaps, at('a'), { type: 'merge', body: { metadata: { resourceVersion: '1' } } }),
      409,
      changedMeanwhile,
    ],
    [
      'another uid in a PUT',
      ({ alice }, made) =>
        alice.replace(configMaps, { ...made, metadata: { ...made.metadata, uid: 'other' } }),
      409,
      'StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ',
    ],
    [
      'a uid in a PUT of what is gone',
      ({ alice }, made) => alice.replace(configMaps, { ...made, metadata: { ...made.metadata, name: 'b' } }),
      404,
      'configmaps "b" not found',
    ],
    [
      'another uid in a patch',
      ({ alice }) =>
        alice.patch(configMaps, at('a'), { type: 'merge', body: { metadata: { uid: 'other' } } }),
      422,
      'metadata.uid: Invalid value: "other": field is immutable',
    ],
    [
      'another uid of a deletion',
      ({ alice }) => alice.delete(configMaps, at('a'), { uid: 'other' }),
      409,
      'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (',
    ],
    [
      'another resourceVersion of a deletion',
      ({ alice }) => alice.delete(configMaps, at('a'), { resourceVersion: '1' }),
      409,
      'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (',
    ],
    [
      'another name',
      ({ alice }) => alice.patch(configMaps, at('a'), { type: 'merge', body: { metadata: { name: 'b' } } }),
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'what is not there',
      ({ alice }) => alice.patch(configMaps, at('b'), { type: 'merge', body: {} }),
      404,
      'configmaps "b" not found',
    ],
    [
      'a subresource the kind has not',
      ({ alice }) => alice.patch(configMaps, at('a'), { type: 'merge', body: {} }, { subresource: 'status' }),
      404,
      'the server could not find the requested resource',
    ],
  ];
  test.each(conflicts)('refuses %s', async (_what, call, code, message) => {
    const set = stage();
    const made = await set.alice.create(configMaps, configMap('a'));
    const status = await refusal(call(set, made));
    expect(status.code).toBe(code);
    expect(status.message).toContain(message);
    expect(await set.alice.get(configMaps, at('a'))).toBe(made);
  });

  test('a dry run answers and commits nothing', async () => {
    const { alice } = stage();
    const made = await alice.create(configMaps, configMap('a'));
    const dry = await alice.patch(
      configMaps,
      at('a'),
      { type: 'merge', body: { data: { x: 'y' } } },
      { dryRun: true },
    );
    expect(dry['data']).toEqual({ x: 'y' });
    await alice.create(configMaps, configMap('b'), { dryRun: true });
    expect((await alice.list(configMaps)).items).toEqual([made]);
  });

  const revision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'a', namespace: 'default' },
    data: { spec: 1 },
    revision: 1,
  };
  test('ControllerRevision.data stays as it is, its revision may change', async () => {
    const { alice } = stage();
    await alice.create(resources.ControllerRevision, revision);
    const status = await refusal(
      alice.patch(resources.ControllerRevision, at('a'), { type: 'merge', body: { data: { spec: 2 } } }),
    );
    expect(status.message).toContain('data: Invalid value: {"spec":2}: field is immutable');
    const moved = await alice.patch(resources.ControllerRevision, at('a'), {
      type: 'merge',
      body: { revision: 2 },
    });
    expect(moved['revision']).toBe(2);
  });

  const specChanges: [string, object, string | undefined][] = [
    ['an image', { containers: [{ name: 'main', image: 'web:2' }] }, undefined],
    ['an added toleration', { tolerations: [{ key: 'a', operator: 'Exists' }] }, undefined],
    [
      'an environment variable',
      { containers: [{ name: 'main', env: [{ name: 'A', value: 'b' }] }] },
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
    ],
    [
      'another container',
      { containers: [{ name: 'more', image: 'x' }] },
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ],
    ['a node', { nodeName: 'node-1' }, 'spec: Forbidden: pod updates may not change fields other than'],
  ];
  test.each(specChanges)('a pod accepts %s or reports why not', async (_what, spec, message) => {
    const { alice } = stage({ nodes: 0 });
    await alice.create(resources.Pod, pod('a'));
    const call = alice.patch(resources.Pod, at('a'), { type: 'strategic', body: { spec: spec as never } });
    if (message === undefined) expect((await call).metadata.generation).toBe(2);
    else expect((await refusal(call)).message).toContain(message);
  });
});
