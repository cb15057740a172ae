import { describe, expect, test, vi } from 'vitest';
import { undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import { play } from './play.ts';
import { worldsFor } from './worlds.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const drawn = drawnWorlds('asked', worldsFor.asked);

describe.each(drawn)('$title: it does what it is asked for, when it is', ({ subject, worlds }) => {
  test.each(worlds.map((world) => [world.title, world] as const))(
    '%s',
    { timeout: 300_000 },
    async (_title, world) => {
      const { broken, errors, restlessMs } = await play(subject, world, undisturbed());
      expect({ broken, errors: errors.map(String) }).toEqual({ broken: [], errors: [] });
      expect(restlessMs).toBeLessThan(90_000);
    },
  );
});
