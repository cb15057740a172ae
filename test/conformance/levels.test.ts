import { describe, test, vi } from 'vitest';
import { holdAgainst, isConflict, outcome } from './compare.ts';
import { absent, seldom, together, undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import { worldsFor } from './worlds.ts';
import { play } from './play.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const trials = [
  { title: 'no runtime runs during user actions', how: absent(1_000) },
  { title: 'no runtime runs for five minutes after each user action', how: absent(300_000) },
  { title: 'watch events are one to three seconds late', how: together([{ ms: [1_000, 3_000] }], 1) },
  { title: 'what changes within two seconds is seen at once', how: seldom(2_000) },
  { title: 'what changes within fifteen seconds is seen at once', how: seldom(15_000) },
];

const drawn = drawnWorlds('levels', worldsFor.levels);

describe.each(drawn)('$title: missed events do not matter, only the present state', ({ subject, worlds }) => {
  test.each(worlds.map((world) => [world.title, world] as const))(
    '%s',
    { timeout: 300_000 },
    async (_title, world) => {
      const expected = await play(subject, world, undisturbed());
      await holdAgainst(subject, world, expected, trials, outcome(isConflict));
    },
  );
});
