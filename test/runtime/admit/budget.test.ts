import { expect, test } from 'vitest';
import { createBudget } from '../../../runtime/admit/budget.ts';

/** Shares of a budget of 100 bytes, and which of them were taken away. */
function createSetup() {
  const budget = createBudget(100);
  const dropped: string[] = [];
  return { dropped, share: (client: string, name: string) => budget.share(client, () => dropped.push(name)) };
}

test('beyond the budget the client that holds most loses its oldest share', () => {
  const { dropped, share } = createSetup();
  const small = share('api', 'small');
  expect(small.take(5)).toBe(true);
  const [a, b, c] = [share('else', 'a'), share('else', 'b'), share('else', 'c')];
  expect([a.take(40), b.take(40)]).toEqual([true, true]);
  expect(c.take(40)).toBe(true);
  expect(dropped).toEqual(['a']);
  expect(a.take(1)).toBe(false);
  expect(small.take(1)).toBe(true);
});

test('one that is alone and larger than the budget is dropped itself', () => {
  const { dropped, share } = createSetup();
  expect(share('api', 'large').take(101)).toBe(false);
  expect(dropped).toEqual(['large']);
});

test('what is released can be taken again', () => {
  const { dropped, share } = createSetup();
  for (let time = 0; time < 10; time += 1) {
    const each = share('api', 'each');
    expect(each.take(90)).toBe(true);
    each.release();
    each.release();
  }
  expect(dropped).toEqual([]);
});
