import { expect, test } from 'vitest';
import { PHASES } from '../../../semantics/plan/phases.ts';
import { kinds, plannedKinds } from '../../../semantics/registry/registry.ts';
import { expectGolden } from '../../golden.ts';
import { sampled } from '../../lanes.ts';
import { fileOf, readStates, textOf } from './objects.ts';
import { statesOf } from './scripts.ts';

/** The objects that engines judge, of every kind and in every phase, as the runtime writes them in the sandbox. */
test.each(sampled('recorded objects', kinds, 1).map((kind) => [kind.id.kind, kind] as const))(
  'the objects of a %s are as recorded',
  async (_name, kind) => {
    expectGolden(`health/${fileOf(kind)}`, textOf(await statesOf(kind)));
  },
  120_000,
);

/** Phases that no object of a kind has, with the reason. */
const never: Readonly<Record<string, readonly string[]>> = {
  // A way back starts nothing, so that it is over at once.
  BroadcastJob: ['Reverting'],
  ImagePullJob: ['Reverting'],
  AdvancedCronJob: ['Reverting'],
};

test.each(plannedKinds.map((kind) => [kind.id.kind, kind] as const))(
  'a %s is recorded in every phase',
  (name, kind) => {
    const found = new Set(readStates(kind).map(({ state }) => state.split(' ')[0]));
    // Superseded stands in records alone.
    const wanted = PHASES.filter((phase) => phase !== 'Superseded' && never[name]?.includes(phase) !== true);
    expect(wanted.filter((phase) => !found.has(phase))).toEqual([]);
  },
);
