import { expect, test } from 'vitest';
import { createVirtualClock } from '../clock/virtual.ts';
import { createIdSource, createWorldIds } from '../store/ids.ts';
import { createWorld } from '../world.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';

const SEED = 7;
/** Uids before the first one of a world's objects: the number of definitions when the goldens were recorded. */
const RECORDED = 3;

test('the uids in a world do not depend on how many definitions it serves', async () => {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop', 'home'], seed: SEED });
  const { items } = await world.cluster('user').list(resources.Namespace);
  world.stop();
  const sequence = createIdSource(SEED);
  const uids = Array.from({ length: RECORDED + 2 }, () => sequence.uid()).slice(RECORDED);
  expect(crds.length).toBeGreaterThan(RECORDED);
  expect(new Map(items.map(({ metadata: { name, uid } }) => [name, uid]))).toEqual(
    new Map([
      ['shop', uids[0]],
      ['home', uids[1]],
    ]),
  );
});

test('uids of definitions, however many, come from a sequence of their own', () => {
  const worlds = [2, 20].map((definitions) => {
    const { ids, definitionsMade } = createWorldIds(SEED);
    const served = Array.from({ length: definitions }, () => ids.uid());
    definitionsMade();
    const others = Array.from({ length: 20 }, () => ids.uid());
    expect(new Set([...served, ...others]).size).toBe(definitions + others.length);
    return { others, suffix: ids.nameSuffix() };
  });
  expect(worlds[1]).toEqual(worlds[0]);
});
