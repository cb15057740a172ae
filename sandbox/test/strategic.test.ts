import { describe, expect, test } from 'vitest';
import { strategicPatch } from '../patch/strategic.ts';
import { readRows } from './rows.ts';
import { abc, order, podShape, written, type Short } from './strategic-notation.ts';

/** What a patch does, the Pod, the patch, and the Pod that a server makes of them. */
const cases = readRows<[what: string, target: Short, patch: Short, result: Short]>('strategic-patches');

describe('strategic merge patch of a Pod', () => {
  test.each(cases)('%s', (_what, target, patch, result) => {
    expect(strategicPatch(podShape, written(target), written(patch))).toEqual(written(result));
  });

  test('a patch that is null changes nothing', () => {
    const target = written(abc);
    expect(strategicPatch(podShape, target, null)).toEqual(target);
  });

  test('neither object nor patch is written to', () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
      return value;
    };
    const patch = freeze(written({ containers: 'd=1 b=2 c=delete', spec: order('d b') }));
    expect(strategicPatch(podShape, freeze(written(abc)), patch)).toEqual(
      written({ containers: 'a=1 d=1 b=2' }),
    );
  });
});
