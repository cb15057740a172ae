import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { LIFECYCLE_LABEL, type Pod } from '../../semantics/pod/types.ts';
import { cloneSet, createTestCluster, patchSpec, type TestCluster, templateOf } from './stage.ts';

const HOOK = 'example.com/drain';
let stage: TestCluster;
afterEach(() => stage.stop());

/** A CloneSet whose pods have the finalizer of this hook from their template. */
async function start(name: string, replicas: number): Promise<void> {
  const template = templateOf('web', 'web:1');
  const metadata = { ...(template['metadata'] as JsonObject), finalizers: [HOOK] };
  const lifecycle = { [name]: { finalizersHandler: [HOOK] } };
  const target = cloneSet('web', 'web:1', { replicas, lifecycle, template: { ...template, metadata } });
  stage = await createTestCluster(target, { policy: 'Auto' });
}

const states = async (): Promise<string[]> =>
  ((await stage.user.list(resources.Pod, { namespace: 'shop' })).items as Pod[])
    .map(({ metadata }) => metadata.labels?.[LIFECYCLE_LABEL] ?? '')
    .sort();

/** The Events of waits so far, each message once. */
async function waits(): Promise<string[]> {
  const { items } = await stage.user.list(resources.Event, { namespace: 'shop' });
  const found = items.filter(({ reason }) => reason === 'WaitsForHook');
  return [...new Set(found.map(({ message, note }) => String(message ?? note)))].sort();
}

/** Types the command at the end of a message. */
async function type(message: string | undefined): Promise<void> {
  const [, name = '', body = ''] = /kubectl patch pod (\S+) -n shop -p '(.+)'$/.exec(message ?? '') ?? [];
  await stage.user.patch(
    resources.Pod,
    { namespace: 'shop', name },
    { type: 'strategic', body: JSON.parse(body) as JsonObject },
  );
  await stage.clock.advance(60_000);
}

test('a finalizer holds a scale-in, and the command in the Event ends the wait (CS-15)', async () => {
  await start('preDelete', 2);
  await patchSpec(stage, 'web', { replicas: 1 });
  await stage.clock.advance(3_600_000);
  expect(await states()).toEqual(['Normal', 'PreparingDelete']);
  const [message, ...others] = await waits();
  expect(others).toEqual([]);
  await type(message);
  expect(await states()).toEqual(['Normal']);
});

test('a finalizer holds an update before and after it, and is put back for the next one (IU-28)', async () => {
  await start('inPlaceUpdate', 1);
  const image = (version: number): Promise<void> =>
    patchSpec(stage, 'web', {
      template: { spec: { containers: [{ name: 'main', image: `web:${version}` }] } },
    });
  await image(2);
  await stage.clock.advance(60_000);
  expect([await states(), await stage.images()]).toEqual([['PreparingUpdate'], { 'web:1': 1 }]);
  const [before] = await waits();
  await type(before);
  expect([await states(), await stage.images()]).toEqual([['Updated'], { 'web:2': 1 }]);
  await image(3);
  await stage.clock.advance(60_000);
  expect([await states(), await stage.images()]).toEqual([['PreparingUpdate'], { 'web:2': 1 }]);
  await type(before);
  expect([await states(), await stage.images()]).toEqual([['Updated'], { 'web:3': 1 }]);
  await type((await waits()).find((message) => message !== before));
  expect(await states()).toEqual(['Normal']);
});

test('a pod that somebody deletes is replaced, whatever its finalizer waits for (IU-33)', async () => {
  await start('preDelete', 1);
  const [pod] = (await stage.user.list(resources.Pod, { namespace: 'shop' })).items;
  await stage.user.delete(resources.Pod, { namespace: 'shop', name: pod?.metadata.name ?? '' });
  await stage.clock.advance(60_000);
  expect(await states()).toEqual(['Normal', 'Normal']);
  expect(await waits()).toEqual([]);
});
