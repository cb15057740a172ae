import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { LIFECYCLE_LABEL, type Pod, SPECIFIED_DELETE_LABEL } from '../../semantics/pod/types.ts';
import { cloneSet, createTestCluster, patchSpec, type TestCluster, templateOf } from './stage.ts';

const DRAIN = 'example.com/drain';
const MINUTE = 60_000;

let stage: TestCluster;
afterEach(() => stage.stop());

/** How often each pod has been marked to be recreated. */
let marked: Map<string, number>;

/** Four pods that wait at a hook before they are deleted, and a plan to web:2 that has begun. */
async function begun(strategy: Record<string, number>, steps: Step[]): Promise<string[]> {
  marked = new Map();
  const target = cloneSet(
    'web',
    'web:1',
    { replicas: 4, lifecycle: { preDelete: { labelsHandler: { [DRAIN]: 'open' } } } },
    { podUpdatePolicy: 'ReCreate', ...strategy },
  );
  stage = await createTestCluster(target);
  const names = (await stage.pods()).map(({ metadata }) => metadata.name).sort();
  for (const name of names) await drain(name, 'open');
  const isMarked = new Set<string>();
  stage.world.onCommit(({ resource, object: { metadata } }) => {
    if (resource !== 'pods') return;
    if (metadata.labels?.[SPECIFIED_DELETE_LABEL] === undefined) isMarked.delete(metadata.name);
    else if (!isMarked.has(metadata.name)) {
      isMarked.add(metadata.name);
      marked.set(metadata.name, (marked.get(metadata.name) ?? 0) + 1);
    }
  });
  await stage.change('web:2', { steps });
  await stage.clock.advance(5 * MINUTE);
  return names;
}

async function drain(name: string, value: string | null): Promise<void> {
  const body = { metadata: { labels: { [DRAIN]: value } } };
  await stage.user.patch(resources.Pod, { namespace: 'shop', name }, { type: 'merge', body });
}

const stateOf = ({ metadata }: Pod): string => metadata.labels?.[LIFECYCLE_LABEL] ?? '';

async function waiting(): Promise<string[]> {
  const pods = await stage.pods();
  return pods.filter((pod) => stateOf(pod) === 'PreparingDelete').map(({ metadata }) => metadata.name);
}

const steps: Step[] = [
  { id: 'two', update: { to: 2 } },
  { id: 'soak', soak: { for: '30m' } },
  { id: 'all', update: { to: '100%' } },
];

describe('pods that are to be recreated and wait at a hook preDelete', () => {
  test.each([
    ['without a surge', { maxUnavailable: 1 }],
    ['with a surge', { maxUnavailable: 1, maxSurge: 1 }],
  ])('return when git goes back and the hook never ends, %s', async (_, strategy) => {
    const before = await begun(strategy, steps);
    expect(await waiting()).not.toEqual([]);
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:1') });
    await stage.until('Reverted');
    await stage.clock.advance(MINUTE);
    expect((await stage.pods()).map(({ metadata }) => metadata.name).sort()).toEqual(before);
    expect(await waiting()).toEqual([]);
    expect(stage.errors).toEqual([]);
  });

  test('are marked once, through the steps, a soak and the way back', async () => {
    await begun({ maxUnavailable: 1, maxSurge: 1 }, steps);
    for (let i = 0; i < 2; i++) {
      for (const name of await waiting()) await drain(name, null);
      await stage.clock.advance(5 * MINUTE);
    }
    await stage.clock.advance(20 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 2, 'web:2': 2 });
    expect(await waiting()).toEqual([]);
    await stage.clock.advance(30 * MINUTE);
    expect(await waiting()).not.toEqual([]);
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:1') });
    await stage.until('Reverted');
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:2') });
    await stage.until('Soaking');
    expect([...marked.values()].filter((times) => times > 1)).toEqual([]);
  });
});
