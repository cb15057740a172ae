import { describe, test, vi } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome, type Trial } from './compare.ts';
import { drawnWorlds } from './drawn.ts';
import { type Lateness, together, undisturbed } from './disturbances.ts';
import { worldsFor } from './worlds.ts';
import { play } from './play.ts';
import { planResources, type Subject, type World } from './subject.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const prompt: Lateness = { ms: [0, 0] };
const slow: Lateness = { ms: [1_000, 3_000] };
/** Two that see different things answer each other: with no delay at all they would do so without end. */
const usual: Lateness = { ms: [100, 300] };

/** Two at once that do not know of each other: all that they share is the records. */
function strangers({ reusesNames }: Subject, { sizeChanges, hangsOnMoments, newPodsWait }: World): Trial[] {
  const trials: Trial[] = [{ title: 'both prompt', how: together([prompt, prompt], 0) }];
  // Both follow a change in the middle of a batch, and neither record says which unit the other takes meanwhile.
  const seeds = sizeChanges === true || (hangsOnMoments === true && reusesNames === true) ? 0 : 5;
  for (let seed = 1; seed <= seeds; seed++) {
    trials.push(
      { title: `one late, seed ${seed}`, how: together([prompt, slow], seed) },
      { title: `both late, seed ${seed}`, how: together([{ ms: [500, 1_500] }, slow], seed) },
    );
  }
  if (sizeChanges !== true && hangsOnMoments !== true)
    trials.push({ title: 'one late with pods', how: oneLateWith('pods', 1, false) });
  if (sizeChanges !== true && reusesNames !== true)
    trials.push({
      title: 'one late with controllerrevisions',
      how: oneLateWith('controllerrevisions', 1, false),
      // The record of an approval is among them: whoever lacks it replaces pods of the next step that do not count yet as lost
      // ones, at the old revision.
      ...(newPodsWait === true && { mayRepeat: true as const }),
    });
  return trials;
}

/** Two at once that each record their name: everything, or one resource alone, comes to one of them later. */
function pairs({ kind }: Subject, { precedesRecords, target }: World): Trial[] {
  const { plan, command } = planResources(kind);
  const { volumeClaimTemplates = [] } = target['spec'] as { volumeClaimTemplates?: unknown[] };
  const claims = volumeClaimTemplates.length === 0 ? [] : [resources.PersistentVolumeClaim];
  const nodes = kind.uses.some(({ of }) => of === 'Nodes') ? [resources.Node] : [];
  const others = [resources.Pod, resources.ControllerRevision, plan, command, ...claims, ...nodes];
  const parts = precedesRecords === true ? others : [kind.resource, ...others];
  const trials: Trial[] = [{ title: 'both prompt, named', how: together([prompt, prompt], 0, true) }];
  for (let seed = 1; seed <= 3; seed++) {
    trials.push(
      { title: `one late, named, seed ${seed}`, how: together([prompt, slow], seed, true) },
      { title: `both late, named, seed ${seed}`, how: together([{ ms: [500, 1_500] }, slow], seed, true) },
      ...parts.map(({ plural }) => ({
        title: `one late with ${plural}, named, seed ${seed}`,
        how: oneLateWith(plural, seed, true),
      })),
    );
  }
  return trials;
}

function oneLateWith(plural: string, seed: number, areNamed: boolean): Trial['how'] {
  return together([usual, { ...usual, of: { [plural]: slow.ms } }], seed, areNamed);
}

describe.each(drawnWorlds('together', worldsFor.together))(
  '$title: two runtimes at once, none elected',
  ({ subject, worlds }) => {
    test.each(worlds.map((world) => [world.title, world] as const))(
      '%s',
      { timeout: 300_000 },
      async (title, world) => {
        const expected = await play(subject, world, undisturbed());
        const all = [...strangers(subject, world), ...pairs(subject, world)];
        const trials = sampled(title, all, 3, 5);
        await holdAgainst(subject, world, expected, trials, outcome(isConflict));
      },
    );
  },
);
