import type { Step, Wave } from '../../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { createCronWorld, OPS, planFor, tidy, type Tidy } from '../../runtime/cron-world.ts';
import { advancedCronJobKind } from '../../../semantics/advancedcronjob/kind.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * Children at the times of a schedule: whatever becomes of the runtime, each time has one child of the template that the plan
 * allows, and the plan ends the same.
 */
const STEPS: readonly Step[] = [
  { id: 'first', update: { to: 1 } },
  { id: 'soak', soak: { for: '60s' } },
  { id: 'all', update: { to: '100%' } },
];

/** A change of a template under a plan; returns what ran, and how it ended. */
async function played(start: Start) {
  const world = await createCronWorld({ start });
  await world.apply(tidy());
  await world.until('0:01:40');
  await world.apply(planFor({}, { image: 'tidy:2' }, STEPS), tidy({ image: 'tidy:2' }));
  await world.until('0:07:50');
  const ending = {
    created: [...world.created],
    children: await world.children(),
    plan: (await world.plan()).phase,
    held: (await world.status()).held,
  };
  await world.stop();
  return ending;
}

const expected = {
  created: [
    '00:01 tidy:1',
    '00:02 tidy:2',
    // In the soak the stable template runs.
    '00:03 tidy:1',
    '00:04 tidy:2',
    '00:05 tidy:2',
    '00:06 tidy:2',
    '00:07 tidy:2',
  ],
  children: ['00:05 Complete', '00:06 Complete', '00:07 Complete'],
  plan: 'Succeeded',
  held: '',
};

const WAVES: Wave[] = [
  { id: 'one', run: { to: 1 } },
  { id: 'rest', run: { to: '100%' } },
];
const everyNode: Tidy = { of: 'BroadcastJob', spec: { schedule: '*/3 * * * *' } };

/** Runs on every node, which begin nowhere unless their schedule has recorded them first. */
async function playedOnNodes(start: Start) {
  const world = await createCronWorld({ start });
  const all: Step[] = [{ id: 'all', update: { to: '100%' } }];
  await world.apply(planFor(undefined, everyNode, all, { waves: WAVES }), tidy(everyNode));
  await world.until('0:08:50');
  const { items } = await world.user.list(resources.Pod, { namespace: OPS });
  const ending = {
    created: [...world.created],
    children: await world.children('BroadcastJob'),
    pods: items.length,
    plan: (await world.plan()).phase,
  };
  await world.stop();
  return ending;
}

const expectedOnNodes = {
  created: ['00:03 tidy:1', '00:06 tidy:1'],
  children: ['00:03 Complete', '00:06 Complete'],
  pods: 6,
  plan: 'Succeeded',
};

/** Of each time, once, and of the images in their order: how many times the soak takes depends on when somebody is there. */
function lasting(ending: unknown): unknown {
  const { created, ...rest } = ending as { created: string[] };
  const [times, images] = [0, 1].map((part) => created.map((text) => text.split(' ')[part]));
  return { ...rest, times, images: images?.filter((image, index) => image !== images[index - 1]) };
}

export const plays: readonly KindPlay[] = [
  {
    kind: advancedCronJobKind,
    title: 'one child for each tick under a plan (AC-26)',
    play: played,
    expected,
    lasting,
  },
  {
    kind: advancedCronJobKind,
    title: 'ticks of runs on nodes',
    play: playedOnNodes,
    expected: expectedOnNodes,
  },
];
