import { describe, expect, test } from 'vitest';
import type { UpdateStep } from '../../../schemas/generated/types/rolloutplan.ts';
import { awaitedNewPods, isForNewPods, shareOfNewPods } from '../../../semantics/plan/new-pods.ts';
import { MODES, type Mode, composedMode, mostDisruptive } from '../../../semantics/template/mode.ts';

describe('plans that change no running pod (kinds.md, rule 5.5)', () => {
  test.each<[UpdateStep, share: number, awaited: number]>([
    [{ to: '10%' }, 10, 1],
    [{ to: '33.4%', atLeast: 5 }, 33.4, 5],
    [{ to: '50%', atLeast: 0 }, 50, 1],
    [{ to: '100%' }, 100, 0],
    [{ to: '100%', atLeast: 2 }, 100, 2],
    [{ to: '0%' }, 0, 1],
    // A number of pods is no share.
    [{ to: 3 }, 1, 1],
    [{ to: 0 }, 0, 1],
  ])('%j: share and awaited pods', (update, share, awaited) => {
    expect([shareOfNewPods(update), awaitedNewPods(update)]).toEqual([share, awaited]);
  });

  test.each<[Mode[], boolean]>([
    [['NewPodsOnly'], true],
    [['NewPodsOnly', 'InPlace', 'Recreate'], true],
    [['InPlace', 'NewPodsOnly'], false],
    [[], false],
  ])('from %j', (modes, expected) => {
    const from = modes.map((mode, index) => ({ hash: `h1:${index}`, mode }));
    expect(isForNewPods({ from })).toBe(expected);
  });

  test('a way with a part that only new pods get is for new pods; the mode of a plan is the most disruptive one', () => {
    expect(composedMode(['InPlace', 'NewPodsOnly'])).toBe('NewPodsOnly');
    expect(composedMode(['InPlace', 'MetadataOnly'])).toBe('InPlace');
    expect(composedMode([])).toBe('MetadataOnly');
    expect(MODES.map((mode) => mostDisruptive(['NewPodsOnly', mode]))).toEqual([
      'NewPodsOnly',
      'NewPodsOnly',
      'InPlace',
      'Recreate',
    ]);
  });
});
