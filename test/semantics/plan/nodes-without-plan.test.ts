import { describe, expect, test } from 'vitest';
import { drive } from './drive.ts';
import { fleet, ofNodes, taken, without } from './nodes.ts';
import { NEW } from './rollout.ts';

describe('without a plan', () => {
  /** Whether the target is complete at NEW, in Auto. */
  function isComplete(nodes: ReturnType<typeof fleet>): boolean {
    const self = drive({ view: ofNodes(nodes), plans: [], policy: 'Auto' });
    self.reconcile();
    return self.view.stable === NEW;
  }
  const updated = taken(fleet(20), 20);

  test.each([
    ['every node is done', updated, true],
    ['one is not', without(updated, [3]), false],
    ['one is empty', without(updated, [3], {}, 'empty'), false],
    ['one is not ready', without(updated, [3], { isReady: false }), true],
    ['one is not ready, and empty', without(updated, [3], { isReady: false }, 'empty'), true],
    ['a tenth is not ready', without(updated, [3, 4], { isReady: false }), true],
    ['more than a tenth is not ready', without(updated, [3, 4, 5], { isReady: false }), false],
    ['no node', [], false],
  ])('the target is complete, nodes that are not ready aside: %s', (_what, nodes, complete) => {
    expect(isComplete(nodes)).toBe(complete);
  });
});
