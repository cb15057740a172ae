import { unitedDeploymentKind } from '../../../semantics/uniteddeployment/kind.ts';
import { createUnitedWorld, planFor, united, zones } from '../../runtime/united-world.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * Zone by zone under a plan, and then a zone that another one replaces. Whatever becomes of the runtime, no more pods are on the new
 * template than a step allows, and every zone ends with its part.
 */
async function played(start: Start) {
  const world = await createUnitedWorld({ start });
  await world.apply(united({ subsets: inZones('c') }));
  world.most();
  const subsets = inZones('c');
  await world.apply(planFor({ subsets }, { image: 'web:2', subsets }), united({ image: 'web:2', subsets }));
  await world.clock.advance(10 * MINUTE);
  const first = { pods: await world.pods(), most: world.most()['web:2'] };
  await world.approve('one');
  await world.clock.advance(10 * MINUTE);
  const second = { pods: await world.pods(), most: world.most()['web:2'] };
  await world.approve('two');
  await world.clock.advance(10 * MINUTE);
  await world.apply(united({ image: 'web:2', subsets: inZones('d') }));
  await world.clock.advance(10 * MINUTE);
  const ending = {
    ...{ first, second, pods: await world.pods() },
    phase: (await world.plan())['phase'],
    held: await world.held(),
  };
  await world.stop();
  return ending;
}

const MINUTE = 60_000;

/** A remainder would go to whichever zone has most pods at a moment. */
const inZones = (last: string) => [...zones('ab', { replicas: 3 }), ...zones(last)];

const expected = {
  first: { pods: { a: { 'web:1': 1, 'web:2': 2 }, b: { 'web:1': 3 }, c: { 'web:1': 4 } }, most: 2 },
  second: { pods: { a: { 'web:2': 3 }, b: { 'web:1': 1, 'web:2': 2 }, c: { 'web:1': 4 } }, most: 5 },
  pods: { a: { 'web:2': 3 }, b: { 'web:2': 3 }, d: { 'web:2': 4 } },
  phase: 'Succeeded',
  held: '',
};

export const plays: readonly KindPlay[] = [
  {
    kind: unitedDeploymentKind,
    title: 'three zones, one after the other, and another zone in the place of one',
    play: played,
    expected,
    sends: (writes) => writes.some((text) => text.includes('clonesets')),
  },
];
