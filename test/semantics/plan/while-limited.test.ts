import { expect, test } from 'vitest';
import { whileLimited } from '../../../semantics/plan/while-limited.ts';
import { drive } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { NEW, NOW, planObject, rest, spec } from './rollout.ts';

const four = taken(fleet(10), 4);
const joined = (parts: Partial<FleetNode>): FleetNode[] => [
  ...four,
  ...fleet(11)
    .slice(10)
    .map((node) => ({ ...node, hash: NEW, joinedAt: NOW, available: false, ...parts })),
];

test.each<[what: string, nodes: FleetNode[], clock: 'runs' | 'stands']>([
  ['nothing', four, 'stands'],
  ['an updated pod', without(four, [2]), 'runs'],
  ['a missing pod', without(four, [7], {}, 'empty'), 'runs'],
  ['one on a node that is not Ready', without(four, [2], { isReady: false }), 'stands'],
  ['one that is missing there', without(four, [7], { isReady: false }, 'empty'), 'stands'],
  ['one on a node that has joined', joined({}), 'stands'],
  ['one that is missing there, too', joined({ isEmpty: true }), 'stands'],
])('while limits of others let no node be taken, and what is on its way is %s', (_what, nodes, clock) => {
  const self = drive({ view: ofNodes(fleet(10)), plans: [planObject(spec({ steps: [rest] }))] });
  self.reconcile();
  self.view = ofNodes(four);
  self.reconcile();
  self.view = ofNodes(nodes);
  const { progressClock } = whileLimited(self.view, self.reconcile(), 'a budget has no slot left');
  expect(progressClock?.counting).toBe(clock === 'runs' ? 'step' : undefined);
});
