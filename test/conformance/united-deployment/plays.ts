import { unitedDeploymentKind } from '../../../semantics/uniteddeployment/kind.ts';
import type { TemplateField } from '../../../semantics/uniteddeployment/resource.ts';
import { createUnitedWorld, planFor, united, zones } from '../../runtime/united-world.ts';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { KindPlay, Start } from '../plays.ts';
import { allocatedPlays } from './allocated.ts';
import { partitionPlays } from './partitions.ts';

/**
 * A zone and half of the next one, or the zone that is named, the rest, and then a zone that another one replaces. Whatever becomes of the runtime, no more pods
 * are on the new template than a step allows, and every zone ends with its part. Three pods are enough for that: each pod is more
 * writes of every trial.
 */
const played =
  (steps: readonly Step[], field: TemplateField = 'cloneSetTemplate') =>
  async (start: Start) => {
    const workloads = field === 'deploymentTemplate' || field === 'statefulSetTemplate';
    const world = await createUnitedWorld({ start, workloads });
    const at = (...where: Parameters<typeof webIn>) => ({ ...webIn(...where), field });
    const threeIn = (...where: Parameters<typeof webIn>) => united(at(...where));
    await world.apply(threeIn('a'));
    world.most();
    await world.apply(planFor(at('a'), at('a', 'web:2'), steps), threeIn('a', 'web:2'));
    await world.clock.advance(10 * MINUTE);
    const first = { pods: await world.pods(), most: world.most()['web:2'] };
    await world.approve('one');
    await world.clock.advance(10 * MINUTE);
    await world.apply(threeIn('d', 'web:2'));
    await world.clock.advance(10 * MINUTE);
    const ending = {
      ...{ first, pods: await world.pods() },
      phase: (await world.plan())['phase'],
      held: await world.held(),
    };
    await world.stop();
    return ending;
  };

const MINUTE = 60_000;

const REST: readonly Step[] = [
  { id: 'one', approve: {} },
  { id: 'rest', update: { to: '100%' } },
];
const MOST: readonly Step[] = [{ id: 'most', update: { to: '70%' } }, ...REST];
const BY_ZONE: readonly Step[] = [{ id: 'zone-b', update: { to: '100%', subsets: ['b'] } }, ...REST];

/** One pod in a zone, and two in b. A remainder would go to whichever zone has most pods at a moment. */
const webIn = (zone: string, image = 'web:1') => ({
  ...{ image, subsets: [...zones(zone, { replicas: 1 }), ...zones('b')] },
  spec: { replicas: 3 },
});
const expected = {
  first: { pods: { a: { 'web:2': 1 }, b: { 'web:1': 1, 'web:2': 1 } }, most: 2 },
  pods: { b: { 'web:2': 2 }, d: { 'web:2': 1 } },
  phase: 'Succeeded',
  held: '',
};

const byZone = {
  ...expected,
  first: { pods: { a: { 'web:1': 1 }, b: { 'web:2': 2 } }, most: 2 },
};

export const plays: readonly KindPlay[] = [
  ...allocatedPlays,
  ...partitionPlays,
  {
    kind: unitedDeploymentKind,
    title: 'one zone after the other, and another zone in the place of one',
    play: played(MOST),
    expected,
    sends: (writes) => writes.some((text) => text.includes('clonesets')),
  },
  {
    kind: unitedDeploymentKind,
    title: 'a zone that the plan names, and another zone in the place of one',
    play: played(BY_ZONE),
    expected: byZone,
    sends: (writes) => writes.some((text) => text.includes('clonesets')),
  },
  {
    kind: unitedDeploymentKind,
    title: 'one zone of StatefulSets after the other, and another zone in the place of one',
    play: played(MOST, 'advancedStatefulSetTemplate'),
    expected,
    sends: (writes) => writes.some((text) => text.includes('statefulsets')),
  },
  {
    kind: unitedDeploymentKind,
    title: 'a zone of a Deployment that the plan names, and another zone in the place of one',
    play: played(BY_ZONE, 'deploymentTemplate'),
    expected: byZone,
    sends: (writes) => writes.some((text) => /\bdeployments\b/.test(text)),
  },
];
