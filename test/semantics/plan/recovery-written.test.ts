import { expect, test } from 'vitest';
import { drive } from './drive.ts';
import { fleet, ofNodes, taken, without } from './nodes.ts';
import { planObject, rest, spec } from './rollout.ts';

const SECOND = 1_000;
const lost = { isReady: false };

test('that a broken node has recovered is written at once, also where another one breaks in the same moment', () => {
  const self = drive({
    view: ofNodes(without(without(fleet(40), [0]), [20], lost)),
    plans: [planObject(spec({ steps: [rest] }))],
  });
  self.reconcile();
  self.reconcile();
  // One goes away: which nodes are away is recorded now, and not again for half a minute.
  self.view = ofNodes(without(without(without(fleet(40), [0]), [20], lost), [30], lost));
  self.wait(2 * SECOND);
  const recorded = self.memory[0]?.progress;
  expect([recorded?.baseline.unavailable, recorded?.down]).toEqual([['n-00'], ['n-20']]);
  // One recovers, and one that was down is back with a broken pod.
  self.view = ofNodes(without(without(taken(fleet(40), 1), [20]), [30], lost));
  self.wait(2 * SECOND);
  expect(self.memory[0]?.progress.baseline.unavailable).toEqual(['n-20']);
});
