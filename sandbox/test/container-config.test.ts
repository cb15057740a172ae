import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, readPod, stage, type Stage } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });
const needs = (key: string, more: object = {}) => ({
  env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key, ...more } } }],
});
/** A pod whose first container has these fields, beside one that needs nothing. */
const withFields = (fields: object) =>
  pod('a', '', {
    containers: [
      { name: 'main', image: 'web:1', ...fields },
      { name: 'other', image: 'web:1' },
    ],
  });

/** What the first container waits for, or that it runs. */
async function shown({ alice }: Stage): Promise<string> {
  const { status } = await readPod(alice, 'a');
  expect(status?.containerStatuses?.[1]?.state.running).toBeDefined();
  const { state, restartCount } = status?.containerStatuses?.[0] ?? {};
  expect(restartCount).toBe(0);
  if (state?.running !== undefined) return 'runs';
  expect([status?.phase, status?.podIP]).toEqual(['Pending', '10.128.0.1']);
  return `${state?.waiting?.reason ?? ''}: ${state?.waiting?.message ?? ''}`;
}

async function made(fields: object): Promise<Stage> {
  const set = stage({ nodes: 1, podEvents: true });
  await set.alice.create(resources.Pod, withFields(fields));
  await set.clock.advance(5_000);
  return set;
}

const NO_MAP = 'CreateContainerConfigError: configmap "settings" not found';
const NO_KEY = "CreateContainerConfigError: couldn't find key color in ConfigMap default/settings";

describe('a container that needs a ConfigMap', () => {
  test('is not created without it, while others of the pod start', async () => {
    const set = await made(needs('color'));
    expect(await shown(set)).toBe(NO_MAP);
    await set.alice.create(configMaps, configMap('settings', {}, { size: '1' }));
    await set.clock.advance(10_000);
    expect(await shown(set)).toBe(NO_KEY);
    await set.alice.patch(configMaps, at('settings'), { type: 'merge', body: { data: { color: 'red' } } });
    await set.clock.advance(2_000);
    expect(await shown(set)).toBe(NO_KEY);
    await set.clock.advance(10_000);
    expect(await shown(set)).toBe('runs');
    const { items } = await set.alice.list(resources.Event, { namespace: 'default' });
    const failed = items.filter(({ reason }) => reason === 'Failed').map(({ message }) => message);
    expect([...new Set(failed)]).toEqual([
      'Error: configmap "settings" not found',
      "Error: couldn't find key color in ConfigMap default/settings",
    ]);
  });

  test('is tried at once when an annotation of its pod changes', async () => {
    const set = await made(needs('color'));
    await set.alice.create(configMaps, configMap('settings', {}, { color: 'red' }));
    await set.alice.patch(resources.Pod, at('a'), {
      type: 'merge',
      body: { metadata: { annotations: { touched: 'yes' } } },
    });
    await set.clock.advance(1_000);
    expect(await shown(set)).toBe('runs');
  });

  test.each([
    ['an optional key', needs('color', { optional: true }), 'runs'],
    ['all of a missing one', { envFrom: [{ configMapRef: { name: 'settings' } }] }, NO_MAP],
    ['all of an optional one', { envFrom: [{ configMapRef: { name: 'settings', optional: true } }] }, 'runs'],
  ])('or %s', async (_, fields, expected) => {
    expect(await shown(await made(fields))).toBe(expected);
  });

  test('runs on when it is deleted', async () => {
    const set = stage({ nodes: 1 });
    await set.alice.create(configMaps, configMap('settings', {}, { color: 'red' }));
    await set.alice.create(resources.Pod, withFields(needs('color')));
    await set.clock.advance(5_000);
    await set.alice.delete(configMaps, at('settings'));
    await set.clock.advance(60_000);
    expect(await shown(set)).toBe('runs');
  });
});
