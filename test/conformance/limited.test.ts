import { describe, expect, test, vi } from 'vitest';
import { shortLived, undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import type { LimitMove, LimitWorld } from './limited.ts';
import { type Disturbance, play } from './play.ts';
import type { Subject, World } from './subject.ts';
import { worldsFor } from './worlds.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const disturbances: readonly (() => Disturbance)[] = [undisturbed, () => shortLived(3)];

/** What is wrong with a world: a commit that exceeds a limit, an error, or another end. */
async function wrongWith(subject: Subject, world: World): Promise<string[]> {
  for (const disturbance of disturbances) {
    const found = await play(subject, world, disturbance()).then(
      ({ broken, errors }) => [...broken, ...errors.map(String)],
      (error: unknown) => [String(error)],
    );
    if (found.length > 0) return [world.title, ...found];
  }
  return [];
}

/** The same with as few moves as are needed for something to be wrong. */
async function fewestMoves(subject: Subject, world: LimitWorld): Promise<string[]> {
  let [moves, wrong]: [readonly LimitMove[], string[]] = [world.moves, await wrongWith(subject, world)];
  for (let at = 0; wrong.length > 0 && at < moves.length;) {
    const fewer = moves.toSpliced(at, 1);
    const found = await wrongWith(subject, world.withMoves(fewer));
    if (found.length === 0) at += 1;
    else [moves, wrong] = [fewer, found];
  }
  return wrong;
}

describe.each(drawnWorlds('limits', worldsFor.limits))(
  '$title: no commit exceeds the lower of the limits of plan and manifest, whoever moves them',
  ({ subject, worlds }) => {
    test.each((worlds as readonly LimitWorld[]).map((world) => [world.title, world] as const))(
      '%s',
      { timeout: 300_000 },
      async (_title, world) => {
        expect(await fewestMoves(subject, world)).toEqual([]);
      },
    );
  },
);
