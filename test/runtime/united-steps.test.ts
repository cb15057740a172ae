import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import {
  createUnitedWorld,
  planFor,
  united as manyIn,
  type UnitedWorld,
  type Web,
  zones,
} from './united-world.ts';

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function created(): Promise<UnitedWorld> {
  world = await createUnitedWorld();
  return world;
}

const united = (web: Web = {}) => manyIn({ ...web, spec: { replicas: 5, ...web.spec } });

/** Zone b, an approval, zone a, another one, and what is left. */
const BY_ZONE: readonly Step[] = [
  { id: 'zone-b', update: { to: '100%', subsets: ['b'] } },
  { id: 'one', approve: {} },
  { id: 'zone-a', update: { to: '100%', subsets: ['a'] } },
  { id: 'two', approve: {} },
  { id: 'rest', update: { to: '100%' } },
];

const byZone = (web: Web = {}) => planFor(web, { ...web, image: 'web:2' }, BY_ZONE);

describe('a UnitedDeployment whose steps name subsets', () => {
  test('goes a zone at a time, in the order of the plan, and never touches another zone', async () => {
    const { apply, approve, pods, plan, most, errors } = await created();
    await apply(united());
    most();
    await apply(byZone(), united({ image: 'web:2' }));
    expect(await plan()).toMatchObject({ phase: 'AwaitingApproval', step: 'one', updated: '2/5' });
    expect(await pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:2': 2 }, c: { 'web:1': 2 } });
    expect(most()['web:2']).toBe(2);
    await approve('one');
    expect(await plan()).toMatchObject({ phase: 'AwaitingApproval', step: 'two', updated: '3/5' });
    expect(await pods()).toEqual({ a: { 'web:2': 1 }, b: { 'web:2': 2 }, c: { 'web:1': 2 } });
    expect(most()['web:2']).toBe(3);
    await approve('two');
    expect(await plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await pods()).toEqual({ a: { 'web:2': 1 }, b: { 'web:2': 2 }, c: { 'web:2': 2 } });
    expect(errors).toEqual([]);
  });

  test('follows its scale: more pods of a zone that is through are on the new template, others on the old one', async () => {
    const { apply, set, pods, plan } = await created();
    const subsets = zones('abc');
    await apply(united({ subsets }));
    await apply(byZone({ subsets }), united({ image: 'web:2', subsets }));
    await set({ replicas: 9 });
    expect(await pods()).toEqual({ a: { 'web:1': 3 }, b: { 'web:2': 3 }, c: { 'web:1': 3 } });
    expect(await plan()).toMatchObject({ phase: 'AwaitingApproval', step: 'one', updated: '3/9' });
  });

  test('takes no more pods in a gate, though there were more for a while', async () => {
    const { apply, set, pods, plan, most } = await created();
    const six = (web: Web = {}) => united({ ...web, spec: { replicas: 6 } });
    const [first, ...others] = BY_ZONE;
    const half = [{ ...first, id: 'half', update: { to: '50%', subsets: ['b'] } }, ...others];
    await apply(six());
    await apply(planFor({}, { image: 'web:2' }, half), six({ image: 'web:2' }));
    most();
    for (const replicas of [12, 6]) await set({ replicas });
    expect(await plan()).toMatchObject({ phase: 'AwaitingApproval', step: 'one' });
    expect(await pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 1, 'web:2': 1 }, c: { 'web:1': 2 } });
    expect(most()['web:2']).toBe(1);
  });

  test('goes back with git in the middle', async () => {
    const { apply, pods, plan } = await created();
    await apply(united());
    await apply(byZone(), united({ image: 'web:2' }));
    await apply(united());
    expect(await plan()).toMatchObject({ phase: 'Reverted' });
    expect(await pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:1': 2 }, c: { 'web:1': 2 } });
  });

  test('leaves a zone alone that fails, and the others as they were; then only it goes back', async () => {
    const { apply, pods, plan, clock, most, world: sandbox } = await created();
    sandbox.images.set('web:2', { neverReady: true });
    await apply(united());
    most();
    const [first, ...others] = BY_ZONE;
    const steps = [{ id: 'zone-b', ...first, onFailure: 'Revert' as const }, ...others];
    await apply(planFor({}, { image: 'web:2' }, steps), united({ image: 'web:2' }));
    expect(await plan()).toMatchObject({ phase: 'Running', step: 'zone-b' });
    expect(await pods()).toMatchObject({ a: { 'web:1': 1 }, c: { 'web:1': 2 } });
    await clock.advance(20 * 60_000);
    expect(await plan()).toMatchObject({ phase: 'Reverted' });
    expect(await pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:1': 2 }, c: { 'web:1': 2 } });
    expect(most()['web:2']).toBeLessThanOrEqual(2);
  });

  test('takes a zone back whose pods crash in its soak, and says which pod it is', async () => {
    const { apply, pods, plan, child, clock, most, world: sandbox } = await created();
    sandbox.images.set('web:2', { crashAfterMs: 90_000 });
    await apply(united());
    most();
    const [first, ...others] = BY_ZONE;
    const soak: Step = { id: 'soak', soak: { for: '10m' }, onFailure: 'Revert' };
    const steps = [{ id: 'zone-b', ...first }, soak, ...others];
    const said: string[] = [];
    sandbox.onCommit(({ resource, object }) => {
      if (resource.startsWith('clonesets.')) said.push(JSON.stringify(object['status'] ?? ''));
    });
    await apply(planFor({}, { image: 'web:2' }, steps), united({ image: 'web:2' }));
    await clock.advance(15 * 60_000);
    expect(said.join('\n')).toMatch(/"PodsFailing","message":"pod web-b-\w+ restarted after its update/);
    expect(await plan()).toMatchObject({ phase: 'Reverted', message: expect.stringContaining('web-b') });
    expect(await pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:1': 2 }, c: { 'web:1': 2 } });
    expect(most()['web:2']).toBeLessThanOrEqual(2);
    expect(JSON.stringify((await child('b'))['status'])).not.toContain('PodsFailing');
  });

  test.each<[string, readonly Step[], string]>([
    [
      'whose last step is for some alone',
      BY_ZONE.slice(0, 3),
      'step zone-a is the last update, and for a alone: the other pods would never be updated',
    ],
    ['that names no subset', [{ id: 'none', update: { to: '100%', subsets: [] } }, ...BY_ZONE], 'subsets'],
  ])('refuses a plan %s', async (_what, steps, expected) => {
    const { apply, pods, held } = await created();
    await apply(united());
    await apply(planFor({}, { image: 'web:2' }, steps), united({ image: 'web:2' })).catch(() => undefined);
    expect((await pods())['b']).toEqual({ 'web:1': 2 });
    if (expected !== 'subsets') expect(await held()).toContain(expected);
  });
});
