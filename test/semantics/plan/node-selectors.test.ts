import { expect, test } from 'vitest';
import { drive, state } from './drive.ts';
import { type FleetNode, fleet, ofNodes, taken, without } from './nodes.ts';
import { planObject, rest, spec } from './rollout.ts';

const canary = { matchLabels: { pool: 'canary' } };

/** Five nodes, of which the first two are of the canary. */
const five = (): FleetNode[] =>
  fleet(5).map((node, n) => (n < 2 ? { ...node, labels: { pool: 'canary' } } : node));

/** What becomes of a plan for the nodes of the canary, when the cluster is as given. */
function after(nodes: readonly FleetNode[]): string {
  const plan = spec({ steps: [rest] });
  const bounded = spec({ ...plan, to: { ...plan.to, bound: { partition: 0, selector: canary } } });
  const self = drive({ view: { ...ofNodes(five()), selector: canary }, plans: [planObject(bounded)] });
  self.reconcile();
  self.view = { ...ofNodes(nodes), selector: canary };
  self.reconcile();
  return state(self);
}

test.each<[what: string, nodes: readonly FleetNode[], expected: string]>([
  ['both nodes are taken: it is done', taken(five(), 2), 'Succeeded Completed'],
  ['one node is taken, and the other has its old pod', taken(five(), 1), 'Running rest'],
  [
    'one node is taken, and the other has no pod while that is replaced: it is not done',
    without(taken(five(), 1), [1], {}, 'empty'),
    'Running rest',
  ],
  [
    'a node that is not Ready holds it up no more than without a selector',
    without(taken(five(), 1), [1], { isReady: false }),
    'Succeeded Completed',
  ],
  [
    'nor does one that has no pod then',
    without(taken(five(), 1), [1], { isReady: false }, 'empty'),
    'Succeeded Completed',
  ],
])('a plan for nodes with a label: %s', (_what, nodes, expected) => {
  expect(after(nodes)).toBe(expected);
});
