import type { PlanBound, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { unitedDeploymentKind } from '../../../semantics/uniteddeployment/kind.ts';
import { createUnitedWorld, planFor, united, type Web, zones } from '../../runtime/united-world.ts';
import type { KindPlay, Start } from '../plays.ts';

const MINUTE = 60_000;
const REST: readonly Step[] = [{ id: 'rest', update: { to: '100%' } }];
const KEPT: PlanBound = { partitions: [{ subset: 'b', count: 1 }] };

/** One pod in zone a, and two in zone b, of which so many stay on the old revision. */
const web = (image: string, kept: number): Web => ({
  ...{ image, subsets: [...zones('a', { replicas: 1 }), ...zones('b')] },
  spec: { replicas: 3, updateStrategy: { manualUpdate: { partitions: { b: kept } } } },
});

/** A pod of zone b stays on the old revision, until the partition is lowered. */
async function play(start: Start) {
  const world = await createUnitedWorld({ start });
  await world.apply(united(web('web:1', 1)));
  world.most();
  await world.apply(planFor(web('web:1', 1), web('web:2', 1), REST, KEPT), united(web('web:2', 1)));
  await world.clock.advance(10 * MINUTE);
  const kept = { pods: await world.pods(), most: world.most()['web:2'] };
  await world.clock.advance(10 * MINUTE);
  const later = world.most()['web:2'];
  const onward = planFor(web('web:1', 0), web('web:2', 0), REST, { partition: 0 });
  await world.apply(onward, united(web('web:2', 0)));
  await world.clock.advance(10 * MINUTE);
  const ending = {
    ...{ kept, later, pods: await world.pods() },
    phase: (await world.plan())['phase'],
    held: await world.held(),
  };
  await world.stop();
  return ending;
}

export const partitionPlays: readonly KindPlay[] = [
  {
    kind: unitedDeploymentKind,
    title: 'a pod of a zone that its partition keeps, until that is lowered',
    play,
    expected: {
      kept: { pods: { a: { 'web:2': 1 }, b: { 'web:1': 1, 'web:2': 1 } }, most: 2 },
      later: 2,
      pods: { a: { 'web:2': 1 }, b: { 'web:2': 2 } },
      phase: 'Succeeded',
      held: '',
    },
    sends: (writes) => writes.some((text) => text.includes('clonesets')),
  },
];
